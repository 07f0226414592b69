/// What is played without a score: a tempo, a signature, the note that the tempo counts, and a rhythm.
public struct Music: Hashable, Sendable {
  public var tempo: Tempo
  public var signature: Signature
  /// The note value that the tempo counts.
  public var unit: BeatUnit
  /// Its pattern applies in signatures that it fills.
  public var rhythm: Rhythm

  /// 120 BPM and 4/4 without a pattern, unless given.
  public init(
    tempo: Tempo = .initial, signature: Signature = .initial, unit: BeatUnit = .quarter, rhythm: Rhythm = Rhythm()
  ) {
    (self.tempo, self.signature, self.unit, self.rhythm) = (tempo, signature, unit, rhythm)
  }

  public init(_ tempo: Tempo, _ bar: Bar) {
    self.init(tempo: tempo, signature: bar.metre.signature, unit: bar.metre.unit, rhythm: bar.rhythm)
  }

  /// The bar that is played: without a pattern that does not fill it.
  public var bar: Bar { Bar(Metre(signature, unit: unit), rhythm) }
}

/// Some values of a music that replace others; nil keeps a value.
public struct MusicChange: Hashable, Sendable {
  public var tempo: Tempo?
  public var signature: Signature?
  public var unit: BeatUnit?
  public var rhythm: Rhythm?

  public init(
    tempo: Tempo? = nil, signature: Signature? = nil, unit: BeatUnit? = nil, rhythm: Rhythm? = nil
  ) {
    (self.tempo, self.signature, self.unit, self.rhythm) = (tempo, signature, unit, rhythm)
  }

  /// What differs between two.
  public init(from old: Music, to new: Music) {
    tempo = new.tempo == old.tempo ? nil : new.tempo
    signature = new.signature == old.signature ? nil : new.signature
    unit = new.unit == old.unit ? nil : new.unit
    rhythm = new.rhythm == old.rhythm ? nil : new.rhythm
  }

  /// All values of a music.
  public init(_ music: Music) {
    self.init(tempo: music.tempo, signature: music.signature, unit: music.unit, rhythm: music.rhythm)
  }

  public var isEmpty: Bool { self == MusicChange() }

  public func applied(to music: Music) -> Music {
    Music(
      tempo: tempo ?? music.tempo, signature: signature ?? music.signature, unit: unit ?? music.unit,
      rhythm: rhythm ?? music.rhythm)
  }
}

/// What has a tempo, a signature, a beat unit and a rhythm.
public protocol HasMusic {
  var music: Music { get set }
}

extension HasMusic {
  public var tempo: Tempo {
    get { music.tempo }
    set { music.tempo = newValue }
  }

  public var signature: Signature {
    get { music.signature }
    set { music.signature = newValue }
  }

  /// The note value that the tempo counts.
  public var unit: BeatUnit {
    get { music.unit }
    set { music.unit = newValue }
  }

  /// Its pattern applies in signatures that it fills.
  public var rhythm: Rhythm {
    get { music.rhythm }
    set { music.rhythm = newValue }
  }
}
