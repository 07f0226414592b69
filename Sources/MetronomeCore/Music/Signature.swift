/// A time signature: so many beats in a bar, each a note of the denominator's length.
public struct Signature: Hashable, Sendable, BitwiseCopyable {
  /// Beats in a bar, 1 to ``highestNumerator``.
  public let numerator: Int
  /// The note that lasts one beat: 1, 2, 4, 8, 16 or 32.
  public let denominator: Int

  public static let highestNumerator = 32

  /// 4/4, where every metronome starts.
  public static let initial = Signature(unchecked: 4, over: 4)

  /// A signature that the limit allows, or nil.
  public init?(_ numerator: Int, over denominator: Int, limit: NumeratorLimit) {
    guard limit.denominators.contains(denominator),
      (1...limit.highestNumerator(over: denominator)).contains(numerator)
    else { return nil }
    self.init(unchecked: numerator, over: denominator)
  }

  private init(unchecked numerator: Int, over denominator: Int) {
    self.numerator = numerator
    self.denominator = denominator
  }

  /// The same bar with another number of beats, as near to it as the limit allows.
  public func with(numerator: Int, limit: NumeratorLimit) -> Signature {
    Signature(unchecked: min(max(numerator, 1), limit.highestNumerator(over: denominator)), over: denominator)
  }

  /// The same number of beats, or as many as the limit allows, over another denominator; unchanged if there is no such
  /// denominator.
  public func with(denominator: Int, limit: NumeratorLimit) -> Signature {
    guard limit.denominators.contains(denominator) else { return self }
    return Signature(unchecked: min(numerator, limit.highestNumerator(over: denominator)), over: denominator)
  }

  /// One beat more, and after the highest number of them one beat again.
  public func nextNumerator(limit: NumeratorLimit) -> Signature {
    let next = numerator + 1
    return with(numerator: next > limit.highestNumerator(over: denominator) ? 1 : next, limit: limit)
  }

  /// One beat less, and before one beat the highest number of them.
  public func previousNumerator(limit: NumeratorLimit) -> Signature {
    with(numerator: numerator > 1 ? numerator - 1 : limit.highestNumerator(over: denominator), limit: limit)
  }

  /// The next denominator, and after the last the first again. The numerator comes down with it where it must.
  public func nextDenominator(limit: NumeratorLimit) -> Signature {
    with(denominator: limit.denominators.first { $0 > denominator } ?? limit.denominators[0], limit: limit)
  }

  /// The denominator before, and before the first the last. The numerator comes down with it where it must.
  public func previousDenominator(limit: NumeratorLimit) -> Signature {
    with(
      denominator: limit.denominators.last { $0 < denominator } ?? limit.denominators[limit.denominators.count - 1],
      limit: limit)
  }

  /// This signature, or what is nearest to it of those that a limit allows: the next denominator on offer, and
  /// as many beats as there may be over it.
  public func limited(by limit: NumeratorLimit) -> Signature {
    let allowed = limit.denominators.first { $0 >= denominator } ?? denominator
    return Signature(
      unchecked: min(numerator, limit.highestNumerator(over: allowed)), over: allowed)
  }
}

extension Signature: CustomStringConvertible {
  /// The text on a display: `4/4`.
  public var description: String { "\(numerator)/\(denominator)" }
}

extension Signature {
  /// The signature that a person wrote, as `7/8`, of any that there are; nil for anything else.
  public init?(text: some StringProtocol) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let numerator = Int(parts[0]), let denominator = Int(parts[1]) else { return nil }
    self.init(numerator, over: denominator, limit: .none)
  }
}

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
