import BoardSimulation
import HardwareAbstraction
import Testing

@Suite struct WAVRecordingTests {
  private final class File { var bytes: [UInt8] = [] }

  /// The samples of a recording, one per frame.
  private func recorded(_ bytes: [UInt8], _ sampleFormat: SampleFormat, channels: Int) -> [Int16] {
    let format = AudioFormat(
      rate: 48_000, channels: channels, sampleFormat: sampleFormat, periodFrames: 16, bufferFrames: 64)
    let count = bytes.count / format.bytesPerFrame
    let file = File()
    let recording = WAVRecording(frames: Int64(count), rate: 48_000) { file.bytes += $0 }
    bytes.withUnsafeBytes { recording.append($0, format: format) }
    recording.finish()
    return (0..<count).map { Int16(bitPattern: UInt16(file.bytes[44 + 2 * $0]) | UInt16(file.bytes[45 + 2 * $0]) << 8) }
  }

  private func little(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  /// Pairs of an input value, in 1/256 of a 16-bit step, and the expected 16-bit sample.
  private static let numbers = [
    (0, 0), (1, 0), (127, 0), (128, 1), (-1, 0), (-128, 0), (-129, -1), (256 * 1_000 + 200, 1_001),
    (256 * 32_767 + 255, 32_767), (-256 * 32_768, -32_768),
  ]

  @Test(arguments: 1...3) func everyFormatIsRoundedTo16Bits(channels: Int) {
    let other = Array(repeating: 0x55, count: channels - 1)
    func frames(_ size: Int, _ scale: Int) -> [UInt8] {
      WAVRecordingTests.numbers.flatMap { number in
        ([number.0 * scale] + other).flatMap { little($0, size) }
      }
    }
    let expected = WAVRecordingTests.numbers.map { Int16($0.1) }
    #expect(recorded(frames(3, 1), .s24, channels: channels) == expected)
    #expect(recorded(frames(4, 256), .s32, channels: channels) == expected)
    let whole = expected.flatMap { ([Int($0)] + other).flatMap { little($0, 2) } }
    #expect(recorded(whole, .s16, channels: channels) == expected)
  }

  @Test func floatingPointIsRoundedAndClippedAtFullScale() {
    let numbers: [(Float, Int16)] = [
      (0, 0), (0.5, 16_384), (-0.5, -16_384), (0.4 / 32_768, 0), (0.6 / 32_768, 1), (-0.6 / 32_768, -1), (1, 32_767),
      (2, 32_767), (-1, -32_768), (-7, -32_768),
    ]
    let bytes = numbers.flatMap { little(Int($0.0.bitPattern), 4) }
    #expect(recorded(bytes, .float, channels: 1) == numbers.map(\.1))
  }
}
