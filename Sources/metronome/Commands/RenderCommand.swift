import ArgumentParser
import BoardSimulation
import MetronomeConfiguration
import MetronomeCore

struct RenderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "render",
    abstract: "Write an exact click track to a WAV file.",
    discussion: """
      The file begins with the first beat of a bar; every beat lies where it belongs to a small fraction of a frame. It has \
      16 bits and one channel. What is not said is taken from the configuration, the sounds and their volume too.

      A duration is \(Nanoseconds.textForm).

      Example: metronome render waltz.wav --tempo 133.7 --signature 3/4 --bars 32
      """)

  enum Rate: Int, CaseIterable, ExpressibleByArgument {
    case cd = 44_100
    case standard = 48_000
    case high = 96_000
  }

  @Argument(
    help: ArgumentHelp("Where to write it; what is there is replaced.", valueName: "file.wav"), completion: .file())
  var file: String

  @OptionGroup var music: MusicOptions

  @Option(help: ArgumentHelp("How many bars, 1 to 1000000.", valueName: "number"))
  var bars: Int64?

  @Option(
    name: .customLong("for"), help: ArgumentHelp("How long, if not so many bars.", valueName: "duration"),
    transform: SimulateCommand.duration)
  var length: Nanoseconds?

  @Option(help: ArgumentHelp("Frames a second.", valueName: "rate"))
  var rate = Rate.standard

  @Flag(
    help: """
      Write the two sounds by themselves, each from the beginning of a second on: the first beat's at 0 s, the other beats' \
      at 1 s; later if the first lasts longer.
      """)
  var voiceOnly = false

  @OptionGroup var configuration: ConfigurationOption

  func validate() throws {
    if file == "-" {
      throw ValidationError("- is no file: a WAV file begins with its length, so it is written to a name.")
    }
    if voiceOnly {
      guard music.tempo == nil, music.signature == nil, bars == nil, length == nil else {
        throw ValidationError("--voice-only has no beats: leave --tempo, --signature, --bars and --for out.")
      }
    } else if bars == nil, length == nil {
      throw ValidationError("Say how long: --bars 16, or --for 2m.")
    } else if bars != nil, length != nil {
      throw ValidationError("--bars and --for both say how long: leave one of them out.")
    }
    if let bars, !(1...1_000_000).contains(bars) { throw ValidationError("--bars is from 1 to 1000000, not \(bars).") }
  }

  func run() throws {
    let configuration = try configuration.read()
    let track = try track(configuration, ConfigurationOption.sounds(of: configuration))
    guard track.frames <= WAVRecording.highestFrameCount else {
      throw Failure.usage(
        "a WAV file holds at most \(WAVRecording.highestFrameCount / Int64(track.rate)) s at \(track.rate) Hz, and this"
          + " would be \(track.length.count / 1_000_000_000); choose fewer --bars or a shorter --for")
    }
    guard track.frames > 0 else { throw Failure.usage("--for is less than a frame lasts; choose a longer one") }
    let recordings = try Recordings(
      inputs: [self.configuration.path].compactMap(\.self) + configuration.clickFiles.paths, traces: [],
      standardOutput: false, sound: Recordings.Sound(path: file, frames: track.frames, rate: track.rate))
    if let recording = recordings.sound { track.write(to: recording) }
    try recordings.finish()
  }

  private func track(_ configuration: Configuration, _ sounds: ClickSounds) -> ClickTrack {
    if voiceOnly { return .voices(sounds, rate: rate.rawValue) }
    let tempo = music.tempo ?? configuration.tempo
    let signature = music.signature ?? configuration.signature
    if let bars { return ClickTrack(bars: bars, of: signature, at: tempo, sounds: sounds, rate: rate.rawValue) }
    return ClickTrack(length: length ?? .zero, of: signature, at: tempo, sounds: sounds, rate: rate.rawValue)
  }
}
