import HardwareAbstraction
import MetronomeCore

/// Shows the beats on the lines. Each output is sent early by its latency.
///
/// Each output has its own ``OutputTrack``; all lines that change at the same instant are set in one call. While a
/// ``BlinkCode`` plays, its outputs show no beats, but the beat continues. Runs on one thread, which is real-time on the real
/// board: no allocation, no lock.
public final class BeatLoop<Lines: OutputLines, Observer: EngineObserver> {
  /// The delay from a failed call to the retry, unless something is due earlier.
  private static var retryDelay: Nanoseconds { .milliseconds(100) }

  private let lines: Lines
  private let publication: TimelinePublication
  private let plan: OutputPlan
  private let blinkCodes: Publication<BlinkCode?>
  private let observer: Observer

  // Allocated separately, so that the loop uses each in place without copying. The last two have room for sixteen outputs, by
  // their indices.
  private let timeline = UnsafeMutablePointer<Timeline>.allocate(capacity: 1)
  private let tracks = UnsafeMutablePointer<OutputTrack>.allocate(capacity: Output.room)
  private let shownAs = UnsafeMutablePointer<Projection>.allocate(capacity: Output.room)
  // Exclusivity checks are off: one thread, no re-entrancy.
  @exclusivity(unchecked) private var seen: UInt64 = 0
  @exclusivity(unchecked) private var projections = Projections()
  @exclusivity(unchecked) private var seenPlan: UInt64 = 0
  /// The outputs that are played.
  @exclusivity(unchecked) private var used = OutputSet.standard
  /// The longest latency of an output that is played.
  @exclusivity(unchecked) private var latest = Nanoseconds.zero
  @exclusivity(unchecked) private var muted = OutputSet.none
  @exclusivity(unchecked) private var mutedLines = LineSet.inactive
  @exclusivity(unchecked) private var isRehearsal = false
  /// When latencies were last raised: no beat counts as due before that.
  @exclusivity(unchecked) private var earlierSince = Instant.zero
  @exclusivity(unchecked) private var blinkCode: BlinkCode?
  @exclusivity(unchecked) private var seenBlinkCode: UInt64 = 0
  @exclusivity(unchecked) private var blinking = OutputSet.none
  /// The outputs that showed a blink code in the last step.
  @exclusivity(unchecked) private var wereBlinking = OutputSet.none
  /// The number of the next beat to report as shown. Outputs begin a beat at different times.
  @exclusivity(unchecked) private var nextShown: Int64 = 0
  /// The number of the next beat to report as skipped.
  @exclusivity(unchecked) private var nextSkipped: Int64 = 0
  @exclusivity(unchecked) private var lookup: BeatLookup
  /// The levels of the lines; nil after a failed call, when they are unknown.
  @exclusivity(unchecked) private var shown: LineSet? = .inactive
  /// The prepared levels whose call failed in this step. They are not tried again before the next step.
  @exclusivity(unchecked) private var refused: LineSet?
  @exclusivity(unchecked) private var prepared: PreparedLevels?
  /// Whether a beat changes lines at the deadline that the last step returned, so that it must be met to the microsecond.
  public var isExact: Bool { exact }
  @exclusivity(unchecked) private var exact = false

  /// A change of `plan` also applies to the current beat, but an output that is already off stays off until the next beat. The
  /// outputs show `blinkCodes` instead of beats.
  public init(
    lines: Lines, publication: TimelinePublication, plan: OutputPlan = OutputPlan(),
    blinkCodes: Publication<BlinkCode?> = Publication(nil), observer: Observer
  ) {
    self.lines = lines
    self.publication = publication
    self.plan = plan
    self.blinkCodes = blinkCodes
    self.observer = observer
    timeline.initialize(to: .stopped)
    lookup = BeatLookup(timeline)
    for output in OutputSet.onLines {
      tracks.advanced(by: output.index).initialize(to: OutputTrack())
      shownAs.advanced(by: output.index).initialize(to: projections[output])
    }
  }

  deinit {
    timeline.deallocate()
    tracks.deallocate()
    shownAs.deallocate()
  }

  /// Plays two beats with all outputs inactive and without reports, so that the code and data of the first real beat are in the
  /// caches. Must be called before the first step, on the same thread.
  public func rehearse() {
    let publication = TimelinePublication()
    publication.publish(Timeline(session: 1, firstBeat: .zero, tempo: .initial, signature: .initial))
    let loop = BeatLoop(lines: lines, publication: publication, plan: OutputPlan(Projections()), observer: observer)
    loop.isRehearsal = true
    var now = Instant.zero
    for _ in 0..<8 { now = loop.step(at: now) ?? now }
  }

  /// Sets the lines that are due. Returns when to call again; nil: only when woken.
  public func step(at now: Instant) -> Instant? {
    let deadline = setDueLines(at: now)
    guard shown == nil else { return deadline }
    // The levels are unknown: a light that should be off must not wait for the next beat, which may never come.
    let retry = now + BeatLoop.retryDelay
    if let deadline, deadline <= retry { return deadline }
    exact = false
    return retry
  }

