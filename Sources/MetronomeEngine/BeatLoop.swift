import HardwareAbstraction
import MetronomeCore

/// Shows the beats on the lines.
///
/// A step machine: ``step(at:)`` does what is due and says when it wants to be called next. What the lines show is a
/// function of the timeline, the beat that was begun last and the time; all lines that change at one instant change in
/// one call. One thread only, a real-time one on the real board: no allocation, no lock.
public final class BeatLoop<Lines: OutputLines, Observer: EngineObserver> {
  /// A pulse begun later than this lasts as long as one on time; below, it ends where it should have ended.
  private static var unseenLateness: Nanoseconds { .milliseconds(1) }
  /// From a call that the chip refused to the next attempt, if nothing is due before.
  private static var rest: Nanoseconds { .milliseconds(100) }

  private let lines: Lines
  private let pattern: OutputPattern
  private let publication: TimelinePublication
  private let observer: Observer

  private var timeline = Timeline.stopped
  private var seen: UInt64 = 0
  /// The beat on show; nil before the first and when it was skipped.
  private var current: Beat?
  /// Where its pulses are counted from.
  private var currentStart = Instant.zero
  /// What the beat on show has not switched off yet. What is off stays off: a beat that becomes longer when half of it has
  /// gone by does not flash twice.
  private var lit = OutputLevels.inactive
  /// The number of the beat to be begun next.
  private var nextIndex: Int64 = 0
  /// What the lines show; nil when a call failed and nobody knows.
  private var shown: OutputLevels? = .inactive

  public init(lines: Lines, pattern: OutputPattern, publication: TimelinePublication, observer: Observer) {
    self.lines = lines
    self.pattern = pattern
    self.publication = publication
    self.observer = observer
  }

  /// Does what is due.
  ///
  /// - Returns: when to call again; nil: not before the timeline is published anew. To be called then, too.
  public func step(at now: Instant) -> Instant? {
    let deadline = showWhatIsDue(at: now)
    guard shown == nil else { return deadline }
    // Nobody knows what is lit: a light that should be off must not wait for the next beat, which may never come.
    let retry = now + BeatLoop.rest
    return min(deadline ?? retry, retry)
  }

  private func showWhatIsDue(at now: Instant) -> Instant? {
    takeNews()
    guard let oldest = timeline.oldestIndex else {
      show(.inactive, at: now)
      return nil
    }
    nextIndex = max(nextIndex, oldest)
    if let reached = timeline.lastBeat(atOrBefore: now), reached.index >= nextIndex { begin(reached, at: now) }
    let next = timeline.knownBeat(nextIndex).instant
    guard let current else {
      show(.inactive, at: now)
      return next
    }
    let ends = pattern.ends(of: current, from: currentStart, next: next)
    lit.formIntersection(ends.levels(at: now))
    show(lit, at: now)
    return ends.next(after: now, before: next)
  }

  private func takeNews() {
    let session = timeline.session
    guard publication.read(into: &timeline, seen: &seen), timeline.session != session else { return }
    current = nil
    nextIndex = 0
  }

  /// Begins a beat that has come, or skips it when half of it has gone by: the phase is kept, there is never a burst.
  private func begin(_ beat: Beat, at now: Instant) {
    let lateness = now - beat.instant
    let isTooLate = lateness > (timeline.knownBeat(beat.index + 1).instant - beat.instant) / 2
    let skipped = beat.index - nextIndex + (isTooLate ? 1 : 0)
    if skipped > 0 { observer.skipped(beats: skipped, at: now) }
    nextIndex = beat.index + 1
    darkenPulses(at: now)
    current = isTooLate ? nil : beat
    lit = [.light, .pendulum, .buzzer]
    currentStart = lateness > BeatLoop.unseenLateness ? now : beat.instant
    if !isTooLate { observer.showed(beat, at: now) }
  }

  /// A pulse that should have ended while the loop was late ends before the next begins, so that the next one rises.
  private func darkenPulses(at now: Instant) {
    if let shown, !shown.isDisjoint(with: [.light, .buzzer]) { show(shown.subtracting([.light, .buzzer]), at: now) }
  }

  private func show(_ levels: OutputLevels, at now: Instant) {
    guard levels != shown else { return }
    do throws(HardwareError) {
      try lines.set(levels)
      shown = levels
    } catch {
      shown = nil
      observer.failed(error, at: now)
    }
  }
}
