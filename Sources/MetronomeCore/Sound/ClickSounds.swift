/// What a click sounds like.
public enum ClickSound: Hashable, Sendable {
  /// The metronome's own voice of the accent.
  case synthesised
  case recorded(WAVSound)
}

/// What the clicks sound like, and how loud they are.
public struct ClickSounds: Hashable, Sendable {
  public var first: ClickSound
  public var regular: ClickSound
  /// 0 to 1, as loud as it sounds; see ``ClickGain``.
  public var volume: Double
  /// Decibels on top, -60 to 20.
  public var gainDB: Double

  public init(
    first: ClickSound = .synthesised, regular: ClickSound = .synthesised, volume: Double = 0.8, gainDB: Double = 0
  ) {
    self.first = first
    self.regular = regular
    self.volume = volume
    self.gainDB = gainDB
  }

  public subscript(accent: Accent) -> ClickSound {
    switch accent {
    case .first: first
    case .regular: regular
    }
  }

  /// The samples of an accent's click at its volume, for each of one or two channels.
  ///
  /// - Parameters:
  ///   - accent: each has a sound of its own.
  ///   - rate: frames a second.
  public func samples(of accent: Accent, rate: Int) -> [[Float]] {
    let gain = Float(ClickGain.factor(volume: volume, gainDB: gainDB))
    let channels =
      switch self[accent] {
      case .synthesised: [ClickVoice(accent, rate: rate).samples]
      case .recorded(let sound): sound.channels(rate: rate)
      }
    return channels.map { $0.map { $0 * gain } }
  }
}
