import RealModule

/// The sound of a click, as samples between -1 and 1.
///
/// A sine that sets in at once and dies away: dry, so that its onset is the beat, and short, so that the next click finds
/// silence. The first beat of a bar lies an octave above the others.
public struct ClickVoice: Hashable, Sendable {
  public let samples: [Float]

  /// The voice of an accent.
  ///
  /// - Parameters:
  ///   - rate: frames a second.
  ///   - volume: 0 to 1, linear.
  public init(_ accent: Accent, rate: Int, volume: Double) {
    let frequency =
      switch accent {
      case .first: 2_000.0
      case .regular: 1_000.0
      }
    let count = Int(ClickVoice.length * Double(rate))
    let amplitude = ClickVoice.headroom * volume
    samples = (0..<count).map { n in
      let t = Double(n) / Double(rate)
      let tail = min(1, Double(count - n) / (ClickVoice.fade * Double(rate)))
      return Float(amplitude * tail * Double.exp(-t / ClickVoice.decay) * Double.cos(2 * .pi * frequency * t))
    }
  }

  /// Seconds in which the sound falls to 1/e.
  private static let decay = 0.005
  /// Seconds until it is over.
  private static let length = 0.030
  /// Seconds of its end that fade to nothing.
  private static let fade = 0.005
  /// At the fastest, 999 BPM in thirty-seconds, clicks follow every 7.5 ms and add up to 1/(1 - e^-1.5) = 1.29 of one.
  private static let headroom = 0.75
}
