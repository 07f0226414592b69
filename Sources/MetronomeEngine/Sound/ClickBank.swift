import HardwareAbstraction
import MetronomeCore

/// The samples of every accent's click, for cards of one format.
///
/// Made, and let go, by who has the time: to make those of a long recording for another rate takes its time.
final class ClickBank {
  let isStereo: Bool
  private let first: ClickSamples
  private let regular: ClickSamples

  init(_ sounds: ClickSounds, format: AudioFormat) {
    first = ClickSamples(sounds, .first, format: format)
    regular = ClickSamples(sounds, .regular, format: format)
    isStereo = first.isStereo || regular.isStereo
  }

  /// Good for as long as the bank.
  var readable: ReadableBank { ReadableBank(first: first.readable, regular: regular.readable) }
}
