import BoardSimulation
import Foundation
import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore

/// Why the program ends without having done what was asked: one line for a person, and an exit code for a script.
struct Failure: Error {
  var message: String
  var code: Int32

  /// The codes are those of sysexits.h.
  private init(_ message: String, _ code: Int32) {
    self.message = message
    self.code = code
  }

  static func usage(_ message: String) -> Failure { Failure(message, 64) }
  static func badScript(_ error: ScriptError) -> Failure { Failure(error.description, 65) }
  /// What is named is not there: a preset, a folder.
  static func notThere(_ message: String) -> Failure { Failure(message, 66) }
  static func noHardware(_ message: String) -> Failure { Failure(message, 69) }
  /// A metronome that runs and does not answer.
  static func noAnswer(_ message: String) -> Failure { Failure(message, 69) }
  static func cannotBeMade(_ message: String) -> Failure { Failure(message, 73) }
  /// - Parameter notice: what there is to say besides.
  static func cannotWrite(_ path: String, errno: Int32, _ notice: String? = nil) -> Failure {
    Failure("\(shownName(path)) cannot be written: \(reason(errno))" + (notice.map { "; \($0)" } ?? ""), 73)
  }
  static func badConfiguration(_ error: ConfigurationError) -> Failure { Failure(error.description, 78) }
}

/// What the system says about an error number.
func reason(_ errno: Int32) -> String { String(cString: strerror(errno)) }

/// Writes to standard error, at once and whole.
func standardError(_ text: String) {
  var text = text
  text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

extension Failure {
  static func noHardware(_ error: HardwareError) -> Failure { noHardware(text(error)) }

  /// What a person needs to know of it.
  static func text(_ error: HardwareError) -> String {
    error.detail.isEmpty ? "\(error.operation): \(reason(error.errno))" : error.detail
  }
}
