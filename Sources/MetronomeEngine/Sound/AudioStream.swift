import HardwareAbstraction
import MetronomeCore

/// A card that plays, and all that belongs to playing on it: its clock, the mixer, what was written so far.
///
/// Made by the sound keeper, which has the time to allocate; played by the audio loop, which has not.
final class AudioStream<Output: AudioOutput> {
  let output: Output
  let format: AudioFormat
  let mixer: ClickMixer
  // One thread plays this, and nothing that it calls calls back: who has access need not be looked at in every period.
  @exclusivity(unchecked) private(set) var clock: StreamClock
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
  @exclusivity(unchecked) private var watchdog: StreamWatchdog

  /// - Parameter mixer: one for the output's format, silent.
  init(_ output: Output, mixer: ClickMixer) {
    self.output = output
    self.mixer = mixer
    format = output.format
    clock = StreamClock(format)
    watchdog = StreamWatchdog(format)
  }

  /// After the card was started anew: nothing of what was before is played.
  func beginAnew() {
    before = .absence
    expectedFrame = nil
    silence()
    forgetPosition()
  }

  /// Asks the card where it stands.
  ///
  /// - Returns: where, and how many frames the card played in silence because it had run dry.
  /// - Throws: also when the watchdog does.
  func look(_ pair: ClockPair, at now: Instant) throws(HardwareError) -> (AudioStatus, lost: Int64) {
    let status = try output.status()
    if status.isRestarted {
      before = .gap
      forgetPosition()
    } else {
      clock.observe(status, pair)
    }
    try watchdog.look(at: status.frame - status.delay, now)
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
  /// - Throws: also when the watchdog does.
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
    try watchdog.noteWritten(written)
    return written
  }

  /// Where the card stood before it was started anew says nothing of where it stands.
  private func forgetPosition() {
    clock.reseed()
    watchdog = StreamWatchdog(format)
  }

  private func silence() {
    mixer.silence()
    unwritten = UnsafeRawBufferPointer(start: nil, count: 0)
  }
}
