import HardwareAbstraction
import MetronomeCore

/// From buttons to a calibration, in place of the metronome's own control loop. Dials mean nothing to it.
///
/// A step machine: ``step(at:)`` reads what there is to read and says when it wants to be called next. One thread only,
/// an ordinary one.
public final class CalibrationLoop<B: Board, Observer: EngineObserver>: SteeringLoop {
  private let calibrator: Calibrator
  private let reader: HandReader<B, Calibration.Command, Observer>

  public init(_ calibrator: Calibrator, board: B, observer: Observer) {
    self.calibrator = calibrator
    reader = HandReader(Calibration.standardTable, board: board, observer: observer)
  }

  public var canReadButtons: Bool { reader.canRead }

  public func step(at now: Instant) -> Instant? {
    reader.read(at: now, act: { calibrator.perform($0.meaning) }, turn: { _ in })
    return reader.deadline
  }
}
