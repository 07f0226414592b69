import Glibc

/// The parsers of untrusted bytes, and the invariants that they must keep for any input.
///
/// No parser may trap, or take long or much memory; libFuzzer detects that itself. All other invariants are checked here.
enum Parser: String, CaseIterable {
  case configuration
  case http
  case message
  case midi
  case midiStream = "midi-stream"
  case rhythm
  case score
  case script
  case state
  case sound
  case webSocket = "websocket"

  /// The parser that the environment selects.
  static let chosen = getenv("METRONOME_PARSER").flatMap { Parser(rawValue: String(cString: $0)) }

  /// Parses an input. Ends the process if an invariant is broken.
  func check(_ bytes: [UInt8]) {
    switch self {
    case .configuration: ConfigurationPromises.check(bytes)
    case .http: RemotePromises.checkHTTP(bytes)
    case .message: MessagePromises.check(bytes)
    case .midi: MIDIPromises.check(bytes)
    case .midiStream: StreamPromises.check(bytes)
    case .rhythm: RhythmPromises.check(bytes)
    case .score: ScorePromises.check(bytes)
    case .script: ScriptPromises.check(bytes)
    case .state: StatePromises.check(bytes)
    case .sound: SoundPromises.check(bytes)
    case .webSocket: RemotePromises.checkWebSocket(bytes)
    }
  }
}

/// Ends the process unless a condition holds, so that libFuzzer saves the input.
func require(_ condition: Bool, _ broken: @autoclosure () -> String) {
  if !condition { fatalError(broken()) }
}

/// Requires that a message fits on one log line and contains no control characters.
func requireOneLine(_ message: String) {
  require(!message.isEmpty, "an empty message")
  // Names in messages are cut after 40 characters, and the longest word list is shorter than the limit below.
  require(message.unicodeScalars.count < 1_500, "a message of \(message.unicodeScalars.count) characters: \(message)")
  let isSafe = message.unicodeScalars.allSatisfy { scalar in
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
  require(isSafe, "a message with control characters: \(message.debugDescription)")
}
