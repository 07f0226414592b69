/// What can be turned, by what it is for.
public enum Dial: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
  case tempo
  case numerator
  case denominator
  case preset
}

/// A dial was turned by some detents.
public struct DialTurn: Hashable, Sendable, BitwiseCopyable {
  public var dial: Dial
  /// Clockwise above 0, the other way below.
  public var detents: Int
  /// When it happened, not when it was read.
  public var instant: Instant
  public var origin: Origin

  public init(_ dial: Dial, by detents: Int, at instant: Instant, from origin: Origin) {
    self.dial = dial
    self.detents = detents
    self.instant = instant
    self.origin = origin
  }
}
