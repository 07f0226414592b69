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
  /// Reads a script: a line for each thing that happens, blank lines and what follows a `#` are skipped.
  ///
  ///     TIME press BUTTON [HELD]      TIME turn DIAL DETENTS
  ///     TIME down BUTTON              TIME unplug DEVICE
  ///     TIME up BUTTON                TIME plug DEVICE
  ///     TIME unplug chip              TIME plug chip
  ///     TIME reload FILE
  ///
  /// Times are as `1.5s`, `250ms`, `2m` or bare seconds. Devices are numbered from 1 in the order in which they are
  /// configured. `BUTTON@DEVICE` and `DIAL@DEVICE` are those of a device; a button without it is the box's, a dial that of
  /// device 1. Detents are above 0 clockwise, below 0 the other way. The chip is that of the box's lines; pulled out at 0 it
  /// is one that comes late. A file is a configuration that is put in place; its name has no blanks. The order of the lines
  /// does not matter.
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
        try ScriptLine(line)?.add(to: &self)
      } catch {
        throw ScriptError(file: file, line: index + 1, problem: error.text)
      }
    }
  }
}

extension UInt8 {
  fileprivate var isBlank: Bool {
    self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") || self == UInt8(ascii: "\r")
  }
}
