import HardwareAbstraction
import MetronomeCore
import Synchronization

/// A playing card with its clock and its mixer. Created by the card manager, used by the audio loop.
final class AudioStream<Output: AudioOutput> {
  let output: Output
  /// The output for the audio loop, which does not retain it.
  let unretainedOutput: Unmanaged<Output>
  let format: AudioFormat
  let mixer: ClickMixer
  // Exclusivity checks are off: one thread, no re-entrancy.
  @exclusivity(unchecked) private(set) var clock: StreamClock
  /// The content of the stream before the next period to render.
  var before = Before.absence

  enum Before {
    /// The previous rendered period.
    case sound
    /// Silence that the card played after an underrun.
    case gap
    /// A time without a card.
    case absence
  }

  /// The frame after the last written frame; nil before the first write.
  private var expectedFrame: Int64?
  /// The part of the last rendered period that the card has not accepted yet.
  private var unwritten = UnsafeRawBufferPointer(start: nil, count: 0)
  @exclusivity(unchecked) private var watchdog: StreamWatchdog
  /// The card's error, set by the audio loop before it returns the stream.
  var failure: HardwareError?
  // The audio loop writes the clock's health, the card manager reads it.
  private let ratePPB = Atomic<Int64>(0)
  private let isLocked = Atomic(false)

  /// The mixer must be silent and have the output's format.
  init(_ output: Output, mixer: ClickMixer) {
    self.output = output
    unretainedOutput = .passUnretained(output)
    self.mixer = mixer
    format = output.format
    (clock, watchdog) = (StreamClock(format), StreamWatchdog(format))
  }

  /// Resets the stream after a restart of the card, which discards queued frames. After an underrun, the frames that the card
  /// skipped meanwhile count as lost.
  func reset(afterUnderrun: Bool) {
    before = afterUnderrun ? .gap : .absence
    if !afterUnderrun { expectedFrame = nil }
    failure = nil
    isLocked.store(false, ordering: .relaxed)
    ratePPB.store(0, ordering: .relaxed)
    silence()
    // The positions before and after the restart are unrelated.
    clock.reseed()
    watchdog = StreamWatchdog(format)
  }

  /// The last known health of the card's clock. Any thread.
  var health: StreamClock.Health {
    StreamClock.Health(isLocked: isLocked.load(ordering: .relaxed), ratePPB: ratePPB.load(ordering: .relaxed))
  }

  /// Reads the card's position, and the frames of silence played after an underrun. Throws the card's or the watchdog's error.
  func readPosition(_ pair: ClockPair, at now: Instant) throws(HardwareError) -> (AudioStatus, lost: Int64) {
    let status = try output.status()
    clock.observe(status, pair)
    let health = clock.health
    ratePPB.store(health.ratePPB, ordering: .relaxed)
    isLocked.store(health.isLocked, ordering: .relaxed)
    try watchdog.check(status.frame - status.delay, now)
    let lost = max(0, status.frame - (expectedFrame ?? status.frame))
    // Queued clicks belong to frames that have already been played.
    if lost > 0 {
      silence()
      if before == .sound { before = .gap }
    }
    expectedFrame = status.frame
    return (status, lost)
  }

  /// Fills the card's free space, and returns the first frame of the next write. `prepare` starts the clicks of the mixer's
  /// next period, whose first frame it receives. Throws the card's error or the watchdog's.
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
    let written = try output.write(UnsafeRawBufferPointer(rebasing: unwritten.prefix(frames * format.bytesPerFrame)))
    unwritten = UnsafeRawBufferPointer(rebasing: unwritten[(written * format.bytesPerFrame)...])
    try watchdog.recordWritten(written)
    return written
  }

  private func silence() {
    mixer.silence()
    unwritten = UnsafeRawBufferPointer(start: nil, count: 0)
  }
}

/// Maps frames of a stream to instants of the monotonic clock. The card's crystal is tracked on the raw clock: NTP slewing of
/// the system clock would otherwise look like drift of the card.
public struct StreamClock: Hashable, Sendable {
  /// The quality of the estimate of the card's clock.
  public struct Health: Hashable, Sendable {
    public var isLocked: Bool
    /// How much faster than nominal the card runs, in parts per billion (10⁻⁹).
    public var ratePPB: Int64
  }

