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

  func sampleCount(of accent: Accent) -> Int {
    switch accent {
    case .first: first.count
    case .regular: regular.count
    }
  }

  func samples(of accent: Accent, _ plane: Int) -> UnsafePointer<Float> {
    switch accent {
    case .first: first.plane(plane)
    case .regular: regular.plane(plane)
    }
  }
}
