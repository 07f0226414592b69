import HardwareAbstraction
import MetronomeCore

/// Keeps the sound card fed with silence, and starts a click at the frame that sounds at the beat's instant.
///
/// A step machine: ``step(at:)`` writes what the card takes and says when it wants to be called next. One thread only, a
/// real-time one on the real board: no allocation, no lock.
public final class AudioLoop<Audio: AudioOutput, Observer: EngineObserver> {
  /// A click that comes this late, because the map has moved, is still the beat; a later one would be another.
  private static var tolerance: Nanoseconds { .milliseconds(1) }

  private let output: Audio
  private let format: AudioFormat
  private let publication: TimelinePublication
  private let observer: Observer
  private let mixer: ClickMixer

  private var map: FrameMap
  private var timeline = Timeline.stopped
  private var seen: UInt64 = 0
  /// The number of the beat whose click comes next.
  private var nextIndex: Int64 = 0
  /// The frame after the last one written; nil before the first.
  private var expectedFrame: Int64?
  /// What the card did not take of the period rendered last.
  private var unwritten = UnsafeRawBufferPointer(start: nil, count: 0)
  /// Set when the card failed. The loop is then done.
  private var hasFailed = false

  public init(output: Audio, sounds: ClickSounds, publication: TimelinePublication, observer: Observer) {
    self.output = output
    self.publication = publication
    self.observer = observer
    format = output.format
    mixer = ClickMixer(format: format, sounds: sounds)
    map = FrameMap(rate: format.rate)
  }

  /// Writes what the card takes.
  ///
  /// - Returns: when a period will be free again, or soon if the card takes nothing now; nil once the card has failed, and
  ///   then it is not called any more.
  public func step(at now: Instant) -> Instant? {
    guard !hasFailed else { return nil }
    takeNews()
    do throws(HardwareError) {
      return try fill(output.status(), at: now)
    } catch {
      hasFailed = true
      observer.failed(error, at: now)
      return nil
    }
  }

  private func takeNews() {
    let session = timeline.session
    guard publication.read(into: &timeline, seen: &seen), timeline.session != session else { return }
    mixer.stop()
    nextIndex = 0
  }

  private func fill(_ status: AudioStatus, at now: Instant) throws(HardwareError) -> Instant {
    map.observe(frame: status.frame - status.delay, at: status.instant)
    if let expectedFrame, status.frame > expectedFrame {
      observer.underran(frames: status.frame - expectedFrame, at: now)
      // What was about to sound belongs to a time that has gone by.
      mixer.silence()
      unwritten = UnsafeRawBufferPointer(start: nil, count: 0)
    }
    var frame = status.frame
    var available = status.available
    while available >= format.periodFrames || (available > 0 && !unwritten.isEmpty) {
      if unwritten.isEmpty {
        placeClicks(inPeriodAt: frame, at: now)
        unwritten = mixer.nextPeriod()
      }
      let written = try output.write(
        UnsafeRawBufferPointer(rebasing: unwritten.prefix(available * format.bytesPerFrame)))
      unwritten = UnsafeRawBufferPointer(rebasing: unwritten[(written * format.bytesPerFrame)...])
      frame += Int64(written)
      available -= written
      if !unwritten.isEmpty { break }
    }
    expectedFrame = frame
    let deadline = map.instant(ofFrame: frame - Int64(format.bufferFrames - format.periodFrames))
    return deadline > now ? deadline : now + format.periodDuration / 4
  }

  /// Starts every click whose frame lies in the period that begins with this frame.
  private func placeClicks(inPeriodAt start: Int64, at now: Instant) {
    guard let oldest = timeline.oldestIndex else { return }
    nextIndex = max(nextIndex, oldest)
    dropMissedClicks(before: map.instant(ofFrame: start) - AudioLoop.tolerance, at: now)
    let end = start + Int64(format.periodFrames)
    while true {
      let beat = timeline.knownBeat(nextIndex)
      let frame = map.frame(at: beat.instant)
      guard frame < end else { return }
      nextIndex += 1
      mixer.start(beat.accent, atFrame: Int(max(frame, start) - start), fraction: 0)
      observer.placed(beat, atFrame: max(frame, start))
    }
  }

  private func dropMissedClicks(before instant: Instant, at now: Instant) {
    guard timeline.knownBeat(nextIndex).instant < instant,
      let next = timeline.firstBeat(atOrAfter: instant), next.index > nextIndex
    else { return }
    observer.missed(clicks: next.index - nextIndex, at: now)
    nextIndex = next.index
  }
}
