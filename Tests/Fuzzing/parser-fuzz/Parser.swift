import Glibc

/// What reads bytes that somebody else wrote, and what must hold of it whatever they are.
///
/// None may trap, and none take long or much memory: that libFuzzer sees by itself. The rest is required here.
enum Parser: String, CaseIterable {
  case configuration
  case script
  case state
  case sound

  /// The one that the environment names.
  static let chosen = getenv("METRONOME_PARSER").flatMap { Parser(rawValue: String(cString: $0)) }

  /// Reads an input. Ends the process if something does not hold.
  func take(_ bytes: [UInt8]) {
    switch self {
    case .configuration: ConfigurationPromises.check(bytes)
    case .script: ScriptPromises.check(bytes)
    case .state: StatePromises.check(bytes)
    case .sound: SoundPromises.check(bytes)
    }
  }
}

/// Ends the process, for libFuzzer to keep the input, unless a condition holds.
func require(_ condition: Bool, _ broken: @autoclosure () -> String) {
  if !condition { fatalError(broken()) }
}

/// Requires of a message that it fits on a line of a log and moves no cursor.
func requireOneLine(_ message: String) {
  require(!message.isEmpty, "an empty message")
  // Every name in it is cut after 40 characters, and the longest list of words is shorter than the rest.
  require(message.unicodeScalars.count < 1_500, "a message of \(message.unicodeScalars.count) characters: \(message)")
  let isSafe = message.unicodeScalars.allSatisfy { scalar in
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
  require(isSafe, "a message with control characters: \(message.debugDescription)")
}
