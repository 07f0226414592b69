/// What can be done with buttons, each by itself and two together. When it is what: see ``GestureMachine``.
public enum Gesture: Hashable, Sendable, BitwiseCopyable {
  case short(Button)
  case long(Button)
  /// Again and again while it is held.
  case repeated(Button)
  case chord(ButtonPair)
}
