import CALSA
import Glibc
import HardwareAbstraction
import MetronomeCore

/// A sound card through alsa-lib, running from the moment it is opened.
///
/// After ``status()`` or ``write(_:)`` has thrown, the card is asleep, gone or unusable: only ``ALSAPort`` may have it then.
public final class ALSAOutput: AudioOutput {
  /// How often a sleeping card is woken, and what lies between; after that it is started anew.
  private static let wakings = 5
  private static let wakingRest = Nanoseconds.milliseconds(100)

  public let format: AudioFormat
  /// The name of the PCM that was opened, as `hw:CARD=Headphones`.
  public let name: String

  // One thread at a time has the card, and nothing that it calls calls back.
  @exclusivity(unchecked) private var pcm: PCM?
  private let clock = LinuxClock()
  private let reader: PCMReader
  /// A full buffer.
  private let silence: UnsafeMutableRawBufferPointer
  /// The number of the frame that the next write begins with.
  private var frame: Int64
  /// A frame with which one of the card's periods begins: it counts them from where it was started.
  private var periodOrigin: Int64 = 0
  /// Where the stream was seen last.
  private var last: AudioStatus

  /// Sets the card up and starts it, playing silence.
  init(_ pcm: consuming PCM, _ request: AudioRequest) throws(ALSAFailure) {
    let format = try pcm.agree(on: request)
    let hasInstants = try pcm.letRunFree(format)
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
    precondition(count * format.bytesPerFrame == frames.count, "sound is written in whole frames")
    guard count > 0 else { return 0 }
    let result = snd_pcm_writei(handle, frames.baseAddress, snd_pcm_uframes_t(count))
    if result >= 0 {
      frame += Int64(result)
      return result
    }
    // Full; or stopped, which the next reading of the position reports.
    if result == -Int(EAGAIN) || result == -Int(EPIPE) || result == -Int(EINTR) { return 0 }
    throw HardwareError(.writeAudio, errno: Int32(-result))
  }

  /// Starts the card again after it slept or stopped, with silence: what was queued belongs to a time that has gone by. Waits,
  /// half a second at the most.
  func wake() throws(HardwareError) {
    var wakings = ALSAOutput.wakings
    while wakings > 0, snd_pcm_resume(handle) == -EAGAIN {
      wakings -= 1
      _ = Doorbell().wait(until: clock.now + ALSAOutput.wakingRest)
    }
    snd_pcm_drop(handle)
    do throws(ALSAFailure) {
      try restart()
    } catch {
      throw HardwareError(.openAudio, errno: error.errno)
    }
  }

  /// How many descriptors a card is looked at by; those of the usual ones is one.
  static let mostDescriptors = 8

  /// What is to be polled to be woken when the card has played a period. Real-time thread.
  ///
  /// - Returns: how many entries were filled; none for a card with more than there is room for.
  func fillDescriptors(_ entries: UnsafeMutableBufferPointer<pollfd>) -> Int {
    let count = snd_pcm_poll_descriptors_count(handle)
    guard (1...Int32(entries.count)).contains(count) else { return 0 }
    return Int(max(snd_pcm_poll_descriptors(handle, entries.baseAddress, UInt32(count)), 0))
  }

  /// Lets alsa-lib see what came of polling, which it may have to take off the descriptors. Real-time thread.
  func takeEvents(_ entries: UnsafeMutableBufferPointer<pollfd>) {
    var events: UInt16 = 0
    guard !entries.isEmpty else { return }
    // Whether the card has room, or is gone, the next look at it tells.
    _ = snd_pcm_poll_descriptors_revents(handle, entries.baseAddress, UInt32(entries.count), &events)
  }

  /// Falls silent and gives the card back. After it nothing may be asked of it; it may be called again.
  public func release() { pcm = nil }

  private var handle: OpaquePointer {
    guard let handle = pcm?.handle else { preconditionFailure("sound is asked of a card that was given back") }
    return handle
  }

  /// What a reading means for the stream. When the card has played all there was, and silence of its own since, the stream
  /// goes on a period ahead of it.
  private func catchUp(_ reading: PCMReading) throws(ALSAFailure) -> AudioStatus {
    var skipped = 0
    if reading.available > format.bufferFrames {
      let frames = framesToPass(missed: reading.available - format.bufferFrames)
      let result = snd_pcm_forward(handle, snd_pcm_uframes_t(frames))
      guard result >= 0 else { throw ALSAFailure(call: "snd_pcm_forward", errno: Int32(-result)) }
      skipped = result
    }
    frame += Int64(skipped)
    return AudioStatus(
      instant: reading.instant, frame: frame, delay: reading.delay + Int64(skipped),
      available: reading.available - skipped)
  }

  /// So many that a period's time is left to write, and that writing ends at the end of a period again: there the card's
  /// interrupt finds room for the next one.
  private func framesToPass(missed: Int) -> Int {
    let least = missed + format.periodFrames
    let beyond = Int((frame + Int64(least) - periodOrigin) % Int64(format.periodFrames))
    return beyond == 0 ? least : least + format.periodFrames - beyond
  }

  /// Starts the card again that has stopped although it should not. The numbers of the frames go on as if it had run, so
  /// that they keep their tie to time.
  private func restart() throws(ALSAFailure) {
    guard pcm != nil else { preconditionFailure("sound is asked of a card that was given back") }
    try pcm!.start(format, silence: UnsafeRawBufferPointer(silence))
    let now = clock.now
    let elapsed = (now - last.instant).count
    let passed =
      elapsed / 1_000_000_000 * Int64(format.rate) + elapsed % 1_000_000_000 * Int64(format.rate) / 1_000_000_000
    let buffer = Int64(format.bufferFrames)
    frame = max(frame, last.frame - last.delay + passed + buffer)
    periodOrigin = frame - buffer
    last = AudioStatus(instant: now, frame: frame, delay: buffer, available: 0)
  }
}
