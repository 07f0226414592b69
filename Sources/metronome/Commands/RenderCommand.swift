import ArgumentParser
import BoardSimulation
import MetronomeConfiguration
import MetronomeCore
import MetronomeEngine

struct RenderCommand: OptionChecking {
  static let configuration = CommandConfiguration(
    commandName: "render",
    abstract: "Write an exact click track to a WAV file.",
    discussion: """
      The file begins with the first beat of a bar. Each click is exact to a small fraction of a frame. The file has \
      16 bits and one channel. The configuration sets the sounds, their volume, and the defaults of --tempo, \
      --signature, --beat and --rhythm.

      With a score, such as "metronome render song.txt song.wav", the file has the song from its count-in to its end. \
      A song that has no end, or waits, needs --for.

      A duration is \(Nanoseconds.textForm).

      Example: metronome render waltz.wav --tempo 133.7 --signature 3/4 --bars 32
      """)

  enum Rate: Int, CaseIterable, ExpressibleByArgument {
    case cd = 44_100
    case standard = 48_000
    case high = 96_000
  }

  @Argument(
    help: ArgumentHelp(
      "Output file; overwritten if it exists. Or a score, if another file follows.", valueName: "file.wav"),
    completion: .file())
  var first: String

  @Argument(help: ArgumentHelp("Output file of a score.", valueName: "song.wav"), completion: .file())
  var second: String?

  private var file: String { second ?? first }
  private var score: String? { second == nil ? nil : first }

  @OptionGroup var music: MusicOptions
  @OptionGroup var rhythm: RhythmOptions

  @Option(help: ArgumentHelp("Number of bars, 1 to 1000000.", valueName: "number"))
  var bars: Int64?

  @Option(
    name: .customLong("for"), help: ArgumentHelp("Length of the file, instead of --bars.", valueName: "duration"),
    transform: duration)
  var length: Nanoseconds?

  @Option(help: ArgumentHelp("Which song of a score, counted from 1.", valueName: "number"))
  var song: Int?

  @Option(help: ArgumentHelp("Sample rate in Hz.", valueName: "rate"))
  var rate = Rate.standard

  @Flag(
    help: """
      Write only the sounds, once each: strong, medium, weak and ghost of click, cowbell, wood, rim, hihat, beep, \
      mechanical, soft and dry. A sound starts at each full second, or more rarely if a sound is longer than 1 s.
      """)
  var voiceOnly = false

  @OptionGroup var configuration: ConfigurationOption
  @OptionGroup var stored: ScoreOption

  func validateOptions() throws {
    if file == "-" {
      throw ValidationError(
        "Standard output (-) is not supported: the header of a WAV file contains its length, so a file name is "
          + "required.")
    }
    try checkWAVName(file)
    if stored.path != nil, score == nil { throw ValidationError("--state needs the name of a stored score.") }
    if song != nil, score == nil { throw ValidationError("--song needs a score before the WAV file.") }
    if score != nil {
      guard !voiceOnly, music.tempo == nil, music.signature == nil, rhythm.beat == nil, rhythm.rhythm == nil,
        bars == nil
      else {
        throw ValidationError(
          "A score cannot be combined with --voice-only, --tempo, --signature, --beat, --rhythm or --bars.")
      }
    } else if voiceOnly {
      guard music.tempo == nil, music.signature == nil, rhythm.beat == nil, rhythm.rhythm == nil, bars == nil,
        length == nil
      else {
        throw ValidationError(
          "--voice-only cannot be combined with --tempo, --signature, --beat, --rhythm, --bars or --for.")
      }
    } else if bars == nil, length == nil {
      throw ValidationError("The length is missing: add --bars or --for, for example --bars 16 or --for 2m.")
    } else if bars != nil, length != nil {
      throw ValidationError("--bars and --for cannot be combined: both set the length.")
    }
    if let bars, !(1...1_000_000).contains(bars) {
      throw ValidationError("--bars must be from 1 to 1000000, not \(bars).")
    }
  }

  func run() throws {
    var configuration = try configuration.read()
    music.apply(to: &configuration)
    try rhythm.apply(to: &configuration)
    configuration.scoreFile = score.map { ConfiguredFile($0) }
    let track = try track(try ConfigurationOption.load(configuration, state: stored.path))
    guard track.frames <= WAVRecording.highestFrameCount else {
      throw Failure.usage(
        "a WAV file holds at most \(WAVRecording.highestFrameCount / Int64(track.rate)) s at \(track.rate) Hz, and"
          + " this one would have \(track.length.count / 1_000_000_000) s; choose fewer --bars or a shorter --for")
    }
    guard track.frames > 0 else { throw Failure.usage("--for is shorter than one frame; choose a longer time") }
    let recordings = try Recordings(
      inputs: [self.configuration.path].compactMap(\.self) + configuration.inputPaths, traces: [],
      standardOutput: false, audio: Recordings.Audio(path: file, frames: track.frames, rate: track.rate))
    if let recording = recordings.audio { track.write(to: recording) }
    try recordings.finish()
  }

  private func track(_ loaded: LoadedConfiguration) throws -> ClickTrack {
    if voiceOnly { return .voices(loaded.sounds, rate: rate.rawValue) }
    var options = EngineOptions(settings: loaded.options.settings, sounds: loaded.sounds)
    options.settings.signature = loaded.configuration.signature
    let longest = Nanoseconds.seconds(WAVRecording.highestFrameCount / Int64(rate.rawValue) + 1)
    var whole = length ?? .zero
    if let score = loaded.score {
      (options.score, options.place) = (score, SavedPlace(score: score.name, song: try songIndex(in: score)))
      if length == nil { whole = try playingTime(of: options.place?.song ?? 0, in: score, limit: longest) }
    } else if let bars {
      whole = ClickTrack.length(bars: bars, options.settings, limit: longest)
    }
    return ClickTrack(length: whole, music: options, sounds: loaded.sounds, rate: rate.rawValue)
  }

  private func songIndex(in score: SetList) throws -> Int {
    let count = score.songs.count
    if let song, !(1...count).contains(song) {
      throw Failure.usage("--song must be from 1 to \(count), the number of songs in the score")
    }
    if song == nil, count > 1 {
      let names = score.songs.enumerated().map { "\($0 + 1) \(quoted($1.name))" }.joined(separator: ", ")
      throw Failure.usage("the score has \(count) songs; choose one with --song: \(names)")
    }
    return (song ?? 1) - 1
  }

  private func playingTime(of song: Int, in score: SetList, limit: Nanoseconds) throws -> Nanoseconds {
    if let time = score.playingTime(ofSong: song, limit: limit) { return time }
    throw Failure.usage("the song has no end, waits for you, or is too long for a WAV file; choose a length with --for")
  }
}
