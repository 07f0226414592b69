import HardwareAbstraction
import MetronomeCore

/// A sound card that takes everything and plays it at exactly its rate, at next to no cost of its own, until it fails.
final class ExactCard: AudioOutput {
  let format: AudioFormat
  private let clock: SteppedClock
  /// How many frames it takes before it fails.
  private let life: Int
  private var taken = 0
  private let start: Instant
  /// The number of the frame that the next write begins with: frames that it played in silence count, too.
  private var frame: Int64
  private let buffer: UnsafeMutableRawBufferPointer

  init(_ format: AudioFormat, life: Int, clock: SteppedClock) {
    self.format = format
    self.life = life
    self.clock = clock
    start = clock.now
    frame = Int64(format.bufferFrames)
    buffer = .allocate(byteCount: format.bufferFrames * format.bytesPerFrame, alignment: 16)
  }

  deinit { buffer.deallocate() }

  func status() throws(HardwareError) -> AudioStatus {
    guard taken < life else { throw HardwareError(.readAudioPosition, errno: 19) }
    let now = clock.now
    let sounding = (now - start).count * Int64(format.rate) / 1_000_000_000
    // When that frame began, rounded up.
    let began = start + Nanoseconds((sounding * 1_000_000_000 + Int64(format.rate) - 1) / Int64(format.rate))
    if sounding > frame { frame = sounding }
    let delay = frame - sounding
    return AudioStatus(instant: began, frame: frame, delay: delay, available: format.bufferFrames - Int(delay))
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(HardwareError) -> Int {
    buffer.copyMemory(from: bytes)
    let count = bytes.count / format.bytesPerFrame
    taken += count
    frame += Int64(count)
    return count
  }
}

/// Where such a card is plugged in.
final class ExactPort: AudioPort {
  let name = "exact card"
  private let format: AudioFormat
  private let life: Int
  private let clock: SteppedClock

  /// - Parameter life: how many frames each card takes before it fails.
  init(_ format: AudioFormat, life: Int, clock: SteppedClock) {
    self.format = format
    self.life = life
    self.clock = clock
  }

  func open() throws(HardwareError) -> ExactCard { ExactCard(format, life: life, clock: clock) }

  func resume(_ output: ExactCard) throws(HardwareError) {}

  func close(_ output: ExactCard) {}
}
