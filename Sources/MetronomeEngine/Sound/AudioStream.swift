import HardwareAbstraction
import MetronomeCore
import Synchronization

/// A card that plays, and all that belongs to playing on it: its clock, the mixer, what was written so far.
///
/// Made by the sound keeper, which has the time to allocate; played by the audio loop, which has not.
final class AudioStream<Output: AudioOutput> {
  let output: Output
  /// The output for the audio loop, which counts no reference to it.
  let unretainedOutput: Unmanaged<Output>
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
  /// How the card failed, set by the audio loop before it returns the stream; nil: it did not.
  var failure: HardwareError?
  // The clock's health: written by the audio loop, read by the keeper.
  private let ratePPB = Atomic<Int64>(0)
  private let isLocked = Atomic(false)

  /// - Parameter mixer: one for the output's format, silent.
  init(_ output: Output, mixer: ClickMixer) {
    self.output = output
    unretainedOutput = .passUnretained(output)
    self.mixer = mixer
    format = output.format
    clock = StreamClock(format)
    watchdog = StreamWatchdog(format)
  }

  /// After the card was started anew: nothing of what was before is played.
  ///
  /// - Parameter hasRunDry: whether the frames that the card passed over meanwhile count as lost.
  func beginAnew(hasRunDry: Bool) {
    before = hasRunDry ? .gap : .absence
    if !hasRunDry { expectedFrame = nil }
    failure = nil
    isLocked.store(false, ordering: .relaxed)
    ratePPB.store(0, ordering: .relaxed)
    silence()
    // Where the card stood before says nothing of where it stands.
    clock.reseed()
    watchdog = StreamWatchdog(format)
  }

  /// What its clock was last seen to be like. Any thread.
  var health: StreamClock.Health {
    StreamClock.Health(isLocked: isLocked.load(ordering: .relaxed), ratePPB: ratePPB.load(ordering: .relaxed))
  }

  /// Asks the card where it stands.
  ///
  /// - Returns: where, and how many frames the card played in silence because it had run dry.
  /// - Throws: also when the watchdog does.
  func look(_ pair: ClockPair, at now: Instant) throws(HardwareError) -> (AudioStatus, lost: Int64) {
    let status = try output.status()
    clock.observe(status, pair)
    let health = clock.health
    ratePPB.store(health.ratePPB, ordering: .relaxed)
    isLocked.store(health.isLocked, ordering: .relaxed)
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

  private func silence() {
    mixer.silence()
    unwritten = UnsafeRawBufferPointer(start: nil, count: 0)
  }
}

/// Which frame of a stream sounds at which instant of the clock that everything is timed by.
///
/// The card's crystal is followed on the raw clock, whose seconds are all of one length, and what is asked for is converted
/// at the edge: a slew of the system's clock by the network's time would otherwise look like a drift of the card.
public struct StreamClock: Hashable, Sendable {
  /// How well the card's clock is known.
  public struct Health: Hashable, Sendable {
    public var isLocked: Bool
    /// By how much the card runs faster than it says, in parts per thousand million.
    public var ratePPB: Int64
  }

  private var map: ClockMap
  private var bridge = ClockBridge()

  init(_ format: AudioFormat) { map = ClockMap(rate: format.rate) }

  var health: Health {
    let health = map.health
    return Health(isLocked: health.isLocked, ratePPB: Int64((health.ratePPM * 1_000).rounded()))
  }

  /// Takes in where the stream stands.
  ///
  /// - Parameter pair: read with the status, or shortly after it.
  mutating func observe(_ status: AudioStatus, _ pair: ClockPair) {
    bridge.observe(pair)
    map.observe(frame: status.frame - status.delay, at: bridge.raw(of: status.instant))
  }

  /// The stream was started anew: what is known of the card's rate stays, where it stands is to be observed.
  mutating func reseed() { map.reseed() }

  func frame(at instant: Instant) -> FramePosition { map.frame(at: bridge.raw(of: instant)) }

