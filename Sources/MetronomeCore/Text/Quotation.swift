/// Somebody else's text as a message shows it: in quotes, on one line, and not too long.
package func quoted(_ text: some StringProtocol) -> String {
  var shown = ""
  for scalar in text.unicodeScalars {
    guard shown.unicodeScalars.count < 40 else { return "\"\(shown)…\"" }
    shown += shownInMessage(scalar)
  }
  return "\"\(shown)\""
}

/// A file's name as a message shows it: whole, on one line, and without what would move a terminal's cursor.
package func shownName(_ name: String) -> String { name.unicodeScalars.map(shownInMessage).joined() }

/// A character as a message shows it: itself, or its number where it would not be seen or would break the line.
package func shownInMessage(_ scalar: Unicode.Scalar) -> String {
  switch scalar.properties.generalCategory {
  case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
    codePoint(scalar)
  default: String(Character(scalar))
  }
}

/// A character's number as Unicode writes it, `U+0007`.
package func codePoint(_ scalar: Unicode.Scalar) -> String {
  let digits = String(scalar.value, radix: 16, uppercase: true)
  return "U+" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
}
