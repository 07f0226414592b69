import HardwareAbstraction
import MetronomeCore

/// A sound card with a crystal of its own, which plays what is written to it, or silence when nothing is.
///
/// As the real one it starts with a buffer of silence when it is opened, takes only what its buffer holds, reports the
/// frame that sounds and since when, and runs on when it runs dry: the frames it then plays in silence are gone.
public final class SimulatedSoundCard: AudioOutput {
  public let format: AudioFormat
  private let clock: VirtualClock
  private let faults: FaultInjector
  private let crystal: Crystal
  /// Frames of the stream so far, the first buffer of silence and those lost in silence included.
  private var frame: Int64
  private let recording: SoundRecording?

  /// - Parameters:
  ///   - driftPPB: how much faster than nominal the crystal runs, in parts per thousand million.
  ///   - recording: takes in what is played; nil to let it fade away.
  init(
    format: AudioFormat, driftPPB: Int64 = 0, recording: SoundRecording? = nil, clock: VirtualClock,
    faults: FaultInjector
  ) {
    self.format = format
    self.clock = clock
    self.faults = faults
    self.recording = recording
    crystal = Crystal(rate: format.rate, driftPPB: driftPPB, start: clock.now)
    frame = Int64(format.bufferFrames)
    recording?.appendSilence(frames: frame)
  }

  /// When a frame of the stream begins to sound.
  public func instant(ofFrame frame: Int64) -> Instant { crystal.instant(ofTick: frame) }

  public func status() throws(HardwareError) -> AudioStatus {
    try faults.strike(.readAudioPosition)
    let sounding = crystal.ticks(until: clock.now)
    if sounding > frame {
      recording?.appendSilence(frames: sounding - frame)
      frame = sounding
    }
    let delay = frame - sounding
    return AudioStatus(
      instant: crystal.instant(ofTick: sounding), frame: frame, delay: delay,
      available: format.bufferFrames - Int(delay))
  }

  public func write(_ frames: UnsafeRawBufferPointer) throws(HardwareError) -> Int {
    precondition(frames.count % format.bytesPerFrame == 0, "a write of a part of a frame")
    try faults.strike(.writeAudio)
    let queued = max(0, frame - crystal.ticks(until: clock.now))
    let taken = min(frames.count / format.bytesPerFrame, format.bufferFrames - Int(queued))
    recording?.append(UnsafeRawBufferPointer(rebasing: frames[..<(taken * format.bytesPerFrame)]), format: format)
    frame += Int64(taken)
    return taken
  }
}

/// A crystal that ticks at nearly its nominal rate.
struct Crystal {
  /// Ticks in 10⁹ · 10⁹ ns.
  private let ticks: UInt64
  private static let span: UInt64 = 1_000_000_000_000_000_000
  private let start: Instant

  /// - Parameter rate: nominal ticks a second, up to 1,000,000.
  init(rate: Int, driftPPB: Int64, start: Instant) {
    ticks = UInt64(rate) * UInt64(1_000_000_000 + driftPPB)
    self.start = start
  }

  /// How many whole ticks have passed. A century at 192,000 Hz fits.
  func ticks(until now: Instant) -> Int64 {
    Int64(Crystal.span.dividingFullWidth(UInt64((now - start).count).multipliedFullWidth(by: ticks)).quotient)
  }

  /// When a tick comes, rounded up, so that so many have passed by then.
  func instant(ofTick tick: Int64) -> Instant {
    let (quotient, remainder) = ticks.dividingFullWidth(UInt64(tick).multipliedFullWidth(by: Crystal.span))
    return start + Nanoseconds(Int64(quotient) + (remainder > 0 ? 1 : 0))
  }
}
