import ArgumentParser
import BoardSimulation
import Foundation
import MetronomeConfiguration
import MetronomeCore

struct SimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Play on a simulated board: in this terminal, or in virtual time with a script.",
    discussion: """
      In a terminal the lights are drawn and keys are the buttons. With --virtual time is virtual: a script says which \
      buttons are pressed when, and traces say what light, buzzer and sound did, to the nanosecond. The same script and \
      seed give the same bytes.

      A script has a line for each thing that happens, "TIME press BUTTON [HELD]", "TIME down BUTTON" or \
      "TIME up BUTTON", and # comments. Buttons: play, slower, faster, numerator, denominator, tap.

      Durations and times: 1.5s, 250ms, 2m, 24h, or bare seconds.

      Example: echo "1s press play" | metronome simulate --virtual --for 10s --script - --trace beats.vcd
      """)

  @Flag(help: "Run in virtual time, as fast as the machine goes.")
  var virtual = false

  @Option(
    name: .customLong("for"), help: ArgumentHelp("End after this much time.", valueName: "duration"),
    transform: SimulateCommand.duration)
  var length: Nanoseconds?

  @Option(help: ArgumentHelp("Press buttons as this file says; - is standard input.", valueName: "file"))
  var script: String?

  @Option(
    name: .customLong("trace"),
    help: ArgumentHelp(
      "Write what happens to this file, FILE.vcd or FILE.jsonl; may be repeated. Without it JSON Lines go to standard "
        + "output, unless that is a terminal in use.", valueName: "file"))
  var traces: [String] = []

  @Option(
    name: .customLong("audio"),
    help: ArgumentHelp("With --virtual: write what sounds to this WAV file.", valueName: "file"))
  var audioFile: String?

  @Option(
    help: ArgumentHelp(
      "Let the script's contacts bounce as real ones do, each seed in its own way.", valueName: "number"))
  var seed: UInt64?

  @Flag(name: .customLong("sound"), help: "In a terminal: let the clicks sound on this machine's sound card.")
  var hasSound = false

  @OptionGroup var configuration: ConfigurationOption

  func validate() throws {
    if virtual {
      guard length != nil else {
        throw ValidationError("--virtual needs --for: virtual time has no end of its own. Say --for 10s, for example.")
      }
      if hasSound {
        throw ValidationError("--sound plays in real time; with --virtual write a file: --audio FILE.wav.")
      }
    } else if audioFile != nil {
      throw ValidationError("--audio needs --virtual.")
    } else if length == nil, !Terminal.isPresent {
      throw ValidationError("There is no terminal to play in: say how long with --for, as in --for 10s.")
    }
    if let trace = traces.first(where: { TraceFormat(path: $0) == nil }) {
      throw ValidationError("\(trace) is no trace this program writes: name it FILE.vcd or FILE.jsonl.")
    }
  }

  func run() throws {
    let plan = SimulationPlan(
      configuration: try configuration.read(), script: try readScript(), bounces: seed.map(Bounces.init(seed:)),
      length: length)
    if virtual { try runVirtually(plan) } else { try runLive(plan) }
  }

  private func runVirtually(_ plan: SimulationPlan) throws {
    var recordings = try openTraces(toStandardOutput: true)
    if let audioFile {
      try recordings.addSound(path: audioFile, frames: try soundFrames(plan), rate: plan.configuration.audio.rate)
    }
    try plan.runVirtually(recordings)
  }

  private func runLive(_ plan: SimulationPlan) throws {
    let isInTerminal = Terminal.isPresent
    let recordings = try openTraces(toStandardOutput: !isInTerminal)
    try LiveSimulation.run(plan, recordings, isInTerminal: isInTerminal, hasSound: hasSound)
  }

  private func openTraces(toStandardOutput: Bool) throws -> Recordings {
    var recordings = Recordings()
    for trace in traces { try recordings.addTrace(path: trace) }
    if traces.isEmpty, toStandardOutput { recordings.addStandardOutput() }
    return recordings
  }

  private func soundFrames(_ plan: SimulationPlan) throws -> Int64 {
    guard plan.configuration.audio.device != .none else {
      throw ValidationError("--audio needs sound, but the configuration says audio: {device: none}.")
    }
    let rate = Int64(plan.configuration.audio.rate)
    let (seconds, rest) = (length ?? .zero).count.quotientAndRemainder(dividingBy: 1_000_000_000)
    let frames = seconds * rate + rest * rate / 1_000_000_000
    guard frames <= WAVRecording.highestFrameCount else {
      throw ValidationError(
        "A WAV file holds at most \(WAVRecording.highestFrameCount / rate) s at \(rate) Hz; choose a shorter --for, or leave --audio out."
      )
    }
    return frames
  }

  private func readScript() throws -> Script {
    guard let script else { return Script() }
    let name = script == "-" ? "standard input" : script
    do throws(ScriptError) {
      return try Script(text: try ScriptFile.read(script, name: name), file: name)
    } catch {
      throw Failure.badScript(error)
    }
  }

  private static func duration(_ text: String) throws -> Nanoseconds {
    guard let duration = Nanoseconds(text: text), duration > .zero else {
      throw ValidationError("\"\(text)\" is not a duration; write 1.5s, 250ms, 2m, 24h or bare seconds, more than 0.")
    }
    return duration
  }
}
