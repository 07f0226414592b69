import CLibrary
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// The contents of the configuration file. Each ``Setting`` of ``Keys`` is a property, such as `configuration.tempo`.
@dynamicMemberLookup
public struct Configuration: Equatable, Sendable {
  public var gestures = GestureTable.standard
  public var wiring = Wiring.standard
  public var pattern = OutputPattern()
  /// The hits within beats that each line shows.
  public var hits: OutputArray<ShownHits> = OutputArray { (output: Output) in Projection(output).hits }
  /// The beats that each output shows.
  public var shownBeats = EngineOptions().shownBeats
  /// The outputs that silent mode mutes.
  public var heard = OutputSet.standardHeard
  public var audio = AudioRequest()
  /// Which sounds go to which channels.
  public var routes = ClickRoutes.standard
  /// The second sound card; its device is `none` without one.
  public var secondAudio = AudioRequest(device: .none)
  public var secondCard = CardSounds()
  /// Each latency is a whole number of microseconds.
  public var latencies = OutputLatencies.none
  public var clickFiles = ClickFiles()
  /// The sounds of single beats of the bar, from 1.
  public var beatSounds: [Int: Voice.Sound] = [:]
  /// The score that a start plays; nil: none.
  public var scoreFile: ConfiguredFile?
  /// The files of the spoken count, by the numbers of the beats, counted from 1, and those of subdivisions after 32; nil: the built-in
  /// English words. See ``ClickSounds/numbers``.
  public var numberFiles: [Int: NumberFile]?
  var settings = ChangedSettings()

  public init() {}

  /// The built-in configuration. A key that is missing in the file has its value from here.
  public static let standard = Configuration()

  /// The buttons that have a line of the box or a key of an input device.
  public var presentButtons: Set<Button> {
    wiring.inputs.reduce(into: Set(wiring.buttons.keys)) { $0.formUnion($1.keys.values) }
  }

  /// The outputs that have a line, and the sound cards whose device is not `none`.
  public var presentOutputs: OutputSet {
    OutputSet(wiring.outputs.keys.lazy.map(\.output)).union(audio.device == .none ? [] : [.audio])
      .union(secondAudio.device == .none ? [] : [.secondAudio])
  }

  /// The outputs that are RGB lights.
  var coloredOutputs: OutputSet { OutputSet(wiring.outputs.keys.lazy.filter { $0.part != .main }.map(\.output)) }

  /// The color of RGB lights at each level; red, which is their main line, without any.
  public var colors: PerLevel<LightColor> {
    guard !coloredOutputs.isEmpty else { return PerLevel(repeating: .red) }
    var colors = PerLevel(repeating: LightColor.red)
    colors.strong = self.strongColor
    colors.medium = self.mediumColor
    colors.weak = self.weakColor
    colors.ghost = self.ghostColor
    return colors
  }

  /// The rules of the metronome that no button or dial changes.
  public var rules: Rules {
    var rules = Rules(
      homeTempo: self.tempo, countIn: self.countIn, tapRounds: self.tapRounds, tapStarts: self.tapStarts,
      autoStop: self.autoStop)
    rules.homeSet = self.set
    return rules
  }

  /// What a start plays without a score.
  public var music: Music {
    Music(tempo: self.tempo, signature: self.signature, unit: self.beat, rhythm: self.rhythm)
  }

  /// The options of the engine, with the sounds from ``readSounds()``.
  public func engineOptions(_ sounds: ClickSounds) -> EngineOptions {
    var settings = Settings(music, limit: self.numeratorLimit)
    settings.trainer = Trainer(
      drop: self.drop, seed: UInt64(self.seed), gap: self.gap, ramp: self.ramp, timer: self.timer)
    var options = EngineOptions(
      settings: settings, restores: self.restores, rules: rules, gestures: gestures, lockOut: self.lockOut,
      pattern: pattern, sounds: sounds, latencies: latencies)
    options.outputs = presentOutputs
    options.secondCard = secondCard
    options.hits = hits
    options.shownBeats = shownBeats
    options.heard = heard
    (options.colored, options.colors) = (coloredOutputs, colors)
    options.midi = wiring.midi
    options.clockWhenStopped = self.clockWhenStopped
    options.source = wiring.midiClock.map { _ in
      SourceOptions(latency: self.clockLatency, hasTransport: self.transport == .follow)
    }
    return options
  }
}

extension Configuration {
  /// Makes an output show these beats, with their default pulses and hits.
  mutating func show(_ beats: Projection.Beats, on output: Output) {
    let projection = Projection(output, showing: beats)
    shownBeats[output] = beats
    pattern[output] = projection.pulses
    hits[output].levels = projection.hits.levels
  }

