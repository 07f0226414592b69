import RealModule

/// What a built-in sound of one level consists of: tones and noises that decay. Frequencies are in Hz, times in seconds.
struct ClickRecipe {
  struct Partial {
    var frequency: Double
    var amplitude: Double
    /// Decay time to 1/e.
    var decay: Double
    var delay = 0.0
  }

  /// Noise between two frequencies.
  struct Noise {
    var low: Double
    var high: Double
    var amplitude: Double
    var decay: Double
    var delay = 0.0
  }

  var partials: [Partial]
  var noises: [Noise] = []
  /// Chosen by measurement: of thirty, the one with the lowest peak that comes early enough.
  var seed: UInt64 = 1
  /// The shorter, the wider the spectrum.
  var attack: Double
  /// The decay begins after this time.
  var hold = 0.0
  var length: Double
  /// In decibels. All strong clicks are equally loud, medium ones 2.5 dB less, and weak ones 5 dB less.
  var gain: Double
  /// Whether it is one of the first two sounds: a raised cosine as attack, and a peak of 1 before the gain at every rate.
  var isFirst = false

  /// A ghost's recipe is that of weak.
  init(_ level: Level, of sound: Voice.Sound) {
    func choose<Value>(_ strong: Value, _ medium: Value, _ weak: Value) -> Value {
      level == .strong ? strong : level == .medium ? medium : weak
    }
    self =
      switch sound {
      case .click: choose(.click(level, 0), .click(level, -2.4), .click(level, -3.75))
      case .cowbell: level == .strong ? .cowbell(low: 870, high: 1_305) : .cowbell(low: 780, high: 1_170)
      case .wood: choose(.wood(1_750, -3.7), .wood(1_400, -5.5), .wood(1_150, -7.3))
      case .rim: choose(.rim(560, -4.4), .rim(500, -6.4), .rim(440, -8.6))
      case .hihat: choose(.hihat(5_200, 0.022, -6.1), .hihat(6_400, 0.014, -6.5), .hihat(7_600, 0.008, -5.9))
      case .beep: choose(.beep(1_760, -11), .beep(1_320, -12.5), .beep(880, -14))
      case .mechanical: choose(.mechanical(3_150, -4.7), .mechanical(2_650, -7.2), .mechanical(2_250, -9.3))
      case .soft: choose(.soft(740, -3.4), .soft(640, -5.8), .soft(550, -8.2))
      case .dry: choose(.dry(1_800...7_000, 1.2), .dry(1_400...5_500, -0.7), .dry(1_000...4_200, -2.3))
      }
  }

  private init(
    _ partials: [Partial], _ noises: [Noise] = [], seed: UInt64 = 1, attack: Double, hold: Double = 0, length: Double,
    gain: Double, isFirst: Bool = false
  ) {
    (self.partials, self.noises, self.seed, self.attack, self.hold) = (partials, noises, seed, attack, hold)
    (self.length, self.gain, self.isFirst) = (length, gain, isFirst)
  }

  /// In its first 5 ms, a click crosses zero as often as its lowest partial alone.
  private static func click(_ level: Level, _ gain: Double) -> ClickRecipe {
    let partials =
      switch level {
      case .strong:
        [
          Partial(frequency: 2_300, amplitude: 1, decay: 0.004_5),
          Partial(frequency: 6_348, amplitude: 0.4, decay: 0.002_5),
        ]
      case .medium:
        // The pitch is the geometric mean of strong and weak.
        [
          Partial(frequency: 1_605, amplitude: 1, decay: 0.005_5),
          Partial(frequency: 4_430, amplitude: 0.45, decay: 0.005),
          Partial(frequency: 8_667, amplitude: 0.1, decay: 0.001),
        ]
      case .weak, .ghost, .rest:
        [
          Partial(frequency: 1_120, amplitude: 1, decay: 0.005),
          Partial(frequency: 3_091, amplitude: 0.5, decay: 0.004),
          Partial(frequency: 6_048, amplitude: 0.12, decay: 0.001_75),
        ]
      }
    return ClickRecipe(partials, attack: 0.000_6, length: 0.036, gain: gain, isFirst: true)
  }

  private static func cowbell(low: Double, high: Double) -> ClickRecipe {
    let partials = [
      Partial(frequency: low, amplitude: 1, decay: 0.008),
      Partial(frequency: high, amplitude: 0.8, decay: 0.006),
      Partial(frequency: 3 * high, amplitude: 0.7, decay: 0.005),
      Partial(frequency: 5 * high, amplitude: 0.25, decay: 0.003),
    ]
    return ClickRecipe(partials, attack: 0.000_6, length: 0.036, gain: 0, isFirst: true)
  }

