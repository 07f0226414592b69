import MetronomeCore

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

extension TokenGuard {
  /// `yaml_parser_fetch_document_indicator`.
  mutating func documentIndicator() {
    unroll(to: 0)
    candidates[candidates.count - 1] = nil
    keyAllowed = false
    advance(3)
  }

  /// `yaml_parser_fetch_flow_collection_start`.
  mutating func openBracket(isMapping: Bool) throws(Problem) {
    saveCandidate()
    try refuseDeepNesting(at: position)
    flows.append(Level(column: nil, isMapping: isMapping))
    candidates.append(nil)
    keyAllowed = true
    advance()
  }

  /// `yaml_parser_fetch_flow_collection_end`.
  mutating func closeBracket() {
    if !flows.isEmpty {
      flows.removeLast()
      candidates.removeLast()
    }
    keyAllowed = false
    advance()
  }

  /// `yaml_parser_fetch_flow_entry`.
  mutating func separator() {
    candidates[candidates.count - 1] = nil
    keyAllowed = true
    advance()
  }

  /// `yaml_parser_fetch_block_entry`.
  mutating func blockEntry() throws(Problem) {
    try roll(to: position, isMapping: false)
    candidates[candidates.count - 1] = nil
    keyAllowed = true
    advance()
  }

  /// `yaml_parser_fetch_key`.
  mutating func explicitKey() throws(Problem) {
    try roll(to: position, isMapping: true)
    candidates[candidates.count - 1] = nil
    keyAllowed = flows.isEmpty
    advance()
  }

  /// `yaml_parser_fetch_value`.
  mutating func value() throws(Problem) {
    if let key = candidates[candidates.count - 1], key.position.line == position.line {
      try roll(to: key.position, isMapping: true)
      try refuseSecond(key)
      candidates[candidates.count - 1] = nil
      keyAllowed = false
    } else {
      try roll(to: position, isMapping: true)
      keyAllowed = flows.isEmpty
    }
    advance()
  }

  /// `yaml_parser_save_simple_key`.
  mutating func saveCandidate() {
    if keyAllowed { candidates[candidates.count - 1] = KeyCandidate(position: position, text: nil) }
  }

  /// Opens a block if this place lies deeper than the last (`yaml_parser_roll_indent`).
  private mutating func roll(to beginning: Position, isMapping: Bool) throws(Problem) {
    guard flows.isEmpty, blocks.last?.column ?? 0 < beginning.column else { return }
    try refuseDeepNesting(at: beginning)
    blocks.append(Level(column: beginning.column, isMapping: isMapping))
  }

  /// Closes the blocks that lie deeper than this column (`yaml_parser_unroll_indent`).
  mutating func unroll(to column: Int) {
    guard flows.isEmpty else { return }
    while let last = blocks.last?.column, last > column { blocks.removeLast() }
  }

  private func refuseDeepNesting(at position: Position) throws(Problem) {
    if blocks.count + flows.count >= TokenGuard.deepest {
      throw Problem(
        "more than \(TokenGuard.deepest) levels lie in each other here",
        remedy: "a configuration has four at most: inputs, a device, its keys, a key", at: position)
    }
  }

  /// Notes a key of the innermost mapping, and refuses it if the mapping has it already.
  private mutating func refuseSecond(_ key: KeyCandidate) throws(Problem) {
    guard let text = key.text else { return }
    let earlier: Int?
    if let flow = flows.last {
      guard flow.isMapping else { return }
      earlier = flows[flows.count - 1].lines.updateValue(key.position.line, forKey: text)
    } else {
      earlier = blocks[blocks.count - 1].lines.updateValue(key.position.line, forKey: text)
    }
    guard let earlier else { return }
    throw Problem(
      "\(quoted(text)) is here for the second time, after line \(earlier)", remedy: "keep one of the two",
      at: key.position)
  }
}

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
