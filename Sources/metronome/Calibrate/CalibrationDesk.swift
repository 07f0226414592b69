import CLibrary
import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore
import MetronomeEngine
import MetronomeTerminal

/// What a person has before them who calibrates: keys, and lines that say what they do.
final class CalibrationDesk {
  /// Which button does what.
  static let help = [
    "play: what plays next; numerator: what is shifted next;",
    "slower: earlier; faster: later; denominator: by 1 ms or by 0.1 ms; tap: done.",
  ]

  /// Where keys come from; -1 for none, which no poll reports.
  private(set) var descriptor: Int32
  private let calibrator: Calibrator
  private let say: (String) -> Void
  private var reader = KeyReader()
  private var told: Calibration?

  /// - Parameters:
  ///   - hasKeys: whether standard input is to be read.
  ///   - say: shows a line.
  init(_ calibrator: Calibrator, hasKeys: Bool, say: @escaping (String) -> Void) {
    self.calibrator = calibrator
    self.say = say
    descriptor = hasKeys ? STDIN_FILENO : -1
  }

  var isOver: Bool { calibrator.calibration.isOver }

  /// Says which button and key does what.
  func begin() {
    for line in CalibrationDesk.help { say(line) }
    if descriptor >= 0 { say("keys: space play, n numerator, - slower, + faster, d denominator, t tap, q done") }
  }

  /// Says what plays and what is shifted, if that is something else than what was said last.
  func tell() {
    guard calibrator.calibration != told else { return }
    told = calibrator.calibration
    if !isOver { say(CalibrationDesk.text(calibrator.calibration)) }
  }

  /// Does what the keys say that were pressed. At the end of the input all is done.
  func readKeys() {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(descriptor, &bytes, bytes.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    guard count > 0 else {
      descriptor = -1
      calibrator.perform(.finish)
      return
    }
    for key in reader.keys(in: bytes[..<count]) where !isOver {
      switch key {
      case .press(let button, _):
        if let command = Calibration.standardTable[button].short.flatMap(Calibration.Command.init) {
          calibrator.perform(command)
        }
      case .chord, .turn: break
      case .quit: calibrator.perform(.finish)
      }
    }
  }

  /// What is to be configured, as lines for the file.
  static func yaml(_ calibration: Calibration, for configuration: Configuration) -> String {
    var configuration = configuration
    configuration.latencies = calibration.result
    return configuration.latencyYAML(hasSound: calibration.parts.contains(.audio))
  }

  /// `light + buzzer; shifting the buzzer by 1 ms; light 0, buzzer 1.5 ms earlier`
  static func text(_ calibration: Calibration) -> String {
    let playing = calibration.combination.map(word(for:)).joined(separator: " + ")
    let shifts = calibration.parts.map { part in
      let shift = calibration.shift(of: part)
      return "\(word(for: part)) "
        + (shift == .zero ? "0" : milliseconds(shift) + (shift > .zero ? " earlier" : " later"))
    }
    let step = milliseconds(calibration.step)
    return
      "\(playing); shifting the \(word(for: calibration.shiftedPart)) by \(step); \(shifts.joined(separator: ", "))"
  }

  private static func word(for part: Output) -> String { part == .audio ? "click" : part.rawValue }

  private static func milliseconds(_ span: Nanoseconds) -> String {
    decimal(thousandths: Int(abs(span.count) / 1_000)) + " ms"
  }
}

extension Configuration {
  /// What plays while its outputs are calibrated: every second a beat, all alike, without end.
  var forCalibration: Configuration {
    var configuration = self
    guard let tempo = Tempo(bpm: 60), let signature = Signature(1, over: 4, limit: numeratorLimit) else {
      preconditionFailure("60 BPM and 1/4 are always allowed")
    }
    configuration.tempo = tempo
    configuration.signature = signature
    configuration.countIn = 0
    configuration.autoStop = nil
    return configuration
  }

  /// The calibration of its outputs.
  ///
  /// - Throws: `Failure` when there are not two that could be told apart.
  func calibration(hasSound: Bool) throws -> Calibration {
    let outputs = OutputSet(wiring.outputs.keys).union(hasSound ? [.audio] : [])
    guard let calibration = Calibration(latencies, outputs: outputs) else {
      throw Failure.noHardware(
        "there are not two of light, buzzer and sound to be shifted against each other; give them lines under outputs:, "
          + "or a device under audio:")
    }
    return calibration
  }
}
