/// A change of a button's contact as the line saw it, bounces and all.
public struct ButtonEdge: Hashable, Sendable, BitwiseCopyable {
  public enum Direction: Hashable, Sendable, BitwiseCopyable {
    /// The contact closed: somebody pushes the button.
    case down
    /// The contact opened.
    case up
  }

  public var button: Button
  public var direction: Direction
  /// When it happened, not when it was read.
  public var instant: Instant
  public var origin: Origin

  public init(_ button: Button, _ direction: Direction, at instant: Instant, from origin: Origin = .box) {
    self.button = button
    self.direction = direction
    self.instant = instant
    self.origin = origin
  }
}
