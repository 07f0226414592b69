import HardwareAbstraction
import MetronomeCore

/// A card that plays, and all that belongs to playing on it: its clock, the mixer, what was written so far.
///
/// Made by the sound keeper, which has the time to allocate; played by the audio loop, which has not.
final class AudioStream<Output: AudioOutput> {
  /// So often in a row a card that says it has room may take nothing.
  private static var patience: Int { 3 }
  /// A card whose position stands still for so long is dead: its slowest tell theirs every 10 ms.
  private static var longestStandstill: Nanoseconds { .milliseconds(200) }

  let output: Output
  let format: AudioFormat
  let mixer: ClickMixer
  private(set) var clock: StreamClock
  /// What lies before the period that is rendered next.
  var before = Before.absence

  enum Before {
    /// The period rendered before it.
    case sound
    /// Frames that the card played in silence.
    case gap
    /// A time without a card.
    case absence
  }

  /// The frame after the last one written; nil before the first.
  private var expectedFrame: Int64?
  /// What the card did not take of the period rendered last.
  private var unwritten = UnsafeRawBufferPointer(start: nil, count: 0)
  private var refusals = 0
  /// Where the stream was at the beginning of the present second, to see whether it goes too fast.
  private var paceStart: (instant: Instant, position: Int64)?
  /// Where the stream was when it was last seen to move.
  private var lastPosition: Int64?
  private var lastMove = Instant.zero

  /// - Parameter mixer: one for the output's format, silent.
  init(_ output: Output, mixer: ClickMixer) {
    self.output = output
    self.mixer = mixer
    format = output.format
    clock = StreamClock(format)
  }

  /// After the card was started anew: nothing of what was before is played.
  func beginAnew() {
    before = .absence
    expectedFrame = nil
    lastPosition = nil
    paceStart = nil
    refusals = 0
    silence()
    clock.reseed()
  }

  /// Asks the card where it stands.
  ///
  /// - Returns: where, and how many frames the card played in silence because it had run dry.
  /// - Throws: also when the card has stood still for too long.
  func look(_ pair: ClockPair, at now: Instant) throws(HardwareError) -> (AudioStatus, lost: Int64) {
    let status = try output.status()
    if status.isRestarted {
      clock.reseed()
      before = .gap
      refusals = 0
      lastPosition = nil
      paceStart = nil
    } else {
      clock.observe(status, pair)
    }
    try checkThatItMoves(status.frame - status.delay, at: now)
    try checkThatItTakesItsTime(status.frame - status.delay, at: now)
    let lost = max(0, status.frame - (expectedFrame ?? status.frame))
    // What was about to sound belongs to a time that has gone by.
    if lost > 0 {
      silence()
      if before == .sound { before = .gap }
    }
    expectedFrame = status.frame
    return (status, lost)
  }

  /// Writes what the card has room for.
  ///
  /// - Parameter prepare: lays clicks into the mixer's next period, which begins with the frame it is given.
  /// - Returns: the frame that the next write begins with.
  /// - Throws: also when the card took nothing, although it had room, for the last of several times.
  func fill(_ status: AudioStatus, prepare: (Int64) -> Void) throws(HardwareError) -> Int64 {
    var frame = status.frame
    var available = status.available
    while available >= format.periodFrames || (available > 0 && !unwritten.isEmpty) {
      if unwritten.isEmpty {
        prepare(frame)
        unwritten = mixer.nextPeriod()
      }
      let written = try write(atMost: available)
      frame += Int64(written)
      available -= written
      if !unwritten.isEmpty { break }
    }
    expectedFrame = frame
    return frame
  }

  private func write(atMost frames: Int) throws(HardwareError) -> Int {
    let written = try output.write(
      UnsafeRawBufferPointer(rebasing: unwritten.prefix(frames * format.bytesPerFrame)))
    unwritten = UnsafeRawBufferPointer(rebasing: unwritten[(written * format.bytesPerFrame)...])
    refusals = written > 0 ? 0 : refusals + 1
    if refusals == AudioStream.patience { throw HardwareError(.writeAudio, errno: ErrorNumber.tryAgain) }
    return written
  }

  private func checkThatItMoves(_ position: Int64, at now: Instant) throws(HardwareError) {
    if position != lastPosition {
      lastPosition = position
      lastMove = now
    } else if now - lastMove >= AudioStream.longestStandstill {
      throw HardwareError(.readAudioPosition, errno: ErrorNumber.timedOut)
    }
  }

  /// What is no sound card, as ALSA's PCM `null`, plays everything at once: the thread that feeds it would never sleep.
  private func checkThatItTakesItsTime(_ position: Int64, at now: Instant) throws(HardwareError) {
    guard let start = paceStart, now - start.instant < .seconds(1) else {
      paceStart = (now, position)
      return
    }
    let played = (now - start.instant).count * Int64(format.rate) / 1_000_000_000
    if position - start.position > 2 * played + 4 * Int64(format.bufferFrames) {
      throw HardwareError(.readAudioPosition, errno: ErrorNumber.overflow)
    }
  }

  private func silence() {
    mixer.silence()
    unwritten = UnsafeRawBufferPointer(start: nil, count: 0)
  }
}
