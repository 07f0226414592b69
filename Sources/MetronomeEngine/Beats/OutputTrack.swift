import HardwareAbstraction
import MetronomeCore

/// The position of a line's output on the timeline: at instant t it shows the timeline at t + latency.
struct OutputTrack: BitwiseCopyable {
  /// A pulse that begins later than this has its full length; a pulse that begins less late ends on time.
  private static let unseenLateness = Nanoseconds.milliseconds(1)

  /// The number of the next beat to begin.
  var nextIndex: Int64 = 0
  /// The current beat; nil before the first one, and if it was skipped.
  var current: Beat?
  /// Whether the current beat is the last of its bar, if the output shows only such beats.
  private var isLast = false
  /// The level of the current pulse: that of the beat, or of a hit within it.
  private(set) var level = Level.rest
  /// When the current pulse started, on the timeline.
  var currentStart = Instant.zero
  /// Whether the current pulse is still on. Once off, it stays off: a beat that becomes longer does not flash twice.
  var isLit = false
  /// Whether the last step began a beat.
  var hasBegun = false
  /// The last hit of each voice that was shown or left out, and the last instant at which hits were looked for.
  private var passed = PerVoice(repeating: Position(-1))
  private var lastView = Instant(nanoseconds: .min)
  /// When the next pulse begins, once found, until a pulse begins or the timeline or the projection changes.
  private var nextPulse: Instant?

  /// Begins the beat that is due, or skips it if more than half of it has passed: late beats are not caught up in a burst.
  /// `oldest` is the first beat that the timeline still keeps. Returns the numbers of the skipped beats; nil if no beat is due.
  mutating func begin(
    _ projection: Projection, oldest: Int64, at view: Instant, _ lookup: inout BeatLookup
  ) -> Range<Int64>? {
    hasBegun = false
    // The timeline may have discarded beats while this loop did not run. They count as skipped, too.
    let first = max(nextIndex, lookup.timeline.first)
    nextIndex = max(nextIndex, oldest)
    guard lookup.instant(of: nextIndex) <= view, let beat = lookup.lastBeat(atOrBefore: view) else { return nil }
    isLast =
      projection.beats.dependsOnNextBeat && lookup.timeline.knownBeat(beat.index + 1).position == 0
    let lateness = view - beat.instant
    let isTooLate = lateness > (lookup.instant(of: beat.index + 1) - beat.instant) / 2
    let skipped = first..<(isTooLate ? beat.index + 1 : beat.index)
    nextIndex = beat.index + 1
    nextPulse = nil
    current = isTooLate ? nil : beat
    level = beat.level
    isLit = !isTooLate && (!beat.isSilent || projection.hits.gaps)
    currentStart = lateness > OutputTrack.unseenLateness ? view : beat.instant
    hasBegun = !isTooLate
    return skipped
  }

  /// A track of another output that begins with the next beat of this one.
  var joining: OutputTrack {
    var track = self
    (track.isLit, track.hasBegun) = (false, false)
    return track
  }

  /// The timeline or the projection has changed.
  mutating func searchAgain() { nextPulse = nil }

  /// Begins the last hit that is due and shown. Returns whether a pulse has begun.
  mutating func beginHit(_ projection: Projection, at view: Instant, _ lookup: inout BeatLookup) -> Bool {
    guard !projection.hits.isEmpty, let current else { return false }
    let lastView = lastView
    self.lastView = max(lastView, view)
    if let nextPulse, nextPulse > view { return false }
    nextPulse = nil
    var due: Hit?
    for voice in 0..<lookup.voices where projection.hits.includes(voice: voice) {
      // Hits of earlier beats are not caught up.
      passed[voice] = max(passed[voice], Position(current.index - 1))
      while let hit = lookup.timeline.hit(of: voice, after: passed[voice], among: projection.hitLevels),
        hit.instant <= view
      {
        passed[voice] = hit.position
        guard hit.instant >= current.instant, hit.instant > lastView, hit.isAfterOrLouder(than: due),
          !hit.isSilent || projection.hits.gaps
        else { continue }
        if isShown(hit, projection, &lookup) { due = hit }
      }
    }
    guard let due else { return false }
    let lateness = view - due.instant
    guard lateness <= (next(projection, &lookup) - due.instant) / 2 else { return false }
    level = due.level
    currentStart = lateness > OutputTrack.unseenLateness ? view : due.instant
    isLit = true
    return true
  }

