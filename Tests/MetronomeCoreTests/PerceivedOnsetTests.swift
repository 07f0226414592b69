import MetronomeCore
import RealModule
import Testing

@Suite struct PerceivedOnsetTests {
  /// A consonant above the band, a vowel that rises evenly, 100 ms of full loudness, and an even end of 100 ms.
  private static func word(_ rate: Int, consonant: Int, attack: Int, pitch: Double) -> [Float] {
    (0..<rate * (consonant + attack + 200) / 1_000).map { frame in
      let (turns, ms) = (2 * Double.pi * Double(frame) / Double(rate), Double(frame * 1_000) / Double(rate))
      let rise = min(1, max(0, (ms - Double(consonant)) / Double(attack)))
      let fall = min(1, max(0, (Double(consonant + attack + 200) - ms) / 100))
      let noise = ms < Double(consonant) ? 0.3 * Double.sin(3_400 * turns) : 0
      return Float(0.5 * (Double.sin(pitch * turns) * rise * fall + noise))
    }
  }

  /// The same frames as the filters of SciPy: `Scripts/words` finds them with `butter` and `sosfiltfilt`.
  @Test(arguments: [
    (8_000, 0, 40, 900.0, 21_687), (8_000, 80, 20, 1_000, 91_812), (8_000, 120, 100, 700, 171_250),
    (16_000, 0, 40, 900, 21_687), (16_000, 80, 20, 1_000, 91_593), (16_000, 120, 100, 700, 170_875),
    (44_100, 0, 40, 900, 21_712), (44_100, 80, 20, 1_000, 91_507), (44_100, 120, 100, 700, 170_725),
    (48_000, 0, 40, 900, 21_718), (48_000, 80, 20, 1_000, 91_500), (48_000, 120, 100, 700, 170_729),
    (192_000, 0, 40, 900, 21_710), (192_000, 80, 20, 1_000, 91_492), (192_000, 120, 100, 700, 170_721),
  ])
  func onsetIsThatOfAnotherProgram(rate: Int, consonant: Int, attack: Int, pitch: Double, expected: Int64) throws {
    let samples = PerceivedOnsetTests.word(rate, consonant: consonant, attack: attack, pitch: pitch)
    var file = WAVFile(samples)
    file.rate = rate
    #expect(try WAVSound(file.bytes).perceivedOnset == .microseconds(expected))
    var stereo = WAVFile(samples.flatMap { [$0, $0] }, channels: 2)
    stereo.rate = rate
    #expect(try WAVSound(stereo.bytes).perceivedOnset == .microseconds(expected))
  }

  @Test(arguments: [[0], [Float](repeating: 0, count: 9_600)]) func silenceHasNoOnset(samples: [Float]) throws {
    #expect(try WAVSound(WAVFile(samples).bytes).perceivedOnset == nil)
  }

  /// The beat as Cummins and Port's estimator finds it in the uncut word, in milliseconds from its first sound, and where the built-in
  /// word begins. The estimate of the cut word may differ by 15 ms.
  @Test(arguments: [
    (1, 49, -2.5), (2, 55, 1.4), (3, 87, 26.9), (4, 110, 49.7), (5, 101, 40.9), (6, 88, 27.6), (7, 123, 62.6),
    (8, 20, -2.7), (9, 99, 39.3), (10, 79, 19.4), (12, 99, 38.6), (33, 38, -2.1), (34, 22, -3.9), (36, 93, 32.7),
    (37, 68, 8.1),
  ])
  func builtInWordsHaveTheirBeat(place: Int, beat: Double, begin: Double) throws {
    let word = try #require(SpokenNumber.english[place])
    let onset = Double(try #require(word.recording.perceivedOnset).count) / 1e6
    #expect(abs(begin + onset - beat) < 15)
    #expect(abs(begin + Double(word.onset.count) / 1e6 - beat) < 1)
  }

  /// The lead grows by 60 ms, and a number has ended when the word of the next beat begins, up to 280 BPM.
  @Test func builtInWordsAreShort() throws {
    let words = SpokenNumber.english
    #expect(words.keys.sorted() == Array(1...12) + Array(33...37))
    #expect(words.values.allSatisfy { $0.onset <= .milliseconds(60) })
    for word in words.values {
      let after = word.recording.frames - word.onset(rate: word.recording.rate)
      #expect(word.recording.rate == 16_000 && after <= 16_000 * 19 / 100)
    }
    for number in 1...12 {
      let word = try #require(words[number])
      let length = word.recording.frames - word.onset(rate: 16_000) + 16_000 * 6 / 100
      #expect(length <= 16_000 * 60 / 280)
    }
  }
}