  private var map: ClockMap
  private var bridge = ClockBridge()

  init(_ format: AudioFormat) { map = ClockMap(rate: format.rate) }

  var health: Health {
    let health = map.health
    return Health(isLocked: health.isLocked, ratePPB: Int64((health.ratePPM * 1_000).rounded()))
  }

  /// Updates the estimate with a position of the stream. The clock pair was read with the status, or shortly after it.
  mutating func observe(_ status: AudioStatus, _ pair: ClockPair) {
    bridge.observe(pair)
    map.observe(frame: status.frame - status.delay, at: bridge.raw(of: status.instant))
  }

  /// Resets the position after a restart of the stream; the estimated rate stays.
  mutating func reseed() { map.reseed() }

  func frame(at instant: Instant) -> FramePosition { map.frame(at: bridge.raw(of: instant)) }

  /// When the card plays a frame.
  func instant(ofFrame frame: Int64) -> Instant { bridge.monotonic(of: map.instant(ofFrame: frame)) }
}

/// Detects a broken card on which no call fails.
struct StreamWatchdog {
  /// A card has failed if it reports free space but accepts no frames this many times in a row.
  private static let refusalLimit = 3
  /// A card whose position does not change for this long has failed: the slowest cards update it every 10 ms.
  private static let stallTimeout = Nanoseconds.milliseconds(200)
  /// The time over which a card's pace is checked: the card may play at most twice its rate, plus four buffers.
  private static let paceSpan = Nanoseconds.seconds(1)

  private let format: AudioFormat
  private var refusals = 0
  /// The last change of the position, and the new position.
  private var lastMove: (instant: Instant, position: Int64)?
  /// The position at the beginning of the current ``paceSpan``.
  private var paceStart: (instant: Instant, position: Int64)?

  init(_ format: AudioFormat) { self.format = format }

  /// Checks the stream's position. Throws if it has stalled or runs too fast.
  mutating func check(_ position: Int64, _ now: Instant) throws(HardwareError) {
    try checkMovement(position, at: now)
    try checkPace(position, at: now)
  }

  /// Records how many frames a card with free space accepted. Throws if it accepted no frames several times in a row.
  mutating func recordWritten(_ frames: Int) throws(HardwareError) {
    refusals = frames > 0 ? 0 : refusals + 1
    if refusals == StreamWatchdog.refusalLimit { throw HardwareError(.writeAudio, .deaf) }
  }

  private mutating func checkMovement(_ position: Int64, at now: Instant) throws(HardwareError) {
    guard let last = lastMove, last.position == position else {
      lastMove = (now, position)
      return
    }
    if now - last.instant >= StreamWatchdog.stallTimeout { throw HardwareError(.readAudioPosition, .stalled) }
  }