  /// Whether the output shows a hit: beats are shown as such, and hits too close to a beat or to a louder hit before, at or after
  /// them are left out, as are hits too close before an equally loud one. So of several hits at one instant only the loudest is
  /// shown, or none if that is too close to another.
  private func isShown(_ hit: Hit, _ projection: Projection, _ lookup: inout BeatLookup) -> Bool {
    guard hit.voice > 0 || hit.position.numerator > 0,
      let beat = lookup.timeline.beat(hit.position.whole)
    else { return false }
    // At a rest of the main voice another voice is shown.
    if hit.instant == beat.instant { return beat.level == .rest }
    let gap = projection.shortestGap(of: hit.level)
    let nextBeat = lookup.timeline.knownBeat(beat.index + 1).instant
    guard hit.instant - beat.instant >= gap || beat.level == .rest, nextBeat - hit.instant >= gap else { return false }
    let start = OutputTrack.position(before: hit.position, by: gap, of: nextBeat - beat.instant)
    for voice in 0..<lookup.voices where projection.hits.includes(voice: voice) {
      var position = start
      while let other = lookup.timeline.hit(of: voice, after: position, among: projection.hitLevels),
        other.instant < hit.instant + gap
      {
        position = other.position
        let leastLoudness = hit.level.loudness + (other.instant <= hit.instant ? 1 : 0)
        if other.instant > hit.instant - gap, other.level.loudness >= leastLoudness { return false }
      }
    }
    return true
  }

  /// A position that is at least `gap` before another, in 64ths of a beat of length `interval`; at most one beat before.
  private static func position(before position: Position, by gap: Nanoseconds, of interval: Nanoseconds) -> Position {
    let place = position.whole * 64 + position.numerator * 64 / position.denominator
    let steps = min(gap.count * 64 / max(interval.count, 1) + 1, 64)
    return Position(place - steps, over: 64)
  }

  /// When the output begins its next pulse: on a beat, or on a hit that it shows.
  private mutating func next(_ projection: Projection, _ lookup: inout BeatLookup) -> Instant {
    if let nextPulse { return nextPulse }
    var next = lookup.instant(of: nextIndex)
    guard !projection.hits.isEmpty, current != nil, lookup.voices > 0 else { return next }
    for voice in 0..<lookup.voices where projection.hits.includes(voice: voice) {
      var position = passed[voice]
      while let hit = lookup.timeline.hit(of: voice, after: position, among: projection.hitLevels),
        hit.instant < next
      {
        position = hit.position
        if hit.instant > lastView, isShown(hit, projection, &lookup) { next = hit.instant }
      }
    }
    nextPulse = next
    return next
  }

  /// Ends the pulse when it has lasted long enough. Returns the timeline's instant to wake up for next; a muted output needs
  /// no wake-up for the end of a pulse.
  mutating func endPulse(_ projection: Projection, at view: Instant, _ lookup: inout BeatLookup) -> Instant {
    let next = next(projection, &lookup)
    guard let current else { return next }
    let end = projection.end(
      of: level, in: current, isLast: isLast, from: currentStart, next: next, nextBeat: lookup.instant(of: nextIndex))
    isLit = isLit && end > view
    return isLit && !projection.isMuted ? min(end, next) : next
  }
}

extension Hit {
  /// Whether this hit takes the place of another on an output: it comes later, or is louder at the same instant.
  fileprivate func isAfterOrLouder(than other: Hit?) -> Bool {
    guard let other else { return true }
    return instant > other.instant || instant == other.instant && level.loudness > other.level.loudness
  }
}

/// One value for each voice, stored inline.
struct PerVoice<Value: BitwiseCopyable>: BitwiseCopyable {
  private var first: Value
  private var second: Value
  private var third: Value
  private var fourth: Value

  init(repeating value: Value) { (first, second, third, fourth) = (value, value, value, value) }

  subscript(voice: Int) -> Value {
    get {
      switch voice {
      case 0: first
      case 1: second
      case 2: third
      default: fourth
      }
    }
    set {
      switch voice {
      case 0: first = newValue
      case 1: second = newValue
      case 2: third = newValue
      default: fourth = newValue
      }
    }
  }
}
