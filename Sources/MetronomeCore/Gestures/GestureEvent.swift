/// What a gesture means, and when the hand made it.
public struct GestureEvent<Meaning: Hashable & Sendable>: Hashable, Sendable {
  public var meaning: Meaning
  /// When it became what it is: at the edge, at the end of a deadline.
  public var instant: Instant
  /// How often: more than once for a quick repetition.
  public var steps: Int
  /// The edge of the press it belongs to.
  public var press: Instant
  /// The edge of a press whose effect is to be taken back first, because it turned out to be the beginning of this one.
  public var takesBack: Instant?

  public init(_ meaning: Meaning, at instant: Instant, press: Instant, steps: Int = 1, takesBack: Instant? = nil) {
    self.meaning = meaning
    self.instant = instant
    self.steps = steps
    self.press = press
    self.takesBack = takesBack
  }
}
