import RealModule

/// Which sounds go to which channels of a sound card, each with a gain. A channel without a route is silent, to the bit.
public struct ClickRoutes: Hashable, Sendable {
  /// Channels are counted from 1, as on cards and in mixers, up to this one.
  public static let highestChannel = 32

  /// What has a gain of its own on each route. A click of the count-in is only that, whatever its level.
  public enum Source: Int, Hashable, Sendable, CaseIterable, BitwiseCopyable {
    /// The clicks of the main voice.
    case strong, medium, weak, ghost
    /// The clicks of the rhythm's other voices.
    case voice1, voice2, voice3
    /// The spoken numbers.
    case words
    /// The clicks and words of the bars before a start.
    case countIn

    /// The source of a click. `voice` is 0 for the main voice.
    public init(_ level: Level, ofVoice voice: Int = 0, isCountedIn: Bool = false) {
      switch (isCountedIn, voice, level) {
      case (true, _, _): self = .countIn
      case (_, 1, _): self = .voice1
      case (_, 2, _): self = .voice2
      case (_, 3..., _): self = .voice3
      case (_, _, .strong): self = .strong
      case (_, _, .medium): self = .medium
      case (_, _, .ghost): self = .ghost
      case (_, _, .weak), (_, _, .rest): self = .weak
      }
    }

    /// All clicks, also of other voices.
    public static let clicks: [Source] = [.strong, .medium, .weak, .ghost, .voice1, .voice2, .voice3]
  }

  /// One channel, or a pair with left and right.
  public struct Route: Hashable, Sendable {
    public var left: Int
    /// nil: one channel, to which left and right of a stereo sound go at half their amplitude each.
    public var right: Int?
    /// The gain of each source in decibels, -60 to 20; a source that is missing is silent here.
    public var decibels: [Source: Double]

    public init(_ left: Int, _ right: Int? = nil, decibels: [Source: Double]? = nil) {
      (self.left, self.right) = (left, right)
      self.decibels = decibels ?? Dictionary(uniqueKeysWithValues: Source.allCases.map { ($0, 0) })
    }

    public var channels: [Int] { [left] + [right].compactMap(\.self) }

    /// The factor of each source; exactly 1 at 0 dB, and 0 for a source that is silent.
    package var factors: SIMD16<Float> {
      var factors = SIMD16<Float>(repeating: 0)
      for (source, decibels) in decibels {
        factors[source.rawValue] = decibels == 0 ? 1 : Float(Double.exp10(decibels / 20))
      }
      return factors
    }
  }

  /// In the order of the configuration. No channel has two routes.
  public let routes: [Route]

  /// - Precondition: each channel is within 1 to ``highestChannel``, and has one route.
  public init(_ routes: [Route]) {
    let channels = routes.flatMap(\.channels)
    precondition(Set(channels).count == channels.count, "a channel has two routes")
    precondition(channels.allSatisfy((1...ClickRoutes.highestChannel).contains), "there is no such channel")
    self.routes = routes
  }

  /// Everything on the first two channels, and nothing on others.
  public static let standard = ClickRoutes([Route(1, 2)])

  /// The number of channels that the card needs.
  public var channelCount: Int { routes.flatMap(\.channels).max() ?? 1 }
}
