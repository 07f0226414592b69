/// Two different buttons, in no order.
public struct ButtonPair: Hashable, Sendable, BitwiseCopyable {
  /// The one that stands earlier in `Button.allCases`.
  public let first: Button
  public let second: Button

  /// nil for a button with itself.
  public init?(_ one: Button, _ other: Button) {
    guard one != other else { return nil }
    first = one.index < other.index ? one : other
    second = one.index < other.index ? other : one
  }
}