  private func setDueLines(at now: Instant) -> Instant? {
    refused = nil
    if let prepared, prepared.isDue(at: now), hasSeenPublications {
      show(prepared.levels, at: now)
      if shown == nil { refused = prepared.levels }
      // Data that is published from here on belongs to the next step, for which its publisher wakes the loop.
    } else {
      prepared = nil
      readPublications(at: now)
    }
    exact = false
    markUnlit(wereBlinking)
    wereBlinking = blinkCode?.covers(now) == true ? blinking : .none
    var levels = LineSet.inactive
    var deadline: Instant?
    var begun = OutputSet.none
    if let oldest = lookup.oldest {
      begun = beginBeats(oldest: oldest, at: now, &lookup)
      if lookup.voices > 0 { beginHits(at: now, &lookup) }
      markUnlit(wereBlinking)
      deadline = endPulses(&levels, at: now, &lookup)
    }
    if blinkCode?.isLit(at: now) == true { levels.formUnion(LineSet(of: blinking)) }
    show(levels.subtracting(mutedLines), at: now)
    reportBeats(of: begun, at: now)
    prepare(for: deadline, at: now)
    guard let change = blinkCode?.nextChange(after: now) else { return deadline }
    if let deadline, deadline <= change { return deadline }
    exact = false
    return change
  }

  /// Computes the levels at an exact deadline in advance: then the step at the deadline sets the lines first, and does the other work
  /// of a beat after that. Prepares nothing if that step sets the lines twice or reports skipped beats, or while a blink code plays.
  private func prepare(for deadline: Instant?, at now: Instant) {
    prepared = nil
    guard exact, let deadline, let shown, let oldest = lookup.oldest else { return }
    guard wereBlinking.isEmpty, blinkCode?.nextChange(after: now) == nil else { return }
    var levels = LineSet.inactive
    var next = Instant(nanoseconds: .max)
    for output in used {
      let projection = shownAs[output.index]
      let view = deadline + projection.latency
      var track = tracks[output.index]
      let skipped = track.begin(projection, oldest: oldest, at: view, &lookup)
      let beginsBeat = skipped != nil
      let beginsHit = lookup.voices > 0 && track.beginHit(projection, at: view, &lookup)
      if skipped?.isEmpty == false { return }
      if beginsBeat || beginsHit, !shown.isDisjoint(with: projection.endedLines) { return }
      next = min(next, track.endPulse(projection, at: view, &lookup) - projection.latency)
      if track.isLit { levels.formUnion(projection.lines(at: track.level)) }
    }
    prepared = PreparedLevels(levels: levels.subtracting(mutedLines), deadline: deadline, next: next)
  }

  /// Whether nothing was published since the last step.
  private var hasSeenPublications: Bool {
    publication.generation == seen && plan.generation == seenPlan && blinkCodes.generation == seenBlinkCode
  }

  /// Keeps some outputs off until their next beat.
  private func markUnlit(_ outputs: OutputSet) { for output in outputs { tracks[output.index].isLit = false } }

  /// Switches off outputs whose pulse has ended. Adds the outputs that are on to `levels`. Returns when to call again.
  private func endPulses(_ levels: inout LineSet, at now: Instant, _ lookup: inout BeatLookup) -> Instant {
    var deadline = Instant(nanoseconds: .max)
    for output in used {
      let latency = shownAs[output.index].latency
      let due = tracks[output.index].endPulse(shownAs[output.index], at: now + latency, &lookup) - latency
      if tracks[output.index].isLit { levels.formUnion(shownAs[output.index].lines(at: tracks[output.index].level)) }
      let isExact = !shownAs[output.index].isMuted
      exact = due < deadline ? isExact : exact || due == deadline && isExact
      deadline = min(deadline, due)
    }
    return deadline
  }

  private func readPublications(at now: Instant) {
    let hasBlinkCode = blinkCodes.read(into: &blinkCode, seen: &seenBlinkCode)
    let session = timeline.pointee.session
    if publication.read(into: &timeline.pointee, seen: &seen) {
      lookup = BeatLookup(timeline)
      for output in used { tracks[output.index].searchAgain() }
      if timeline.pointee.session != session {
        for output in used { tracks[output.index] = OutputTrack() }
        nextShown = 0
        nextSkipped = 0
      }
    }
    let hasPlan = plan.generation != seenPlan
    if hasPlan { follow(plan, at: now) }
    guard hasPlan || hasBlinkCode else { return }
    blinking = .none
    guard let blinkCode else { return }
    for output in used where projections[output].shows(blinkCode) { blinking.insert(output) }
  }

  private func follow(_ plan: OutputPlan, at now: Instant) {
    let wereMuted = muted
    let before = latest
    let old = used
    _ = plan.read(into: &projections, seen: &seenPlan)
    used = projections.used
    latest = .zero
    muted = .none
    for output in used {
      shownAs[output.index] = projections[output]
      if !old.contains(output) { tracks[output.index] = tracks[Output.light.index].joining }
      tracks[output.index].searchAgain()
      latest = max(latest, shownAs[output.index].latency)
      if shownAs[output.index].isMuted { muted.insert(output) }
    }
    mutedLines = projections.mutedLines
    // An output that is no longer muted stays off until its next beat.
    markUnlit(wereMuted.subtracting(muted))
    if latest > before { earlierSince = now }
  }

