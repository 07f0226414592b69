import ArgumentParser
import BoardSimulation
import CLibrary
import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore
import MetronomeSimulation

struct SimulateCommand: OptionChecking {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Play on a simulated board, in this terminal or in virtual time with a script.",
    discussion: """
      In a terminal the program draws the beat, and keys are the buttons: space starts and stops, a number sets the \
      tempo (97.5, then Enter or a pause of 1 s; Escape cancels), f g j k or F1 to F4 are presets 1 to 4, F5 to F8 the \
      buttons that the configuration adds, h holds down the next key's button, ? shows all keys, q quits. If NO_COLOR is set there are no colors. If TERM is dumb the \
      program prints only lines of text.

      With --virtual, the program runs in virtual time. A script lists the presses and their times, and traces record \
      what light, buzzer and sound did, to the nanosecond. The same script and seed give the same bytes. A trace that \
      is written while the program plays in a terminal has no clicks, because the program does not observe when the \
      sound card plays them.

      A script has one event per line: "TIME press BUTTON [HELD]", "TIME down BUTTON", "TIME up BUTTON", "TIME turn \
      DIAL DETENTS", "TIME unplug DEVICE" or "TIME plug DEVICE". Comments begin with #. "unplug chip" and "plug chip" \
      mean the chip of the box's lines. "TIME reload FILE" loads another configuration, as SIGHUP does for "run", and \
      prints the result on standard error; a relative FILE is relative to the script's folder. Devices are the inputs \
      of the configuration, numbered from 1; BUTTON@DEVICE and DIAL@DEVICE select one of them. Buttons: \
      \(Button.standardNames.joined(separator: ", ")), and those that the configuration adds. Dials: \
      \(Dial.allCases.map(\.rawValue).joined(separator: ", ")).

      The source of a MIDI clock: "midi clock 120 for 10s", "midi clock 80-160 for 2m jitter 1ms loss 1% doubling 1%", \
      "midi start", "midi continue", "midi stop", "midi position 16", "midi unplug" and "midi plug". Other programs use \
      the control socket: "do COMMAND" is a command of the configuration, such as "do tempo 92.5"; "do 50ms ago tap" was \
      given 50 ms before. An Ableton Link session: "link join 133" at 133 quarters per minute, "link tempo 92.5", "link \
      start", "link stop", "link step +1.5ms" (the estimate of its clock steps), "link jump 1.5" (quarters), "link leave" (the \
      last peer leaves) and "link vanish" (no more reports).

      A script may also contain faults, each after its TIME. Faults of the sound card: "card stops" (an underrun), \
      "card sleeps" (suspended until it is resumed), "card sleeps for good" (suspended, and resuming fails), "card \
      fails" (every call fails until the card is reopened), "card freezes" (its position stops until the card is \
      reopened), "card refuses TIMES" (the next TIMES writes accept no frames), "card unplug", "card plug" and "card \
      drifts +80ppm" (its clock becomes 80 ppm too fast). With "card2" instead of "card" they are faults of the second \
      card. "late LOOP DELAY" delays the next wake-up of LOOP by DELAY; \
      the loops are \
      \(Simulation.Loop.allCases.map(\.name).joined(separator: ", ")). "clock slews -500ppm" slews the clock, as \
      network time does. "midi out 1 unplug", "midi out 1 plug" and "midi out 1 full 300ms" \
      affect the first MIDI output. "disk full", "disk free" and "disk fails TIMES" affect saving. "display unplug" and "display plug" affect the display. "power cut" and "power on" \
      switch the power off and on; the box then starts from its disk, which may have lost unwritten data. \
      "restart" ends the metronome normally and starts it again. If the beat loop makes no progress for 5 s, the \
      metronome is killed and restarted, as systemd would do.

      In a terminal, presets, tempo, signature, rhythm and volume are saved in your state folder, \
      $XDG_STATE_HOME/metronome or ~/.local/state/metronome, which is created, and restored at the next start. --config, --score, \
      --tempo, --signature, --beat and --rhythm start with what they say, at 0 dB; the presets are still there. --state \
      selects another folder, and --state none saves nothing. Nothing is saved or restored by default with --virtual, \
      with --script, or without a terminal.

      A duration or time is \(Nanoseconds.textForm).

      Example: echo "1s press play" | metronome simulate --virtual --for 10s --script - --trace beats.vcd
      """)

  @Flag(help: "Run in virtual time, as fast as the machine can.")
  var virtual = false

  @Option(
    name: .customLong("for"), help: ArgumentHelp("End after this time.", valueName: "duration"),
    transform: duration)
  var length: Nanoseconds?

  @Option(
    help: ArgumentHelp("Read presses and other events from this script; - is standard input.", valueName: "file"),
    completion: .file())
  var script: String?

  @Option(
    name: .customLong("trace"),
    help: ArgumentHelp(
      "Write a trace to this file, FILE.vcd, FILE.jsonl or FILE.mid; may be repeated. Default: JSON Lines on standard "
        + "output, unless the program plays in a terminal.", valueName: "file"),
    completion: .file(extensions: ["vcd", "jsonl", "mid"]))
  var traces: [String] = []
  /// The only option of all commands that may be given more than once.
  static let repeatable: Set<String> = ["--trace"]

  @Option(
    name: .customLong("audio"),
    help: ArgumentHelp("With --virtual: write the sound to this WAV file.", valueName: "file"),
    completion: .file(extensions: ["wav"]))
  var audioFile: String?

  @Option(
    name: .customLong("second-audio"),
    help: ArgumentHelp("The same for the sound of the second card, audio.second.", valueName: "file"),
    completion: .file(extensions: ["wav"]))
  var secondAudioFile: String?

  @Option(
    help: ArgumentHelp(
      "Simulate contact bounce of the box's buttons. The number is the seed of the bounces and of the data loss at a "
        + "power cut.", valueName: "number"))
  var seed: UInt64?

  @Flag(
    inversion: .prefixedNo,
    help: ArgumentHelp(
      "In a terminal: --sound plays the clicks, and fails if no sound card can be opened; --no-sound never plays them. "
        + "Default: play them on the configured sound card or the system's default card, and print the reason if it "
        + "cannot be opened."))
  var sound: Bool?

  @Option(
    help: ArgumentHelp(
      "Serve the page for phones there, for example 127.0.0.1:8080. On this machine it needs no pairing.",
      valueName: "address:port"))
  var remote: String?

  @OptionGroup var music: MusicOptions
  @OptionGroup var rhythm: RhythmOptions
  @OptionGroup var score: PlayedScoreOption
  @OptionGroup var state: SimulatedStateOption
  @OptionGroup var configuration: ConfigurationOption

  func validateOptions() throws {
    if script?.isEmpty == true { throw ValidationError("--script needs a file name.") }
    if script == "-", configuration.path == "-" { throw ValidationError("Only one of --script and --config can be -.") }
    for file in [audioFile, secondAudioFile].compactMap(\.self) { try checkWAVName(file) }
    if virtual {
      guard length != nil else {
        throw ValidationError("--virtual needs --for, for example --for 10s.")
      }
      if remote != nil { throw ValidationError("--remote serves the page in real time; omit --virtual.") }
      if sound == true {
        throw ValidationError("--sound plays in real time; with --virtual use --audio FILE.wav.")
      }
    } else if secondAudioFile != nil {
      throw ValidationError("--second-audio needs --virtual.")
    } else if audioFile != nil {
      throw ValidationError("--audio needs --virtual.")
    } else if length == nil, !Terminal.isPresent {
      throw ValidationError("Without a terminal --for is required, for example --for 10s.")
    } else if sound == true, !Terminal.isPresent {
      throw ValidationError("--sound needs a terminal, and there is none; omit --sound.")
    }
    if score.path != nil, hasMusic {
      throw ValidationError("A score cannot be combined with --tempo, --signature, --beat or --rhythm.")
    }
    if let trace = traces.first(where: { TraceFormat(path: $0) == nil }) {
      throw ValidationError(
        "\(shownName(trace)) has no supported trace format; name it FILE.vcd, FILE.jsonl or FILE.mid.")
    }
  }

  func run() throws {
    var configuration = try configuration.read()
    music.apply(to: &configuration)
    try rhythm.apply(to: &configuration)
    score.apply(to: &configuration)
    if hasMusic { configuration.scoreFile = nil }
    // What is asked for is played, not what was played last.
    let isAsked = hasMusic || savesByItself && (self.configuration.path ?? score.path) != nil
    if isAsked, savesByItself || state.named != nil { configuration.restores = false }
    // Without a script nobody would press play.
    if virtual, score.path != nil, script == nil { configuration.autoplay = .always }
    let text = try readScript()
    let first = try ConfigurationOption.load(configuration, state: state.named)
    // The configurations that it loads have the names of its buttons.
    let reloads = Script(readableLinesOf: text)
    var plan = SimulationPlan(first: first, script: reloads, folder: scriptFolder, seed: seed)
    let names = plan.configuration.wiring.names
    if script != nil {
      do throws(ScriptError) { plan.script = try Script(text: text, file: scriptName, names: names) } catch {
        throw Failure.badScript(error)
      }
    }
    if let absence = plan.absence {
      let lines = Script.lineNumbers(in: text, names: names) { plan.absence(in: $0) == absence }
      throw Failure.badScript(fault(absence, in: lines.first))
    }
    try refuseMishaps(plan.script, in: text)
    warnOfLateLines(in: text, names)
    let state = openState()
    if virtual { try runVirtually(plan, state) } else { try runLive(plan, state) }
  }

  private var hasMusic: Bool {
    music.tempo != nil || music.signature != nil || rhythm.beat != nil || rhythm.rhythm != nil
  }

  /// Whether the state is in the user's own folder: without `--state`, in a terminal. What a script plays must not depend on what
  /// was played before.
  private var savesByItself: Bool { state.path == nil && !virtual && script == nil && Terminal.isPresent }

  private func openState() -> SimulationState? {
    if let path = state.named { return SimulationState(path, creates: false) }
    guard savesByItself else { return nil }
    guard let path = Paths.userState(Environment.all) else {
      return SimulationState(
        refusal: "the state is not saved: neither $XDG_STATE_HOME nor $HOME names a folder; --state names one")
    }
    return SimulationState(path, creates: true)
  }

  /// Refuses faults that are impossible here: a restart in real time, and a power cut or a full disk with a real disk.
  private func refuseMishaps(_ script: Script, in text: [UInt8]) throws {
    let isRefused: (Mishap) -> Bool = virtual ? { $0.needsSimulatedDisk } : { $0.needsSimulatedDisk || $0 == .restart }
    guard !virtual || state.named != nil, let mishap = script.mishaps.first(where: { isRefused($0.what) }) else {
      return
    }
    let remedy = virtual ? "a simulated disk; omit --state" : "virtual time; add --virtual"
    let lines = Script.lineNumbers(in: text, names: script.names) { $0.mishaps == [mishap] }
    throw Failure.badScript(
      fault("\(quoted("\(mishap.time.text) \(mishap.what.text)")) needs \(remedy)", in: lines.first))
  }

  /// Prints one line about script lines that are ignored because their times are not before the end.
  private func warnOfLateLines(in text: [UInt8], _ names: BoxNames) {
    guard let length else { return }
    let late = Script.lineNumbers(in: text, names: names) { $0.beginning.map { $0 >= length } ?? false }
    guard let line = late.first else { return }
    let subject =
      late.count > 1
      ? "this line and \(late.count - 1) more are ignored: their times are" : "this line is ignored: its time is"
    let problem = "\(subject) not before the end of the simulation (--for \(length.text))"
    printNotice("\(fault(problem, in: line))")
  }

  private func runVirtually(_ plan: SimulationPlan, _ state: SimulationState?) throws {
    let audio = try audioFile.map { try recording($0, of: plan.configuration.audio, "audio.device", "--audio") }
    let secondAudio = try secondAudioFile.map {
      try recording($0, of: plan.configuration.secondAudio, "audio.second.device", "--second-audio")
    }
    let recordings = try Recordings(
      inputs: inputs(plan), traces: traces, standardOutput: traces.isEmpty, audio: audio,
      secondAudio: secondAudio, wiring: plan.configuration.wiring)
    try VirtualSimulation.run(plan, for: length ?? .zero, recordings, state: state)
  }

  private func runLive(_ plan: SimulationPlan, _ state: SimulationState?) throws {
    let isInTerminal = Terminal.isPresent
    if sound == true, plan.configuration.audio.device == .none { throw withoutAudio("--sound") }
    let policy: LiveAudio.Policy = !isInTerminal || sound == false ? .never : sound == true ? .required : .possible
    let recordings = try Recordings(
      inputs: inputs(plan), traces: traces, standardOutput: traces.isEmpty && !isInTerminal,
      wiring: plan.configuration.wiring)
    let folder = state?.folder
    let socket = folder != nil || remote != nil ? try SimulationSocket(in: folder?.path) : nil
    defer { socket?.close() }
    let page = try remote.map { try PageProcess(at: $0, control: socket?.folder ?? "") }
    defer { page?.stop() }
    if let remote { printNotice("the page: http://\(remote)/") }
    try LiveSimulation.run(
      plan, for: length, recordings, state: state, socket: socket, isInTerminal: isInTerminal, sound: policy)
  }

  private func recording(
    _ path: String, of request: AudioRequest, _ key: String, _ option: String
  ) throws -> Recordings.Audio {
    guard request.device != .none else { throw withoutAudio(option, key) }
    let rate = Int64(request.rate)
    let (seconds, rest) = (length ?? .zero).count.quotientAndRemainder(dividingBy: 1_000_000_000)
    let frames = seconds * rate + rest * rate / 1_000_000_000
    guard frames <= WAVRecording.highestFrameCount else {
      throw Failure.usage(
        "a WAV file holds at most \(WAVRecording.highestFrameCount / rate) s at \(rate) Hz; choose a shorter --for, or "
          + "omit \(option)")
    }
    return Recordings.Audio(path: path, frames: frames, rate: request.rate)
  }

  private func withoutAudio(_ option: String, _ key: String = "audio.device") -> Failure {
    Failure.usage(
      "\(option) needs sound, but \(key) is none in \(configuration.path.map(shownName) ?? "the configuration"); "
        + "change it, or omit \(option)")
  }

  /// The input files.
  private func inputs(_ plan: SimulationPlan) -> [String] {
    [configuration.path, script == "-" ? nil : script].compactMap(\.self) + plan.configuration.inputPaths
      + plan.reloads.map(\.path)
  }

  /// Relative file names in the script are relative to this folder.
  private var scriptFolder: String {
    guard let script, script != "-" else { return "" }
    return Paths.folder(of: script)
  }

  private var scriptName: String { script == "-" ? "standard input" : script ?? "" }

  private func readScript() throws -> [UInt8] {
    guard let script else { return [] }
    return try readBytes(script)
  }

  /// - Parameter path: a file, or `-` for standard input.
  private func readBytes(_ path: String) throws -> [UInt8] {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0, errno == ENOENT { throw Failure.missingFile("\(fault("no such file; check the path"))") }
    guard descriptor >= 0 else { throw Failure.missingFile("\(fault("cannot be read: \(reason(errno))"))") }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    guard let bytes = CLibrary.readBytes(from: descriptor, atMost: (16 << 20) + 1) else {
      throw Failure.missingFile("\(fault("cannot be read: \(reason(errno))"))")
    }
    guard bytes.count <= 16 << 20 else { throw Failure.badScript(fault("the script is longer than 16 MiB")) }
    return bytes
  }

  private func fault(_ problem: String, in line: Int? = nil) -> ScriptError {
    ScriptError(file: scriptName, line: line, problem: problem)
  }

}
