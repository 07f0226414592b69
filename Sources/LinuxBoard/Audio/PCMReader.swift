import CALSA
import Glibc
import MetronomeCore

/// What a card says of itself at an instant.
struct PCMReading {
  var instant: Instant
  /// Frames between the one that sounds and the next to be written; negative when the card has overtaken the writer.
  var delay: Int64
  /// Frames that can be written; more than the buffer takes when the card has overtaken the writer.
  var available: Int
  /// It ran dry and stopped.
  var isStopped: Bool
}

/// Reads where a card is, without allocating.
final class PCMReader {
  /// How far two readings of the clock may lie apart that stand in for the card's own.
  private static let bracket = Nanoseconds.microseconds(200)
  private static let attempts = 3

  private let status: OpaquePointer
  private let hasInstants: Bool
  private let clock = LinuxClock()

  /// - Parameter hasInstants: whether the card's positions come with instants of `CLOCK_MONOTONIC`.
  init(hasInstants: Bool) throws(ALSAFailure) {
    var status: OpaquePointer?
    let result = snd_pcm_status_malloc(&status)
    guard result >= 0, let status else { throw ALSAFailure(call: "snd_pcm_status_malloc", errno: -result) }
    self.status = status
    self.hasInstants = hasInstants
  }

  deinit { snd_pcm_status_free(status) }

  func read(_ handle: OpaquePointer) throws(ALSAFailure) -> PCMReading {
    var reading = PCMReading(instant: .zero, delay: 0, available: 0, isStopped: true)
    for _ in 0..<PCMReader.attempts {
      let before = clock.now
      let result = snd_pcm_status(handle, status)
      let after = clock.now
      if result == -EPIPE { return reading }
      try ALSAFailure.check(result, "snd_pcm_status")
      guard try isRunning() else { return reading }
      reading = PCMReading(
        instant: stamp ?? before + (after - before) / 2, delay: Int64(snd_pcm_status_get_delay(status)),
        available: Int(snd_pcm_status_get_avail(status)), isStopped: false)
      if stamp != nil || after - before <= PCMReader.bracket { break }
    }
    return reading
  }

  private func isRunning() throws(ALSAFailure) -> Bool {
    switch snd_pcm_status_get_state(status) {
    case SND_PCM_STATE_RUNNING: return true
    case SND_PCM_STATE_XRUN: return false
    case SND_PCM_STATE_SUSPENDED: throw ALSAFailure(call: "snd_pcm_status", errno: ESTRPIPE)
    case SND_PCM_STATE_DISCONNECTED: throw ALSAFailure(call: "snd_pcm_status", errno: ENODEV)
    default: throw ALSAFailure(call: "snd_pcm_status", errno: EBADFD)
    }
  }

  /// The card's own instant, where it gives one.
  private var stamp: Instant? {
    guard hasInstants else { return nil }
    var time = snd_htimestamp_t()
    snd_pcm_status_get_htstamp(status, &time)
    return time.tv_sec == 0 && time.tv_nsec == 0 ? nil : Instant(time)
  }
}
