extension MalformedDocument {
  /// Text that is not YAML, and YAML that a configuration does not support.
  static let syntax = [
    MalformedDocument("tempo", "1:1: the file contains \"tempo\" instead of keys; write one \"key: value\" per line"),
    MalformedDocument(
      "tempo:120", "1:1: the file contains \"tempo:120\" instead of keys; write one \"key: value\" per line"),
    MalformedDocument("null", "1:1: the file contains \"null\" instead of keys; write one \"key: value\" per line"),
    MalformedDocument(
      "- tempo: 120",
      "1:1: the file contains a list instead of keys; write one \"key: value\" per line, without dashes or brackets"),
    MalformedDocument(
      "tempo 120\nsignature: 4/4",
      "2:10: one \":\" too many, or a missing \":\" in the line above; write one \"key: value\" per line, "
        + "indent it like its neighbors, and quote a value that contains \": \""),
    MalformedDocument(
      "tempo: 120: 4",
      "1:11: one \":\" too many, or a missing \":\" in the line above; write one \"key: value\" per line, "
        + "indent it like its neighbors, and quote a value that contains \": \""),
    MalformedDocument(
      "tempo: 120\n  signature: 4/4",
      "2:12: one \":\" too many, or a missing \":\" in the line above; write one \"key: value\" per line, "
        + "indent it like its neighbors, and quote a value that contains \": \""),
    MalformedDocument(
      "tempo: 120\nsignature\nautoplay: true",
      "2:1: a \":\" is missing after the key; write \"key: value\""),
    MalformedDocument(
      "outputs:\n  light:\n    line: GPIO1\n   active: high",
      "4:4: this line does not match the indentation of the lines above; "
        + "indent all keys of a section by the same number of spaces"),
    MalformedDocument(
      " tempo: 120\nsignature: 4/4",
      "1:2: this key is indented, but a later one is not; begin both in the same column"),
    MalformedDocument(
      "# tempo\ntempo:120\n# signature\nsignature: 4/4",
      "2:1: \"tempo:120\" is not a key with a value; write \"key: value\", with a space after the colon"),
    MalformedDocument(
      "tempo: 120\n...\nsignature: 4/4",
      "3:1: this line does not continue the lines above; "
        + "begin the outermost keys in the first column, write a space after each \":\", "
        + "and remove lines with \"%\" or \"...\""),
    MalformedDocument("outputs:\n\tlight: {line: 4}", "2:1: tab in the indentation; indent with spaces"),
    MalformedDocument(": x", "1:1: a key is missing before the \":\"; write \"key: value\""),
    MalformedDocument("chip: \"abc", "1:7: the quoted text that begins here is not closed; close it on the same line"),
    MalformedDocument(
      "chip: 'abc\ntempo: 1",
      "1:7: the quoted text that begins here is not closed; close it on the same line"),
    MalformedDocument(
      "chip: 'abc\n---\n'",
      "1:7: the quoted text that begins here is not closed; close it on the same line"),
    MalformedDocument(
      "audio: {device: auto",
      "1:8: this bracket is not closed, or a comma is missing inside it; "
        + "close it with \"}\", or write each key on an indented line below"),
    MalformedDocument(
      "chip: [a",
      "1:7: this bracket is not closed, or a comma is missing inside it; "
        + "close it with \"]\", or write each entry after \"- \" on an indented line below"),
    MalformedDocument("]", "1:1: missing value, or one bracket too many; write one \"key: value\" per line"),
    // Found by Tests/Fuzzing: the message named the next line, which does not exist.
    MalformedDocument("{tempo: ", "1:9: missing value, or one bracket too many; write one \"key: value\" per line"),
    MalformedDocument(
      "chip: \u{201C}x\u{201D}", "1:7: \u{201C} is a curly quotation mark; put the value in straight ones: \" or '"),
    MalformedDocument(
      "\u{2018}tempo\u{2019}: 90", "1:1: \u{2018} is a curly quotation mark; put the value in straight ones: \" or '"),
    MalformedDocument("chip: @home", "1:7: a value cannot begin with @; put the value in quotes"),
    MalformedDocument("chip: %x", "1:7: a value cannot begin with %; put the value in quotes"),
    MalformedDocument(
      "chip: \"\\q\"",
      "1:8: invalid escape sequence in double quotes; "
        + "write \\\\ for a backslash, or use single quotes"),
    MalformedDocument(
      "chip: \"\\uD800\"",
      "1:10: invalid escape sequence in double quotes; "
        + "write \\\\ for a backslash, or use single quotes"),
    MalformedDocument(
      "chip: \"\\xZZ\"",
      "1:10: invalid escape sequence in double quotes; "
        + "write \\\\ for a backslash, or use single quotes"),
    MalformedDocument(
      "tempo: 1\n---\ntempo: 2",
      "2:1: a second document begins here; keep one document, and remove the \"---\" between them"),
    MalformedDocument("tempo: - 1", "1:8: a list (\"- \") is not allowed here; write the value itself"),
    MalformedDocument(
      "chip: &x auto",
      "1:7: an anchor (\"&\") is not supported; write the value itself, in quotes if it begins with &"),
    MalformedDocument(
      "chip: *x",
      "1:7: an alias (\"*\") is not supported; write the value itself, in quotes if it begins with *"),
    MalformedDocument(
      "tempo: !!float 120",
      "1:8: a tag (\"!\") is not supported; write the value itself, in quotes if it begins with !"),
    MalformedDocument(
      "chip: |\n  auto",
      "1:7: multi-line text (\"|\") is not supported; write the value itself, in quotes if it begins with |"),
    MalformedDocument(
      "chip: >-\n  auto",
      "1:7: multi-line text (\">\") is not supported; write the value itself, in quotes if it begins with >"),
    MalformedDocument("%YAML 3.0\n---\ntempo: 1", "1:1: a directive (\"%\") is not supported; remove the line"),
    MalformedDocument("%FOO\n---\ntempo: 1", "1:5: a directive (\"%\") is not supported; remove the line"),
  ]
}
