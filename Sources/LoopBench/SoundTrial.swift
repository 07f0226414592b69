import HardwareAbstraction
import LinuxBoard
import MetronomeCore

/// How well the map of a sound card's clock does, while the card plays silence.
public enum SoundTrial {
  /// - Returns: nil when no sound is wanted.
  public static func run(_ request: AudioRequest, for length: Nanoseconds) throws(HardwareError) -> BenchResult.Sound? {
    switch SoundInspection.look(request, measuring: length).outcome {
    case .notWanted: return nil
    case .refused(let errno, let detail): throw HardwareError(.openAudio, errno: errno, detail: detail)
    case .hangs: throw HardwareError(.openAudio, errno: 0, detail: "the sound card does not answer")
    case .opened(let card):
      return BenchResult.Sound(card: card.name, health: health(card.readings, rate: card.format.rate))
    }
  }

  /// Of a map that has seen these readings.
  static func health(_ readings: [SoundFacts.Reading], rate: Int) -> ClockMap.Health {
    var map = ClockMap(rate: rate)
    for reading in readings { map.observe(frame: reading.frame, at: reading.instant) }
    return map.health
  }
}
