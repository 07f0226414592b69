/// One or more songs; several are a set list.
public struct Score: Hashable, Sendable {
  public var songs: [Song]

  /// The longest name of a song and the longest label, in Unicode scalars.
  public static let longestName = 200
  /// The maximum nesting depth of blocks.
  public static let deepestNesting = 8

  public init(songs: [Song]) { self.songs = songs }
}

/// Sections, pauses and repeats, in the order in which they are played.
public struct Song: Hashable, Sendable {
  public var name: String
  /// Bars counted in before a start, in the metre and at the tempo of the section with which it begins.
  public var countIn: Int
  /// The practice speed: tempi are multiplied by it. In thousandths, within ``TempoCurve/scales``.
  public var scale: Int
  public var parts: [Part]

  public init(name: String = "", countIn: Int = 0, scale: Int = 1_000, parts: [Part] = []) {
    self.name = name
    self.countIn = countIn
    self.scale = scale
    self.parts = parts
  }

  public enum Part: Hashable, Sendable {
    case section(Section)
    case pause(Pause)
    case block(Block)

    /// The label of a section or a pause.
    public var label: String? {
      switch self {
      case .section(let section): section.label
      case .pause(let pause): pause.label
      case .block: nil
      }
    }
  }

  /// Parts that are repeated.
  public struct Block: Hashable, Sendable {
    /// nil: until the musician leaves the block.
    public var count: Int64?
    public var parts: [Part]

    public init(count: Int64?, parts: [Part]) {
      self.count = count
      self.parts = parts
    }
  }

  public struct Pause: Hashable, Sendable {
    public enum Length: Hashable, Sendable {
      case time(Nanoseconds)
      /// Beats of the section before it in the text, as if that section went on; quarters at 120 BPM if there is none.
      case beats(Int64)
      /// Until the musician goes on.
      case wait
    }

    /// The shortest pause in seconds that a text may have: the player steps through each of them.
    static let shortest = Nanoseconds.milliseconds(1)

    public var label: String?
    public var length: Length

    public init(label: String? = nil, _ length: Length) {
      self.label = label
      self.length = length
    }
  }
}

/// Bars of one metre and rhythm, at one tempo or with a change of tempo.
public struct Section: Hashable, Sendable {
  public var label: String?
  /// nil: until the musician goes on, unless ``limit`` or steps with ``TempoSteps/End/stop`` end the section.
  public var bars: Int64?
  public var bar: Bar {
    get { shared.bar }
    set { shared = SharedBar(newValue) }
  }
  public var tempo: SectionTempo
  /// A factor for the volume of the clicks, in millionths.
  public var volume: Int64 = 1_000_000
  /// Bars counted in before the section, in its metre and at its first tempo.
  public var countIn = 0
  public var filter = SilenceFilter()
  public var limit: Limit?
  /// Whether the beats speak their numbers.
  public var speaks = false

  var shared: SharedBar

  public init(label: String? = nil, bars: Int64?, _ bar: Bar, _ tempo: SectionTempo) {
    self.init(label: label, bars: bars, SharedBar(bar), tempo)
  }

  init(label: String?, bars: Int64?, _ shared: SharedBar, _ tempo: SectionTempo) {
    self.label = label
    self.bars = bars
    self.shared = shared
    self.tempo = tempo
  }

  /// Whether the section goes on until the musician ends it.
  public var isEndless: Bool {
    if case .steps(let steps) = tempo, steps.end == .stop { return false }
    return bars == nil && limit == nil
  }

  /// The maximum length of a section.
  public enum Limit: Hashable, Sendable {
    case bars(Int64)
    /// The first bar line at or after this time, to the nearest nanosecond.
    case time(Nanoseconds)
  }
}

/// A bar that sections share: a bar is large, and a score has few different ones.
final class SharedBar: Hashable, Sendable {
  let bar: Bar

  init(_ bar: Bar) { self.bar = bar }

  static func == (a: SharedBar, b: SharedBar) -> Bool { a === b || a.bar == b.bar }
  func hash(into hasher: inout Hasher) { hasher.combine(bar) }
}

/// Which bars and beats of a section are silent: a gap, and beats that are dropped at random.
public struct SilenceFilter: Hashable, Sendable, BitwiseCopyable {
  /// How many bars or beats sound, and how many are then silent; both 0 without a gap.
  public var sounding: Int32 = 0
  public var silent: Int32 = 0
  public var countsBeats = false
  /// The share of the beats that are dropped, in per cent.
  public var dropPercent: Int32 = 0
  /// The number of bars over which the share grows from zero; 0: it is constant.
  public var dropGrowth: Int32 = 0
  public var seed: UInt64 = 1

  public init() {}

  public var isEmpty: Bool { silent == 0 && dropPercent == 0 }

  /// Whether a beat is silent. `bar` and `beat` are counted from the beginning of the section, `number` from the beginning of the
  /// song. The answer depends on nothing else, so it is the same after a seek.
  public func silences(bar: Int64, beat: Int64, number: Int64) -> Bool {
    if silent > 0 {
      let cycle = Int64(sounding) + Int64(silent)
      if (countsBeats ? beat : bar) % cycle >= Int64(sounding) { return true }
    }
    guard dropPercent > 0 else { return false }
    // The share is dropPercent · min(1, bar / dropGrowth) / 100; the comparison needs no division.
    let growth = UInt64(max(dropGrowth, 1))
    let grown = dropGrowth > 0 ? UInt64(min(bar, Int64(dropGrowth))) : 1
    let share = SilenceFilter.random(seed, number).multipliedFullWidth(by: 100 * growth).high
    return share < UInt64(dropPercent) * grown
  }

  /// The i-th number of the generator SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
  static func random(_ seed: UInt64, _ index: Int64) -> UInt64 {
    var z = seed &+ (UInt64(bitPattern: index) &+ 1) &* 0x9E37_79B9_7F4A_7C15
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
