import CYAML
import MetronomeCore

/// A value of a configuration file, with what lies in it.
package struct Node {
  package enum Content {
    case scalar(Scalar)
    /// In the file's order.
    case section([(key: Node, value: Node)])
    case list([Node])
  }

  package var content: Content
  var position: Position
}

/// A value as it was written.
package struct Scalar {
  package var text: String
  /// Without quotes.
  var isPlain: Bool
}

/// Reads the one document of a configuration file from libyaml's events.
///
/// What a configuration has no use for is refused as soon as its event arrives: deep nesting, anchors, aliases, tags, text
/// over several lines, a second document, and a key given twice. So nothing grows beyond the text itself.
package struct YAMLReader: ~Copyable {
  /// How many levels may lie in each other. The configuration itself has four.
  private static let deepest = 16

  private let text: CheckedText
  /// libyaml keeps a pointer to the text, and pointers to itself.
  private let bytes: UnsafeMutableBufferPointer<UInt8>
  private let parser: UnsafeMutablePointer<yaml_parser_t>

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
    do {
      return try root(of: CheckedText(bytes))
    } catch {
      throw ConfigurationError(file: file, error)
    }
  }

  static func root(of text: CheckedText) throws(Problem) -> Node? {
    let reader = YAMLReader(text)
    guard yaml_parser_initialize(reader.parser) == 1 else {
      throw Problem("no memory is left to read the file", remedy: "close other programs", at: nil)
    }
    yaml_parser_set_encoding(reader.parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(reader.parser, reader.bytes.baseAddress, reader.bytes.count)
    return try reader.root()
  }

  private func root() throws(Problem) -> Node? {
    _ = try next()
    guard case .documentStart = try next().kind else { return nil }
    let root = try node(try next(), depth: 1)
    _ = try next()
    let after = try next()
    guard case .streamEnd = after.kind else {
      throw Problem(
        "a second document begins here", remedy: "keep one of the two, without \"---\" between them", at: after.position
      )
    }
    return root
  }

  private func node(_ event: Event, depth: Int) throws(Problem) -> Node {
    switch event.kind {
    case .scalar(let scalar): return Node(content: .scalar(scalar), position: event.position)
    case .sectionStart:
      try refuseDeepNesting(depth, at: event.position)
      return Node(content: .section(try entries(depth: depth)), position: event.position)
    case .listStart:
      try refuseDeepNesting(depth, at: event.position)
      var items: [Node] = []
      while true {
        let item = try next()
        if case .end = item.kind { return Node(content: .list(items), position: event.position) }
        items.append(try node(item, depth: depth + 1))
      }
    case .documentStart, .end, .streamEnd: preconditionFailure("libyaml begins no node with this event")
    }
  }

  private func entries(depth: Int) throws(Problem) -> [(key: Node, value: Node)] {
    var entries: [(key: Node, value: Node)] = []
    var lines: [String: Int] = [:]
    while true {
      let event = try next()
      if case .end = event.kind { return entries }
      let key = try node(event, depth: depth + 1)
      if case .scalar(let name) = key.content,
        let earlier = lines.updateValue(key.position.line, forKey: name.text)
      {
        throw Problem(
          "\(quoted(name.text)) is here for the second time, after line \(earlier)", remedy: "keep one of the two",
          at: key.position)
      }
      entries.append((key, try node(try next(), depth: depth + 1)))
    }
  }

  private func refuseDeepNesting(_ depth: Int, at position: Position) throws(Problem) {
    guard depth > YAMLReader.deepest else { return }
    throw Problem(
      "more than \(YAMLReader.deepest) levels lie in each other here",
      remedy: "a configuration has four at most: inputs, a device, its keys, a key", at: position)
  }
}

/// What of libyaml's events a configuration needs.
private struct Event {
  enum Kind {
    case documentStart
    case scalar(Scalar)
    case sectionStart
    case listStart
    /// Of a list, a section or the document; or the start of the stream, which says nothing.
    case end
    case streamEnd
  }

  var kind: Kind
  var position: Position
}