  private static func wood(_ pitch: Double, _ gain: Double) -> ClickRecipe {
    ClickRecipe(
      [
        Partial(frequency: pitch, amplitude: 1, decay: 0.009),
        Partial(frequency: 2.78 * pitch, amplitude: 0.42, decay: 0.004_2),
        Partial(frequency: 1.47 * pitch, amplitude: 0.3, decay: 0.006),
        Partial(frequency: 4.9 * pitch, amplitude: 0.16, decay: 0.001_6),
      ], [Noise(low: 1_500, high: 8_000, amplitude: 0.3, decay: 0.000_8)], seed: 25, attack: 0.000_7, length: 0.06,
      gain: gain)
  }

  private static func rim(_ pitch: Double, _ gain: Double) -> ClickRecipe {
    ClickRecipe(
      [
        Partial(frequency: pitch, amplitude: 0.6, decay: 0.011),
        Partial(frequency: 3.6 * pitch, amplitude: 1, decay: 0.007),
        Partial(frequency: 2.2 * pitch, amplitude: 0.5, decay: 0.008),
        Partial(frequency: 6.3 * pitch, amplitude: 0.3, decay: 0.003),
      ], [Noise(low: 2_000, high: 11_000, amplitude: 0.8, decay: 0.001_5)], seed: 24, attack: 0.000_6, length: 0.05,
      gain: gain)
  }

  private static func hihat(_ edge: Double, _ decay: Double, _ gain: Double) -> ClickRecipe {
    ClickRecipe(
      [3_440, 5_130, 7_100, 8_840].map { Partial(frequency: $0, amplitude: 0.1, decay: 0.8 * decay) },
      [
        Noise(low: edge, high: 13_600, amplitude: 1, decay: decay),
        Noise(low: 3_000, high: 6_500, amplitude: 0.45, decay: decay / 2),
      ], seed: 12, attack: 0.000_9, length: min(0.08, 5 * decay), gain: gain)
  }

  private static func beep(_ pitch: Double, _ gain: Double) -> ClickRecipe {
    ClickRecipe(
      [
        Partial(frequency: pitch, amplitude: 1, decay: 0.009),
        Partial(frequency: 2 * pitch, amplitude: 0.35, decay: 0.007),
        Partial(frequency: 3 * pitch, amplitude: 0.12, decay: 0.005),
      ], attack: 0.001_5, hold: 0.018, length: 0.055, gain: gain)
  }

  /// The tick of an escapement, its case, and the second tick after 7.5 ms.
  private static func mechanical(_ pitch: Double, _ gain: Double) -> ClickRecipe {
    ClickRecipe(
      [
        Partial(frequency: pitch, amplitude: 1, decay: 0.006),
        Partial(frequency: 1.63 * pitch, amplitude: 0.6, decay: 0.005),
        Partial(frequency: 2.41 * pitch, amplitude: 0.35, decay: 0.003),
        Partial(frequency: 0.27 * pitch, amplitude: 0.3, decay: 0.012),
        Partial(frequency: 0.83 * pitch, amplitude: 0.5, decay: 0.006, delay: 0.007_5),
      ],
      [
        Noise(low: 2_500, high: 10_500, amplitude: 0.5, decay: 0.001_5),
        Noise(low: 2_500, high: 9_000, amplitude: 0.25, decay: 0.001_2, delay: 0.007_5),
      ], seed: 25, attack: 0.000_6, length: 0.055, gain: gain)
  }

  private static func soft(_ pitch: Double, _ gain: Double) -> ClickRecipe {
    ClickRecipe(
      [
        Partial(frequency: pitch, amplitude: 1, decay: 0.016),
        Partial(frequency: 2.02 * pitch, amplitude: 0.3, decay: 0.009),
        Partial(frequency: 3.9 * pitch, amplitude: 0.1, decay: 0.004),
      ], [Noise(low: 500, high: 2_200, amplitude: 0.12, decay: 0.002_5)], seed: 27, attack: 0.001_2, length: 0.08,
      gain: gain)
  }

  private static func dry(_ band: ClosedRange<Double>, _ gain: Double) -> ClickRecipe {
    let (low, high) = (band.lowerBound, band.upperBound)
    return ClickRecipe(
      [],
      [
        Noise(low: low, high: high, amplitude: 1, decay: 0.004),
        Noise(low: low, high: high, amplitude: 0.5, decay: 0.01),
      ], seed: 30, attack: 0.000_6, length: 0.04, gain: gain)
  }
}

// MARK: Synthesis

extension ClickRecipe {
  /// How many tones make up a noise.
  private static let tones = 64