  /// Begins the beat on every output where it is due. Returns these outputs, also those that skipped it.
  private func beginBeats(oldest: Int64, at now: Instant, _ lookup: inout BeatLookup) -> OutputSet {
    var begun = OutputSet.none
    for output in used {
      let view = now + shownAs[output.index].latency
      guard let skipped = tracks[output.index].begin(shownAs[output.index], oldest: oldest, at: view, &lookup) else {
        continue
      }
      begun.insert(output)
      reportSkipped(skipped, at: now)
    }
    if !begun.isEmpty { endOverduePulses(of: begun.subtracting(wereBlinking), at: now) }
    return begun
  }

  /// Reports the beats that this step began on these outputs.
  private func reportBeats(of outputs: OutputSet, at now: Instant) {
    for output in outputs where tracks[output.index].hasBegun {
      if let beat = tracks[output.index].current, beat.index >= nextShown { report(beat, at: now) }
    }
  }

  /// Begins the hits within beats on every output where they are due.
  private func beginHits(at now: Instant, _ lookup: inout BeatLookup) {
    var begun = OutputSet.none
    for output in used {
      let view = now + shownAs[output.index].latency
      if tracks[output.index].beginHit(shownAs[output.index], at: view, &lookup) { begun.insert(output) }
    }
    if !begun.isEmpty { endOverduePulses(of: begun.subtracting(wereBlinking), at: now) }
  }

  /// Reports a beat that an output has begun. First reports earlier beats that it skipped but another output still shows.
  private func report(_ beat: Beat, at now: Instant) {
    var index = max(nextShown, nextOfTheLast)
    while index < beat.index {
      let earlier = TimelineView(timeline).knownBeat(index)
      if !isRehearsal { observer.showed(earlier, late: lateness(of: earlier, at: now), at: now) }
      index += 1
    }
    nextShown = beat.index + 1
    if !isRehearsal { observer.showed(beat, late: lateness(of: beat, at: now), at: now) }
  }

  /// The number of the beat that is next, or has just begun, on the output with the shortest latency.
  private var nextOfTheLast: Int64 {
    var next = Int64.max
    for output in used {
      next = min(next, tracks[output.index].nextIndex - (tracks[output.index].hasBegun ? 1 : 0))
    }
    return next
  }

  /// The time since the beat was due on the earliest output that has just begun it. If no output has, on the earliest of all.
  private func lateness(of beat: Beat, at now: Instant) -> Nanoseconds {
    var latency: Nanoseconds?
    for output in used where tracks[output.index].hasBegun && tracks[output.index].current?.index == beat.index {
      latency = max(latency ?? .zero, shownAs[output.index].latency)
    }
    return now - max(beat.instant - (latency ?? latest), earlierSince)
  }

  /// Reports beats that some output skipped. Each beat is reported once.
  private func reportSkipped(_ beats: Range<Int64>, at now: Instant) {
    let first = max(beats.lowerBound, nextSkipped)
    guard first < beats.upperBound else { return }
    nextSkipped = beats.upperBound
    observer.skipped(beats: beats.upperBound - first, at: now)
  }

  /// Ends a pulse that should have ended while the loop was late, so that the next pulse has a rising edge.
  private func endOverduePulses(of outputs: OutputSet, at now: Instant) {
    // Prepared levels end no pulse that is overdue.
    guard prepared == nil else { return }
    var pulses = LineSet.inactive
    for output in outputs { pulses.formUnion(shownAs[output.index].endedLines) }
    if let shown, !shown.isDisjoint(with: pulses) { show(shown.subtracting(pulses), at: now) }
  }

  private func show(_ levels: LineSet, at now: Instant) {
    guard levels != shown, levels != refused else { return }
    do throws(HardwareError) {
      try lines.set(isRehearsal ? .inactive : levels)
      shown = levels
    } catch {
      reportFailure(error, at: now)
    }
  }

  /// Out of line: the only reference release on this path.
  @inline(never)
  private func reportFailure(_ error: consuming HardwareError, at now: Instant) {
    shown = nil
    if !isRehearsal { observer.failed(error, at: now) }
  }
}

/// The levels for a deadline, computed in advance.
private struct PreparedLevels: BitwiseCopyable {
  /// A step that is later than this computes the levels itself.
  private static let latest = Nanoseconds.milliseconds(1)

  let levels: LineSet
  let deadline: Instant
  /// The next instant at which something changes.
  let next: Instant

  /// A pulse is skipped if more than half of the time to the next one has passed, so levels this late are not due.
  func isDue(at now: Instant) -> Bool {
    deadline <= now && now - deadline <= min((next - deadline) / 2, PreparedLevels.latest)
  }
}
