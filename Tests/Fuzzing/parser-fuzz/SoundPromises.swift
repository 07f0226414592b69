import MetronomeCore

/// What must hold of reading a WAV file.
enum SoundPromises {
  /// Either it is a sound of sound samples, which written as a file of floating point reads back as the same; or one line
  /// says what is wrong.
  static func check(_ bytes: [UInt8]) {
    let sound: WAVSound
    do throws(WAVError) {
      sound = try WAVSound(bytes)
    } catch {
      return requireOneLine(error.description)
    }
    require((1...2).contains(sound.channels.count), "\(sound.channels.count) channels")
    let frames = sound.channels[0].count
    require(sound.channels.allSatisfy { $0.count == frames }, "channels of different lengths")
    require((1...10 * sound.rate).contains(frames), "\(frames) frames at \(sound.rate) Hz")
    // Two bytes are the shortest sample.
    require(frames * sound.channels.count * 2 <= bytes.count, "more samples than bytes for them")
    require(sound.channels.allSatisfy { $0.allSatisfy { $0.magnitude <= 100 } }, "a sample far beyond full scale")
    do throws(WAVError) {
      let again = try WAVSound(file(of: sound))
      require(again == sound, "it reads back as another")
    } catch {
      fatalError("its own samples are refused: \(error)")
    }
  }

  /// The sound as a file of floating point in 32 bits.
  private static func file(of sound: WAVSound) -> [UInt8] {
    let channels = sound.channels.count
    let samples = sound.channels[0].indices.flatMap { frame in
      sound.channels.flatMap { little(Int($0[frame].bitPattern), 4) }
    }
    var bytes = Array("RIFF".utf8) + little(36 + samples.count, 4)
    bytes += Array("WAVEfmt ".utf8) + little(16, 4) + little(3, 2) + little(channels, 2)
    bytes += little(sound.rate, 4) + little(sound.rate * channels * 4, 4)
    bytes += little(channels * 4, 2) + little(32, 2)
    bytes += Array("data".utf8) + little(samples.count, 4)
    return bytes + samples
  }

  /// A number's bytes, the lowest first.
  private static func little(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
