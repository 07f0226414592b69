/// How far the numerator of a signature may go.
public enum NumeratorLimit: String, Hashable, Sendable, CaseIterable {
  /// Never past the denominator: 4/4, 7/8, 12/16. The default.
  case denominator
  /// Up to 32 over any denominator, and denominators 1 and 2 besides: 5/4, 12/8, 3/2.
  case none

  /// The denominators on offer, in the order in which a button steps through them.
  public var denominators: [Int] {
    switch self {
    case .denominator: [4, 8, 16, 32]
    case .none: [1, 2, 4, 8, 16, 32]
    }
  }

  /// The highest numerator over a denominator.
  public func highestNumerator(over denominator: Int) -> Int {
    switch self {
    case .denominator: denominator
    case .none: Signature.highestNumerator
    }
  }
}
