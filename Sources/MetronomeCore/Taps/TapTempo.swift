/// Tempo and phase from the taps of a finger.
///
/// Each of the last ``window`` taps of a run is a beat. A least-squares line through them gives the beat period and the time of
/// the last beat (see ``Estimate``). There is an estimate from the third tap on (``least``).
///
/// The beat of a tap follows from the time I since the previous tap and the current estimate T, which after two taps is their
/// interval:
///
/// - I < 60 ms: a contact bounce. The tap is ignored, and the next one is compared with the previous tap.
/// - |I - T| ≤ 0.4 T: the next beat.
/// - otherwise |I - 2T| ≤ 0.2 T: a tap was missed; the beat after the next. Two such intervals in a row mean a new tempo: the
///   run restarts with the tap before the first of them, and the three taps are beats 0, 1 and 2.
/// - otherwise, after two taps, |T - 2I| ≤ 0.2 I: the second tap was missed; the first interval was two beats.
/// - otherwise, and after one tap if I > 2.8 s (2 s plus the 40 % tolerance), the tap starts a new run.
///
/// The old run is kept as an alternative, because the tap that started the new run, the *odd tap*, may be a mistake:
///
/// - If the old run is a single tap, and the new run continues with an interval I such that |F - 2I| ≤ 0.2 I, where F is the
///   interval that was too long, then F was two beats, and the single tap belongs to the new run.
/// - If the old run has an estimate T, the next tap is within 0.2 T of one or two beats after its last tap, and the intervals
///   before and after the odd tap differ by more than 40 % of the longer, the finger tapped twice: the odd tap is dropped.
/// - If they differ by less, it is either a faster tempo or an odd tap in the middle of a beat, and the next tap decides. An
///   interval within 40 % of the last one means the faster tempo; otherwise, if the tap is within 0.2 T of one or two beats of
///   the old run, the odd tap is dropped.
/// - In all other cases the old run is discarded.
///
/// The arithmetic uses integers; the same taps give the same estimate on every machine.
public struct TapTempo: Hashable, Sendable {
  public static let window = 8
  public static let least = 3
  /// A tap sooner than this after another is a bounce.
  public static let closest = Nanoseconds.milliseconds(60)
  /// A second tap later than this after the first starts a new run.
  public static let longestFirst = Nanoseconds.milliseconds(2_800)

  private var run = TapRun()
  /// The alternative run, possibly empty. If it also contains the last tap, the tap before the last is the odd tap.
  private var alternative = TapRun()

  public init() {}

  /// Adds a tap. Taps must come in order of time. Returns nil while the run has too few taps, and for a bounce.
  public mutating func add(_ tap: Instant) -> Estimate? {
    if let last = run.last, tap - last < TapTempo.closest { return nil }
    if !continueWithAlternative(tap), !run.add(tap) {
      alternative = run
      run = TapRun(tap)
    }
    return run.count < TapTempo.least ? nil : Estimate(run.taps)
  }

  /// Decides which of two runs continues, or adds the tap to both until the next tap decides. Returns false if there is no
  /// alternative run, or if the tap was not added.
  private mutating func continueWithAlternative(_ tap: Instant) -> Bool {
    guard let left = alternative.last, let odd = run.first, let last = run.last else { return false }
    let old = alternative
    alternative = TapRun()
    let interval = tap - last
    if old.count == 1 { return interval <= TapTempo.longestFirst && run.add(tap, secondMissedAfter: left, last) }
    guard let beats = old.beats(since: tap) else { return false }
    if left == last {
      guard !run.isNextBeat(interval) else { return false }
    } else if TapTempo.areAlike(odd - left, interval) {
      guard run.add(tap) else { return false }
      alternative = old.with(tap, after: beats)
      return true
    }
    run = old.with(tap, after: beats)
    return true
  }

  /// Whether two intervals differ by at most two fifths of the longer one.
  private static func areAlike(_ one: Nanoseconds, _ other: Nanoseconds) -> Bool {
    let (longer, shorter) = (max(one, other).count, min(one, other).count)
    return 5 * Int128(longer - shorter) <= 2 * Int128(longer)
  }
}

extension TapTempo {
  /// The least-squares line through the instants of a run over their beat numbers.
  ///
  /// With n taps at beats x and instants y, the slope is `(n·Σxy - Σx·Σy) / (n·Σxx - Σx·Σx)`, and the line passes through the
  /// means of both. If each tap errs by σ, the error of the period is `σ·√(12 / (n³ - n))`.
  public struct Estimate: Hashable, Sendable {
    /// The beat period in nanoseconds times ``run``.
    let rise: Int128
    let run: Int128
    let count: Int128
    /// The line's reference instant, and the distance from it to the last tap on the line, in nanoseconds times ``count`` times
    /// ``run``. Only returned instants are rounded.
    let origin: Instant
    let last: Int128
    /// The number of the last tap's beat, counted from the first tap of the run.
    public let beats: Int64

