import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

extension Configuration {
  /// The keys that say something else than in another configuration, in the order of the file: of a button, an output or
  /// the inputs its own key only.
  public func changes(from old: Configuration) -> [String] {
    var keys: [String] = []
    func compare<Value: Equatable>(_ key: String, _ value: (Configuration) -> Value) {
      if value(self) != value(old) { keys.append(key) }
    }
    compare("tempo", \.tempo)
    compare("signature", \.signature)
    compare("numerator_limit", \.numeratorLimit)
    compare("autoplay", \.autoplay)
    compare("restore", \.restores)
    compare("count_in", \.countIn)
    compare("auto_stop", \.autoStop)
    compare("debounce_ms", \.lockOut)
    compare("tap", \.tap)
    compare("chip", \.wiring.chip)
    for output in Output.lines { compare("outputs.\(output.rawValue)") { $0.settings(of: output) } }
    for button in Button.allCases { compare("buttons.\(button.rawValue)") { $0.settings(of: button) } }
    compare("chords", \.gestures.chords)
    compare("inputs", \.wiring.inputs)
    compare("audio.device", \.audio.device)
    compare("audio.rate", \.audio.rate)
    compare("audio.period", \.audio.period)
    compare("audio.periods", \.audio.periods)
    compare("audio.volume", \.volume)
    compare("audio.latency_us", \.latencies.audio)
    compare("audio.gain_db", \.gainDB)
    compare("audio.sounds", \.clickFiles)
    compare("timing", \.spins)
    return keys
  }

  private func settings(of output: Output) -> OutputSettings {
    OutputSettings(wiring: wiring.outputs[output], pulses: pattern[output], latency: latencies[output])
  }

  private func settings(of button: Button) -> ButtonSettings {
    let meanings = [Gesture.short(button), .long(button), .repeated(button)].map { gestures[$0] }
    return ButtonSettings(wiring: wiring.buttons[button], meanings: meanings)
  }
}

/// What the file says of an output.
private struct OutputSettings: Equatable {
  var wiring: OutputWiring?
  var pulses: PerLevel<Pulse>
  var latency: Nanoseconds
}

/// What the file says of a button.
private struct ButtonSettings: Equatable {
  var wiring: ButtonWiring?
  var meanings: [Command?]
}

extension GestureTable<Command> {
  fileprivate var chords: [Gesture: Command] {
    var chords: [Gesture: Command] = [:]
    for gesture in gestures {
      switch gesture {
      case .chord: chords[gesture] = self[gesture]
      case .short, .long, .repeated: continue
      }
    }
    return chords
  }
}

/// Who uses which line, to notice a line that is used twice.
struct LineClash {
  /// An output or a button.
  struct User {
    /// Its section, as `outputs.light`.
    var path: String
    var line: LineID
    /// Where the file says so; nil where it is the default.
    var position: Position?
  }

  private var users: [User] = []

  mutating func add(_ user: User) { users.append(user) }

  /// Refuses the first line in the file that another user has already: one further up, or one that the file leaves where
  /// it is by default.
  func check() throws(Problem) {
    let defaults = users.filter { $0.position == nil }
    var earlier: [User] = []
    let written = users.compactMap { user in user.position.map { (user, $0) } }
    for (user, position) in written.sorted(by: { $0.1 < $1.1 }) {
      if let other = (earlier + defaults).first(where: { LineClash.isSame($0.line, user.line) }) {
        throw LineClash.problem(user, at: position, with: other)
      }
      earlier.append(user)
    }
  }

  private static func problem(_ user: User, at position: Position, with other: User) -> Problem {
    guard let place = other.position else {
      return Problem(
        "\(user.line) already belongs to \(other.path), by default",
        remedy: "choose another, or give \(other.path) another line or \"line: none\"", at: position)
    }
    return Problem(
      "\(user.line) already belongs to \(other.path), on line \(place.line) of the file",
      remedy: "choose another, or \"line: none\" for one of the two", at: position)
  }

  /// Whether two lines are one. On a Raspberry Pi `GPIO17` has the offset 17.
  private static func isSame(_ a: LineID, _ b: LineID) -> Bool {
    a == b || (a.bcm != nil && a.bcm == b.bcm)
  }
}
