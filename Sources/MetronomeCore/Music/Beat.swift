/// One beat of a timeline: when it falls and what it is.
public struct Beat: Hashable, Sendable, BitwiseCopyable {
  /// Counted from the start of playing, the first is 0.
  public var index: Int64
  /// When it falls.
  public var instant: Instant
  /// The bar it belongs to, counted from 0. Bars that are counted in come before: of two -2 and -1.
  public var bar: Int64
  /// Its place in the bar, counted from 0.
  public var position: Int
  public var accent: Accent { position == 0 ? .first : .regular }
  public var parity: Parity { Parity(ofBeat: index) }
  /// Whether it only counts in.
  public var isCountedIn: Bool { bar < 0 }

  public init(index: Int64, instant: Instant, bar: Int64, position: Int) {
    self.index = index
    self.instant = instant
    self.bar = bar
    self.position = position
  }
}

/// How much weight a beat has. More levels may follow; nothing counts on there being two.
public enum Accent: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
  /// The first beat of a bar.
  case first
  /// Any other.
  case regular
}

/// Which way the pendulum swings: beats alternate from the start of playing, even, odd, even, odd.
public enum Parity: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
  case even
  case odd

  public init(ofBeat index: Int64) { self = index & 1 == 0 ? .even : .odd }
}
