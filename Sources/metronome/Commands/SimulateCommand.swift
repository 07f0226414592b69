import ArgumentParser
import BoardSimulation
import CLibrary
import MetronomeConfiguration
import MetronomeCore
import MetronomeSimulation

struct SimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Play on a simulated board: in this terminal, or in virtual time with a script.",
    discussion: """
      In a terminal the lights are drawn and keys are the buttons. With --virtual time is virtual: a script says which \
      buttons are pressed when, and traces say what light, buzzer and sound did, to the nanosecond. The same script and \
      seed give the same bytes. A trace written while playing in a terminal has no clicks: there the sound card, if --sound \
      wants one, plays them unobserved.

      A script has a line for each thing that happens, "TIME press BUTTON [HELD]", "TIME down BUTTON", \
      "TIME up BUTTON", "TIME turn DIAL DETENTS", "TIME unplug DEVICE" or "TIME plug DEVICE", and # comments. "unplug chip" and \
      "plug chip" do it to the chip of the box's lines. "TIME reload FILE" puts another configuration in place, as SIGHUP does \
      for "run", and a line on standard error says what came of it; a relative FILE counts from the script's folder. Devices \
      are those of the configuration's inputs, numbered from 1; BUTTON@DEVICE and DIAL@DEVICE are on one of them. \
      Buttons: \(Button.allCases.map(\.rawValue).joined(separator: ", ")). \
      Dials: \(Dial.allCases.map(\.rawValue).joined(separator: ", ")).

      A script may have mishaps, too, each after its TIME: "card stops", "card sleeps [for good]", "card fails", \
      "card freezes", "card refuses TIMES", "card unplug", "card plug" and "card drifts +80ppm" befall the sound card; \
      "late LOOP HELD" lets the next wake-up of a loop be so late, of \
      \(Simulation.Loop.allCases.map(\.rawValue).joined(separator: ", ")); "clock slews -500ppm" is the network's time; \
      "disk full", "disk free" and "disk fails TIMES" hinder saving; "power cut" and "power on" pull the plug and put it in, \
      and the box then begins as it is remembered on a disk that may have lost what was not on it yet; "restart" ends the \
      metronome in order and begins it anew. One whose beats stand still for 5 s is killed and begun anew, as by systemd.

      With --state the metronome remembers, and begins as it is remembered; without, it is forgotten with the end.

      A duration or time is \(Nanoseconds.textForm).

      Example: echo "1s press play" | metronome simulate --virtual --for 10s --script - --trace beats.vcd
      """)

  @Flag(help: "Run in virtual time, as fast as the machine goes.")
  var virtual = false

  @Option(
    name: .customLong("for"), help: ArgumentHelp("End after this much time.", valueName: "duration"),
    transform: SimulateCommand.duration)
  var length: Nanoseconds?

  @Option(
    help: ArgumentHelp("Press buttons as this file says; - is standard input.", valueName: "file"),
    completion: .file())
  var script: String?

  @Option(
    name: .customLong("trace"),
    help: ArgumentHelp(
      "Write what happens to this file, FILE.vcd or FILE.jsonl; may be repeated. Without it JSON Lines go to standard "
        + "output, unless that is a terminal in use.", valueName: "file"),
    completion: .file(extensions: ["vcd", "jsonl"]))
  var traces: [String] = []

  @Option(
    name: .customLong("audio"),
    help: ArgumentHelp("With --virtual: write what sounds to this WAV file.", valueName: "file"),
    completion: .file(extensions: ["wav"]))
  var audioFile: String?

  @Option(
    help: ArgumentHelp(
      "Let the contacts of the script bounce as real ones do, and its disk lose what was not yet on it, each seed in its own "
        + "way.", valueName: "number"))
  var seed: UInt64?

  @Flag(name: .customLong("sound"), help: "In a terminal: let the clicks sound on this machine's sound card.")
  var hasSound = false

  @OptionGroup var state: StateOption
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
    } else if hasSound, !Terminal.isPresent {
      throw ValidationError("--sound plays beside a terminal, and there is none: leave it out.")
    }
    if let trace = traces.first(where: { TraceFormat(path: $0) == nil }) {
      throw ValidationError("\(shownName(trace)) is no trace this program writes: name it FILE.vcd or FILE.jsonl.")
    }
  }

  func run() throws {
    let configuration = try configuration.read()
    let script = try readScript()
    let plan = SimulationPlan(
      first: Reading(configuration, try ConfigurationOption.sounds(of: configuration)), script: script,
      reloads: SimulatedReloads.read(script.reloads, from: scriptFolder), seed: seed)
    if let absence = plan.absence {
      throw Failure.badScript(ScriptError(file: scriptName, line: nil, problem: absence))
    }
    try refuseMishaps(script)
    let memory = state.path.flatMap(SimulationState.init)
    if virtual { try runVirtually(plan, memory) } else { try runLive(plan, memory) }
  }

  /// A metronome in real time does not begin anew, and a real disk does not lose its power or its room.
  private func refuseMishaps(_ script: Script) throws {
    let isRefused: (Mishap) -> Bool = virtual ? { $0.needsSimulatedDisk } : { $0.needsSimulatedDisk || $0 == .restart }
    guard !virtual || state.path != nil, let mishap = script.mishaps.first(where: { isRefused($0.what) }) else {
      return
    }
    let remedy =
      virtual ? "happens to a simulated disk: leave --state out" : "happens in virtual time only: add --virtual"
    throw Failure.badScript(
      ScriptError(
        file: scriptName, line: nil, problem: "\(quoted("\(mishap.time.text) \(mishap.what.text)")) \(remedy)"))
  }

  private func runVirtually(_ plan: SimulationPlan, _ memory: SimulationState?) throws {
    let sound = try audioFile.map { path in
      Recordings.Sound(path: path, frames: try soundFrames(plan), rate: plan.configuration.audio.rate)
    }
    let recordings = try Recordings(inputs: inputs(plan), traces: traces, standardOutput: traces.isEmpty, sound: sound)
    try VirtualSimulation.run(plan, for: length ?? .zero, recordings, memory: memory)
  }

  private func runLive(_ plan: SimulationPlan, _ memory: SimulationState?) throws {
    let isInTerminal = Terminal.isPresent
    if hasSound, plan.configuration.audio.device == .none { throw withoutSound("--sound") }
    let recordings = try Recordings(
      inputs: inputs(plan), traces: traces, standardOutput: traces.isEmpty && !isInTerminal)
    try LiveSimulation.run(
      plan, for: length, recordings, memory: memory, isInTerminal: isInTerminal, hasSound: hasSound)
  }

  private func soundFrames(_ plan: SimulationPlan) throws -> Int64 {
    guard plan.configuration.audio.device != .none else { throw withoutSound("--audio") }
    let rate = Int64(plan.configuration.audio.rate)
    let (seconds, rest) = (length ?? .zero).count.quotientAndRemainder(dividingBy: 1_000_000_000)
    let frames = seconds * rate + rest * rate / 1_000_000_000
    guard frames <= WAVRecording.highestFrameCount else {
      throw Failure.usage(
        "a WAV file holds at most \(WAVRecording.highestFrameCount / rate) s at \(rate) Hz; choose a shorter --for, or "
          + "leave --audio out")
    }
    return frames
  }

  private func withoutSound(_ option: String) -> Failure {
    Failure.usage(
      "\(option) needs sound, but \(configuration.path.map(shownName) ?? "the configuration") says "
        + "audio: {device: none}; change that, or leave \(option) out")
  }

  /// The files that are read.
  private func inputs(_ plan: SimulationPlan) -> [String] {
    [configuration.path, script == "-" ? nil : script].compactMap(\.self) + plan.configuration.clickFiles.paths
      + plan.reloads.map(\.path)
  }

  /// Where the files lie that the script names.
  private var scriptFolder: String {
    guard let script, script != "-", let slash = script.lastIndex(of: "/") else { return "" }
    return slash == script.startIndex ? "/" : String(script[..<slash])
  }

  private var scriptName: String { script == "-" ? "standard input" : script ?? "" }

  private func readScript() throws -> Script {
    guard let script else { return Script() }
    let name = scriptName
    do throws(ScriptError) {
      return try Script(text: try ScriptFile.read(script, name: name), file: name)
    } catch {
      throw Failure.badScript(error)
    }
  }

  static func duration(_ text: String) throws -> Nanoseconds {
    guard let duration = Nanoseconds(text: text), duration > .zero else {
      throw ValidationError("\(quoted(text)) is not a duration; write \(Nanoseconds.textForm); more than 0.")
    }
    return duration
  }
}

/// Reads the bytes of a script.
enum ScriptFile {
  /// More than any script has, and little enough to be read at once: 16 MiB.
  private static let highestSize = 16 << 20

  /// - Parameter path: a file, or `-` for standard input.
  static func read(_ path: String, name: String) throws(ScriptError) -> [UInt8] {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw unreadable(name, errno) }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = CLibrary.read(descriptor, &piece, piece.count)
      if count == 0 { return bytes }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw unreadable(name, errno) }
      bytes += piece[..<count]
      guard bytes.count <= highestSize else {
        throw ScriptError(file: name, line: nil, problem: "the script is longer than 16 MiB")
      }
    }
  }

  private static func unreadable(_ name: String, _ errno: Int32) -> ScriptError {
    ScriptError(file: name, line: nil, problem: "cannot be read: \(reason(errno))")
  }
}