extension YAMLReader {
  private func next() throws(Problem) -> Event {
    var event = yaml_event_t()
    guard yaml_parser_parse(parser, &event) == 1 else { throw problem() }
    defer { yaml_event_delete(&event) }
    let position = Position(event.start_mark)
    let data = event.data
    switch event.type {
    case YAML_DOCUMENT_START_EVENT: return Event(kind: .documentStart, position: position)
    case YAML_STREAM_END_EVENT, YAML_NO_EVENT: return Event(kind: .streamEnd, position: position)
    case YAML_MAPPING_START_EVENT:
      try refuse(anchor: data.mapping_start.anchor, tag: data.mapping_start.tag, at: position)
      return Event(kind: .sectionStart, position: position)
    case YAML_SEQUENCE_START_EVENT:
      try refuse(anchor: data.sequence_start.anchor, tag: data.sequence_start.tag, at: position)
      return Event(kind: .listStart, position: position)
    case YAML_ALIAS_EVENT: throw Problem.unused("*", at: position)
    case YAML_SCALAR_EVENT:
      try refuse(anchor: data.scalar.anchor, tag: data.scalar.tag, at: position)
      if data.scalar.style == YAML_LITERAL_SCALAR_STYLE { throw Problem.unused("|", at: position) }
      if data.scalar.style == YAML_FOLDED_SCALAR_STYLE { throw Problem.unused(">", at: position) }
      let text = String(
        decoding: UnsafeBufferPointer(start: data.scalar.value, count: data.scalar.length), as: UTF8.self)
      let isPlain = data.scalar.style == YAML_PLAIN_SCALAR_STYLE
      return Event(kind: .scalar(Scalar(text: text, isPlain: isPlain)), position: position)
    default: return Event(kind: .end, position: position)
    }
  }

  private func refuse(
    anchor: UnsafeMutablePointer<yaml_char_t>?, tag: UnsafeMutablePointer<yaml_char_t>?, at position: Position
  ) throws(Problem) {
    if anchor != nil { throw Problem.unused("&", at: position) }
    if tag != nil { throw Problem.unused("!", at: position) }
  }
}