    /// The beat period in nanoseconds.
    public var period: Double { Double(rise) / Double(run) }

    /// The tempo at which the taps are beats of this metre, or the nearest valid tempo. In whole beats per minute if
    /// `rounds`, otherwise in thousandths.
    public func tempo(in metre: Metre, rounds: Bool) -> Tempo {
      let unit = Int128(rounds ? 1_000 : 1)
      let (dividend, divisor) = (Pace.numerator / unit * run, rise * Int128(Pace.parts(metre)))
      let beats = (2 * dividend + divisor).floorDivided(by: 2 * divisor)
      return Tempo(clampingMilliBPM: Int(clamping: beats * unit))
    }

    /// The time of the last tap on the line, rounded down.
    public var instant: Instant { instant(ofBeat: 0) }

    /// The time of a beat, rounded down. Beat 0 is the beat of the last tap.
    public func instant(ofBeat number: Int64) -> Instant {
      origin + Nanoseconds(Int64((last + Int128(number) * rise * count).floorDivided(by: count * run)))
    }

    /// The number of the first beat after an instant. Beat 0 is the beat of the last tap.
    func firstBeat(after instant: Instant) -> Int64 {
      var number = max(0, Int64(Int128((instant - self.instant).count) * run / rise))
      while self.instant(ofBeat: number) <= instant { number += 1 }
      return number
    }

    /// Whether a time lasts this number of beats, within a tolerance in fifths of a beat.
    func isNear(_ time: Nanoseconds, beats: Int64, fifths: Int128) -> Bool {
      let error = Int128(time.count) * run - Int128(beats) * rise
      return 5 * Int128(error.magnitude) <= fifths * rise
    }

    /// Fits a line through at least two taps.
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

/// Taps of one tempo with their beat numbers, oldest first: at most ``TapTempo/window`` of them.
struct TapRun: Hashable {
  /// A tap and the number of its beat, counted from the first tap of the run.
  struct NumberedTap: Hashable {
    let beat: Int64
    let instant: Instant
  }

  private(set) var taps: [NumberedTap]

  init() { taps = [] }

  init(_ tap: Instant) { self.init([(0, tap)]) }

  private init(_ taps: [(beat: Int64, instant: Instant)]) {
    self.taps = taps.map { NumberedTap(beat: $0.beat, instant: $0.instant) }
  }

  var count: Int { taps.count }
  var first: Instant? { taps.first?.instant }
  var last: Instant? { taps.last?.instant }

  /// Adds a tap if it fits the run. Returns false, without a change, if it does not fit or the run is empty.
  mutating func add(_ tap: Instant) -> Bool {
    guard let last else { return false }
    let interval = tap - last
    if count == 1 ? interval <= TapTempo.longestFirst : isNextBeat(interval) {
      self = with(tap, after: 1)
    } else if count > 1, TapTempo.Estimate(taps).isNear(interval, beats: 2, fifths: 1) {
      self = with(tap, after: 2)
    } else {
      return count == 2 && add(tap, secondMissedAfter: taps[0].instant, taps[1].instant)
    }
    return true
  }

  /// Restarts the run with two taps that are two beats apart, and this tap one beat later. Returns false, without a change, if
  /// they do not fit.
  mutating func add(_ tap: Instant, secondMissedAfter first: Instant, _ third: Instant) -> Bool {
    let beat = TapTempo.Estimate(TapRun([(0, third), (1, tap)]).taps)
    guard beat.isNear(third - first, beats: 2, fifths: 1) else { return false }
    self = TapRun([(0, first), (2, third), (3, tap)])
    return true
  }

  func isNextBeat(_ interval: Nanoseconds) -> Bool { TapTempo.Estimate(taps).isNear(interval, beats: 1, fifths: 2) }

  /// The number of beats, one or two, from the last tap to this one; nil if neither fits.
  func beats(since tap: Instant) -> Int64? {
    guard let last else { return nil }
    let estimate = TapTempo.Estimate(taps)
    return ([1, 2] as [Int64]).first { estimate.isNear(tap - last, beats: $0, fifths: 1) }
  }

  /// Adds a tap this many beats after the last. Two intervals of two beats in a row become one beat each of a slower run.
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
