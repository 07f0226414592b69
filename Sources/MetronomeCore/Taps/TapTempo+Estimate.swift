extension TapTempo {
  /// What a run of taps says: the straight line through the instants over the numbers of their beats whose squared
  /// distances add up to the least.
  ///
  /// With n taps of beats x at instants y the line rises by `(n·Σxy - Σx·Σy) / (n·Σxx - Σx·Σx)` from beat to beat and goes
  /// through the means of both (the formulas of simple linear regression, as in any text on it; Gauss, "Theoria motus", 1809,
  /// gives the reason: with errors that are normal no other line is as likely). The error of a finger that errs by σ from
  /// tap to tap shrinks to `σ·√(12 / (n³ - n))` of a period.
  public struct Estimate: Hashable, Sendable {
    /// From beat to beat in nanoseconds times ``run``.
    let rise: Int128
    let run: Int128
    /// How many taps the line goes through.
    let count: Int128
    /// The instant from which the line is reckoned, and how long after it it has the last tap, in nanoseconds times
    /// ``count`` times ``run``: so nothing is rounded but the instants that are told.
    let origin: Instant
    let last: Int128
    /// The number of the last tap's beat, counted from the first tap of the run.
    public let beats: Int64

    /// From beat to beat, in nanoseconds.
    public var period: Double { Double(rise) / Double(run) }

    /// The tempo of which the taps are beats in this signature, or the nearest that there is.
    ///
    /// - Parameters:
    ///   - signature: says which note a tap is.
    ///   - rounds: to whole beats per minute, otherwise to thousandths.
    public func tempo(in signature: Signature, rounds: Bool) -> Tempo {
      // As in Pace: 60·10⁹ · 4 nanoseconds times quarters in a minute.
      let unit = Int128(rounds ? 1_000 : 1)
      let (dividend, divisor) = (240_000_000_000_000 / unit * run, rise * Int128(signature.denominator))
      let beats = (2 * dividend + divisor).floorDivided(by: 2 * divisor)
      return Tempo(clampingMilliBPM: Int(clamping: beats * unit))
    }

    /// Where the line has the last tap, rounded down.
    public var instant: Instant { instant(ofBeat: 0) }

    /// When a beat falls that is counted from the last tap's, rounded down.
    public func instant(ofBeat number: Int64) -> Instant {
      origin + Nanoseconds(Int64((last + Int128(number) * rise * count).floorDivided(by: count * run)))
    }

    /// The number of the first beat, counted from the last tap's, that falls after an instant.
    func firstBeat(after instant: Instant) -> Int64 {
      var number = max(0, Int64(Int128((instant - self.instant).count) * run / rise))
      while self.instant(ofBeat: number) <= instant { number += 1 }
      return number
    }

    /// Whether a time is that of so many beats, with so many fifths of one to spare.
    func isNear(_ time: Nanoseconds, beats: Int64, fifths: Int128) -> Bool {
      let error = Int128(time.count) * run - Int128(beats) * rise
      return 5 * Int128(error.magnitude) <= fifths * rise
    }

    /// The line through at least two taps.
    init(_ taps: [TapRun.NumberedTap]) {
      let (first, last, count) = (taps[0], taps[taps.count - 1], Int128(taps.count))
      var (x, y, xx, xy) = (Int128(0), Int128(0), Int128(0), Int128(0))
      for tap in taps {
        let (beat, time) = (Int128(tap.beat - first.beat), Int128((tap.instant - first.instant).count))
        x += beat
        y += time
        xx += beat * beat
        xy += beat * time
      }
      rise = count * xy - x * y
      run = count * xx - x * x
      beats = last.beat
      self.count = count
      origin = first.instant
      self.last = y * run + rise * (count * Int128(last.beat - first.beat) - x)
    }
  }
}
