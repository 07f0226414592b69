import HardwareAbstraction
import MetronomeCore

/// Writes what a sound card plays as a WAV file: PCM, 16 bits, one channel, of a length that is known beforehand.
///
/// Only the first channel is kept; the others sound the same.
public final class WAVRecording: SoundRecording {
  private let stream: ByteStream
  /// Frames still to be written. What the card was given beyond the end of the simulation is left out.
  private var left: Int64

  /// How many frames a WAV file may have: its lengths are written in 32 bits.
  public static let highestFrameCount = (Int64(UInt32.max) - 36) / 2

  /// - Parameter frames: how many the file will have, up to ``highestFrameCount``.
  public init(frames: Int64, rate: Int, to output: @escaping ByteStream.Output) {
    precondition((0...WAVRecording.highestFrameCount).contains(frames), "more frames than a WAV file can name")
    left = frames
    stream = ByteStream(to: output)
    writeHeader(bytes: UInt32(frames * 2), rate: UInt32(rate))
  }

  public func append(_ frames: UnsafeRawBufferPointer, format: AudioFormat) {
    let count = Int(min(Int64(frames.count / format.bytesPerFrame), left))
    for frame in 0..<count {
      var sample: Int16 =
        switch format.sampleFormat {
        case .s16: frames.loadUnaligned(fromByteOffset: frame * format.bytesPerFrame, as: Int16.self)
        case .s32: frames.loadUnaligned(fromByteOffset: frame * format.bytesPerFrame + 2, as: Int16.self)
        }
      withUnsafeBytes(of: &sample) { stream.write($0) }
    }
    left -= Int64(count)
  }

  public func appendSilence(frames: Int64) {
    let count = min(frames, left)
    stream.write(zeros: Int(count) * 2)
    left -= count
  }

  /// Fills up with silence and writes what is left.
  public func finish() {
    appendSilence(frames: left)
    stream.flush()
  }

  private func writeHeader(bytes: UInt32, rate: UInt32) {
    stream.write("RIFF")
    write(36 + bytes)
    stream.write("WAVEfmt ")
    write(UInt32(16))
    write(UInt16(1))
    write(UInt16(1))
    write(rate)
    write(rate * 2)
    write(UInt16(2))
    write(UInt16(16))
    stream.write("data")
    write(bytes)
  }

  private func write(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.littleEndian) { stream.write($0) }
  }
}
