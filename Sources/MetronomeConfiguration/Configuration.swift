import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// What the box is set to, and how it is wired: all that its configuration file says.
public struct Configuration: Hashable, Sendable {
  public var tempo: Tempo
  /// One that ``numeratorLimit`` allows.
  public var signature: Signature
  public var numeratorLimit: NumeratorLimit
  public var autoplay: Autoplay
  /// Whether tempo, signature and mode are as they were when the box was switched off, and not as configured.
  public var restores: Bool
  /// Bars that are counted in before the first, 0 to `Rules.mostCountedIn`.
  public var countIn: Int
  /// After how long untouched the metronome stops, ``autoStopRange``; nil: never.
  public var autoStop: Nanoseconds?
  /// For how long a button's contact may bounce, in whole milliseconds, 1 to 100.
  public var lockOut: Nanoseconds
  public var tap: TapRules
  public var gestures: GestureTable<Command>
  public var wiring: Wiring
  public var pattern: OutputPattern
  public var audio: AudioRequest
  /// Of the clicks, 0 to 1, as loud as it sounds; see `ClickGain`.
  public var volume: Double
  /// In whole microseconds.
  public var latencies: OutputLatencies
  /// Decibels on top of the volume, -60 to 20.
  public var gainDB: Double
  public var clickFiles: ClickFiles
  /// Whether the beat thread is awake before each change of a line, and watches the clock.
  public var spins: Bool

  /// What ``autoStop`` may be.
  public static let autoStopRange = Nanoseconds.seconds(1)...Nanoseconds.seconds(86_400)

  public init(
    tempo: Tempo = .initial, signature: Signature = .initial, numeratorLimit: NumeratorLimit = .denominator,
    autoplay: Autoplay = .never, restores: Bool = true, countIn: Int = 0, autoStop: Nanoseconds? = nil,
    lockOut: Nanoseconds = Debouncer.standardLockOut, tap: TapRules = TapRules(),
    gestures: GestureTable<Command> = .standard, wiring: Wiring = .standard, pattern: OutputPattern = OutputPattern(),
    audio: AudioRequest = AudioRequest(), volume: Double = 0.8,
    gainDB: Double = 0, clickFiles: ClickFiles = ClickFiles(), latencies: OutputLatencies = .none,
    spins: Bool = true
  ) {
    self.tempo = tempo
    self.signature = signature
    self.numeratorLimit = numeratorLimit
    self.autoplay = autoplay
    self.restores = restores
    self.countIn = countIn
    self.autoStop = autoStop
    self.lockOut = lockOut
    self.tap = tap
    self.gestures = gestures
    self.wiring = wiring
    self.pattern = pattern
    self.audio = audio
    self.volume = volume
    self.latencies = latencies
    self.gainDB = gainDB
    self.clickFiles = clickFiles
    self.spins = spins
  }

  /// The built-in one, in force where no file says otherwise.
  public static let standard = Configuration()

  /// The buttons that there are, on the box or on a device beside it.
  public var presentButtons: Set<Button> {
    wiring.inputs.reduce(into: Set(wiring.buttons.keys)) { $0.formUnion($1.keys.values) }
  }

  /// The outputs that have a line, and the sound card unless there is to be none.
  public var presentOutputs: OutputSet {
    OutputSet(wiring.outputs.keys).union(audio.device == .none ? [] : [.audio])
  }

  /// What of the metronome's behaviour no hand changes.
  public var rules: Rules {
    Rules(
      homeTempo: tempo, countIn: countIn, tapRounds: tap.rounds, tapStarts: tap.starts, autoStop: autoStop)
  }

  /// The part of it that the engine plays.
  ///
  /// - Parameter sounds: see ``readSounds()``.
  public func engineOptions(_ sounds: ClickSounds) -> EngineOptions {
    var options = EngineOptions(
      settings: Settings(tempo: tempo, signature: signature, limit: numeratorLimit), restores: restores, rules: rules,
      gestures: gestures, lockOut: lockOut, pattern: pattern, sounds: sounds, latencies: latencies)
    options.outputs = presentOutputs
    return options
  }
}

extension Configuration {
  /// Reads a configuration from the bytes of a file.
  ///
  /// - Parameter file: its path, for messages and as the place from which files that it names are looked for.
  public init(yaml: [UInt8], file: String) throws(ConfigurationError) {
    do {
      self = try ConfigurationReader.read(CheckedText(yaml), folder: Configuration.folder(of: file))
    } catch {
      throw ConfigurationError(file: file, error)
    }
  }

  /// Reads a configuration from a file, which must be a regular one: nothing that could keep the box waiting.
  public static func read(path: String) throws(ConfigurationError) -> Configuration {
    guard let configuration = try readIfPresent(path: path) else {
      throw ConfigurationError(file: path, Problem("there is no such file", remedy: "check the path", at: nil))
    }
    return configuration
  }

  /// Reads a configuration from a file, or answers nil if there is none under this path.
  public static func readIfPresent(path: String) throws(ConfigurationError) -> Configuration? {
    let bytes: [UInt8]?
    do {
      bytes = try RegularFile.contents(path, limit: CheckedText.highestByteCount, kind: "a YAML file")
    } catch {
      throw ConfigurationError(file: path, error)
    }
    guard let bytes else { return nil }
    return try Configuration(yaml: bytes, file: path)
  }

  /// Where a file lies; empty for the working directory.
  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "" }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}

extension Configuration {
  /// The part of ``yaml`` that says how late each output is: of those that have a line, and of the clicks.
  ///
  /// - Parameter hasSound: whether there are clicks.
  public func latencyYAML(hasSound: Bool) -> String {
    var lines: [String] = []
    let outputs = Output.lines.filter { wiring.outputs[$0] != nil }
    if !outputs.isEmpty { lines.append("outputs:") }
    lines += outputs.map { "  \($0.rawValue):\n    latency_us: \(latencies[$0].count / 1_000)" }
    if hasSound { lines += ["audio:", "  latency_us: \(latencies.audio.count / 1_000)"] }
    return lines.map { $0 + "\n" }.joined()
  }
}

/// Whether the metronome plays from the moment the box is switched on.
public enum Autoplay: String, Hashable, Sendable, CaseIterable {
  case never = "false"
  case always = "true"
  /// If it played when the box was switched off.
  case last

  /// Whether it plays now.
  ///
  /// - Parameter remembered: whether it played when the box was switched off; false if nobody knows.
  public func plays(remembered: Bool) -> Bool {
    switch self {
    case .never: false
    case .always: true
    case .last: remembered
    }
  }
}

/// What tapping does besides setting a tempo.
public struct TapRules: Hashable, Sendable {
  /// Whether the tempo is rounded to whole beats per minute.
  public var rounds: Bool
  /// Whether the third tap starts a metronome that is stopped.
  public var starts: Bool

  public init(rounds: Bool = true, starts: Bool = false) {
    self.rounds = rounds
    self.starts = starts
  }
}