  /// The same configuration with its outputs and buttons at the places of other names; it lacks those that have no place.
  package func arranged(like names: BoxNames) -> Configuration {
    guard names != wiring.names else { return self }
    var new = self
    let standard = Configuration.standard
    (new.pattern, new.hits, new.shownBeats) = (standard.pattern, standard.hits, standard.shownBeats)
    (new.latencies, new.heard, new.wiring.names) = (standard.latencies, OutputSet([.audio, .secondAudio]), names)
    (new.latencies.audio, new.latencies.secondAudio) = (latencies.audio, latencies.secondAudio)
    new.wiring.outputs = [:]
    for output in wiring.names.outputs {
      guard let place = names.output(named: wiring.names[output]) else { continue }
      (new.pattern[place], new.hits[place]) = (pattern[output], hits[output])
      (new.latencies[place], new.shownBeats[place]) = (latencies[output], shownBeats[output])
      if heard.contains(output) { new.heard.insert(place) }
      for part in OutputLine.Part.allCases {
        new.wiring.outputs[OutputLine(place, part)] = wiring.outputs[OutputLine(output, part)]
      }
    }
    let place = { (button: Button) in names.button(named: wiring.names[button]) }
    new.gestures = gestures.moved(to: place)
    new.wiring.buttons = [:]
    for (button, wire) in wiring.buttons { if let place = place(button) { new.wiring.buttons[place] = wire } }
    for index in wiring.inputs.indices {
      new.wiring.inputs[index].keys = wiring.inputs[index].keys.compactMapValues(place)
    }
    return new
  }
}

extension Configuration {
  /// Reads a configuration from the bytes of a file.
  /// `file` is its path, for messages. Relative paths in the file start at its folder.
  public init(yaml: [UInt8], file: String) throws(ConfigurationError) {
    do {
      self = try ConfigurationReader.read(CheckedText(yaml), folder: Paths.folder(of: file))
    } catch {
      throw ConfigurationError(file: file, error)
    }
  }

  /// Reads a configuration from a file. It must be a regular file, because reading another kind of file can block.
  public static func read(path: String) throws(ConfigurationError) -> Configuration {
    if let configuration = try readIfPresent(path: path) { return configuration }
    var error = ConfigurationError(file: path, Problem("no such file", remedy: "check the path", at: nil))
    error.isMissing = true
    throw error
  }

  /// Reads the configuration from a file, or from standard input if the name is `-`. Relative paths in standard input start at
  /// the working directory.
  public static func read(named name: String) throws(ConfigurationError) -> Configuration {
    guard name == "-" else { return try read(path: name) }
    let bytes: [UInt8]
    do throws(Problem) {
      bytes = try RegularFile.contents(of: STDIN_FILENO, limit: CheckedText.highestByteCount)
    } catch {
      throw ConfigurationError(file: "standard input", error)
    }
    return try Configuration(yaml: bytes, file: "standard input")
  }

  /// Reads a configuration from a file. Returns nil if the file does not exist.
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
}

extension Configuration {
  /// The part of ``yaml`` with the latency of each output that has a line, and of the clicks if `hasAudio` is true.
  public func latencyYAML(hasAudio: Bool) -> String {
    var lines: [String] = []
    let outputs = presentOutputs.intersection(.onLines)
    if !outputs.isEmpty { lines.append("outputs:") }
    lines += outputs.map { "  \(wiring.names[$0]):\n    latency_us: \(latencies[$0].count / 1_000)" }
    if hasAudio { lines += ["audio:", "  latency_us: \(latencies.audio.count / 1_000)"] }
    if hasAudio, secondAudio.device != .none {
      lines += ["  second:", "    latency_us: \(latencies.secondAudio.count / 1_000)"]
    }
    return lines.map { $0 + "\n" }.joined()
  }
}

/// Whether the start and stop of a MIDI clock also start and stop playback.
public enum MIDITransport: String, Hashable, Sendable, CaseIterable {
  case local, follow
}

/// Whether playback starts when the box is switched on.
public enum Autoplay: String, Hashable, Sendable, CaseIterable {
  case never = "false"
  case always = "true"
  /// Only if the metronome was playing when the box was switched off.
  case last

  /// Whether playback starts now. `remembered`: whether the metronome was playing when the box was switched off.
  public func plays(remembered: Bool) -> Bool {
    switch self {
    case .never: false
    case .always: true
    case .last: remembered
    }
  }
}

/// The sound files of the clicks; nil: no file of its own, see ``ClickSounds/source(of:in:)``. A rest has none.
public typealias ClickFiles = PerLevel<ConfiguredFile?>

extension PerLevel<ConfiguredFile?> {
  public init() { self.init(repeating: nil) }
}

/// A WAV file or a score as the configuration names it.
public struct ConfiguredFile: Hashable, Sendable {
  /// The path as the configuration has it.
  public var name: String
  /// The folder of the configuration, at which a relative path starts; empty for the working directory.
  public var folder: String

  public init(_ name: String, folder: String = "") {
    (self.name, self.folder) = (name, folder)
  }

  public var path: String { Paths.path(name, in: folder) }

  /// The built-in sound that the name means; nil: it is a path.
  public var sound: Voice.Sound? { Voice.Sound(name: name) }

