/// Walks the tokens of a document before the parser builds a tree of it.
///
/// The parser calls itself for every level of nesting, and compares keys with all that hangs on them; a hostile file
/// could have it overflow the stack or compare for ever. So the guard refuses deep nesting, and with it what this file
/// has no use for: anchors, aliases, tags, and text over several lines. It finds keys given twice as well, because the
/// parser tells only where the first of them is.
///
/// It splits the text as libYAML's scanner does (its `scanner.c`, whose names are given below), but judges
/// nothing else: what is no YAML is left for the parser to say.
struct TokenGuard {
  /// How many levels may lie in each other. The configuration itself has four.
  static let deepest = 16

  /// A mapping or a sequence that is open, and the keys it had so far, with their lines.
  struct Level {
    /// Where a block's keys begin; nil for one in brackets.
    var column: Int?
    var isMapping: Bool
    var lines: [String: Int] = [:]
  }

  /// A token that is a key if a colon follows it on its line.
  struct KeyCandidate {
    var position: Position
    /// nil for one that is not plainly a word.
    var text: String?
  }

  let scalars: [Unicode.Scalar]
  var index = 0
  var position = Position()
  /// By indentation (`indents`).
  var blocks: [Level] = []
  /// In brackets (`flow_level`).
  var flows: [Level] = []
  /// The newest of each level of brackets, the first for the text outside them (`simple_keys`).
  var candidates: [KeyCandidate?] = [nil]
  /// Whether the next token can be a key without a question mark (`simple_key_allowed`).
  var keyAllowed = true

  init(_ text: CheckedText) { scalars = text.scalars }

  /// Walks from the beginning to the end.
  ///
  /// Takes time and space in proportion to the text's length.
  mutating func check() throws(Problem) {
    skipToToken()
    while index < scalars.count {
      unroll(to: position.column)
      try token()
      skipToToken()
    }
  }

  /// What stands so many characters on, or nil past the end.
  func peek(_ ahead: Int = 0) -> Unicode.Scalar? { index + ahead < scalars.count ? scalars[index + ahead] : nil }

  func isBlank(_ ahead: Int = 0) -> Bool { peek(ahead) == " " || peek(ahead) == "\t" }

  /// A space, a tab, the end of the line or of the text (`IS_BLANKZ`).
  func isBlankOrEnd(_ ahead: Int = 0) -> Bool { isBlank(ahead) || peek(ahead) == "\n" || peek(ahead) == nil }

  /// Three dashes or dots at the beginning of a line, which part documents.
  var isDocumentIndicator: Bool {
    guard position.column == 1, let first = peek(), first == "-" || first == "." else { return false }
    return peek(1) == first && peek(2) == first && isBlankOrEnd(3)
  }

  mutating func advance(_ count: Int = 1) {
    for _ in 0..<count where index < scalars.count {
      position.pass(scalars[index])
      index += 1
    }
  }

  mutating func skipLine() {
    while let next = peek(), next != "\n" { advance() }
  }

  /// `yaml_parser_scan_to_next_token`.
  private mutating func skipToToken() {
    while let next = peek() {
      switch next {
      case " ", "\t": advance()
      case "#": skipLine()
      case "\n":
        advance()
        if flows.isEmpty { keyAllowed = true }
      default: return
      }
    }
  }

  /// `yaml_parser_fetch_next_token`.
  private mutating func token() throws(Problem) {
    guard let next = peek() else { return }
    if position.column == 1, next == "%" { return skipLine() }
    if isDocumentIndicator { return documentIndicator() }
    switch next {
    case "[", "{": try openBracket(isMapping: next == "{")
    case "]", "}": closeBracket()
    case ",": separator()
    case "-" where isBlankOrEnd(1): try blockEntry()
    case "?" where !flows.isEmpty || isBlankOrEnd(1): try explicitKey()
    case ":" where !flows.isEmpty || isBlankOrEnd(1): try value()
    case "&", "*", "!": throw unused(next)
    case "|" where flows.isEmpty, ">" where flows.isEmpty: throw unused(next)
    case "'", "\"": quotedScalar(next)
    case ":", "?", "-": plainScalar()
    case "#", "|", ">", "%", "@", "`": advance()
    default: plainScalar()
    }
  }

  private func unused(_ indicator: Unicode.Scalar) -> Problem {
    let what =
      switch indicator {
      case "&": "an anchor (\"&\") is of no use here"
      case "*": "an alias (\"*\") is of no use here"
      case "!": "a tag (\"!\") is of no use here"
      default: "text over several lines (\"\(indicator)\") is of no use here"
      }
    return Problem(what, remedy: "write the value itself, in quotes if it begins with \(indicator)", at: position)
  }
}
