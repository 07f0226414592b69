import HardwareAbstraction
import MetronomeCore

/// A sound card that accepts all frames and plays them at exactly its rate, at almost no cost, until it fails.
final class ExactCard: AudioOutput {
  let format: AudioFormat
  private let clock: SteppedClock
  /// The number of frames that the card accepts before it fails.
  private let limit: Int
  private var accepted = 0
  private let start: Instant
  /// The number of the first frame of the next write, including frames played as silence.
  private var frame: Int64
  private let buffer: UnsafeMutableRawBufferPointer

  init(_ format: AudioFormat, limit: Int, clock: SteppedClock) {
    self.format = format
    self.limit = limit
    self.clock = clock
    start = clock.now
    frame = Int64(format.bufferFrames)
    buffer = .allocate(byteCount: format.bufferFrames * format.bytesPerFrame, alignment: 16)
  }

  deinit { buffer.deallocate() }

  func status() throws(HardwareError) -> AudioStatus {
    guard accepted < limit else { throw HardwareError(.readAudioPosition, .gone, errno: 19) }
    let now = clock.now
    let sounding = (now - start).count * Int64(format.rate) / 1_000_000_000
    // The start time of the sounding frame, rounded up.
    let began = start + Nanoseconds((sounding * 1_000_000_000 + Int64(format.rate) - 1) / Int64(format.rate))
    if sounding > frame { frame = sounding }
    let delay = frame - sounding
    return AudioStatus(instant: began, frame: frame, delay: delay, available: format.bufferFrames - Int(delay))
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(HardwareError) -> Int {
    buffer.copyMemory(from: bytes)
    let count = bytes.count / format.bytesPerFrame
    accepted += count
    frame += Int64(count)
    return count
  }
}

/// The port that opens ``ExactCard``.
final class ExactPort: AudioPort {
  let name = "exact card"
  private let format: AudioFormat
  private let limit: Int
  private let clock: SteppedClock

  /// - Parameter limit: the number of frames that each card accepts before it fails.
  init(_ format: AudioFormat, limit: Int, clock: SteppedClock) {
    self.format = format
    self.limit = limit
    self.clock = clock
  }

  func open() throws(HardwareError) -> ExactCard { ExactCard(format, limit: limit, clock: clock) }

  func resume(_ output: ExactCard) throws(HardwareError) {}

  func close(_ output: ExactCard) {}
}
