import MetronomeCore
import Yams

/// The one document of a configuration file, as the parser sees it.
struct Document {
  /// nil for a file of comments alone.
  let root: Node?

  init(_ text: CheckedText) throws(Problem) {
    var guardian = TokenGuard(text)
    try guardian.check()
    do {
      // Without a resolver every scalar stays as it was written: 017 and .nan are for the reader to judge. The encoding
      // is given because the default may be set by the environment, and says so on standard output.
      root = try Parser(yaml: text.string, resolver: .basic, encoding: .utf8).singleRoot()
    } catch {
      throw Document.problem(error, in: text)
    }
  }

  private static func problem(_ error: any Error, in text: CheckedText) -> Problem {
    switch error as? YamlError {
    case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _):
      // What is missing at the end the parser misses on the line below, even where the file has no such line.
      let place = min(Position(mark), text.end)
      return syntaxProblem(problem, at: place, since: (context?.mark).map(Position.init), in: text)
    case .composer(_, _, let mark, _):
      return Problem(
        "a second document begins here", remedy: "keep one of the two, without \"---\" between them", at: Position(mark)
      )
    case .duplicatedKeysInMapping(let keys, let context):
      return Problem(
        "\(quoted(keys.first ?? "")) is here more than once", remedy: "keep one of them", at: Position(context.mark))
    default:
      return Problem("the file is no YAML: \(error)", remedy: "write \"key: value\", a line each", at: nil)
    }
  }

  /// libYAML's terse words, as a person would say them.
  private static func syntaxProblem(
    _ problem: String, at place: Position, since start: Position?, in text: CheckedText
  ) -> Problem {
    switch problem {
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
      Problem("a \":\" is missing after the key", remedy: "write \"key: value\"", at: start ?? place)
    case "found unexpected end of stream", "found unexpected document indicator":
      Problem("the quotation that begins here has no end", remedy: "close it on the same line", at: start ?? place)
    case "did not find expected ',' or ']'", "did not find expected ',' or '}'":
      Problem(
        "the bracket that opens here is not closed, or a comma is missing within",
        remedy: "close it, or write the keys indented below, a line each", at: start ?? place)
    case "found character that cannot start any token", "found a tab character that violates indentation":
      badStart(at: place, in: text)
    case "found unknown escape character", "did not find expected hexdecimal number",
      "found invalid Unicode character escape code":
      Problem(
        "a backslash in double quotes begins a code, and this is none",
        remedy: "write \\\\ for a backslash, or use single quotes", at: place)
    default:
      Problem("this is no YAML: \(problem)", remedy: "write \"key: value\", a line each", at: place)
    }
  }

  private static func badStart(at place: Position, in text: CheckedText) -> Problem {
    guard let scalar = text.scalar(at: place), scalar != "\t" else {
      return Problem("a tab stands where the line is indented", remedy: "indent with spaces", at: place)
    }
    return Problem(
      "a value cannot begin with \(shownInMessage(scalar))", remedy: "put the value in quotes", at: place)
  }
}

extension Position {
  init(_ mark: Mark) { self.init(line: mark.line, column: mark.column) }
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
  var string: String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    return String(text)
  }

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
