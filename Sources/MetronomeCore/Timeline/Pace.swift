/// The interval between beats, as an exact fraction of integers.
///
/// With a tempo that counts notes of p/q, a beat of n notes of 1/denominator lasts
/// `60·10⁹ · 1000 · n · q / (milliBPM · denominator · p)` ns. The quotient is seldom whole, so it is never computed.
struct Pace: Equatable, Sendable, BitwiseCopyable {
  /// Nanoseconds × thousandths × 32nds of the unit's denominator in a minute: 60·10⁹ · 1000 · 32.
  static let numerator: Int128 = 1_920_000_000_000_000

  /// milliBPM · 32 · denominator · p / (q · n), which is whole: from 1,000 to 3,068,928,000.
  let divisor: Int64

  init(_ tempo: Tempo, _ metre: Metre) {
    divisor = Int64(tempo.milliBPM) * Pace.parts(metre)
  }

  static func parts(_ metre: Metre) -> Int64 {
    let parts = 32 * metre.signature.denominator * (metre.unit.isDotted ? 3 : 1)
    return Int64(parts / (metre.unit.denominator * metre.notesInBeat))
  }

  /// Time from an anchor to its n-th beat, rounded down. Uses 128 bits: a century at the fastest pace needs 87. `remainder` is
  /// the part of the anchor that was lost by rounding, in nanoseconds / ``divisor``.
  func offset(ofBeat n: Int64, remainder: Int64) -> Nanoseconds {
    Nanoseconds(Int64((Int128(n) * Pace.numerator + Int128(remainder)).floorDivided(by: Int128(divisor))))
  }

  /// Time from an anchor to a position in beats, rounded down once. `remainder` is the part of the anchor that was lost by
  /// rounding, in nanoseconds / ``divisor``.
  func offset(of position: Position, remainder: Int64) -> Nanoseconds {
    let parts = Int128(position.whole) * Int128(position.denominator) + Int128(position.numerator)
    let scaled = parts * Pace.numerator + Int128(remainder) * Int128(position.denominator)
    return Nanoseconds(Int64(scaled.floorDivided(by: Int128(divisor) * Int128(position.denominator))))
  }

  /// The beat interval, rounded up.
  var interval: Nanoseconds { offset(ofBeat: 1, remainder: 0) + Nanoseconds(1) }

  /// The number of the first beat that falls this long after an anchor, or later. `remainder` is the part of the anchor that
  /// was lost by rounding, in nanoseconds / ``divisor``.
  func firstBeat(atOrAfter offset: Nanoseconds, remainder: Int64) -> Int64 {
    // floor((n·N + r)/d) ≥ t  ⇔  n·N + r ≥ t·d  ⇔  n ≥ ceil((t·d - r)/N), for whole t.
    Int64((Int128(offset.count) * Int128(divisor) - Int128(remainder)).ceilingDivided(by: Pace.numerator))
  }

  /// The time from `elapsed` after the anchor to the n-th beat, if another pace applies from then on: whole nanoseconds,
  /// rounded down, and the rest in nanoseconds / the other pace's divisor. `remainder` is the part of the anchor that was lost
  /// by rounding, in nanoseconds / ``divisor``.
  func left(
    untilBeat n: Int64, elapsed: Nanoseconds, remainder: Int64, at other: Pace
  ) -> (whole: Nanoseconds, remainder: Int64) {
    let scaled = Int128(n) * Pace.numerator - Int128(elapsed.count) * Int128(divisor) + Int128(remainder)
    let whole = scaled.floorDivided(by: Int128(other.divisor))
    return (Nanoseconds(Int64(whole)), Int64(scaled - whole * Int128(other.divisor)))
  }
}

extension Int64 {
  func floorDivided(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}

extension Int128 {
  func floorDivided(by divisor: Int128) -> Int128 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }

  fileprivate func ceilingDivided(by divisor: Int128) -> Int128 { -(-self).floorDivided(by: divisor) }
}