  /// A PCM without hardware, such as ALSA's `null`, plays everything at once: its thread would never sleep.
  private mutating func checkPace(_ position: Int64, at now: Instant) throws(HardwareError) {
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

/// The mix buffer of a period, and its frames in the card's format.
package struct MixedPeriod: ~Copyable {
  /// The level up to which the sum of the clicks is unchanged.
  package static let knee: Float = 0.8
  /// The level that no sum exceeds.
  package static let ceiling: Float = 0.99

  let frames: UnsafeRawBufferPointer
  /// Whether left and right may differ.
  private(set) var isStereo: Bool
  /// The planes, and where they go.
  private(set) var lanes: UnsafeBufferPointer<Lane>
  /// Whether the frames may have samples on channels that have no route any more. They are not erased at once, because the rest of
  /// the last period may still have to be written.
  private var hasOtherLanes = false
  private let format: AudioFormat
  private let bytes: UnsafeMutableRawBufferPointer
  /// One for each channel of the card, of which each has at most one route.
  private let planes: UnsafeMutablePointer<Float>

  init(format: AudioFormat, _ samples: ReadableBank, isStereo: Bool) {
    self.format = format
    self.isStereo = isStereo
    lanes = isStereo ? samples.stereo : samples.mono
    planes = .allocate(capacity: format.channels * format.periodFrames)
    planes.initialize(repeating: 0, count: format.channels * format.periodFrames)
    bytes = .allocate(byteCount: format.periodFrames * format.bytesPerFrame, alignment: 16)
    bytes.initializeMemory(as: UInt8.self, repeating: 0)
    frames = UnsafeRawBufferPointer(bytes)
  }

  deinit {
    planes.deallocate()
    bytes.deallocate()
  }

  /// Uses the routes of a bank from the next period on. Its owner must retain it.
  mutating func use(_ samples: ReadableBank, isStereo: Bool) {
    self.isStereo = isStereo
    lanes = isStereo ? samples.stereo : samples.mono
    hasOtherLanes = true
  }

  /// The mix buffer of a lane.
  func plane(_ index: Int) -> UnsafeMutablePointer<Float> { planes + index * format.periodFrames }

  mutating func clear() {
    planes.update(repeating: 0, count: lanes.count * format.periodFrames)
    if hasOtherLanes { eraseFrames() }
    hasOtherLanes = false
  }

  func eraseFrames() { bytes.initializeMemory(as: UInt8.self, repeating: 0) }

  /// Converts the mix buffers into the frames. The volume applies after the limiter, so that a step of volume has the same effect on
  /// every sound.
  func store(_ volume: GainRamp) {
    for index in 0..<lanes.count * format.periodFrames { planes[index] = MixedPeriod.saturated(planes[index]) }
    for index in 0..<lanes.count { volume.apply(to: plane(index), count: format.periodFrames) }
    switch format.sampleFormat {
    case .s16: store { Int16(($0 * 0x8000).rounded()).littleEndian }
    case .s32: store { Int32((Double($0) * 0x8000_0000).rounded()).littleEndian }
    case .s24: store { PackedSample(Int32(($0 * 0x80_0000).rounded())) }
    case .float: store { $0.bitPattern.littleEndian }
    }
  }

  /// Soft clipping: unchanged up to the knee; above, `x / (1 + x)` bends it towards the ceiling, with a continuous slope.
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
    for (index, lane) in lanes.enumerated() {
      let plane = plane(index)
      let step = (lane.otherChannel ?? lane.channel) - lane.channel
      var place = lane.channel * size
      for frame in 0..<format.periodFrames {
        let sample = converted(plane[frame])
        bytes.storeBytes(of: sample, toByteOffset: place, as: Sample.self)
        if step != 0 { bytes.storeBytes(of: sample, toByteOffset: place + step * size, as: Sample.self) }
        place += format.bytesPerFrame
      }
    }
  }
}

/// A sample of 24 bits in three bytes, little-endian.
private struct PackedSample: BitwiseCopyable {
  private let bytes: (UInt8, UInt8, UInt8)

  init(_ sample: Int32) {
    bytes = (
      UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8), UInt8(truncatingIfNeeded: sample >> 16)
    )
  }
}

/// The gain of a sound. It changes linearly over 5 ms, because a jump would be heard as a click.
///
/// A value for the audio thread: nothing allocates or waits.
package struct GainRamp: BitwiseCopyable {
  /// The length of a ramp in frames.
  package let length: Int
  private var target: Float = 1
  /// The change of the gain per frame of the ramp.
  private var slope: Float = 0
  /// The frames until the gain is ``target``.
  private var remaining = 0

  /// A gain of 1, for a sound at a rate in frames per second.
  package init(rate: Int) { length = max(1, rate / 200) }

  /// The gain of the last frame.
  private var gain: Float { target - slope * Float(remaining) }

  /// Begins a ramp to another gain. If a ramp is in progress, the new one begins at the gain it has reached.
  package mutating func change(to gain: Float) {
    guard gain != target else { return }
    slope = (gain - self.gain) / Float(length)
    (target, remaining) = (gain, length)
  }

  /// Ends the ramp at once; nothing must sound.
  package mutating func finish() { remaining = 0 }

  /// Multiplies the next frames of a channel. At a constant gain of 1 they stay as they are, bit for bit.
  package func apply(to samples: UnsafeMutablePointer<Float>, count: Int) {
    let ramped = min(remaining, count)
    for frame in 0..<ramped { samples[frame] *= target - slope * Float(remaining - 1 - frame) }
    guard target != 1 else { return }
    for frame in ramped..<count { samples[frame] *= target }
  }

  /// Moves on by some frames, after they were multiplied in all channels.
  package mutating func advance(by count: Int) { remaining -= min(remaining, count) }
}
