import HardwareAbstraction
import MetronomeCore

/// Shows the beats on the lines, each output as early as it is known to be late.
///
/// A step machine: ``step(at:)`` does what is due and says when it wants to be called next. Each output follows an
/// ``OutputTrack`` of its own; all lines that change at one instant change in one call. While a ``BlinkCode`` is told, its
/// outputs are its own, and the beats go on without them. One thread only, a real-time one on the real board: no
/// allocation, no lock.
public final class BeatLoop<Lines: OutputLines, Observer: EngineObserver> {
  /// From a call that the chip refused to the next attempt, if nothing is due before.
  private static var rest: Nanoseconds { .milliseconds(100) }

  private let lines: Lines
  private let publication: TimelinePublication
  private let plan: OutputPlan
  private let signals: Publication<BlinkCode>
  private let observer: Observer

  // Exclusivity checks are off: one thread, no re-entrancy.
  @exclusivity(unchecked) private var timeline = Timeline.stopped
  @exclusivity(unchecked) private var seen: UInt64 = 0
  @exclusivity(unchecked) private var projections = Projections()
  @exclusivity(unchecked) private var seenPlan: UInt64 = 0
  @exclusivity(unchecked) private var tracks = PerOutput(repeating: OutputTrack())
  private var isRehearsal = false
  /// When it had outputs sent earlier than before, last: until then they were not due.
  private var earlierSince = Instant.zero
  @exclusivity(unchecked) private var signal = BlinkCode.none
  @exclusivity(unchecked) private var seenSignal: UInt64 = 0
  /// What the signal is told by.
  private var signalled = OutputSet.inactive
  /// What was the signal's at the last step.
  private var taken = OutputSet.inactive
  /// The number of the beat to be told of next as shown. Each output begins a beat for itself.
  private var nextShown: Int64 = 0
  /// The same for beats that were left out.
  private var nextSkipped: Int64 = 0
  /// What the lines show; nil when a call failed and nobody knows.
  private var shown: OutputSet? = .inactive
  /// Whether lines change on a beat's account at the deadline that the last step answered with: then it is worth being on
  /// time to the microsecond.
  public var isExact: Bool { exact }
  @exclusivity(unchecked) private var exact = false

  /// - Parameters:
  ///   - plan: what each output shows, how early, and whether. Another one holds at once, also of the beat on show: but
  ///     what has gone off stays off until the next.
  ///   - signals: what is to be told beside the beats.
  public init(
    lines: Lines, publication: TimelinePublication, plan: OutputPlan = OutputPlan(),
    signals: Publication<BlinkCode> = Publication(.none), observer: Observer
  ) {
    self.lines = lines
    self.publication = publication
    self.plan = plan
    self.signals = signals
    self.observer = observer
  }

  /// Plays two beats that nobody sees and nobody is told of, so that the code of a beat, and what it works on, are near when
  /// the first one comes. It calls the lines with all outputs inactive. Before the first step, on the thread of the steps.
  public func rehearse() {
    let publication = TimelinePublication()
    publication.publish(Timeline(session: 1, firstBeat: .zero, tempo: .initial, signature: .initial))
    let loop = BeatLoop(lines: lines, publication: publication, plan: OutputPlan(Projections()), observer: observer)
    loop.isRehearsal = true
    var now = Instant.zero
    for _ in 0..<8 { now = loop.step(at: now) ?? now }
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
    extinguish(taken)
    taken = signal.covers(now) ? signalled : .inactive
    var levels = OutputSet.inactive
    var deadline: Instant?
    if let oldest = timeline.oldestIndex {
      var lookup = BeatLookup()
      beginBeats(oldest: oldest, at: now, &lookup)
      extinguish(taken)
      deadline = darken(&levels, at: now, &lookup)
    }
    if signal.isLit(at: now) { levels.formUnion(signalled) }
    show(levels.subtracting(projections.mutedLines), at: now)
    guard let change = signal.nextChange(after: now) else { return deadline }
    if let deadline, deadline <= change { return deadline }
    exact = false
    return change
  }

  /// Leaves some outputs dark until their next beat.
  private func extinguish(_ outputs: OutputSet) { for output in outputs { tracks[output].isLit = false } }

