import HardwareAbstraction
import MetronomeCore

/// Shows the beats on the lines, each output as early as it is known to be late.
///
/// A step machine: ``step(at:)`` does what is due and says when it wants to be called next. Outputs that are sent equally
/// early follow one ``OutputTrack``; all lines that change at one instant, on whatever track, change in one call. While a
/// ``BlinkCode`` is told, its outputs are its own, and the beats go on without them. One thread only, a real-time one on
/// the real board: no allocation, no lock.
public final class BeatLoop<Lines: OutputLines, Observer: EngineObserver> {
  /// From a call that the chip refused to the next attempt, if nothing is due before.
  private static var rest: Nanoseconds { .milliseconds(100) }

  private let lines: Lines
  private let publication: TimelinePublication
  private let plan: OutputPlan
  private let signals: Publication<BlinkCode>
  private let patterns: Publication<OutputPattern>
  private let observer: Observer

  // One thread steps this, and nothing that it calls calls back: who has access need not be looked at on every beat.
  @exclusivity(unchecked) private var timeline = Timeline.stopped
  @exclusivity(unchecked) private var seen: UInt64 = 0
  @exclusivity(unchecked) private var tracks = OutputTracks()
  private var seenPlan: UInt64 = 0
  /// When it had outputs sent earlier than before, last: until then they were not due.
  private var earlierSince = Instant.zero
  private var muted = OutputLevels.inactive
  @exclusivity(unchecked) private var pattern: OutputPattern
  @exclusivity(unchecked) private var seenPattern: UInt64 = 0
  @exclusivity(unchecked) private var signal = BlinkCode.none
  @exclusivity(unchecked) private var seenSignal: UInt64 = 0
  /// What was the signal's at the last step.
  private var taken = OutputLevels.inactive
  /// The number of the beat to be told of next as shown. With several tracks a beat is begun several times.
  private var nextShown: Int64 = 0
  /// The same for beats that were left out.
  private var nextSkipped: Int64 = 0
  /// What the lines show; nil when a call failed and nobody knows.
  private var shown: OutputLevels? = .inactive
  /// Whether lines change on a beat's account at the deadline that the last step answered with: then it is worth being on
  /// time to the microsecond.
  public var isExact: Bool { exact }
  @exclusivity(unchecked) private var exact = false

  /// - Parameters:
  ///   - patterns: what each output does on a beat. Another one holds at once, also of the beat on show: but what has gone
  ///     off stays off until the next.
  ///   - plan: how early each output is sent, and which stay inactive.
  ///   - signals: what is to be told beside the beats.
  public init(
    lines: Lines, patterns: Publication<OutputPattern>, publication: TimelinePublication,
    plan: OutputPlan = OutputPlan(),
    signals: Publication<BlinkCode> = Publication(.none), observer: Observer
  ) {
    self.lines = lines
    self.patterns = patterns
    pattern = OutputPattern()
    self.publication = publication
    self.plan = plan
    self.signals = signals
    self.observer = observer
  }

  /// Does what is due.
  ///
  /// - Returns: when to call again; nil: not before the timeline is published or the plan set anew. To be called then,
  ///   too.
  public func step(at now: Instant) -> Instant? {
    let deadline = showWhatIsDue(at: now)
    guard shown == nil else { return deadline }
    // Nobody knows what is lit: a light that should be off must not wait for the next beat, which may never come.
    let retry = now + BeatLoop.rest
    if let deadline, deadline <= retry { return deadline }
    exact = false
    return retry
  }

  private func showWhatIsDue(at now: Instant) -> Instant? {
    takeNews(at: now)
    exact = false
    tracks.extinguish(taken)
    taken = signal.covers(now) ? signal.outputs : .inactive
    var levels = OutputLevels.inactive
    var deadline: Instant?
    if let oldest = timeline.oldestIndex {
      beginBeats(oldest: oldest, at: now)
      tracks.extinguish(taken)
      deadline = darken(&levels, at: now)
    }
    if signal.isLit(at: now) { levels.formUnion(signal.outputs) }
    show(levels.subtracting(muted), at: now)
    guard let change = signal.nextChange(after: now) else { return deadline }
    if let deadline, deadline <= change { return deadline }
    exact = false
    return change
  }

