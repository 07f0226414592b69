import MetronomeCore

/// What came from a device beside the box: a foot pedal, a keyboard, an encoder.
public enum InputEvent: Hashable, Sendable, BitwiseCopyable {
  case edge(ButtonEdge)
  case turn(DialTurn)
  /// The device is gone, or events of it were lost: where its buttons are has to be looked at again.
  case interrupted(Origin, at: Instant)

  /// When it happened, not when it was read.
  public var instant: Instant {
    switch self {
    case .edge(let edge): edge.instant
    case .turn(let turn): turn.instant
    case .interrupted(_, let instant): instant
    }
  }

  /// The device it came from.
  public var origin: Origin {
    switch self {
    case .edge(let edge): edge.origin
    case .turn(let turn): turn.origin
    case .interrupted(let origin, _): origin
    }
  }
}

/// The devices beside the box. They come and go; one that is gone is silent until it is there again.
///
/// Used by one thread. Waiting is not part of it: it is asked when there is something to read.
public protocol ControlInputs: AnyObject {
  /// How many devices there may be. Their origins are numbered from 1.
  var count: Int { get }

  /// The oldest event not yet read, or nil if there is none now. Never waits.
  ///
  /// Those of one device come in order of time, those of several as far as they are known by then. A button of several
  /// keys is down while one of them is. What a device did that is gone meanwhile, or that nobody read in time, may be
  /// lost: then ``InputEvent/interrupted(_:at:)`` says so.
  func next() -> InputEvent?

  /// Whether a button of a device is down at this moment, whatever events there are still to be read; false for a device
  /// that is gone.
  func isDown(_ button: Button, at origin: Origin) -> Bool
}

/// The buttons, as edges with the instants at which they happened.
///
/// Used by one thread. Waiting is not part of it: it is asked when there is something to read.
public protocol ButtonEdges: AnyObject {
  /// The oldest edge not yet read, or nil if there is none now. Never waits. Edges come in order of time.
  ///
  /// - Throws: `HardwareError` with operation `readEdges` when the chip refuses; once when it is gone. Until it is back there
  ///   are no edges.
  func next() throws(HardwareError) -> ButtonEdge?

  /// Whether a button is down at this moment, whatever edges there are still to be read, or were lost because nobody read
  /// them in time; false for one that is not there.
  ///
  /// - Throws: `HardwareError` with operation `readEdges`.
  func isDown(_ button: Button) throws(HardwareError) -> Bool
}

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

/// A key of an input device, by the kernel's number.
public struct KeyCode: Hashable, Sendable, BitwiseCopyable {
  public let number: UInt16

  public init(number: UInt16) { self.number = number }
}

/// A relative axis of an input device, by the kernel's number: an encoder's, a wheel's.
public struct AxisCode: Hashable, Sendable, BitwiseCopyable {
  public let number: UInt16

  public init(number: UInt16) { self.number = number }
}
