import BoardSimulation
import CLibrary
import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore
import MetronomeEngine
import MetronomeTerminal

/// The keys of a calibration, and the lines it prints.
final class CalibrationPrompt {
  static let help = [
    "play: next combination of outputs; numerator: next output to shift;",
    "slower: earlier; faster: later; denominator: step 1 ms or 0.1 ms; tap: finish.",
  ]

  /// The descriptor of the keys, or -1, which poll(2) ignores.
  private(set) var descriptor: Int32
  private let calibrator: Calibrator
  private let names: BoxNames
  private let printLine: (String) -> Void
  private var reader = KeyReader()
  private var lastPrinted: Calibration?

  init(
    _ calibrator: Calibrator, hasKeys: Bool, names: BoxNames, printLine: @escaping (String) -> Void
  ) {
    (self.calibrator, self.names, self.printLine) = (calibrator, names, printLine)
    descriptor = hasKeys ? STDIN_FILENO : -1
  }

  var isOver: Bool { calibrator.calibration.isOver }

  func begin() {
    for line in CalibrationPrompt.help { printLine(line) }
    if descriptor >= 0 {
      printLine("keys: space play, n numerator, - slower, + faster, d denominator, t tap, q finish")
    }
  }

  /// Prints which parts play and which part is shifted, after a change.
  func printChanges() {
    guard calibrator.calibration != lastPrinted else { return }
    lastPrinted = calibrator.calibration
    if !isOver { printLine(text(calibrator.calibration)) }
  }

  /// The end of the input ends the calibration.
  func readKeys() {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(descriptor, &bytes, bytes.count)
    if count < 0, Refusal.last == .again { return }
    guard count > 0 else {
      descriptor = -1
      calibrator.perform(.finish)
      return
    }
    for key in reader.keys(in: bytes[..<count]) where !isOver {
      switch key {
      case .press(let button):
        if let command = Calibration.standardTable[button].short.flatMap(Calibration.Command.init) {
          calibrator.perform(command)
        }
      case .enter: calibrator.perform(.nextCombination)
      case .chord, .turn, .nextClickSet, .stage, .dim, .digit, .point, .erase, .escape, .hold, .help, .suspend, .other:
        break
      case .quit: calibrator.perform(.finish)
      }
    }
  }

  /// The resulting latencies, as lines for the configuration file.
  static func yaml(_ calibration: Calibration, for configuration: Configuration) -> String {
    var configuration = configuration
    configuration.latencies = calibration.result
    return configuration.latencyYAML(hasAudio: calibration.parts.contains(.audio))
  }

  /// Example: `playing light + buzzer; shifting buzzer in steps of 1 ms; light 0, buzzer 1.5 ms earlier`
  private func text(_ calibration: Calibration) -> String {
    let playing = calibration.combination.map(word(for:)).joined(separator: " + ")
    let shifts = calibration.parts.map { part in
      let shift = calibration.shift(of: part)
      if shift == .zero { return "\(word(for: part)) 0" }
      return "\(word(for: part)) \(milliseconds(shift)) \(shift > .zero ? "earlier" : "later")"
    }.joined(separator: ", ")
    let step = milliseconds(calibration.step)
    return "playing \(playing); shifting \(word(for: calibration.shiftedPart)) in steps of \(step); \(shifts)"
  }

  private func word(for part: Output) -> String {
    part == .audio ? "click" : part == .secondAudio ? "second click" : names[part]
  }

  private func milliseconds(_ span: Nanoseconds) -> String {
    decimal(thousandths: Int(abs(span.count) / 1_000)) + " ms"
  }
}

extension Configuration {
  /// The configuration for calibration: one beat per second, all beats equal, no gaps, no count-in, no automatic stop, and
  /// clicks instead of spoken numbers, because a click shows the instant of a beat more sharply.
  var forCalibration: Configuration {
    var configuration = self
    guard let tempo = Tempo(bpm: 60), let signature = Signature(1, over: 4, limit: self.numeratorLimit) else {
      preconditionFailure("60 BPM and 1/4 are always allowed")
    }
    configuration.tempo = tempo
    configuration.signature = signature
    configuration.countIn = 0
    configuration.autoStop = nil
    configuration.say = .none
    configuration.beat = .quarter
    configuration.rhythm = Rhythm()
    configuration.gap = nil
    return configuration
  }