  /// Switches off what has been on for long enough.
  ///
  /// - Parameter levels: takes in what is on.
  /// - Returns: when the tracks want to be looked at again.
  private func darken(_ levels: inout OutputSet, at now: Instant, _ lookup: inout BeatLookup) -> Instant {
    var deadline = Instant(nanoseconds: .max)
    for output in Output.lines {
      let projection = projections[output]
      let view = tracks[output].darken(timeline, projection, at: now + projection.latency, &lookup)
      if tracks[output].isLit { levels.insert(output) }
      let due = view - projection.latency
      exact = due < deadline ? !projection.isMuted : exact || due == deadline && !projection.isMuted
      deadline = min(deadline, due)
    }
    return deadline
  }

  private func takeNews(at now: Instant) {
    let hasSignal = signals.read(into: &signal, seen: &seenSignal)
    let session = timeline.session
    if publication.read(into: &timeline, seen: &seen), timeline.session != session {
      tracks = PerOutput(repeating: OutputTrack())
      nextShown = 0
      nextSkipped = 0
    }
    let hasPlan = plan.generation != seenPlan
    if hasPlan { follow(plan, at: now) }
    guard hasPlan || hasSignal else { return }
    signalled = .inactive
    for output in Output.lines where projections[output].tells(signal) { signalled.insert(output) }
  }

  private func follow(_ plan: OutputPlan, at now: Instant) {
    let muted = projections.mutedLines
    let latest = projections.latencies.latest(of: Output.lines)
    _ = plan.read(into: &projections, seen: &seenPlan)
    // What was muted until now is off until its next beat.
    extinguish(muted.subtracting(projections.mutedLines))
    if projections.latencies.latest(of: Output.lines) > latest { earlierSince = now }
  }

  /// Begins for every output the beat that has come there.
  private func beginBeats(oldest: Int64, at now: Instant, _ lookup: inout BeatLookup) {
    var begun = OutputSet.inactive
    for output in Output.lines {
      let view = now + projections[output].latency
      guard let skipped = tracks[output].begin(timeline, oldest: oldest, at: view, &lookup) else { continue }
      begun.insert(output)
      tellSkipped(skipped, at: now)
    }
    guard begun != .inactive else { return }
    darkenPulses(of: begun.subtracting(taken), at: now)
    for output in begun where tracks[output].hasBegun {
      if let beat = tracks[output].current, beat.index >= nextShown { tell(of: beat, at: now) }
    }
  }

  /// Tells of a beat that an output has begun, and before it of those that this output has left out and another one shows
  /// yet: beats are told in order.
  private func tell(of beat: Beat, at now: Instant) {
    var index = max(nextShown, nextOfTheLast)
    while index < beat.index {
      let earlier = timeline.knownBeat(index)
      let due = earlier.instant - projections.latencies.latest(of: Output.lines)
      if !isRehearsal { observer.showed(earlier, late: now - max(due, earlierSince), at: now) }
      index += 1
    }
    nextShown = beat.index + 1
    let late = lateness(of: beat, at: now)
    if !isRehearsal { observer.showed(beat, late: late, at: now) }
  }

  /// The number of the beat that comes next on the output that is sent last.
  private var nextOfTheLast: Int64 {
    var next = Int64.max
    for output in Output.lines { next = min(next, tracks[output].nextIndex) }
    return next
  }

  /// How long ago the first of the outputs that have just begun a beat was to begin it.
  private func lateness(of beat: Beat, at now: Instant) -> Nanoseconds {
    var latency = Nanoseconds.zero
    for output in Output.lines where tracks[output].hasBegun && tracks[output].current?.index == beat.index {
      latency = max(latency, projections[output].latency)
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
  private func darkenPulses(of outputs: OutputSet, at now: Instant) {
    var pulses = outputs
    for output in outputs where projections[output].beats == .odd { pulses.remove(output) }
    if let shown, !shown.isDisjoint(with: pulses) { show(shown.subtracting(pulses), at: now) }
  }

  private func show(_ levels: OutputSet, at now: Instant) {
    guard levels != shown else { return }
    do throws(HardwareError) {
      try lines.set(isRehearsal ? .inactive : levels)
      shown = levels
    } catch {
      tell(error, at: now)
    }
  }

  /// Apart from what is done on every beat: only here is something let go of.
  @inline(never)
  private func tell(_ error: consuming HardwareError, at now: Instant) {
    shown = nil
    if !isRehearsal { observer.failed(error, at: now) }
  }
}
