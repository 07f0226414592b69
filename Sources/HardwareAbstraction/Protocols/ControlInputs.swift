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