  /// When a frame begins to sound.
  func instant(ofFrame frame: Int64) -> Instant { bridge.monotonic(of: map.instant(ofFrame: frame)) }
}

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
    if refusals == StreamWatchdog.patience { throw HardwareError(.writeAudio, .deaf) }
  }

  private mutating func checkThatItMoves(_ position: Int64, at now: Instant) throws(HardwareError) {
    guard let last = lastMove, last.position == position else {
      lastMove = (now, position)
      return
    }
    if now - last.instant >= StreamWatchdog.longestStandstill {
      throw HardwareError(.readAudioPosition, .stalled)
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
      throw HardwareError(.readAudioPosition, .racing)
    }
  }
}

/// A period's sound while it is mixed, and its frames as the card takes them.
package struct MixedPeriod: ~Copyable {
  /// Up to here the sum of the clicks is stored as it is.
  package static let knee: Float = 0.8
  /// What no sum, however loud, exceeds.
  package static let ceiling: Float = 0.99

  let frames: UnsafeRawBufferPointer
  /// Whether left and right may differ, on a card that has both.
  var isStereo: Bool
  /// 2 where left and right differ.
  var planeCount: Int { isStereo && mostPlanes > 1 ? 2 : 1 }
  private let mostPlanes: Int
  private let format: AudioFormat
  private let bytes: UnsafeMutableRawBufferPointer
  private let planes: UnsafeMutablePointer<Float>

  /// - Parameter isStereo: whether left and right may differ, on a card that has both.
  init(format: AudioFormat, isStereo: Bool) {
    self.format = format
    self.isStereo = isStereo
    mostPlanes = min(2, format.channels)
    planes = .allocate(capacity: mostPlanes * format.periodFrames)
    planes.initialize(repeating: 0, count: mostPlanes * format.periodFrames)
    bytes = .allocate(byteCount: format.periodFrames * format.bytesPerFrame, alignment: 16)
    bytes.initializeMemory(as: UInt8.self, repeating: 0)
    frames = UnsafeRawBufferPointer(bytes)
  }

  deinit {
    planes.deallocate()
    bytes.deallocate()
  }

  /// What is mixed: the left (0) or right (1) channel, or both in one.
  func plane(_ index: Int) -> UnsafeMutablePointer<Float> { planes + index * format.periodFrames }

  /// Empties what is mixed.
  func clear() { planes.update(repeating: 0, count: planeCount * format.periodFrames) }

  /// Makes the frames silent.
  func eraseFrames() { bytes.initializeMemory(as: UInt8.self, repeating: 0) }

  /// Stores what is mixed in the frames, the left plane in the even channels and the right one in the odd.
  func store() {
    for index in 0..<planeCount * format.periodFrames { planes[index] = MixedPeriod.saturated(planes[index]) }
    switch format.sampleFormat {
    case .s16: store { Int16(($0 * 0x8000).rounded()).littleEndian }
    case .s32: store { Int32((Double($0) * 0x8000_0000).rounded()).littleEndian }
    case .s24: store { PackedSample(Int32(($0 * 0x80_0000).rounded())) }
    case .float: store { $0.bitPattern.littleEndian }
    }
  }

  /// A sample as it is up to the knee, and above bent towards the ceiling by `x / (1 + x)`, which goes on with the same
  /// slope and reaches its end only at infinity.
  private static func saturated(_ sample: Float) -> Float {
    let level = sample.magnitude
    guard level > knee else { return sample }
    let room = ceiling - knee
    let bent = knee + room * (1 - 1 / (1 + (level - knee) / room))
    return sample < 0 ? -bent : bent
  }

  @inline(__always)
  private func store<Sample: BitwiseCopyable>(_ converted: (Float) -> Sample) {
    let size = format.sampleFormat.byteCount
    var place = 0
    for frame in 0..<format.periodFrames {
      let left = converted(planes[frame])
      let right = planeCount > 1 ? converted(planes[format.periodFrames + frame]) : left
      for channel in 0..<format.channels {
        bytes.storeBytes(of: channel & 1 == 0 ? left : right, toByteOffset: place, as: Sample.self)
        place += size
      }
    }
  }
}

/// A sample of 24 bits in three bytes, the lowest first.
private struct PackedSample: BitwiseCopyable {
  private let bytes: (UInt8, UInt8, UInt8)

  init(_ sample: Int32) {
    bytes = (
      UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8), UInt8(truncatingIfNeeded: sample >> 16)
    )
  }
}
