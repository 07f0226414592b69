import MetronomeCore
import MetronomeEngine

/// Words for tests: a soft steady beginning, and a louder steady rest from the onset on, in which numbers differ.
enum Words {
  static let attack: Float = 0.0625

  static func rest(_ number: Int) -> Float { 0.5 - Float(number) / 64 }

  /// - Parameter frames: the length from the onset on.
  static func word(
    _ number: Int, onset: Nanoseconds, frames: Int = 4_800, rate: Int = 48_000, attack: Float = attack
  ) throws -> SpokenNumber {
    let before = [Float](repeating: attack, count: Int(onset.count * Int64(rate) / 1_000_000_000))
    let samples = before + [Float](repeating: rest(number), count: frames)
    let recording = try WAVSound(WAVFile.bytes(channels: [samples], rate: UInt32(rate)))
    return SpokenNumber(recording, onset: onset)
  }

  static func sounds(
    _ numbers: some Sequence<Int> = 1...4, onset: Nanoseconds, frames: Int = 4_800, rate: Int = 48_000
  ) throws -> ClickSounds {
    var sounds = ClickSounds(volume: 1)
    for number in numbers { sounds.numbers[number] = try word(number, onset: onset, frames: frames, rate: rate) }
    return sounds
  }

  /// The sample of a card of 32 bits.
  static func sample(_ value: Float) -> Int32 { Int32((Double(value * ClickMixer.headroom) * 0x8000_0000).rounded()) }
}
