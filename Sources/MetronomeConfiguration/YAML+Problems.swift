import CYAML
import MetronomeCore

extension Problem {
  static func unused(_ indicator: String, at position: Position) -> Problem {
    let what =
      switch indicator {
      case "&": "an anchor (\"&\") is not supported"
      case "*": "an alias (\"*\") is not supported"
      case "!": "a tag (\"!\") is not supported"
      default: "multi-line text (\"\(indicator)\") is not supported"
      }
    return Problem(what, remedy: "write the value itself, in quotes if it begins with \(indicator)", at: position)
  }
}

// The errors of libyaml, in words for the user.
extension YAMLReader {
  func problem() -> Problem {
    let terse = parser.pointee.problem.map { String(cString: $0) } ?? "not readable"
    // For text missing at the end of the file, libyaml reports the line after the last line, which does not exist.
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
    // A character that looks like a space or a colon can cause an error on its own line or on the next one.
    let found =
      text.lookAlike(onLine: start.line) ?? text.lookAlike(onLine: place.line - 1) ?? text.lookAlike(onLine: place.line)
    if let problem = found ?? indentationProblem(terse, at: place) ?? lineProblem(terse, at: place) { return problem }
    return switch terse {
    case "mapping values are not allowed in this context":
      Problem(
        "one \":\" too many, or a missing \":\" in the line above",
        remedy: "write one \"key: value\" per line, indent it like its neighbors, and quote a value that"
          + " contains \": \"", at: place)
    case "did not find expected key" where text.scalar(at: place) == ":":
      Problem("a key is missing before the \":\"", remedy: "write \"key: value\"", at: place)
    case "did not find expected key", "did not find expected '-' indicator":
      Problem(
        "this line does not match the indentation of the lines above",
        remedy: "indent all keys of a section by the same number of spaces",
        at: place)
    case "did not find expected <document start>":
      Problem(
        "this line does not continue the lines above",
        remedy: "begin the outermost keys in the first column, write a space after each \":\", and remove lines with"
          + " \"%\" or \"...\"", at: place)
    case "found unknown directive name", "found incompatible YAML document":
      Problem("a directive (\"%\") is not supported", remedy: "remove the line", at: place)
    case "block sequence entries are not allowed in this context":
      Problem("a list (\"- \") is not allowed here", remedy: "write the value itself", at: place)
    case "did not find expected node content":
      Problem(
        "missing value, or one bracket too many", remedy: "write one \"key: value\" per line", at: place)
    case "could not find expected ':'":
      .missingColon(in: text.line(from: start), at: start)
    case "found unexpected end of stream", "found unexpected document indicator":
      .openQuote(at: start)
    case "did not find expected ',' or ']'", "did not find expected ',' or '}'":
      Problem(
        "this bracket is not closed, or a comma is missing inside it",
        remedy: terse.hasSuffix("']'")
          ? "close it with \"]\", or write each entry after \"- \" on an indented line below"
          : "close it with \"}\", or write each key on an indented line below", at: start)
    case "found character that cannot start any token", "found a tab character that violates indentation":
      badStart(at: place)
    case "found unknown escape character", "did not find expected hexdecimal number",
      "found invalid Unicode character escape code":
      Problem(
        "invalid escape sequence in double quotes",
        remedy: "write / between folders, \\\\ for a backslash, or use single quotes", at: place)
    default: Problem("invalid YAML: \(terse)", remedy: "write one \"key: value\" per line", at: place)
    }
  }

  private func indentationProblem(_ terse: String, at place: Position) -> Problem? {
    switch terse {
    case "mapping values are not allowed in this context", "did not find expected key",
      "did not find expected '-' indicator", "did not find expected <document start>":
      Indentation.problem(in: text, line: place.line)
    default: nil
    }
  }

  /// The problem of a line that cannot go on at this place.
  private func lineProblem(_ terse: String, at place: Position) -> Problem? {
    let before = text.line(from: Position(line: place.line, column: 1)).unicodeScalars.prefix(place.column - 1)
    guard before.contains(where: { $0 != " " && $0 != "-" }) else { return nil }
    switch terse {
    case "mapping values are not allowed in this context":
      let key = before.prefix { $0 != "{" }
      if key.count < before.count, key.last(where: { $0 != " " }) != ":", !key.contains("\"") {
        let remedy = "write a colon and a space after each key, as in play: {line: GPIO5}"
        return Problem("a \":\" or a space is missing before the \"{\"", remedy: remedy, at: place)
      }
      guard String(before).contains(": ") else { return nil }
      return Problem(
        "a second \":\" on this line",
        remedy:
          "write one \"key: value\" per line, or several in braces, as in play: {line: GPIO5}, and quote a value that "
          + "contains \": \"", at: place)
    case "did not find expected key", "did not find expected '-' indicator", "did not find expected <document start>":
      guard text.scalar(at: place) != ":" else { return nil }
      return Problem(
        "nothing can follow here", remedy: "remove the rest of the line, or write it on a line of its own", at: place)
    default: return nil
    }
  }

  private func badStart(at place: Position) -> Problem {
    guard let scalar = text.scalar(at: place), scalar != "\t" else {
      return Problem("tab in the indentation", remedy: "indent with spaces", at: place)
    }
    return Problem("a value cannot begin with \(shownInMessage(scalar))", remedy: "put the value in quotes", at: place)
  }
}
