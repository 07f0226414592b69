extension TokenGuard {
  /// `yaml_parser_scan_flow_scalar`.
  mutating func quotedScalar(_ quote: Unicode.Scalar) {
    saveCandidate()
    let isCandidate = keyAllowed
    keyAllowed = false
    advance()
    let start = index
    var isPlainWord = true
    while let next = peek(), next != quote || (quote == "'" && peek(1) == "'") {
      if next == "\n" || next == "\\" || next == "'" { isPlainWord = false }
      advance(next == quote || (quote == "\"" && next == "\\") ? 2 : 1)
    }
    if isCandidate, isPlainWord { nameCandidate(start..<index) }
    advance()
  }

  /// `yaml_parser_scan_plain_scalar`.
  mutating func plainScalar() {
    saveCandidate()
    let isCandidate = keyAllowed
    keyAllowed = false
    let start = index
    let line = position.line
    let indentation = blocks.last?.column ?? 0
    var end = index
    var crossedLine = false
    while !isDocumentIndicator, peek() != "#" {
      let before = index
      while !isBlankOrEnd(), !endsPlainScalar { advance() }
      if index > before {
        end = index
        crossedLine = false
      }
      guard isBlank() || peek() == "\n" else { break }
      while isBlank() || peek() == "\n" {
        if peek() == "\n" { crossedLine = true }
        advance()
      }
      if flows.isEmpty, position.column <= indentation { break }
    }
    if crossedLine { keyAllowed = true }
    if isCandidate, position.line == line { nameCandidate(start..<end) }
  }

  /// A colon before a blank, and in brackets whatever goes on with them.
  private var endsPlainScalar: Bool {
    if peek() == ":", isBlankOrEnd(1) { return true }
    guard !flows.isEmpty, let next = peek() else { return false }
    return next == "," || next == "[" || next == "]" || next == "{" || next == "}"
  }

  private mutating func nameCandidate(_ range: Range<Int>) {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars[range])
    candidates[candidates.count - 1]?.text = String(text)
  }
}