  private var remedyIfMissing: String {
    (name.contains { "./".contains($0) }
      ? "" : "the built-in sounds are \(enumeration(Voice.Sound.allCases.map(\.name))); for a file, ")
      + "check the path and its capital letters"
      + (folder.isEmpty ? "" : "; a relative path is relative to the folder of the configuration")
  }

  /// More than ten seconds of two channels at the highest rate in 64 bits.
  private static let highestByteCount = 64 << 20

  /// A score of more than 100,000 lines.
  private static let highestScoreByteCount = 16 << 20

  /// Reads the WAV file that the configuration names under a key.
  func read(for key: String) throws(ConfigurationError) -> WAVSound {
    do {
      return try read()
    } catch {
      throw ConfigurationError(
        file: path, Problem("cannot use this file for \(key): \(error.what)", remedy: error.remedy, at: nil))
    }
  }

  private func read() throws(Problem) -> WAVSound {
    guard let bytes = try RegularFile.contents(path, limit: ConfiguredFile.highestByteCount, kind: "a WAV file") else {
      throw Problem("no such file", remedy: remedyIfMissing, at: nil)
    }
    guard bytes.count <= ConfiguredFile.highestByteCount else {
      throw Problem("the file is larger than 64 MB", remedy: "cut it to at most 10 s", at: nil)
    }
    do throws(WAVError) {
      return try WAVSound(bytes)
    } catch {
      throw Problem(error.problem, remedy: error.remedy, at: nil)
    }
  }

  /// Reads the score from its file, or from `text` if given. Its name is that of the file without `.txt`.
  public func readScore(_ text: String? = nil) throws(ConfigurationError) -> SetList { try score(text).get() }

  private func score(_ text: String?) -> Result<SetList, ConfigurationError> {
    let problem: Problem
    do throws(Problem) {
      guard let bytes = try scoreBytes(text) else {
        let remedy =
          !name.contains("/")
          ? "write the path of a file, such as \"music/My song.txt\", or a name that \"metronome score list\" shows"
          : remedyIfMissing
        var error = ConfigurationError(file: path, Problem("no such score", remedy: remedy, at: nil))
        error.isMissing = true
        return .failure(error)
      }
      if MIDIFile.isLikely(bytes) {
        throw Problem(
          "this is a MIDI file", remedy: "make a score from it with \"metronome score import\"", at: nil)
      }
      guard bytes.count <= ConfiguredFile.highestScoreByteCount else {
        throw Problem("the score is larger than 16 MiB", remedy: "divide it", at: nil)
      }
      let score: Score
      do throws(NotationError) { score = try Score(bytes: bytes) } catch {
        throw Problem(error.text, remedy: "", at: Position(line: error.line, column: error.column))
      }
      let last = path.split(separator: "/").last ?? ""
      let name = PresetName(stored: String(last.hasSuffix(".txt") ? last.dropLast(4) : last))
      // Without a name that fits into a line, the place in the score is not remembered.
      return .success(SetList(score, name: name?.description ?? ""))
    } catch {
      problem = error
    }
    return .failure(ConfigurationError(file: path, problem))
  }

  private func scoreBytes(_ text: String?) throws(Problem) -> [UInt8]? {
    if let text { return Array(text.utf8) }
    return try RegularFile.contents(path, limit: ConfiguredFile.highestScoreByteCount, kind: "a score")
  }
}

extension Configuration {
  /// The paths of the sound files that the configuration names.
  public var soundPaths: [String] {
    Level.allCases.compactMap { clickFiles[$0] }.filter { $0.sound == nil }.map(\.path)
      + (numberFiles ?? [:]).values.map(\.file.path)
  }

  /// The paths of all files that the configuration names.
  public var inputPaths: [String] { soundPaths + [scoreFile?.path].compactMap(\.self) }

  /// The sounds of the clicks and of the spoken count, with the sound files that the configuration names. The files of the
  /// numbers are read only for a spoken count, or for a score that has one.
  public func readSounds(for score: SetList? = nil) throws(ConfigurationError) -> ClickSounds {
    var sounds = ClickSounds(volume: self.volume, gainDB: self.gainDB)
    sounds.beats = beatSounds
    sounds.routes = routes
    for level in Level.allCases {
      guard let file = clickFiles[level] else { continue }
      sounds.levels[level] = file.sound
      if file.sound == nil { sounds.recordings[level] = try file.read(for: "audio.sounds.\(level.rawValue)") }
    }
    guard self.say != .none || score?.speaks == true else { return sounds }
    sounds.speaksAlways = self.say != .none && self.sayWhen == .always
    sounds.speaksInCountIn = self.say != .none
    sounds.speaksSubdivisions = self.say == .subdivisions
    guard let numberFiles else {
      sounds.numbers = SpokenNumber.english
      return sounds
    }
    for (place, file) in numberFiles.sorted(by: { $0.key < $1.key }) {
      sounds.numbers[place] = try file.read(for: "audio.numbers.\(NumberFile.name(ofPlace: place))")
    }
    return sounds
  }
}
