import HardwareAbstraction
import MetronomeCore

/// Keeps the sound card fed with silence, and starts a click at the point of the stream that sounds at the beat's instant.
///
/// A step machine: ``step(at:)`` writes what the card takes and says when it wants to be called next. One thread only, a
/// real-time one on the real board: no allocation, no lock. It has a card while the sound keeper gives it one.
public final class AudioLoop<Output: AudioOutput, Clock: MonotonicClock, Observer: EngineObserver> {
  /// A click that comes this late, because the map has moved since the period before, is still the beat; a later one would
  /// be another.
  private static var tolerance: Nanoseconds { .milliseconds(1) }

  private let streams: Slot<AudioStream<Output>>
  private let banks: Slot<ClickBank>
  private let clock: Clock
  private let publication: TimelinePublication
  private let plan: OutputPlan
  private let observer: Observer
  private let wake: @Sendable (Loop) -> Void

  // One thread steps this, and nothing that it calls calls back: who has access need not be looked at in every period.
  @exclusivity(unchecked) private var timeline = Timeline.stopped
  @exclusivity(unchecked) private var seen: UInt64 = 0
  /// The number of the beat whose click comes next.
  @exclusivity(unchecked) private var nextIndex: Int64 = 0
  @exclusivity(unchecked) private var wrote = false
  @exclusivity(unchecked) private var projections = Projections()
  @exclusivity(unchecked) private var seenPlan: UInt64 = 0
  /// How early the clicks of the period before were placed.
  @exclusivity(unchecked) private var latency: Nanoseconds?

  init(
    streams: Slot<AudioStream<Output>>, banks: Slot<ClickBank>, clock: Clock, publication: TimelinePublication,
    plan: OutputPlan, observer: Observer, wake: @escaping @Sendable (Loop) -> Void
  ) {
    self.streams = streams
    self.banks = banks
    self.clock = clock
    self.publication = publication
    self.plan = plan
    self.observer = observer
    self.wake = wake
  }

  /// The card that is played on, for the thread that steps this: it is there until the next step.
  public var output: Unmanaged<Output>? {
    guard let stream = streams.borrowed else { return nil }
    return stream._withUnsafeGuaranteedRef { $0.unretainedOutput }
  }

  /// Whether the card took something in the last step. Then it is full, and tells when it has room again.
  public var hasWritten: Bool { wrote }

  /// Writes what the card takes.
  ///
  /// - Returns: when a period will be free again, or soon if the card takes nothing now; nil while there is no card, until
  ///   the keeper has one.
  public func step(at now: Instant) -> Instant? {
    wrote = false
    guard let stream = streams.borrowed else { return nil }
    if streams.isWantedBack {
      returnStream()
      return nil
    }
    return stream._withUnsafeGuaranteedRef { goOn(with: $0, at: now) }
  }

  private func goOn(with stream: AudioStream<Output>, at now: Instant) -> Instant? {
    readPublications(stream)
    if let bank = banks.borrowed { changeSounds(of: stream.mixer, to: bank) }
    do throws(HardwareError) {
      return try play(stream, at: now)
    } catch {
      giveBack(stream, error, at: now)
      return nil
    }
  }

  // The following are out of line: only here are references counted, and other loops woken.

  @inline(never)
  private func giveBack(_ stream: AudioStream<Output>, _ error: consuming HardwareError, at now: Instant) {
    observer.failed(error, at: now)
    stream.failure = error
    returnStream()
  }

  @inline(never)
  private func returnStream() {
    streams.giveBack()
    wake(.cards)
  }

  /// Begins clicks with the samples of another bank, and gives it back once those before ring no more. From then on the
  /// keeper holds it, in place of the one before.
  @inline(never)
  private func changeSounds(of mixer: ClickMixer, to bank: Unmanaged<ClickBank>) {
    if !mixer.isChanging {
      mixer.begin(with: bank._withUnsafeGuaranteedRef { $0.readable })
    } else if mixer.endChange() {
      banks.giveBack()
      wake(.cards)
    }
  }

  private func readPublications(_ stream: AudioStream<Output>) {
    _ = plan.read(into: &projections, seen: &seenPlan)
    let session = timeline.session
    guard publication.read(into: &timeline, seen: &seen), timeline.session != session else { return }
    stream.mixer.stop()
    nextIndex = 0
  }

  private func play(_ stream: AudioStream<Output>, at now: Instant) throws(HardwareError) -> Instant {
    let (status, lost) = try stream.look(clock.pair, at: now)
    if lost > 0 { observer.underran(frames: lost, at: now) }
    let next = try stream.fill(status) {
      placeClicks(in: stream, periodAt: $0, at: now)
      stream.before = .sound
    }
    wrote = next > status.frame
    let format = stream.format
    let deadline = stream.clock.instant(ofFrame: next - Int64(format.bufferFrames - format.periodFrames))
    return deadline > now ? deadline : now + format.periodDuration / 4
  }

  /// Starts every click that begins in the period with this first frame.
  private func placeClicks(in stream: AudioStream<Output>, periodAt start: Int64, at now: Instant) {
    let latency = projections.audio.latency
    let growth = max(.zero, latency - (self.latency ?? latency))
    self.latency = latency
    guard let oldest = timeline.oldestIndex else { return }
    // The timeline may have forgotten beats of a time in which nobody looked at it. They are missed like the others.
    let first = max(nextIndex, timeline.first)
    nextIndex = max(nextIndex, oldest)
    let audible = stream.clock.instant(ofFrame: start) + latency
    leaveOutMissedClicks(before: firstInTime(audible, in: stream, growth: growth))
    // After an absence nothing was missed: there was no card.
    if first < nextIndex, stream.before != .absence { observer.missed(clicks: nextIndex - first, at: now) }
    // An interpolated click begins a little before its onset.
    let end = start + Int64(stream.format.periodFrames + ClickMixer.leadIn)
    while true {
      let beat = timeline.knownBeat(nextIndex)
      let place = stream.clock.frame(at: beat.instant - latency).snapped
      guard place.whole < end else { return }
      nextIndex += 1
      if projections.audio.isMuted { continue }
      let onset = place.whole < start ? FramePosition(whole: start, fraction: 0) : place
      stream.mixer.start(beat.level, atFrame: Int(onset.whole - start), fraction: onset.fraction)
      observer.placed(beat, at: onset)
    }
  }

  /// From which instant on a beat's click is not too late for a period that is heard from another one on.
  ///
  /// - Parameter growth: by how much earlier clicks are placed from this period on. The click that is too late only because
  ///   of that sounds at once: of several the last.
  private func firstInTime(_ audible: Instant, in stream: AudioStream<Output>, growth: Nanoseconds) -> Instant {
    guard stream.before == .sound else { return audible }
    let first = audible - AudioLoop.tolerance
    guard growth > .zero, let last = timeline.lastBeat(atOrBefore: audible) else { return first }
    return last.instant >= first - growth ? min(first, last.instant) : first
  }

  /// Goes on with the first beat that can still sound.
  private func leaveOutMissedClicks(before instant: Instant) {
    guard timeline.knownBeat(nextIndex).instant < instant, let next = timeline.firstBeat(atOrAfter: instant) else {
      return
    }
    nextIndex = max(nextIndex, next.index)
  }
}