extension Problem {
  fileprivate static func unused(_ indicator: String, at position: Position) -> Problem {
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

// What libyaml refuses, as a person would say it.
extension YAMLReader {
  private func problem() -> Problem {
    let terse = parser.pointee.problem.map { String(cString: $0) } ?? "not readable"
    // What is missing at the end the parser misses on the line below, even where the file has no such line.
    let place = min(Position(parser.pointee.problem_mark), text.end)
    guard let context = parser.pointee.context.map({ String(cString: $0) }) else {
      return problem(terse, at: place, since: place)
    }
    let start = Position(parser.pointee.context_mark)
    switch context {
    case "while scanning an anchor": return .unused("&", at: start)
    case "while scanning an alias": return .unused("*", at: start)
    case "while scanning a tag", "while parsing a tag": return .unused("!", at: start)
    case "while scanning a block scalar": return .unused(text.scalar(at: start).map(String.init) ?? "|", at: start)
    default: return problem(terse, at: place, since: start)
    }
  }

  private func problem(_ terse: String, at place: Position, since start: Position) -> Problem {
    switch terse {
    case "mapping values are not allowed in this context":
      Problem(
        "a \":\" too many, or the line above has none",
        remedy: "write \"key: value\", a line each; a value with \": \" in it needs quotes", at: place)
    case "did not find expected key" where text.scalar(at: place) == ":":
      Problem("a key is missing before the \":\"", remedy: "write \"key: value\"", at: place)
    case "did not find expected key", "did not find expected '-' indicator":
      Problem(
        "this line does not fit the lines above", remedy: "indent the keys of one section by the same number of spaces",
        at: place)
    case "did not find expected <document start>":
      Problem(
        "this line does not belong to those above",
        remedy: "begin the outermost keys in the first column, and leave out lines of \"%\" and \"...\"", at: place)
    case "found unknown directive name", "found incompatible YAML document":
      Problem("a directive (\"%\") is of no use here", remedy: "leave the line out", at: place)
    case "block sequence entries are not allowed in this context":
      Problem("a list (\"- \") is of no use here", remedy: "write the value itself", at: place)
    case "did not find expected node content":
      Problem(
        "a value is missing here, or a bracket is too many", remedy: "write \"key: value\", a line each", at: place)
    case "could not find expected ':'":
      Problem("a \":\" is missing after the key", remedy: "write \"key: value\"", at: start)
    case "found unexpected end of stream", "found unexpected document indicator":
      Problem("the quotation that begins here has no end", remedy: "close it on the same line", at: start)
    case "did not find expected ',' or ']'", "did not find expected ',' or '}'":
      Problem(
        "the bracket that opens here is not closed, or a comma is missing within",
        remedy: "close it, or write the keys indented below, a line each", at: start)
    case "found character that cannot start any token", "found a tab character that violates indentation":
      badStart(at: place)
    case "found unknown escape character", "did not find expected hexdecimal number",
      "found invalid Unicode character escape code":
      Problem(
        "a backslash in double quotes begins a code, and this is none",
        remedy: "write \\\\ for a backslash, or use single quotes", at: place)
    default:
      Problem("this is no YAML: \(terse)", remedy: "write \"key: value\", a line each", at: place)
    }
  }

  private func badStart(at place: Position) -> Problem {
    guard let scalar = text.scalar(at: place), scalar != "\t" else {
      return Problem("a tab stands where the line is indented", remedy: "indent with spaces", at: place)
    }
    return Problem(
      "a value cannot begin with \(shownInMessage(scalar))", remedy: "put the value in quotes", at: place)
  }
}

extension Position {
  fileprivate init(_ mark: yaml_mark_t) { self.init(line: Int(mark.line) + 1, column: Int(mark.column) + 1) }
}

/// The text of a configuration file, as far as it is text at all: UTF-8, neither empty nor too long, and without
/// characters that nobody sees. Lines end with a line feed, whatever they ended with in the file.
struct CheckedText {
  /// More than anyone writes by hand, and little enough to be read in no time on the smallest board.
  static let highestByteCount = 256 * 1_024

  let scalars: [Unicode.Scalar]

  init(_ bytes: [UInt8]) throws(Problem) {
    guard bytes.count <= CheckedText.highestByteCount else {
      throw Problem(
        "the file is longer than 256 KiB", remedy: "a configuration is a page at most: is it the right file?", at: nil)
    }
    scalars = try CheckedText.decode(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...])
    guard scalars.contains(where: { $0 != " " && $0 != "\t" && $0 != "\n" }) else {
      throw Problem(
        "the file is empty, as a power failure leaves one that was being written",
        remedy: "write it again, or remove it to have the built-in configuration", at: nil)
    }
  }

  /// The text for the parser.
  var utf8: [UInt8] { scalars.flatMap { Array(UTF8.encode($0)!) } }

  /// The place after the last character.
  var end: Position {
    var place = Position()
    for scalar in scalars { place.pass(scalar) }
    return place
  }

  /// What stands at a place, or nil past the end of a line.
  func scalar(at position: Position) -> Unicode.Scalar? {
    var place = Position()
    for scalar in scalars {
      if place == position { return scalar }
      place.pass(scalar)
    }
    return nil
  }

  private static func decode(_ bytes: ArraySlice<UInt8>) throws(Problem) -> [Unicode.Scalar] {
    var scalars: [Unicode.Scalar] = []
    scalars.reserveCapacity(bytes.count)
    var position = Position()
    var index = bytes.startIndex
    var afterReturn = false
    var iterator = bytes.makeIterator()
    var decoder = UTF8()
    while true {
      switch decoder.decode(&iterator) {
      case .emptyInput: return scalars
      case .error:
        throw Problem(
          "the byte 0x\(String(bytes[index], radix: 16, uppercase: true)) does not belong to UTF-8 text",
          remedy: "save the file as UTF-8", at: position)
      case .scalarValue(let scalar):
        try refuseUnseen(scalar, at: position)
        index += UTF8.width(scalar)
        defer { afterReturn = scalar == "\r" }
        if afterReturn, scalar == "\n" { continue }
        scalars.append(scalar == "\r" ? "\n" : scalar)
        position.pass(scalars[scalars.count - 1])
      }
    }
  }

  /// Refuses what cannot be seen in an editor and can only be there by mistake, among it what YAML forbids.
  private static func refuseUnseen(_ scalar: Unicode.Scalar, at position: Position) throws(Problem) {
    switch scalar.value {
    case 0:
      throw Problem(
        "the file holds zero bytes, as a power failure leaves them",
        remedy: "write it again, or remove it to have the built-in configuration", at: position)
    case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0xA0...0x2027, 0x202A...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFFD,
      0x1_0000...0x10_FFFF:
      return
    default:
      throw Problem("the unseen character \(codePoint(scalar)) stands here", remedy: "delete it", at: position)
    }
  }
}
