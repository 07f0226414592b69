extension MalformedDocument {
  /// Text that is not YAML, and YAML that a configuration does not support.
  static let syntax = [
    MalformedDocument("tempo", "1:1: the file contains \"tempo\" instead of keys; \(oneKey)"),
    MalformedDocument(
      "tempo:120", "1:1: the file contains \"tempo:120\" instead of keys; \(oneKey)"),
    MalformedDocument("null", "1:1: the file contains \"null\" instead of keys; \(oneKey)"),
    MalformedDocument(
      "- tempo: 120",
      "1:1: the file contains a list instead of keys; write one \"key: value\" per line, without dashes or brackets"),
    MalformedDocument(
      "tempo 120\nsignature: 4/4",
      "1:1: a \":\" is missing after the key; \(keyOrNote)"),
    MalformedDocument(
      "tempo: 120: 4", "1:11: \(secondColon)"),
    MalformedDocument(
      "tempo: 120\n  signature: 4/4",
      "2:3: \(belowValue("tempo", line: 1))"),
    MalformedDocument(
      "tempo: 120\nsignature\nautoplay: true",
      "2:1: a \":\" is missing after the key; \(keyOrNote)"),
    MalformedDocument(
      "outputs:\n  light:\n    line: GPIO1\n   active: high",
      "4:4: \(beside("line", line: 3, columns: 4, 5))"),
    MalformedDocument(
      "outputs:\n light:\n    line: GPIO1\n  buzzer:\n    line: GPIO2",
      "4:3: \(beside("light", line: 2, columns: 3, 2))"),
    MalformedDocument(
      "outputs:\n    line: GPIO1\n  buzzer:\n    line: GPIO2",
      "2:5: unknown key \"line\" in outputs; indent it further, below "
        + "light, pendulum or buzzer"),
    MalformedDocument(
      "chip: auto\nbuttons:\n  tap:\n    line: GPIO1\n signature: 4/4",
      "5:2: \(beside("buttons", line: 2, columns: 2, 1))"),
    MalformedDocument(
      "chip: auto\nbuttons:\n  play:\n    line: GPIO1\n tap:\n    line: GPIO2",
      "5:2: \(beside("play", line: 3, columns: 2, 3))"),
    MalformedDocument(
      "inputs:\n- device: A\n  keys: {KEY_A: play}\n - device: B\n   grab: true",
      "4:2: \(beside("keys", line: 3, columns: 2, 3))"),
    MalformedDocument(
      "outputs:\n  light:\n    line: 4\n   levels: [strong,\n     medium]",
      "4:4: \(beside("line", line: 3, columns: 4, 5))"),
    MalformedDocument(
      "tempo:\u{A0}120\nbeat: 1/4", "1:7: U+00A0 looks like a space; replace it with a normal one"),
    MalformedDocument(
      "te\tm:120\nbeat: 1/4", "1:1: a space is missing after the colon; write \"teU+0009m: value\""),
    MalformedDocument("tempo:\u{A0}120", "1:7: U+00A0 looks like a space; replace it with a normal one"),
    MalformedDocument(
      "outputs:\n  light:\n\u{A0}   line: 4\n    active: low",
      "3:1: U+00A0 looks like a space; replace it with a normal one"),
    MalformedDocument(
      "chip: auto\ntempo\u{FF1A}120\nbeat: 1/4", "2:6: U+FF1A looks like a colon; replace it with a normal one"),
    MalformedDocument(
      "outputs:\nlight:\nline: 4\nbuzzer:\nline: 5",
      "5:1: duplicate key \"line\", first used on line 3; remove one of them, "
        + "or indent the keys of each section below its name"),
    MalformedDocument(
      "inputs:\n  - device: A\n  chip: auto",
      "3:3: this line begins in the same column as the list on line 2; remove the \"-\" there, or indent this line"),
    MalformedDocument("buttons:\n  play: line: GPIO5", "2:13: \(secondColon)"),
    MalformedDocument("tempo: 120 beat: 1/4", "1:16: \(secondColon)"),
    MalformedDocument(
      "tempo: 90\n  slower {line: GPIO5, short: slower}: 4: 5",
      "2:3: \(belowValue("tempo", line: 1))"),
    MalformedDocument(
      "chip: auto {line: 4, short: play}",
      "1:17: a \":\" or a space is missing before the \"{\"; "
        + "write a colon and a space after each key, as in play: {line: GPIO5}"),
    MalformedDocument("outputs:\n  light: {line: 4}}", "2:19: \(nothingFollows)"),
    MalformedDocument("outputs:\n  light: {line: 4} x", "2:20: \(nothingFollows)"),
    MalformedDocument("rhythm: \"X.x.\" loud", "1:16: \(nothingFollows)"),
    MalformedDocument("tap: {round: true}  beat: 1/4", "1:21: \(nothingFollows)"),
    MalformedDocument("outputs\n  light:\n    line: GPIO1", "1:1: a \":\" is missing after the key; \(keyOrNote)"),
    MalformedDocument(
      "outputs:\nlight:\n    line: GPIO17\n  pendulum:\n    line: GPIO27",
      "2:1: unknown key \"light\"; write it on an indented line below \"outputs\""),
    MalformedDocument("tap:\n    round: true\n  beat: 1/4", "3:3: \(beside("tap", line: 1, columns: 3, 1))"),
    MalformedDocument(
      "tempo: 120\u{A0}# x\n  beat: 5", "1:11: U+00A0 looks like a space; replace it with a normal one"),
    MalformedDocument("tempo: 120 # \u{A0}\n  score: 5", "2:3: \(belowValue("tempo", line: 1))"),
    MalformedDocument("score: \"\u{FF1A}\"\n  beat: 5", "2:3: \(belowValue("score", line: 1))"),
    MalformedDocument("tap: {round: true}: 5", "1:19: \(secondColon)"),
    MalformedDocument("tempo: 120\n- 5", "2:1: \(listBelow("tempo", line: 1))"),
    MalformedDocument("outputs:\n  light: 4\n  - 5", "3:3: \(listBelow("light", line: 2))"),
    MalformedDocument(
      "inputs:\n  - device: A\n   x: auto",
      "3:4: this line begins in column 4, but the list on line 2 begins in column 3; "
        + "begin all keys of a section in the same column, below the name of the section"),
    MalformedDocument(
      "---\n\"chip\": rock 'n roll\ntempo:\t120 \t# it is 'x\n score: \"x \\\" \"",
      "4:2: \(belowValue("tempo", line: 3))"),
    MalformedDocument("chip: 'it''s '\n score: x", "2:2: \(belowValue("chip", line: 1))"),
    MalformedDocument(
      "Rehearsal at 19:30\ntempo: 120", "1:1: a \":\" is missing after the key; \(keyOrNote)"),
    MalformedDocument(
      "signature:4/4\nautoplay: true", "1:1: a space is missing after the colon; write \"signature: value\""),
    MalformedDocument("chip: auto\n  # light\n  light:\n    line: 4", "3:3: \(belowValue("chip", line: 1))"),
    MalformedDocument("tempo: 120\n The tempo in notes\n per minute.", "2:2: \(belowValue("tempo", line: 1))"),
    MalformedDocument(
      "audio:\n  device:auto\n  rate: 8000\nchip: auto",
      "2:3: a space is missing after the colon; write \"device: value\""),
    MalformedDocument(
      "rhythm: \"\nchip: auto\nscore: \"music/x\"",
      "1:9: the quoted text that begins here is not closed on its line; close it on the same line"),
    MalformedDocument(
      " tempo: 120\nsignature: 4/4",
      "1:2: this key is indented, but a later one is not; begin both in the same column"),
    MalformedDocument(
      "# tempo\ntempo:120\n# signature\nsignature: 4/4",
      "2:1: \"tempo:120\" is not a key with a value; "
        + "write \"key: value\", with a space after the colon, or begin a note with \"#\""),
    MalformedDocument(
      "tempo: 120\n...\nsignature: 4/4",
      "3:1: this line does not continue the lines above; "
        + "begin the outermost keys in the first column, write a space after each \":\", "
        + "and remove lines with \"%\" or \"...\""),
    MalformedDocument("outputs:\n\tlight: {line: 4}", "2:1: tab in the indentation; indent with spaces"),
    MalformedDocument(": x", "1:1: a key is missing before the \":\"; write \"key: value\""),
    MalformedDocument(
      "chip: \"abc", "1:7: the quoted text that begins here is not closed on its line; close it on the same line"),
    MalformedDocument(
      "chip: 'abc\ntempo: 1",
      "1:7: the quoted text that begins here is not closed on its line; close it on the same line"),
    MalformedDocument(
      "chip: 'abc\n---\n'",
      "1:7: the quoted text that begins here is not closed on its line; close it on the same line"),
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
        + "write / between folders, \\\\ for a backslash, or use single quotes"),
    MalformedDocument(
      "chip: \"\\uD800\"",
      "1:10: invalid escape sequence in double quotes; "
        + "write / between folders, \\\\ for a backslash, or use single quotes"),
    MalformedDocument(
      "chip: \"\\xZZ\"",
      "1:10: invalid escape sequence in double quotes; "
        + "write / between folders, \\\\ for a backslash, or use single quotes"),
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

  static let keyOrNote = "write \"key: value\", or begin a note with \"#\""

  /// The message for a line below a key that has a value.
  static func belowValue(_ key: String, line: Int) -> String {
    "this line is indented further than \"\(key)\" on line \(line), which already has a value; begin both lines in "
      + "the same column, or write the name of a section above this one; if this is a note, begin it with \"#\""
  }

  private static let oneKey =
    "write one \"key: value\" per line, with a space after the colon, or begin a note with \"#\""
  private static let nothingFollows =
    "nothing can follow here; remove the rest of the line, or write it on a line of its own"
  private static let secondColon =
    "a second \":\" on this line; write one \"key: value\" per line, or several in braces, as in play: {line: GPIO5}, "
    + "and quote a value that contains \": \""

  private static func listBelow(_ key: String, line: Int) -> String {
    "a list cannot be below \"\(key)\" on line \(line), which has a value; write either the value or the list"
  }

  /// The message for a line in another column than a key that it seems to belong to.
  private static func beside(_ key: String, line: Int, columns own: Int, _ other: Int) -> String {
    "this line begins in column \(own), but \"\(key)\" on line \(line) begins in column \(other); "
      + "begin all keys of a section in the same column, below the name of the section"
  }
}
