import MetronomeCore

/// A device beside the box, and what its keys and axes are for: a foot pedal, a keyboard, an encoder.
public struct InputRequest: Hashable, Sendable {
  /// Which device.
  public enum Device: Hashable, Sendable {
    /// By the name it gives itself, whole: `PageFlip Firefly`. Of several with that name it is the one with most of what is
    /// asked for that no other request has, the first of equals.
    case named(String)
    /// By a file: `/dev/input/by-id/usb-…-event-kbd`, which stays the same, or `/dev/input/event3`, which does not.
    case path(String)
  }

  public var device: Device
  /// What each key is for. Several keys may be one button: it is down while one of them is.
  public var keys: [KeyCode: Button]
  /// What each axis turns. Several axes may be one dial.
  public var relative: [AxisCode: Dial]
  /// Whether nobody else is to have what the device sends: otherwise a keyboard's keys also reach the console.
  public var isGrabbed: Bool

  public init(
    _ device: Device, keys: [KeyCode: Button] = [:], relative: [AxisCode: Dial] = [:], isGrabbed: Bool = false
  ) {
    self.device = device
    self.keys = keys
    self.relative = relative
    self.isGrabbed = isGrabbed
  }
}
