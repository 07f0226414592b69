import MetronomeCore
import RealModule

/// Recorded sounds for the loops to play.
enum TestSound {
  private static let rate = 44_100

  /// A decaying stereo tone of one second, read from the bytes of a WAV file at 44,100 Hz.
  static func second(hertz: Double) -> WAVSound {
    let samples = (0..<rate).flatMap { frame in
      let seconds = Double(frame) / Double(rate)
      let level = Double.exp(-3 * seconds) / 2
      return [level * .sin(2 * .pi * hertz * seconds), level * .cos(2 * .pi * hertz * seconds)]
    }
    var bytes =
      Array("RIFF".utf8) + little(UInt32(36 + 4 * samples.count)) + Array("WAVEfmt ".utf8) + little(UInt32(16))
    bytes += little(UInt16(3)) + little(UInt16(2)) + little(UInt32(rate)) + little(UInt32(8 * rate))
    bytes += little(UInt16(8)) + little(UInt16(32))
    bytes += Array("data".utf8) + little(UInt32(4 * samples.count))
    for sample in samples { bytes += little(Float(sample).bitPattern) }
    do {
      return try WAVSound(bytes)
    } catch {
      fatalError("the WAV file built above is invalid: \(error)")
    }
  }

  private static func little(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }
}
