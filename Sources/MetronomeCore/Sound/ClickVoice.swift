import RealModule

/// The sound of a click, as samples between -1 and 1.
///
/// A struck bar in miniature: a tone that sets in softly enough to be band-limited and fast enough to be a beat, and dies
/// away in a few milliseconds. The partials lie where those of a free bar do, at 2.76 and 5.40 times the lowest; they give
/// small speakers, which have little below 2 kHz, something to play. The first beat of a bar lies an octave above the
/// others.
///
/// Sampled from one and the same continuous sound at every rate, with value and slope 0 at both ends, no direct current,
/// and from 0.42 times the rate on, at 44,100 Hz and more, 100 dB less than at its loudest frequency, so that it can be
/// placed between frames (``FractionalDelay``).
public struct ClickVoice: Hashable, Sendable {
  public let samples: [Float]
  /// The highest sample's magnitude, in every voice at every rate.
  public static let peak: Float = 1

  /// The voice of a level.
  ///
  /// - Parameters:
  ///   - level: of the beat: the first of a bar is pitched higher.
  ///   - rate: frames a second.
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
    /// Seconds in which it falls to 1/e.
    var decay: Double

    /// Adds its sound, in the one phase of which the samples add up to nothing.
    func add(to wave: inout [Double], rate: Int) {
      var cosines: [Double] = []
      var sines: [Double] = []
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

  /// The lowest partial stays the strongest in slope too: the wave crosses zero as often as it alone would.
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

  /// Seconds until it is over.
  private static let length = 0.036
  /// Seconds in which it sets in: the shorter, the wider the spectrum.
  private static let attack = 0.000_6
  /// Seconds of its end that fade to nothing.
  private static let fade = 0.014

  /// Raised cosines at both ends.
  private static func envelope(at time: Double) -> Double {
    func rise(_ part: Double) -> Double { part >= 1 ? 1 : (1 - Double.cos(.pi * part)) / 2 }
    return rise(time / attack) * rise((length - time) / fade)
  }
}

/// How loud clicks are, between what a person sets and what samples are multiplied by.
public enum ClickGain {
  /// The factor for samples.
  ///
  /// The volume is cubed, so that half the volume sounds about half as loud (18 dB less): the scale of PulseAudio
  /// (`pulse/volume.c`) and of the mixers that follow it.
  ///
  /// - Parameters:
  ///   - volume: 0, silence, to 1; what lies outside counts as the nearer of the two.
  ///   - gainDB: decibels on top, -60 to 20; what lies outside counts as the nearer of the two.
  public static func factor(volume: Double, gainDB: Double = 0) -> Double {
    let volume = min(1, max(0, volume))
    return volume * volume * volume * Double.exp10(min(20, max(-60, gainDB)) / 20)
  }
}

/// What a click sounds like.
public enum ClickSound: Hashable, Sendable {
  /// The metronome's own voice of the level.
  case synthesised
  case recorded(WAVSound)
}

/// What the clicks sound like, and how loud they are.
public struct ClickSounds: Hashable, Sendable {
  /// Of the clicks of each level.
  public var clicks: PerLevel<ClickSound>
  /// 0 to 1, as loud as it sounds; see ``ClickGain``.
  public var volume: Double
  /// Decibels on top, -60 to 20.
  public var gainDB: Double

  public init(
    _ clicks: PerLevel<ClickSound> = PerLevel(repeating: .synthesised), volume: Double = 0.8, gainDB: Double = 0
  ) {
    self.clicks = clicks
    self.volume = volume
    self.gainDB = gainDB
  }

  /// The samples of a level's click at its volume, for each of one or two channels.
  ///
  /// - Parameters:
  ///   - level: of the beat.
  ///   - rate: frames a second.
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
