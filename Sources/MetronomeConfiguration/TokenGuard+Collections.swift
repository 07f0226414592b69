import MetronomeCore

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
