/// The distance between beats, as an exact fraction of integers.
///
/// A beat of a note of 1/denominator at a tempo that counts quarter notes lasts
/// `60·10⁹ · 1000 · 4 / (milliBPM · denominator)` ns. The quotient is seldom whole, so it is never formed: beat n is
/// computed from n, and what was cut off at one beat is not missing at the next.
struct Pace: Hashable, Sendable, BitwiseCopyable {
  /// Nanoseconds × thousandths × quarters in a minute: 60·10⁹ · 1000 · 4.
  private static let numerator: Int128 = 240_000_000_000_000

  /// milliBPM · denominator, from 1,000 to 31,968,000.
  let divisor: Int64

  init(_ tempo: Tempo, _ signature: Signature) {
    divisor = Int64(tempo.milliBPM) * Int64(signature.denominator)
  }

  /// How long after an anchor its n-th beat falls, rounded down. 128 bits inside: a century at the fastest pace needs 87.
  func offset(ofBeat n: Int64) -> Nanoseconds {
    Nanoseconds(Int64((Int128(n) * Pace.numerator).floorDivided(by: Int128(divisor))))
  }

  /// The number of the first beat that falls this long after an anchor, or later.
  func firstBeat(atOrAfter offset: Nanoseconds) -> Int64 {
    // floor(n·N/d) ≥ t  ⇔  n·N ≥ t·d  ⇔  n ≥ ceil(t·d/N), for whole t.
    Int64((Int128(offset.count) * Int128(divisor)).ceilingDivided(by: Pace.numerator))
  }

  /// What is left until the n-th beat after the anchor, `elapsed` after the anchor, if it goes on at another pace: the
  /// fraction of a beat that remains is the same.
  ///
  /// - Parameter remainder: how far the anchor really lies after the instant it is counted from, in nanoseconds /
  ///   ``divisor``.
  /// - Returns: whole nanoseconds, rounded down once, and what was cut off, in nanoseconds / the other pace's divisor.
  func left(
    untilBeat n: Int64, elapsed: Nanoseconds, remainder: Int32, at other: Pace
  ) -> (whole: Nanoseconds, remainder: Int32) {
    let scaled = Int128(n) * Pace.numerator - Int128(elapsed.count) * Int128(divisor) + Int128(remainder)
    let whole = scaled.floorDivided(by: Int128(other.divisor))
    return (Nanoseconds(Int64(whole)), Int32(scaled - whole * Int128(other.divisor)))
  }
}

extension Int128 {
  func floorDivided(by divisor: Int128) -> Int128 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }

  fileprivate func ceilingDivided(by divisor: Int128) -> Int128 { -(-self).floorDivided(by: divisor) }
}