  /// Switches off what has been on for long enough.
  ///
  /// - Parameter levels: takes in what is on.
  /// - Returns: when the tracks want to be looked at again.
  private func darken(_ levels: inout OutputLevels, at now: Instant) -> Instant {
    var deadline = Instant(nanoseconds: .max)
    for index in 0..<tracks.count {
      let due = tracks[index].darken(timeline, pattern, muted: muted, at: now)
      levels.formUnion(tracks[index].lit)
      let changesLines = !tracks[index].outputs.isSubset(of: muted)
      exact = due < deadline ? changesLines : exact || due == deadline && changesLines
      deadline = min(deadline, due)
    }
    return deadline
  }

  private func takeNews(at now: Instant) {
    _ = signals.read(into: &signal, seen: &seenSignal)
    _ = patterns.read(into: &pattern, seen: &seenPattern)
    let session = timeline.session
    let isNewSession = publication.read(into: &timeline, seen: &seen) && timeline.session != session
    if isNewSession {
      tracks.rewind()
      nextShown = 0
      nextSkipped = 0
    }
    let newestPlan = plan.generation
    guard newestPlan != seenPlan || isNewSession else { return }
    seenPlan = newestPlan
    let quiet = plan.muted
    let latency = tracks.longestLatency
    tracks.follow(plan, unmuted: muted.subtracting(quiet))
    if tracks.longestLatency > latency { earlierSince = now }
    muted = quiet
  }

  /// Begins on every track the beat that has come there.
  private func beginBeats(oldest: Int64, at now: Instant) {
    var begun = OutputLevels.inactive
    for index in 0..<tracks.count {
      guard let skipped = tracks[index].begin(timeline, oldest: oldest, at: now) else { continue }
      begun.formUnion(tracks[index].outputs)
      tellSkipped(skipped, at: now)
    }
    guard begun != .inactive else { return }
    darkenPulses(of: begun.subtracting(taken), at: now)
    for index in 0..<tracks.count where tracks[index].hasBegun {
      if let beat = tracks[index].current, beat.index >= nextShown {
        nextShown = beat.index + 1
        observer.showed(beat, late: lateness(of: beat, at: now), at: now)
      }
    }
  }

  /// How long ago the first of the tracks that have just begun a beat was to begin it.
  private func lateness(of beat: Beat, at now: Instant) -> Nanoseconds {
    var latency = Nanoseconds.zero
    for index in 0..<tracks.count where tracks[index].hasBegun && tracks[index].current?.index == beat.index {
      latency = max(latency, tracks[index].latency)
    }
    return now - max(beat.instant - latency, earlierSince)
  }

  /// Tells of beats that some output left out, of each once.
  private func tellSkipped(_ beats: Range<Int64>, at now: Instant) {
    let first = max(beats.lowerBound, nextSkipped)
    guard first < beats.upperBound else { return }
    nextSkipped = beats.upperBound
    observer.skipped(beats: beats.upperBound - first, at: now)
  }

  /// A pulse that should have ended while the loop was late ends before the next begins, so that the next one rises.
  private func darkenPulses(of outputs: OutputLevels, at now: Instant) {
    let pulses = outputs.intersection([.light, .buzzer])
    if let shown, !shown.isDisjoint(with: pulses) { show(shown.subtracting(pulses), at: now) }
  }

  private func show(_ levels: OutputLevels, at now: Instant) {
    guard levels != shown else { return }
    do throws(HardwareError) {
      try lines.set(levels)
      shown = levels
    } catch {
      tell(error, at: now)
    }
  }

  /// Apart from what is done on every beat: only here is something let go of.
  @inline(never)
  private func tell(_ error: consuming HardwareError, at now: Instant) {
    shown = nil
    observer.failed(error, at: now)
  }
}

extension BlinkCode {
  /// What it is told by.
  fileprivate var outputs: OutputLevels { hasSound ? [.light, .buzzer] : .light }
}
