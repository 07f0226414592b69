import CYAML
import MetronomeCore

/// A value of a configuration file, with its nested values.
package struct Node {
  package enum Content {
    case scalar(Scalar)
    /// In the order of the file.
    case section([(key: Node, value: Node)])
    case list([Node])
  }

  package var content: Content
  var position: Position
}

/// A value as written in the file.
package struct Scalar {
  package var text: String
  /// Whether the value is written without quotes.
  var isPlain: Bool
}

/// Reads the one document of a configuration file from libyaml's events.
///
/// Unsupported features are errors as soon as their events arrive: deep nesting, anchors, aliases, tags, multi-line text, a
/// second document, and duplicate keys. So the memory use is bounded by the length of the text.
package struct YAMLReader: ~Copyable {
  /// The maximum nesting depth. The configuration itself has four levels.
  private static let deepest = 16

  let text: CheckedText
  /// libyaml keeps a pointer to the text, and pointers to itself.
  private let bytes: UnsafeMutableBufferPointer<UInt8>
  let parser: UnsafeMutablePointer<yaml_parser_t>
  /// How many plain values of several lines are still examined. Limited, because each examination reads the text up to it.
  private var continuationsLeft = 16

  private init(_ text: CheckedText) {
    self.text = text
    let utf8 = text.utf8
    bytes = .allocate(capacity: utf8.count)
    _ = bytes.initialize(from: utf8)
    parser = .allocate(capacity: 1)
    parser.initialize(to: yaml_parser_t())
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
    bytes.deallocate()
  }

  /// The root of a document, or nil for a file of comments alone.
  package static func root(of bytes: [UInt8], file: String) throws(ConfigurationError) -> Node? {
    do { return try root(of: CheckedText(bytes)) } catch { throw ConfigurationError(file: file, error) }
  }

  static func root(of text: CheckedText) throws(Problem) -> Node? {
    var reader = YAMLReader(text)
    guard yaml_parser_initialize(reader.parser) == 1 else {
      throw Problem("not enough memory to read the file", remedy: "close other programs", at: nil)
    }
    yaml_parser_set_encoding(reader.parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(reader.parser, reader.bytes.baseAddress, reader.bytes.count)
    return try reader.root()
  }

  private mutating func root() throws(Problem) -> Node? {
    _ = try next()
    guard case .documentStart = try next().event else { return nil }
    let root = try node(try next(), depth: 1)
    _ = try next()
    let after: (event: Event, position: Position)
    do throws(Problem) { after = try next() } catch { throw beginning(of: root) ?? error }
    guard case .streamEnd = after.event else {
      throw Problem(
        "a second document begins here", remedy: "keep one document, and remove the \"---\" between them",
        at: after.position)
    }
    return root
  }

  /// The problem of a line after the end of the document, if the document ended early because of its first line.
  private func beginning(of root: Node) -> Problem? {
    if let problem = text.lookAlike(onLine: root.position.line) { return problem }
    return switch root.content {
    case .scalar(let scalar) where scalar.isPlain:
      Problem(
        "\(quoted(scalar.text)) is not a key with a value",
        remedy: "write \"key: value\", with a space after the colon, or begin a note with \"#\"",
        at: root.position)
    case .section where root.position.column > 1:
      Problem(
        "this key is indented, but a later one is not", remedy: "begin both in the same column", at: root.position)
    default: nil
    }
  }

  private mutating func node(_ first: (event: Event, position: Position), depth: Int) throws(Problem) -> Node {
    if case .scalar(let scalar) = first.event { return Node(content: .scalar(scalar), position: first.position) }
    guard depth <= YAMLReader.deepest else {
      throw Problem(
        "more than \(YAMLReader.deepest) nested levels",
        remedy: "a configuration has at most four: inputs, a device, its keys, a key", at: first.position)
    }
    if case .sectionStart = first.event {
      return Node(content: .section(try entries(depth: depth)), position: first.position)
    }
    var items: [Node] = []
    while true {
      let item = try next()
      if case .end = item.event { return Node(content: .list(items), position: first.position) }
      items.append(try node(item, depth: depth + 1))
    }
  }

  private mutating func entries(depth: Int) throws(Problem) -> [(key: Node, value: Node)] {
    var entries: [(key: Node, value: Node)] = []
    var lines: [String: Int] = [:]
    while true {
      let first = try next()
      if case .end = first.event { return entries }
      let key = try node(first, depth: depth + 1)
      if case .scalar(let name) = key.content, let earlier = lines.updateValue(key.position.line, forKey: name.text) {
        // If the name of a section or the dash of an entry is missing, its keys look like duplicates in the one above.
        let isNext = entries.last?.key.position.line == earlier
        var missing = depth > 1 && !isNext ? ", or begin another section or entry above the second" : ""
        if depth == 1, entries.count > 1, entries[0].key.position.line == earlier {
          missing = "; if the file contains everything twice, delete everything from this line on"
        } else if depth == 1, !Keys.all.contains(where: { $0.name == name.text }) {
          missing = ", or indent the keys of each section below its name"
        }
        throw Problem(
          "duplicate key \(quoted(name.text)), first used on line \(earlier)", remedy: "remove one of them\(missing)",
          at: key.position)
      }
      entries.append((key, try node(try next(), depth: depth + 1)))
    }
  }
}

/// The events of libyaml that a configuration needs.
private enum Event {
  case documentStart
  case scalar(Scalar)
  case sectionStart
  case listStart
  /// The end of a list, a section or the document; or the start of the stream, which is ignored.
  case end
  case streamEnd
}

extension YAMLReader {
  private mutating func next() throws(Problem) -> (event: Event, position: Position) {
    var event = yaml_event_t()
    guard yaml_parser_parse(parser, &event) == 1 else { throw problem() }
    defer { yaml_event_delete(&event) }
    let position = Position(event.start_mark)
    let data = event.data
    switch event.type {
    case YAML_DOCUMENT_START_EVENT: return (.documentStart, position)
    case YAML_STREAM_END_EVENT, YAML_NO_EVENT: return (.streamEnd, position)
    case YAML_MAPPING_START_EVENT:
      try refuse(anchor: data.mapping_start.anchor, tag: data.mapping_start.tag, at: position)
      return (.sectionStart, position)
    case YAML_SEQUENCE_START_EVENT:
      try refuse(anchor: data.sequence_start.anchor, tag: data.sequence_start.tag, at: position)
      return (.listStart, position)
    case YAML_ALIAS_EVENT: throw Problem.unused("*", at: position)
    case YAML_SCALAR_EVENT:
      try refuse(anchor: data.scalar.anchor, tag: data.scalar.tag, at: position)
      if data.scalar.style == YAML_LITERAL_SCALAR_STYLE { throw Problem.unused("|", at: position) }
      if data.scalar.style == YAML_FOLDED_SCALAR_STYLE { throw Problem.unused(">", at: position) }
      let text = String(
        decoding: UnsafeBufferPointer(start: data.scalar.value, count: data.scalar.length), as: UTF8.self)
      let isPlain = data.scalar.style == YAML_PLAIN_SCALAR_STYLE
      if isPlain, let problem = continuation(from: position, to: Position(event.end_mark)) { throw problem }
      // Some editors replace straight quotation marks with these, U+2018 to U+201F. For YAML they are ordinary characters.
      if isPlain, let first = text.unicodeScalars.first, (0x2018...0x201F).contains(first.value) {
        let remedy = "put the value in straight ones: \" or '"
        throw Problem("\(first) is a curly quotation mark", remedy: remedy, at: position)
      }
      return (.scalar(Scalar(text: text, isPlain: isPlain)), position)
    default: return (.end, position)
    }
  }

  /// The problem of a plain value that continues on an indented line, such as a comment whose "#" is missing.
  private mutating func continuation(from start: Position, to end: Position) -> Problem? {
    guard end.line > start.line, continuationsLeft > 0 else { return nil }
    continuationsLeft -= 1
    if let problem = text.lookAlike(onLine: start.line) { return problem }
    return text.nextLine(after: start).flatMap { Indentation.problem(in: text, line: $0) }
  }

  private func refuse(
    anchor: UnsafeMutablePointer<yaml_char_t>?, tag: UnsafeMutablePointer<yaml_char_t>?, at position: Position
  ) throws(Problem) {
    if anchor != nil { throw Problem.unused("&", at: position) }
    if tag != nil { throw Problem.unused("!", at: position) }
  }
}

extension Position {
  init(_ mark: yaml_mark_t) { self.init(line: Int(mark.line) + 1, column: Int(mark.column) + 1) }
}
