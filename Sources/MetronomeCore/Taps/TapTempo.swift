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
/// - otherwise |I - 2T| ≤ 0.2 T: a tap was missed; the beat after the next. Twice in a row it is a new tempo: the run begins
///   with the tap before the first of the two long intervals, whose taps are beats 0, 1 and 2.
/// - otherwise, after two taps, |T - 2I| ≤ 0.2 I: the tap that was missed was the second; the first interval was two beats.
/// - otherwise, and after one tap if I > 2.8 s (2 s, and the 40 % by which fingers may err), a run begins anew with it.
///
/// The run that this ends is kept beside for a while, because the tap may be odd and the run good:
///
/// - A lone first tap: if the run goes on with an interval I that has |F - 2I| ≤ 0.2 I, F being the interval that was too
///   long, then F was two beats, and the first tap belongs to the run.
/// - A run that has a T: if the next tap is within 0.2 T of one beat or two after the run's last, and the intervals before
///   and after the odd tap differ by more than 40 % of the longer, the finger fired twice: the odd tap is dropped.
/// - If they do not differ so much, it is a quicker tempo or the same with an odd tap in the middle of a beat, and only
///   one tap more can tell. An interval within 40 % of the last is the quicker tempo's; otherwise, within 0.2 T of one
///   beat of the old run or two, the odd tap is dropped.
/// - In all other cases the run beside is forgotten.
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

  /// The run that goes on.
  private var run = TapRun()
  /// The run that was left for it, or none. Once it holds the last tap, too, the one between is the one in doubt.
  private var beside = TapRun()

  public init() {}

  /// Forgets all taps.
  public mutating func reset() { self = TapTempo() }

  /// Takes a tap, in order of time.
  ///
  /// - Returns: what the run says now; nil while it has too few taps, and for what is no tap.
  public mutating func take(_ tap: Instant) -> Estimate? {
    if let last = run.last, tap - last < TapTempo.closest { return nil }
    if !goOnBeside(tap), !run.take(tap) {
      beside = run
      run = TapRun(tap)
    }
    return run.count < TapTempo.least ? nil : Estimate(run.taps)
  }

  /// Settles which run goes on, if there are two, or takes the tap into the one beside until the next will settle it.
  ///
  /// - Returns: whether the tap was taken.
  private mutating func goOnBeside(_ tap: Instant) -> Bool {
    guard let left = beside.last, let odd = run.first, let last = run.last else { return false }
    let old = beside
    beside = TapRun()
    let interval = tap - last
    if old.count == 1 { return run.take(tap, afterTwoBeatsSince: left) }
    guard let beats = old.beats(since: tap) else { return false }
    if left == last {
      guard !run.isNextBeat(interval) else { return false }
    } else if TapTempo.areAlike(odd - left, interval) {
      guard run.take(tap) else { return false }
      beside = old.with(tap, after: beats)
      return true
    }
    run = old.with(tap, after: beats)
    return true
  }

  /// Whether intervals differ by no more than two fifths of the longer one.
  private static func areAlike(_ one: Nanoseconds, _ other: Nanoseconds) -> Bool {
    let (longer, shorter) = (max(one, other).count, min(one, other).count)
    return 5 * Int128(longer - shorter) <= 2 * Int128(longer)
  }
}
