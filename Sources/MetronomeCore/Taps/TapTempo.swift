/// A tempo and a phase from the taps of a finger.
///
/// Of the last ``window`` taps of a run the beat that each of them stands for is known; a straight line through them by
/// least squares says how far the beats are apart and where the last of them would have fallen (see ``Estimate``). There
/// is an estimate from the third tap on, ``least``.
///
/// What a tap stands for is told by the time I since the tap before, against the estimate T so far, which after two taps is
/// their interval:
///
/// - I < 60 ms: the finger bounced; this is no tap, and the next is compared with the tap before it.
/// - |I - T| ≤ 0.4 T: the next beat.
/// - otherwise |I - 2T| ≤ 0.4 T: a tap was missed; the beat after the next.
/// - otherwise, after two taps, |T - 2I| ≤ 0.4 I: the tap that was missed was the second; the first interval was two beats.
/// - otherwise, and after one tap if I > 2.8 s (2 s, and the 40 % by which fingers may err), a run begins anew with it.
///
/// All is reckoned in integers; the same taps give the same estimate on every machine.
public struct TapTempo: Hashable, Sendable {
  /// How many taps count at the most.
  public static let window = 8
  /// How many taps make a tempo.
  public static let least = 3
  /// What follows a tap more closely is none.
  public static let closest = Nanoseconds.milliseconds(60)
  /// What follows a lone tap later has nothing to do with it.
  public static let longestFirst = Nanoseconds.milliseconds(2_800)

  /// A tap, and the number of the beat that it stands for, counted from the first of the run.
  fileprivate struct NumberedTap: Hashable {
    var beat: Int64
    var instant: Instant
  }

  /// Those of the run that count, oldest first.
  private var taps: [NumberedTap] = []

  public init() {}

  /// Forgets all taps.
  public mutating func reset() { taps.removeAll() }

  /// Takes a tap, in order of time.
  ///
  /// - Returns: what the run says now; nil while it has too few taps, and for what is no tap.
  public mutating func take(_ tap: Instant) -> Estimate? {
    guard let last = taps.last else {
      taps = [NumberedTap(beat: 0, instant: tap)]
      return nil
    }
    let interval = tap - last.instant
    guard interval >= TapTempo.closest else { return nil }
    if let beats = beats(in: interval) {
      taps.append(NumberedTap(beat: last.beat + beats, instant: tap))
    } else if isHalf(interval) {
      taps[1].beat = 2
      taps.append(NumberedTap(beat: 3, instant: tap))
    } else {
      taps = [NumberedTap(beat: 0, instant: tap)]
    }
    if taps.count > TapTempo.window { taps.removeFirst() }
    return taps.count < TapTempo.least ? nil : Estimate(taps)
  }

  /// How many beats lie between the last tap and one so long after it; nil if it begins a run.
  private func beats(in interval: Nanoseconds) -> Int64? {
    guard taps.count > 1 else { return interval <= TapTempo.longestFirst ? 1 : nil }
    let estimate = Estimate(taps)
    return ([1, 2] as [Int64]).first { estimate.isNear(interval, beats: $0) }
  }

  /// Whether the only interval so far is two of these.
  private func isHalf(_ interval: Nanoseconds) -> Bool {
    guard taps.count == 2 else { return false }
    let half = Estimate([taps[1], NumberedTap(beat: taps[1].beat + 1, instant: taps[1].instant + interval)])
    return half.isNear(taps[1].instant - taps[0].instant, beats: 2)
  }
}

extension TapTempo.Estimate {
  /// The line through at least two taps.
  fileprivate init(_ taps: [TapTempo.NumberedTap]) {
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
