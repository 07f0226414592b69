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

extension TapTempo {
  /// What a run of taps says: the straight line through the instants over the numbers of their beats whose squared
  /// distances add up to the least.
  ///
  /// With n taps of beats x at instants y the line rises by `(n·Σxy - Σx·Σy) / (n·Σxx - Σx·Σx)` from beat to beat and goes
  /// through the means of both: simple linear regression. The error of a finger that errs by σ from tap to tap shrinks to
  /// `σ·√(12 / (n³ - n))` of a period.
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

/// Taps of one tempo, each of which stands for a beat, oldest first: at most ``TapTempo/window`` of them.
struct TapRun: Hashable {
  /// A tap, and the number of the beat that it stands for, counted from the first of the run.
  struct NumberedTap: Hashable {
    let beat: Int64
    let instant: Instant
  }

  private(set) var taps: [NumberedTap]

  /// No taps.
  init() { taps = [] }

  /// Of one tap.
  init(_ tap: Instant) { self.init([(0, tap)]) }

  private init(_ taps: [(beat: Int64, instant: Instant)]) {
    self.taps = taps.map { NumberedTap(beat: $0.beat, instant: $0.instant) }
  }

  var count: Int { taps.count }
  var first: Instant? { taps.first?.instant }
  var last: Instant? { taps.last?.instant }

  /// Takes a tap if it is one of the run.
  ///
  /// - Returns: false, and changes nothing, if it is none: there is none of a run of no taps.
  mutating func take(_ tap: Instant) -> Bool {
    guard let last else { return false }
    let interval = tap - last
    if count == 1 {
      guard interval <= TapTempo.longestFirst else { return false }
      self = with(tap, after: 1)
    } else if isNextBeat(interval) {
      self = with(tap, after: 1)
    } else if TapTempo.Estimate(taps).isNear(interval, beats: 2, fifths: 1) {
      self = with(tap, after: 2)
    } else {
      return count == 2 && take(tap, secondMissedAfter: taps[0].instant, taps[1].instant)
    }
    return true
  }

  /// Takes the second tap of a run of one, and the tap before its first as well, if two beats went by in between.
  ///
  /// - Returns: false, and changes nothing, if the taps do not say that.
  mutating func take(_ tap: Instant, afterTwoBeatsSince first: Instant) -> Bool {
    guard let last, tap - last <= TapTempo.longestFirst else { return false }
    return take(tap, secondMissedAfter: first, last)
  }

  private mutating func take(_ tap: Instant, secondMissedAfter first: Instant, _ third: Instant) -> Bool {
    let beat = TapTempo.Estimate(TapRun([(0, third), (1, tap)]).taps)
    guard beat.isNear(third - first, beats: 2, fifths: 1) else { return false }
    self = TapRun([(0, first), (2, third), (3, tap)])
    return true
  }

  /// Whether, by the estimate, a beat follows after such a time.
  func isNextBeat(_ interval: Nanoseconds) -> Bool { TapTempo.Estimate(taps).isNear(interval, beats: 1, fifths: 2) }

  /// How many beats, one or two, and nearly so, a tap comes after the last; nil if it is out of time.
  func beats(since tap: Instant) -> Int64? {
    guard let last else { return nil }
    let estimate = TapTempo.Estimate(taps)
    return ([1, 2] as [Int64]).first { estimate.isNear(tap - last, beats: $0, fifths: 1) }
  }

  /// With one tap more, so many beats after the last. Two beats twice are one beat of a slower run.
  func with(_ tap: Instant, after beats: Int64) -> TapRun {
    let (before, last) = (taps.dropLast().last, taps[count - 1])
    if beats == 2, let before, last.beat - before.beat == 2 {
      return TapRun([(0, before.instant), (1, last.instant), (2, tap)])
    }
    var longer = self
    longer.taps.append(NumberedTap(beat: last.beat + beats, instant: tap))
    if longer.count > TapTempo.window { longer.taps.removeFirst() }
    return longer
  }
}
