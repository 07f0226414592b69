/// One beat of a timeline: its time and its place in the music.
public struct Beat: Hashable, Sendable, BitwiseCopyable {
  /// The beat's number since the start; the first is 0.
  public var index: Int64
  public var instant: Instant
  /// The beat's bar, counted from 0. Count-in bars are negative: two of them are -2 and -1.
  public var bar: Int64
  /// The beat's position in the bar, counted from 0.
  public var position: Int
  public var level: Level
  /// Whether a gap or a random drop silences the beat and the hits within it: see ``SilenceFilter``.
  public var isSilent = false
  /// A factor for the samples of its click, from 0 to 10: the volume of its section.
  public var gain: Float = 1
  /// The set of its section; nil: the player's choice.
  public var set: Voice.Sound?
  /// Whether its section of a score speaks the numbers of the beats.
  public var isSpoken = false
  public var parity: Parity { Parity(ofBeat: index) }
  public var isCountedIn: Bool { bar < 0 }

  /// Without a level, the first beat of the bar is strong and the others weak.
  public init(index: Int64, instant: Instant, bar: Int64, position: Int, level: Level? = nil) {
    self.index = index
    self.instant = instant
    self.bar = bar
    self.position = position
    self.level = level ?? (position == 0 ? .strong : .weak)
  }
}

/// The accent of a beat or of a slot within a beat.
public enum Level: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
  /// The first beat of a bar.
  case strong
  /// The first beat of a group within the bar.
  case medium
  /// Any other beat.
  case weak
  /// Barely noticeable.
  case ghost
  /// Counted, but neither shown nor played.
  case rest

  // Swift 6.0 compares the names, which counts references. The loops must not.
  public static func == (a: Level, b: Level) -> Bool { a.loudness == b.loudness }
  public static func != (a: Level, b: Level) -> Bool { a.loudness != b.loudness }

  /// Every level but a rest, the loudest first.
  public static let sounding: [Level] = [.strong, .medium, .weak, .ghost]

  /// The level's name in configuration files and traces.
  public var word: String {
    switch self {
    case .strong: "first"
    case .weak: "regular"
    case .medium, .ghost, .rest: rawValue
    }
  }
}

/// One value per level.
public struct PerLevel<Value> {
  public var strong: Value
  public var medium: Value
  public var weak: Value
  public var ghost: Value
  public var rest: Value

  public init(_ make: (Level) -> Value) {
    strong = make(.strong)
    medium = make(.medium)
    weak = make(.weak)
    ghost = make(.ghost)
    rest = make(.rest)
  }

  public init(repeating value: Value) { self.init { _ in value } }

  /// Medium gets the value of strong, ghost and rest that of weak.
  public init(strong: Value, weak: Value) { self.init { $0.loudness >= Level.medium.loudness ? strong : weak } }

  public subscript(level: Level) -> Value {
    get {
      switch level {
      case .strong: strong
      case .medium: medium
      case .weak: weak
      case .ghost: ghost
      case .rest: rest
      }
    }
    set {
      switch level {
      case .strong: strong = newValue
      case .medium: medium = newValue
      case .weak: weak = newValue
      case .ghost: ghost = newValue
      case .rest: rest = newValue
      }
    }
  }
}

extension PerLevel: Equatable where Value: Equatable {}
extension PerLevel: Hashable where Value: Hashable {}
extension PerLevel: Sendable where Value: Sendable {}
extension PerLevel: BitwiseCopyable where Value: BitwiseCopyable {}

extension PerLevel<Bool> {
  /// Every level.
  public static var all: PerLevel { PerLevel(repeating: true) }
}

/// The side to which the pendulum swings; even and odd beats alternate from the start.
public enum Parity: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
  case even
  case odd

  public init(ofBeat index: Int64) { self = index & 1 == 0 ? .even : .odd }
}
