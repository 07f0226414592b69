import HardwareAbstraction
import MetronomeCore

/// Writes the first channel played by a sound card as a WAV file: 16-bit PCM of a length known beforehand.
public final class WAVRecording: AudioRecording {
  private let stream: ByteStream
  /// Frames still to be written. Frames written to the card beyond the end of the simulation are left out.
  private var left: Int64

  /// The highest number of frames in a WAV file, whose lengths are 32-bit fields.
  public static let highestFrameCount = (Int64(UInt32.max) - 36) / 2

  /// Writes a file with this number of frames, up to ``highestFrameCount``, at a rate in hertz.
  public init(frames: Int64, rate: Int, to output: @escaping ByteStream.Output) {
    precondition((0...WAVRecording.highestFrameCount).contains(frames), "more frames than a WAV file can name")
    left = frames
    stream = ByteStream(to: output)
    let bytes = UInt32(frames * 2)
    stream.write("RIFF")
    write(36 + bytes)
    stream.write("WAVEfmt ")
    write(UInt32(16))
    // PCM, one channel.
    write(UInt16(1))
    write(UInt16(1))
    write(UInt32(rate))
    write(UInt32(rate) * 2)
    write(UInt16(2))
    write(UInt16(16))
    stream.write("data")
    write(bytes)
  }

  public func append(_ frames: UnsafeRawBufferPointer, format: AudioFormat) {
    let count = Int(min(Int64(frames.count / format.bytesPerFrame), left))
    for frame in 0..<count {
      write(WAVRecording.sample(in: frames, at: frame * format.bytesPerFrame, format.sampleFormat))
    }
    left -= Int64(count)
  }

  public func appendSilence(frames: Int64) {
    let count = min(frames, left)
    stream.write(zeros: Int(count) * 2)
    left -= count
  }

  /// Pads with silence to the full length and writes the rest.
  public func finish() {
    appendSilence(frames: left)
    stream.flush()
  }

  /// A sample as 16 bits, rounded to the nearest.
  private static func sample(in bytes: UnsafeRawBufferPointer, at place: Int, _ format: SampleFormat) -> Int16 {
    func shortened(_ sample: Int32) -> Int16 { Int16(clamping: (Int64(sample) + 0x8000) >> 16) }
    switch format {
    case .s16: return Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: Int16.self))
    case .s24:
      let low = Int32(bytes[place]) << 8 | Int32(bytes[place + 1]) << 16
      return shortened(low | Int32(Int8(bitPattern: bytes[place + 2])) << 24)
    case .s32: return shortened(Int32(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: Int32.self)))
    case .float:
      let bits = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
      return Int16(max(-32_768, min(32_767, (Float(bitPattern: bits) * 32_768).rounded())))
    }
  }

  private func write(_ number: some FixedWidthInteger) { withUnsafeBytes(of: number.littleEndian) { stream.write($0) } }
}

/// Records what a simulated sound card plays, frame by frame.
public protocol AudioRecording: AnyObject {
  func append(_ frames: UnsafeRawBufferPointer, format: AudioFormat)
  func appendSilence(frames: Int64)
  /// The card was stopped: frames that it has not played yet are never heard.
  func drop()
}

extension AudioRecording {
  public func drop() {}
}
