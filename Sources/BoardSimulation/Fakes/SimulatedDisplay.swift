import HardwareAbstraction
import MetronomeCore

/// A display that records each change of its text.
///
/// It keeps its text until the next one. The first text that is sent while it is unplugged, and every other one until it is plugged in
/// again, fails and leaves it blank.
public final class SimulatedDisplay: CharacterDisplay {
  /// The text that is visible.
  public private(set) var text = DisplayText.blank
  /// How many texts were sent, including failed ones.
  public private(set) var calls = 0
  public private(set) var isConfigured: Bool
  private var isReleased = false
  private let clock: VirtualClock
  private let faults: FaultInjector
  private let recorder: TraceRecorder

  init(isConfigured: Bool, clock: VirtualClock, faults: FaultInjector, recorder: TraceRecorder) {
    self.isConfigured = isConfigured
    (self.clock, self.faults, self.recorder) = (clock, faults, recorder)
  }

  public func show(_ text: DisplayText) throws(HardwareError) {
    precondition(isConfigured && !isReleased, "a text for a display that is not configured, or was released")
    calls += 1
    do throws(HardwareError) {
      try faults.strike(.writeDisplay)
    } catch {
      if error.kind == .gone { change(to: .blank) }
      throw error
    }
    change(to: text)
  }

  public func release() {
    change(to: .blank)
    isReleased = true
  }

  /// Uses the display again after a release.
  func acquire() { isReleased = false }

  func rewire(isConfigured: Bool) {
    if !isConfigured { change(to: .blank) }
    self.isConfigured = isConfigured
  }

  private func change(to text: DisplayText) {
    guard text != self.text else { return }
    self.text = text
    recorder.record(.display(text), at: clock.now)
  }
}
