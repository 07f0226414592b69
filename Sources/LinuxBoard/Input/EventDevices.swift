import HardwareAbstraction
import MetronomeCore

/// The devices beside the box, as the kernel's event devices.
public final class EventDevices: ControlInputs {
  static func open(_ requests: [InputRequest], notice: @escaping (String) -> Void) -> EventDevices? {
    nil
  }

  public func next() -> InputEvent? { nil }

  public func isDown(_ button: Button, at origin: Origin) -> Bool { false }
}
