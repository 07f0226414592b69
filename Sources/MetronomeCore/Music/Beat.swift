/// One beat of a timeline: when it falls and what it is.
public struct Beat: Hashable, Sendable, BitwiseCopyable {
  /// Counted from the start of playing, the first is 0.
  public var index: Int64
  /// When it falls.
  public var instant: Instant
  /// The bar it belongs to, counted from 0. Bars that are counted in come before: of two -2 and -1.
  public var bar: Int64
  /// Its place in the bar, counted from 0.
  public var position: Int
  public var level: Level { position == 0 ? .strong : .weak }
  public var parity: Parity { Parity(ofBeat: index) }
  /// Whether it only counts in.
  public var isCountedIn: Bool { bar < 0 }

  public init(index: Int64, instant: Instant, bar: Int64, position: Int) {
    self.index = index
    self.instant = instant
    self.bar = bar
    self.position = position
  }
}

/// How much weight a beat has. Today's music has strong and weak ones.
public enum Level: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
  /// The first beat of a bar.
  case strong
  /// The first of a group within the bar.
  case medium
  /// Any other.
  case weak
  /// Hardly to be noticed.
  case ghost
  /// Counted, and neither seen nor heard.
  case rest

  /// The level whose settings this one shares while only strong and weak have settings of their own.
  public var shared: Level {
    switch self {
    case .strong, .medium: .strong
    case .weak, .ghost, .rest: .weak
    }
  }
}

extension Level {
  /// Those that have settings of their own.
  public static let configured: [Level] = [.strong, .weak]

  /// As configuration files and traces have it.
  public var word: String {
    switch shared {
    case .strong: "first"
    default: "regular"
    }
  }
}

/// A value for each level.
public struct PerLevel<Value> {
  public var strong: Value
  public var medium: Value
  public var weak: Value
  public var ghost: Value
  public var rest: Value

  /// What is made for each level.
  public init(_ make: (Level) -> Value) {
    strong = make(.strong)
    medium = make(.medium)
    weak = make(.weak)
    ghost = make(.ghost)
    rest = make(.rest)
  }

  /// The same for each level.
  public init(repeating value: Value) { self.init { _ in value } }

  /// The others share one of the two; see ``Level/shared``.
  public init(strong: Value, weak: Value) { self.init { $0.shared == .strong ? strong : weak } }

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

  /// Sets a level and those that share its settings.
  public mutating func share(_ value: Value, from level: Level) {
    for other in Level.allCases where other.shared == level { self[other] = value }
  }
}

extension PerLevel: Equatable where Value: Equatable {}
extension PerLevel: Hashable where Value: Hashable {}
extension PerLevel: Sendable where Value: Sendable {}
extension PerLevel: BitwiseCopyable where Value: BitwiseCopyable {}

/// Which way the pendulum swings: beats alternate from the start of playing, even, odd, even, odd.
public enum Parity: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
  case even
  case odd

  public init(ofBeat index: Int64) { self = index & 1 == 0 ? .even : .odd }
}
