import MetronomeCore

/// Invariants of the WAV reader.
enum SoundPromises {
  /// Either the file gives valid samples, which written as floating point read back unchanged, or one line reports the error.
  static func check(_ bytes: [UInt8]) {
    let audio: WAVSound
    do throws(WAVError) {
      audio = try WAVSound(bytes)
    } catch {
      return requireOneLine(error.description)
    }
    require((1...2).contains(audio.channels.count), "\(audio.channels.count) channels")
    let frames = audio.channels[0].count
    require(audio.channels.allSatisfy { $0.count == frames }, "channels of different lengths")
    require((1...10 * audio.rate).contains(frames), "\(frames) frames at \(audio.rate) Hz")
    // The shortest sample has two bytes.
    require(frames * audio.channels.count * 2 <= bytes.count, "more samples than the file has bytes for")
    require(audio.channels.allSatisfy { $0.allSatisfy { $0.magnitude <= 100 } }, "a sample far beyond full scale")
    do throws(WAVError) {
      let again = try WAVSound(file(of: audio))
      require(again == audio, "the written file reads back differently")
    } catch {
      fatalError("the written file is refused: \(error)")
    }
  }

  /// The sound as a WAV file of 32-bit floating point.
  private static func file(of audio: WAVSound) -> [UInt8] {
    let channels = audio.channels.count
    let samples = audio.channels[0].indices.flatMap { frame in
      audio.channels.flatMap { little(Int($0[frame].bitPattern), 4) }
    }
    var bytes = Array("RIFF".utf8) + little(36 + samples.count, 4)
    bytes += Array("WAVEfmt ".utf8) + little(16, 4) + little(3, 2) + little(channels, 2)
    bytes += little(audio.rate, 4) + little(audio.rate * channels * 4, 4)
    bytes += little(channels * 4, 2) + little(32, 2)
    bytes += Array("data".utf8) + little(samples.count, 4)
    return bytes + samples
  }

  /// A number in little-endian order.
  private static func little(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
