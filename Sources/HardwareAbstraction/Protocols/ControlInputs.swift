import MetronomeCore

/// What came from a device beside the box: a foot pedal, a keyboard, an encoder.
public enum InputEvent: Hashable, Sendable, BitwiseCopyable {
  case edge(ButtonEdge)
  case turn(DialTurn)
  /// The device is gone, or events of it were lost: where its buttons are has to be looked at again.
  case interrupted(Origin, at: Instant)
}

/// The devices beside the box. They come and go; one that is gone is silent until it is there again.
///
/// Used by one thread. Waiting is not part of it: it is asked when there is something to read.
public protocol ControlInputs: AnyObject {
  /// The oldest event not yet read, or nil if there is none now. Never waits. Those of one device come in order of time.
  func next() -> InputEvent?

  /// Whether a button of a device is down at this moment; false for a device that is gone.
  func isDown(_ button: Button, at origin: Origin) -> Bool
}
