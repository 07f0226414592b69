import BoardSimulation
import HardwareAbstraction

/// Records the first channel in 32 bits.
public final class Tape: AudioRecording {
  public private(set) var samples: [Int32] = []

  public init() {}

  public func append(_ frames: UnsafeRawBufferPointer, format: AudioFormat) {
    samples += Tape.channel(0, of: frames, format: format).map { Int32($0 * 0x8000_0000) }
  }

  public func appendSilence(frames: Int64) { samples += Array(repeating: 0, count: Int(frames)) }

  /// The samples of one channel; full scale is 1.
  public static func channel(_ channel: Int, of frames: UnsafeRawBufferPointer, format: AudioFormat) -> [Double] {
    (0..<(frames.count / format.bytesPerFrame)).map { frame in
      let offset = frame * format.bytesPerFrame + channel * format.sampleFormat.byteCount
      switch format.sampleFormat {
      case .s16: return Double(frames.loadUnaligned(fromByteOffset: offset, as: Int16.self)) / 0x8000
      case .s32: return Double(frames.loadUnaligned(fromByteOffset: offset, as: Int32.self)) / 0x8000_0000
      case .s24:
        let bytes = frames[offset..<offset + 3].reversed()
        return Double(Int32(truncatingIfNeeded: bytes.reduce(0) { $0 << 8 | Int($1) } << 8)) / 0x8000_0000
      case .float: return Double(frames.loadUnaligned(fromByteOffset: offset, as: Float.self))
      }
    }
  }
}
