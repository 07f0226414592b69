import HardwareAbstraction
import MetronomeCore

/// From buttons to a calibration, in place of the metronome's own control loop.
///
/// A step machine: ``step(at:)`` reads what there is to read and says when it wants to be called next. One thread only,
/// an ordinary one.
public final class CalibrationLoop<Buttons: ButtonEdges, Observer: EngineObserver>: SteeringLoop {
  private let calibrator: Calibrator
  private let reader: PressReader<Buttons, Calibration.Command, Observer>

  public init(_ calibrator: Calibrator, buttons: Buttons, observer: Observer) {
    self.calibrator = calibrator
    reader = PressReader(GestureMachine(Calibration.standardTable), buttons: buttons, observer: observer)
  }

  public var canReadButtons: Bool { reader.canRead }

  public func step(at now: Instant) -> Instant? {
    reader.read(at: now) { calibrator.perform($0.meaning) }
    return reader.deadline
  }
}
