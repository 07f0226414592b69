extension TapTempo {
  /// What a run of taps says: the straight line through the instants over the numbers of their beats whose squared
  /// distances add up to the least.
  ///
  /// With n taps of beats x at instants y the line rises by `(n·Σxy - Σx·Σy) / (n·Σxx - Σx·Σx)` from beat to beat and goes
  /// through the means of both (the formulas of simple linear regression, as in any text on it; Gauss, "Theoria motus", 1809,
  /// gives the reason: with errors that are normal no other line is as likely). The error of a finger that errs by σ from
  /// tap to tap shrinks to `σ·√(12 / (n³ - n))` of a period.
  public struct Estimate: Hashable, Sendable {
    /// From beat to beat in nanoseconds, as a fraction of ``run``.
    let rise: Int128
    let run: Int128
    /// Where the line has the last tap.
    public let instant: Instant
    /// The number of the last tap's beat, counted from the first tap of the run.
    public let beats: Int64

    /// From beat to beat, in nanoseconds.
    public var period: Double { Double(rise) / Double(run) }

    /// The tempo of which the taps are beats in this signature, or the nearest that there is.
    ///
    /// - Parameter rounds: to whole beats per minute, otherwise to thousandths.
    public func tempo(in signature: Signature, rounds: Bool) -> Tempo {
      // As in Pace: 60·10⁹ · 4 nanoseconds times quarters in a minute.
      let unit = Int128(rounds ? 1_000 : 1)
      let beats = (240_000_000_000_000 / unit * run).divided(by: rise * Int128(signature.denominator))
      return Tempo(clampingMilliBPM: Int(clamping: beats * unit))
    }

    /// When a beat after the last tap's falls, to the nearest nanosecond.
    public func instant(ofBeat number: Int64) -> Instant {
      instant + Nanoseconds(Int64((Int128(number) * rise).divided(by: run)))
    }

    /// The number of the first beat, counted from the last tap's, that falls after an instant.
    func firstBeat(after instant: Instant) -> Int64 {
      var number = max(0, Int64(Int128((instant - self.instant).count) * run / rise))
      while self.instant(ofBeat: number) <= instant { number += 1 }
      return number
    }

    /// Whether a time is that of so many beats, with two fifths of one to spare.
    func isNear(_ time: Nanoseconds, beats: Int64) -> Bool {
      let error = Int128(time.count) * run - Int128(beats) * rise
      return 5 * error.magnitude <= 2 * rise.magnitude
    }
  }
}

extension Int128 {
  /// To the nearest whole number; for positive divisors.
  func divided(by divisor: Int128) -> Int128 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    guard 2 * remainder.magnitude >= divisor.magnitude else { return quotient }
    return remainder < 0 ? quotient - 1 : quotient + 1
  }
}