  func samples(rate: Int) -> [Float] {
    let count = Int((length * Double(rate)).rounded())
    var wave = [Double](repeating: 0, count: count)
    for partial in partials where partial.frequency < 0.35 * Double(rate) { add(partial, to: &wave, rate) }
    var random = Randomness(state: seed)
    for noise in noises { add(noise, to: &wave, rate, &random) }
    if !noises.isEmpty { ClickRecipe.removeOffset(of: &wave) }
    let highest = isFirst ? wave.map(\.magnitude).max() ?? 1 : 1
    let gain = Float(Double.exp10(gain / 20))
    return wave.map { Float($0 / highest) * gain }
  }

  /// Adds a partial, in the phase in which its samples add up to zero.
  private func add(_ partial: Partial, to wave: inout [Double], _ rate: Int) {
    var (cosines, sines): ([Double], [Double]) = ([], [])
    for n in wave.indices {
      let time = Double(n) / Double(rate)
      let level = partial.amplitude * decay(partial.decay, partial.delay, time) * envelope(at: time, partial.delay)
      cosines.append(level * Double.cos(2 * .pi * partial.frequency * time))
      sines.append(level * Double.sin(2 * .pi * partial.frequency * time))
    }
    let (cosine, sine) = (cosines.reduce(0, +), sines.reduce(0, +))
    let scale = 1 / (cosine * cosine + sine * sine).squareRoot()
    for n in wave.indices { wave[n] += (cosines[n] * sine - sines[n] * cosine) * scale }
  }

  /// Adds noise of a mean square of 1/4 before it decays: a sum of tones, one at a random place of each of many equal parts of the
  /// band, so that nothing lies outside the band. Tones that a low rate does not have are lower by octaves.
  private func add(_ noise: Noise, to wave: inout [Double], _ rate: Int, _ random: inout Randomness) {
    var sum = [Double](repeating: 0, count: wave.count)
    for tone in 0..<ClickRecipe.tones {
      let part = (Double(tone) + random.next()) / Double(ClickRecipe.tones)
      var frequency = (noise.low + part * (noise.high - noise.low)) / Double(rate)
      while frequency >= 0.35 { frequency /= 2 }
      let phase = 2 * .pi * random.next()
      var (cosine, sine) = (Double.cos(phase), Double.sin(phase))
      let (stepCosine, stepSine) = (Double.cos(2 * .pi * frequency), Double.sin(2 * .pi * frequency))
      for n in wave.indices {
        sum[n] += sine
        (cosine, sine) = (cosine * stepCosine - sine * stepSine, sine * stepCosine + cosine * stepSine)
      }
    }
    let scale = noise.amplitude / Double(2 * ClickRecipe.tones).squareRoot()
    for n in wave.indices {
      let time = Double(n) / Double(rate)
      wave[n] += sum[n] * scale * decay(noise.decay, noise.delay, time) * envelope(at: time, noise.delay)
    }
  }

  private func decay(_ decay: Double, _ delay: Double, _ time: Double) -> Double {
    let past = time - delay - hold
    return past < 0 && hold + delay > 0 ? 1 : Double.exp(-past / decay)
  }

  /// The attack, and a raised cosine at the end.
  ///
  /// The attack is the integral of a Nuttall window, whose spectrum is 90 dB down at four divided by its length. So no part of a
  /// sound is audible above its highest frequency by more than that.
  private func envelope(at time: Double, _ delay: Double) -> Double {
    func cosine(_ part: Double) -> Double { part >= 1 ? 1 : (1 - Double.cos(.pi * part)) / 2 }
    let fade = isFirst ? 0.014 : 0.3 * length
    let part = (time - delay) / attack
    let rise = isFirst ? cosine(part) : part <= 0 ? 0 : part >= 1 ? 1 : ClickRecipe.integral(to: part)
    return rise * cosine((length - time) / fade)
  }

  /// From 0 to 1. A. H. Nuttall, "Some windows with very good sidelobe behavior", IEEE Trans. ASSP 29 (1981), table II.
  private static func integral(to part: Double) -> Double {
    let weights = [-0.489_177_5, 0.136_599_5, -0.010_641_1]
    return weights.enumerated().reduce(part) { sum, weight in
      let turns = 2 * .pi * Double(weight.offset + 1)
      return sum + weight.element / 0.363_581_9 * Double.sin(turns * part) / turns
    }
  }

  /// Subtracts a raised cosine of the length of the sound, so that the samples add up to zero.
  private static func removeOffset(of wave: inout [Double]) {
    let offset = wave.reduce(0, +) / Double(wave.count)
    for n in wave.indices { wave[n] -= offset * (1 - Double.cos(2 * .pi * Double(n) / Double(wave.count))) }
  }
}

/// SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
private struct Randomness {
  var state: UInt64

  /// From 0 to below 1.
  mutating func next() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return Double((z ^ z >> 31) >> 11) * 0x1p-53
  }
}
