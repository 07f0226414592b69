/// Which way the pendulum swings: beats alternate from the start of playing, even, odd, even, odd.
public enum Parity: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
  case even
  case odd

  public init(ofBeat index: Int64) { self = index & 1 == 0 ? .even : .odd }
}
