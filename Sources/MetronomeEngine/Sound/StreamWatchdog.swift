import HardwareAbstraction
import MetronomeCore

/// Notices that what plays a stream has ceased to be a sound card, though no call to it fails.
struct StreamWatchdog {
  /// So often in a row a card that says it has room may take nothing.
  private static let patience = 3
  /// A card whose position stands still for so long is dead: the slowest tell theirs every 10 ms.
  private static let longestStandstill = Nanoseconds.milliseconds(200)
  /// In so much time a card may be seen to have played twice what it can, and four buffers.
  private static let paceSpan = Nanoseconds.seconds(1)

  private let format: AudioFormat
  private var refusals = 0
  /// Where the stream was when it was last seen to move.
  private var lastMove: (instant: Instant, position: Int64)?
  /// Where it was at the beginning of the present ``paceSpan``.
  private var paceStart: (instant: Instant, position: Int64)?

  /// For a stream that begins.
  init(_ format: AudioFormat) { self.format = format }

  /// Takes in where the stream stands.
  ///
  /// - Throws: when it has stood still for too long, or goes too fast.
  mutating func look(at position: Int64, _ now: Instant) throws(HardwareError) {
    try checkThatItMoves(position, at: now)
    try checkThatItTakesItsTime(position, at: now)
  }

  /// Takes in how many frames the card took when it had room.
  ///
  /// - Throws: when it was none for the last of several times.
  mutating func noteWritten(_ frames: Int) throws(HardwareError) {
    refusals = frames > 0 ? 0 : refusals + 1
    if refusals == StreamWatchdog.patience { throw HardwareError(.writeAudio, errno: ErrorNumber.tryAgain) }
  }

  private mutating func checkThatItMoves(_ position: Int64, at now: Instant) throws(HardwareError) {
    guard let last = lastMove, last.position == position else {
      lastMove = (now, position)
      return
    }
    if now - last.instant >= StreamWatchdog.longestStandstill {
      throw HardwareError(.readAudioPosition, errno: ErrorNumber.timedOut)
    }
  }

  /// What is no sound card, as ALSA's PCM `null`, plays everything at once: the thread that feeds it would never sleep.
  private mutating func checkThatItTakesItsTime(_ position: Int64, at now: Instant) throws(HardwareError) {
    guard let start = paceStart, now - start.instant < StreamWatchdog.paceSpan else {
      paceStart = (now, position)
      return
    }
    let played = (now - start.instant).count * Int64(format.rate) / 1_000_000_000
    if position - start.position > 2 * played + 4 * Int64(format.bufferFrames) {
      throw HardwareError(.readAudioPosition, errno: ErrorNumber.overflow)
    }
  }
}
