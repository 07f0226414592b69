import BoardSimulation
import CLibrary
import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore
import MetronomeEngine
import MetronomeTerminal

/// A calibration on the simulated board in real time: lamps on the last line of the terminal, keys from standard input.
final class SimulatedCalibration {
  private let simulation: Simulation
  private let time: RealTime
  private let sound: LiveSound?
  private let log = Log()
  private let hasLamps = isatty(STDERR_FILENO) == 1
  private var drawn = ""

  /// Runs until it is finished, by a key, the end of the input, or a signal.
  ///
  /// - Returns: the lines for the configuration.
  static func run(_ configuration: Configuration, sounds: ClickSounds, hasSound: Bool) throws -> String {
    // From here on a signal is no end without a result.
    _ = SignalPipe.stop
    let calibration = try configuration.calibration(hasSound: hasSound && configuration.audio.device != .none)
    let sound = calibration.parts.contains(.audio) ? try LiveSound.open(configuration.audio) : nil
    let result = try SimulatedCalibration(configuration.forCalibration, sounds, sound: sound).play(calibration)
    return CalibrationDesk.yaml(result, for: configuration)
  }

  private init(_ configuration: Configuration, _ sounds: ClickSounds, sound: LiveSound?) throws {
    self.sound = sound
    var board = SimulatedBoard.Options()
    board.start = monotonicNow()
    board.outputs = Set(configuration.wiring.outputs.keys)
    board.buttons = []
    board.audio = nil
    var options = configuration.engineOptions(sounds)
    options.reservedLatencies = .most
    do throws(HardwareError) {
      simulation = try Simulation(options, board: board, sinks: [])
    } catch {
      preconditionFailure("a simulated board without faults can always be had: \(error)")
    }
    time = RealTime(simulation)
    try sound?.start(simulation.engine, sounds: sounds)
  }

  private func play(_ calibration: Calibration) throws -> Calibration {
    let calibrator = simulation.calibrate(calibration)
    try Terminal.withKeys {
      let desk = CalibrationDesk(calibrator, hasKeys: true, say: say)
      desk.begin()
      while !time.isOver, !desk.isOver {
        time.advance()
        desk.tell()
        drawLamps()
        let ready = time.wait(for: [SignalPipe.stop, desk.descriptor, sound?.descriptor ?? -1])
        if ready[1] { desk.readKeys() }
        if ready[2] { tellSound() }
      }
      erase()
    }
    sound?.stop()
    sound?.tellIncidents(at: monotonicNow())
    simulation.finish()
    return calibrator.calibration
  }

  private func tellSound() {
    sound?.clear()
    for state in sound?.takeStates() ?? [] { say(state) }
  }

  private func drawLamps() {
    let lamps = "  " + Lamps(simulation.board.lines.levels).text(of: [.light, .buzzer])
    guard hasLamps, lamps != drawn else { return }
    standardError("\r\u{1B}[K" + lamps)
    drawn = lamps
  }

  private func say(_ line: String) {
    erase()
    log(.info, line)
  }

  private func erase() {
    if !drawn.isEmpty { standardError("\r\u{1B}[K") }
    drawn = ""
  }
}
