import MetronomeCore

/// A line of a script that cannot be read.
public struct ScriptError: Error, Hashable, Sendable, CustomStringConvertible {
  public var file: String
  /// Counted from 1; nil when the whole file is meant.
  public var line: Int?
  public var problem: String

  public init(file: String, line: Int?, problem: String) {
    self.file = file
    self.line = line
    self.problem = problem
  }

  /// One line: `FILE:LINE: what is wrong`.
  public var description: String {
    let name = shownName(file)
    return line.map { "\(name):\($0): \(problem)" } ?? "\(name): \(problem)"
  }
}

extension Script {
  /// Reads a script: a line for each thing that happens, `TIME press BUTTON [HELD]`, `TIME down BUTTON` or
  /// `TIME up BUTTON`; blank lines and what follows a `#` are skipped. Times are as `1.5s`, `250ms`, `2m` or bare
  /// seconds. The order of the lines does not matter.
  ///
  /// - Throws: `ScriptError` for the first line that is wrong, and for a file that is empty: one that was cut off looks
  ///   like that.
  public init(text bytes: [UInt8], file: String) throws(ScriptError) {
    self.init()
    let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
    guard bytes.contains(where: { !$0.isBlank && $0 != UInt8(ascii: "\n") }) else {
      throw ScriptError(file: file, line: nil, problem: "the script is empty; write a line such as \"1s press play\"")
    }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      do {
        try read(line)
      } catch {
        throw ScriptError(file: file, line: index + 1, problem: error.text)
      }
    }
  }

  private struct Problem: Error { var text: String }

  private mutating func read(_ line: ArraySlice<UInt8>) throws(Problem) {
    guard let text = String(validating: line, as: UTF8.self) else {
      throw Problem(text: "this is not UTF-8 text")
    }
    // By scalars: what goes with the character before it, as an accent does, must not hide that one.
    let scalars = text.unicodeScalars.prefix { $0 != "#" }
    let words = scalars.split { $0 == " " || $0 == "\t" || $0 == "\r" }.map { String($0) }
    guard let first = words.first else { return }
    let time = try Script.time(first, called: "time")
    guard words.count > 1 else { throw Problem(text: "what happens at \(first)? press, down or up") }
    let action = words[1]
    guard ["press", "down", "up"].contains(action) else {
      throw Problem(text: "\(quoted(action)) is not something to do; press, down or up is")
    }
    guard words.count > 2 else { throw Problem(text: "\(action) which button? \(Script.buttonNames)") }
    guard let button = Button(rawValue: words[2]) else {
      throw Problem(text: "there is no button \(quoted(words[2])); there are \(Script.buttonNames)")
    }
    guard words.count <= (action == "press" ? 4 : 3) else {
      throw Problem(text: "too much on the line, from \(quoted(words[action == "press" ? 4 : 3])) on")
    }
    switch action {
    case "press":
      let held = words.count > 3 ? try Script.time(words[3], called: "held") : Script.standardHold
      guard held > .zero else { throw Problem(text: "a press lasts longer than \(words[3])") }
      press(button, at: time, for: held)
    case "down": down(button, at: time)
    default: up(button, at: time)
    }
  }

  private static let buttonNames = Button.allCases.map(\.rawValue).joined(separator: ", ")

  private static func time(_ text: String, called name: String) throws(Problem) -> Nanoseconds {
    guard let time = Nanoseconds(text: text) else {
      throw Problem(
        text: "\(quoted(text)) is not a \(name == "time" ? "time" : "time to hold"); write \(Nanoseconds.textForm)")
    }
    return time
  }
}

extension UInt8 {
  fileprivate var isBlank: Bool {
    self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") || self == UInt8(ascii: "\r")
  }
}
