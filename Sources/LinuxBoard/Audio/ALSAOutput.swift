import CALSA
import Glibc
import HardwareAbstraction
import MetronomeCore

/// A sound card through alsa-lib, running from the moment it is opened.
///
/// After ``status()`` or ``write(_:)`` has thrown, the card is suspended, removed or unusable. Then only ``ALSAPort`` may use
/// this object.
public final class ALSAOutput: AudioOutput {
  /// The number of attempts to resume a suspended card before it is restarted, and the time between them.
  private static let resumeAttempts = 5
  private static let resumeInterval = Nanoseconds.milliseconds(100)

  public let format: AudioFormat
  /// The name of the opened PCM, such as `hw:CARD=Headphones`.
  public let name: String

  // Exclusivity checks are off: one thread at a time uses the card, without re-entrancy.
  @exclusivity(unchecked) private var pcm: PCM?
  private let clock = LinuxClock()
  private let reader: PCMReader
  /// Silence of the length of the card's buffer.
  private let silence: UnsafeMutableRawBufferPointer
  /// The number of the first frame of the next write.
  private var frame: Int64
  /// A frame at which one of the card's periods starts.
  private var periodOrigin: Int64 = 0
  private var last: AudioStatus

  /// Configures the card and starts it with silence.
  init(_ pcm: consuming PCM, _ request: AudioRequest) throws(ALSAFailure) {
    let format = try pcm.configure(request)
    let hasInstants = try pcm.setFreeRunning(format)
    let reader = try PCMReader(hasInstants: hasInstants)
    let silence = UnsafeMutableRawBufferPointer.allocate(
      byteCount: format.bufferFrames * format.bytesPerFrame, alignment: 16)
    silence.initializeMemory(as: UInt8.self, repeating: 0)
    do throws(ALSAFailure) {
      try pcm.start(format, silence: UnsafeRawBufferPointer(silence))
    } catch {
      silence.deallocate()
      throw error
    }
    self.format = format
    self.reader = reader
    self.silence = silence
    name = pcm.name
    frame = Int64(format.bufferFrames)
    last = AudioStatus(instant: clock.now, frame: frame, delay: frame, available: 0)
    self.pcm = consume pcm
  }

  deinit { silence.deallocate() }

  /// Waits until a sound server plays steadily; see ``PCM/settle(_:silence:)``. May block for three seconds.
  func settle() {
    guard pcm?.isServer == true else { return }
    frame += Int64(pcm?.settle(format, silence: UnsafeRawBufferPointer(silence)) ?? 0)
    last = AudioStatus(instant: clock.now, frame: frame, delay: frame, available: 0)
  }

  public func status() throws(HardwareError) -> AudioStatus {
    do throws(ALSAFailure) {
      let reading = try reader.read(handle)
      guard !reading.isStopped else { throw ALSAFailure(call: "snd_pcm_status", errno: EPIPE) }
      last = try catchUp(reading)
      return last
    } catch {
      throw HardwareError(.readAudioPosition, errno: error.errno)
    }
  }

  public func write(_ frames: UnsafeRawBufferPointer) throws(HardwareError) -> Int {
    let count = frames.count / format.bytesPerFrame
    precondition(count * format.bytesPerFrame == frames.count, "sound must be written in whole frames")
    guard count > 0 else { return 0 }
    let result = snd_pcm_writei(handle, frames.baseAddress, snd_pcm_uframes_t(count))
    if result >= 0 {
      frame += Int64(result)
      return result
    }
    // The buffer is full, or the card has stopped. The next reading of the position reports a stop.
    if result == -Int(EAGAIN) || result == -Int(EPIPE) || result == -Int(EINTR) { return 0 }
    throw HardwareError(.writeAudio, errno: Int32(-result))
  }

  /// Restarts the card with silence after it was suspended or stopped. Blocks for half a second at most.
  func wake() throws(HardwareError) {
    var attempts = ALSAOutput.resumeAttempts
    while attempts > 0, snd_pcm_resume(handle) == -EAGAIN {
      attempts -= 1
      _ = Doorbell().wait(until: clock.now + ALSAOutput.resumeInterval)
    }
    snd_pcm_drop(handle)
    do throws(ALSAFailure) {
      try restart()
    } catch {
      throw HardwareError(.openAudio, errno: error.errno)
    }
  }

  /// The capacity for a card's descriptors; the usual number is one.
  static let maxDescriptors = 8

  /// Fills in the descriptors to poll for the end of a period. Real-time thread.
  ///
  /// - Returns: the number of entries filled; 0 for a card with more descriptors than entries.
  func fillDescriptors(_ entries: UnsafeMutableBufferPointer<pollfd>) -> Int {
    let count = snd_pcm_poll_descriptors_count(handle)
    guard (1...Int32(entries.count)).contains(count) else { return 0 }
    return Int(max(snd_pcm_poll_descriptors(handle, entries.baseAddress, UInt32(count)), 0))
  }

  /// Lets alsa-lib process the polled events. Real-time thread.
  func processEvents(_ entries: UnsafeMutableBufferPointer<pollfd>) {
    var events: UInt16 = 0
    guard !entries.isEmpty else { return }
    // The next status reading shows whether the card has free space or was removed.
    _ = snd_pcm_poll_descriptors_revents(handle, entries.baseAddress, UInt32(entries.count), &events)
  }

  /// Stops the sound and closes the card for good. Further calls of this function do nothing.
  public func release() { pcm = nil }

  private var handle: OpaquePointer {
    guard let handle = pcm?.handle else { preconditionFailure("the card is closed") }
    return handle
  }

  /// Turns a reading into a status. If the card has overtaken the stream, the stream skips to a period ahead of the card.
  private func catchUp(_ reading: PCMReading) throws(ALSAFailure) -> AudioStatus {
    var skipped = 0
    if reading.available > format.bufferFrames {
      let frames = framesToSkip(missed: reading.available - format.bufferFrames)
      let result = snd_pcm_forward(handle, snd_pcm_uframes_t(frames))
      guard result >= 0 else { throw ALSAFailure(call: "snd_pcm_forward", errno: Int32(-result)) }
      skipped = result
    }
    frame += Int64(skipped)
    return AudioStatus(
      instant: reading.instant, frame: frame, delay: reading.delay + Int64(skipped),
      available: reading.available - skipped)
  }

  /// The number of frames to skip: enough to leave one period of time for writing, rounded up to a period boundary, so that
  /// one period can be written at the card's next interrupt.
  private func framesToSkip(missed: Int) -> Int {
    let least = missed + format.periodFrames
    let beyond = Int((frame + Int64(least) - periodOrigin) % Int64(format.periodFrames))
    return beyond == 0 ? least : least + format.periodFrames - beyond
  }

  /// Restarts a stopped card. Frame numbers continue as if the card had never stopped, so that they still correspond to time.
  private func restart() throws(ALSAFailure) {
    guard pcm != nil else { preconditionFailure("the card is closed") }
    try pcm!.start(format, silence: UnsafeRawBufferPointer(silence))
    let now = clock.now
    let elapsed = (now - last.instant).count
    let elapsedFrames =
      elapsed / 1_000_000_000 * Int64(format.rate) + elapsed % 1_000_000_000 * Int64(format.rate) / 1_000_000_000
    let buffer = Int64(format.bufferFrames)
    frame = max(frame, last.frame - last.delay + elapsedFrames + buffer)
    periodOrigin = frame - buffer
    last = AudioStatus(instant: now, frame: frame, delay: buffer, available: 0)
  }
}
