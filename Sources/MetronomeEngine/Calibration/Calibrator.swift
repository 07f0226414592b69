import MetronomeCore

/// A calibration under way, and the plan of outputs that follows it. One thread only, an ordinary one.
public final class Calibrator {
  public private(set) var calibration: Calibration
  private let plan: OutputPlan

  /// - Parameter plan: of the engine that plays. It is set at once.
  public init(_ calibration: Calibration, plan: OutputPlan) {
    self.calibration = calibration
    self.plan = plan
    plan.set(calibration.plan)
  }

  public func perform(_ command: Calibration.Command) {
    let before = calibration.plan
    calibration.apply(command)
    if calibration.plan != before { plan.set(calibration.plan) }
  }
}