  /// - Throws: `Failure` if there are fewer than two outputs that can be distinguished.
  func calibration(cards: OutputSet) throws -> Calibration {
    let outputs = OutputSet(wiring.outputs.keys.lazy.map(\.output)).union(cards)
    if let calibration = Calibration(latencies, outputs: outputs, heard: heard) { return calibration }
    throw Failure.noHardware(
      "calibration needs at least two of light, buzzer and sound; "
        + "set outputs.light.line, outputs.buzzer.line or audio.device")
  }
}

/// A log line, broken between words if standard error is a terminal. The other lines are indented by the width of the program's
/// name, which the log writes before the first line.
private func wrappedForTerminal(_ line: String) -> String {
  let indent = "metronome: ".count
  var size = winsize()
  guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, Int(size.ws_col) > indent else { return line }
  let separator = "\n" + String(repeating: " ", count: indent)
  return lines(of: line, width: Int(size.ws_col) - indent).joined(separator: separator)
}

/// A calibration on the simulated board in real time, with lamps on the last line of the terminal and keys on standard input.
final class SimulatedCalibration {
  private let simulation: Simulation
  private let time: RealTime
  private let audio: LiveAudio?
  private let names: BoxNames
  /// The light, the buzzer and what else is heard on a line.
  private let lamps: LineSet
  private let log = Log()
  private let hasLamps = isatty(STDERR_FILENO) == 1 && !Style.isDumb(environment: Environment.all)
  private var drawn = ""

  /// Runs until a key, the end of the input, or a signal ends it. Returns the lines for the configuration file.
  static func run(_ configuration: Configuration, sounds: ClickSounds, hasAudio: Bool) throws -> String {
    // From now on a stop signal ends the calibration, which then prints its result.
    _ = SignalPipe.stop
    let calibration = try configuration.calibration(
      cards: hasAudio && configuration.audio.device != .none ? [.audio] : [])
    let log = Log()
    let policy: LiveAudio.Policy = calibration.parts.contains(.audio) ? .required : .never
    let audio = try LiveAudio.open(configuration.audio, policy, notice: { log(.warning, wrappedForTerminal($0)) }).audio
    let result = try SimulatedCalibration(configuration.forCalibration, sounds, audio: audio).play(calibration)
    return CalibrationPrompt.yaml(result, for: configuration)
  }

  private init(_ configuration: Configuration, _ sounds: ClickSounds, audio: LiveAudio?) throws {
    self.audio = audio
    names = configuration.wiring.names
    lamps = LineSet(of: [.light, .buzzer]).union(LineSet(of: configuration.heard.intersection(names.outputs)))
    var board = SimulatedBoard.Options()
    board.start = monotonicNow()
    board.outputs = configuration.wiring.outputLines
    board.names = configuration.wiring.names
    board.buttons = []
    board.audio = nil
    var options = configuration.engineOptions(sounds)
    options.reservedLatencies = .most
    do throws(HardwareError) {
      simulation = try Simulation(options, board: board, sinks: [])
    } catch {
      preconditionFailure("a simulated board without faults can always be opened: \(error)")
    }
    time = RealTime(simulation)
    try audio?.start(simulation.engine, sounds: sounds)
  }

  private func play(_ calibration: Calibration) throws -> Calibration {
    let calibrator = simulation.calibrate(calibration)
    try Terminal.withKeys {
      let prompt = CalibrationPrompt(calibrator, hasKeys: true, names: names, printLine: say)
      prompt.begin()
      while !time.isOver, !prompt.isOver {
        time.advance()
        prompt.printChanges()
        drawLamps()
        let ready = time.wait(for: [SignalPipe.stop, prompt.descriptor, audio?.descriptor ?? -1])
        if ready[1] { prompt.readKeys() }
        if ready[2], let audio {
          audio.clear()
          for state in audio.newStates() { say(state) }
        }
      }
      erase()
    }
    audio?.stop()
    audio?.logIncidents(at: monotonicNow())
    simulation.finish()
    return calibrator.calibration
  }

  private func drawLamps() {
    let levels = simulation.board.lines.levels
    let lamps = "  " + lampText(levels, of: self.lamps, names, Style(environment: Environment.all))
    guard hasLamps, lamps != drawn else { return }
    standardError("\r\u{1B}[K" + lamps)
    drawn = lamps
  }

  private func say(_ line: String) {
    erase()
    log(.info, wrappedForTerminal(line))
  }

  private func erase() {
    if !drawn.isEmpty { standardError("\r\u{1B}[K") }
    drawn = ""
  }
}
