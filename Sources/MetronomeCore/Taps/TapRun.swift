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
