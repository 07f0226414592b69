extension MalformedDocument {
  /// What is no YAML, or none that is of use here.
  static let syntax = [
    MalformedDocument("tempo", "1:1: the file holds \"tempo\", and no keys; write \"key: value\", a line each"),
    MalformedDocument("tempo:120", "1:1: the file holds \"tempo:120\", and no keys; write \"key: value\", a line each"),
    MalformedDocument("null", "1:1: the file holds \"null\", and no keys; write \"key: value\", a line each"),
    MalformedDocument(
      "- tempo: 120",
      "1:1: the file holds a list, and no keys; write \"key: value\", a line each, without dashes or brackets"),
    MalformedDocument(
      "tempo 120\nsignature: 4/4",
      "2:10: a \":\" too many, or the line above has none; write \"key: value\", a line each; "
        + "a value with \": \" in it needs quotes"),
    MalformedDocument(
      "tempo: 120: 4",
      "1:11: a \":\" too many, or the line above has none; write \"key: value\", a line each; "
        + "a value with \": \" in it needs quotes"),
    MalformedDocument(
      "tempo: 120\n  signature: 4/4",
      "2:12: a \":\" too many, or the line above has none; write \"key: value\", a line each; "
        + "a value with \": \" in it needs quotes"),
    MalformedDocument(
      "tempo: 120\nsignature\nautoplay: true",
      "2:1: a \":\" is missing after the key; write \"key: value\""),
    MalformedDocument(
      "outputs:\n  light:\n    line: GPIO1\n   active: high",
      "4:4: this line does not fit the lines above; indent the keys of one section by the same number of spaces"),
    MalformedDocument(
      " tempo: 120\nsignature: 4/4",
      "2:1: this line does not belong to those above; "
        + "begin the outermost keys in the first column, and leave out lines of \"%\" and \"...\""),
    MalformedDocument(
      "outputs:\n\tlight: {line: 4}",
      "2:1: a tab stands where the line is indented; indent with spaces"),
    MalformedDocument(": x", "1:1: a key is missing before the \":\"; write \"key: value\""),
    MalformedDocument("chip: \"abc", "1:7: the quotation that begins here has no end; close it on the same line"),
    MalformedDocument(
      "chip: 'abc\ntempo: 1",
      "1:7: the quotation that begins here has no end; close it on the same line"),
    MalformedDocument(
      "chip: 'abc\n---\n'",
      "1:7: the quotation that begins here has no end; close it on the same line"),
    MalformedDocument(
      "audio: {device: auto",
      "1:8: the bracket that opens here is not closed, or a comma is missing within; "
        + "close it, or write the keys indented below, a line each"),
    MalformedDocument(
      "chip: [a",
      "1:7: the bracket that opens here is not closed, or a comma is missing within; "
        + "close it, or write the keys indented below, a line each"),
    MalformedDocument("]", "1:1: a value is missing here, or a bracket is too many; write \"key: value\", a line each"),
    // Found by Tests/Fuzzing: the line below was named, which is not there.
    MalformedDocument(
      "{tempo: ", "1:9: a value is missing here, or a bracket is too many; write \"key: value\", a line each"),
    MalformedDocument("chip: @home", "1:7: a value cannot begin with @; put the value in quotes"),
    MalformedDocument("chip: %x", "1:7: a value cannot begin with %; put the value in quotes"),
    MalformedDocument(
      "chip: \"\\q\"",
      "1:8: a backslash in double quotes begins a code, and this is none; "
        + "write \\\\ for a backslash, or use single quotes"),
    MalformedDocument(
      "chip: \"\\uD800\"",
      "1:10: a backslash in double quotes begins a code, and this is none; "
        + "write \\\\ for a backslash, or use single quotes"),
    MalformedDocument(
      "chip: \"\\xZZ\"",
      "1:10: a backslash in double quotes begins a code, and this is none; "
        + "write \\\\ for a backslash, or use single quotes"),
    MalformedDocument(
      "tempo: 1\n---\ntempo: 2",
      "2:1: a second document begins here; keep one of the two, without \"---\" between them"),
    MalformedDocument("tempo: - 1", "1:8: a list (\"- \") is of no use here; write the value itself"),
    MalformedDocument(
      "chip: &x auto",
      "1:7: an anchor (\"&\") is of no use here; write the value itself, in quotes if it begins with &"),
    MalformedDocument(
      "chip: *x",
      "1:7: an alias (\"*\") is of no use here; write the value itself, in quotes if it begins with *"),
    MalformedDocument(
      "tempo: !!float 120",
      "1:8: a tag (\"!\") is of no use here; write the value itself, in quotes if it begins with !"),
    MalformedDocument(
      "chip: |\n  auto",
      "1:7: text over several lines (\"|\") is of no use here; write the value itself, in quotes if it begins with |"),
    MalformedDocument(
      "chip: >-\n  auto",
      "1:7: text over several lines (\">\") is of no use here; write the value itself, in quotes if it begins with >"),
    MalformedDocument("%YAML 3.0\n---\ntempo: 1", "1:1: a directive (\"%\") is of no use here; leave the line out"),
    MalformedDocument("%FOO\n---\ntempo: 1", "1:5: a directive (\"%\") is of no use here; leave the line out"),
  ]
}
