import RealModule

/// The sound of a click, as samples between -1 and 1.
///
/// It resembles a small injected bar: a tone with a soft attack that decays in a few milliseconds. Its upper partials are those
/// of a free bar, at 2.76 and 5.40 times the lowest; small speakers, which play little below 2 kHz, play these. The first beat
/// of a bar is higher than the others by an octave and almost a quarter tone.
///
/// All rates sample the same continuous sound, which has value and slope 0 at both ends and no DC offset. At 44,100 Hz and
/// more, its spectrum above 0.42 times the rate is 100 dB below its peak, so that it can be placed between frames
/// (``FractionalDelay``).
public struct ClickVoice: Hashable, Sendable {
  public let samples: [Float]
  /// The peak magnitude, in every voice at every rate.
  public static let peak: Float = 1

  /// The voice of a level, at a rate in frames per second.
  public init(_ level: Level, rate: Int) {
    let partials = ClickVoice.partials[level]
    let count = Int((ClickVoice.length * Double(rate)).rounded())
    var wave = [Double](repeating: 0, count: count)
    for partial in partials where partial.frequency < 0.35 * Double(rate) { partial.add(to: &wave, rate: rate) }
    let highest = wave.map(\.magnitude).max() ?? 1
    samples = wave.map { Float($0 / highest) * ClickVoice.peak }
  }

  private struct Partial {
    /// Hz.
    var frequency: Double
    var amplitude: Double
    /// Decay time to 1/e, in seconds.
    var decay: Double

    /// Adds the partial, in the phase in which its samples add up to zero.
    func add(to wave: inout [Double], rate: Int) {
      var (cosines, sines): ([Double], [Double]) = ([], [])
      for n in wave.indices {
        let time = Double(n) / Double(rate)
        let level = amplitude * Double.exp(-time / decay) * ClickVoice.envelope(at: time)
        cosines.append(level * Double.cos(2 * .pi * frequency * time))
        sines.append(level * Double.sin(2 * .pi * frequency * time))
      }
      let (cosine, sine) = (cosines.reduce(0, +), sines.reduce(0, +))
      let scale = 1 / (cosine * cosine + sine * sine).squareRoot()
      for n in wave.indices { wave[n] += (cosines[n] * sine - sines[n] * cosine) * scale }
    }
  }

  /// The lowest partial also has the steepest slope, so the wave crosses zero as often as this partial alone.
  private static let partials = PerLevel(
    strong: [
      Partial(frequency: 2_300, amplitude: 1, decay: 0.004_5),
      Partial(frequency: 6_348, amplitude: 0.4, decay: 0.002_5),
    ],
    weak: [
      Partial(frequency: 1_120, amplitude: 1, decay: 0.005),
      Partial(frequency: 3_091, amplitude: 0.5, decay: 0.004),
      Partial(frequency: 6_048, amplitude: 0.12, decay: 0.001_75),
    ])

  /// Duration in seconds.
  private static let length = 0.036
  /// Attack in seconds: the shorter, the wider the spectrum.
  private static let attack = 0.000_6
  /// Fade-out at the end, in seconds.
  private static let fade = 0.014

  /// Raised cosines at both ends.
  private static func envelope(at time: Double) -> Double {
    func rise(_ part: Double) -> Double { part >= 1 ? 1 : (1 - Double.cos(.pi * part)) / 2 }
    return rise(time / attack) * rise((length - time) / fade)
  }
}

/// Converts the user's volume setting into a factor for samples.
public enum ClickGain {
  /// The volume is cubed as in PulseAudio (`pulse/volume.c`): half the volume is 18 dB less. Half as loud is about 10 dB less,
  /// at two thirds of the volume. `volume` is clamped to 0…1, `gainDB` to -60…20.
  public static func factor(volume: Double, gainDB: Double = 0) -> Double {
    let volume = min(1, max(0, volume))
    return volume * volume * volume * Double.exp10(min(20, max(-60, gainDB)) / 20)
  }
}

public enum ClickSound: Hashable, Sendable {
  /// The built-in voice of the level.
  case synthesised
  case recorded(WAVSound)
}

/// The sounds of the clicks, and their volume.
public struct ClickSounds: Hashable, Sendable {
  public var clicks: PerLevel<ClickSound>
  /// Perceived loudness, 0 to 1; see ``ClickGain``.
  public var volume: Double
  /// Additional gain in decibels, -60 to 20.
  public var gainDB: Double

  public init(
    _ clicks: PerLevel<ClickSound> = PerLevel(repeating: .synthesised), volume: Double = 0.8, gainDB: Double = 0
  ) {
    self.clicks = clicks
    self.volume = volume
    self.gainDB = gainDB
  }

  /// The samples of a level's click at its volume, at a rate in frames per second, for each of one or two channels.
  public func samples(of level: Level, rate: Int) -> [[Float]] {
    let gain = Float(ClickGain.factor(volume: volume, gainDB: gainDB))
    let channels =
      switch clicks[level] {
      case .synthesised: [ClickVoice(level, rate: rate).samples]
      case .recorded(let sound): sound.channels(rate: rate)
      }
    return channels.map { $0.map { $0 * gain } }
  }
}
