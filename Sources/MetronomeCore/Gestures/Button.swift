/// The buttons of the box, by what they are for. A box has those that it wants.
public enum Button: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
  case play
  case slower
  case faster
  case numerator
  case denominator
  case tap
  case presetNext = "preset_next"
  case presetPrevious = "preset_previous"
  case preset1 = "preset_1"
  case preset2 = "preset_2"
  case preset3 = "preset_3"
  case preset4 = "preset_4"
}

extension Button {
  /// Its place among all of them: what a table that is looked into for every edge goes by.
  package var index: Int {
    switch self {
    case .play: 0
    case .slower: 1
    case .faster: 2
    case .numerator: 3
    case .denominator: 4
    case .tap: 5
    case .presetNext: 6
    case .presetPrevious: 7
    case .preset1: 8
    case .preset2: 9
    case .preset3: 10
    case .preset4: 11
    }
  }
}

/// A change of a button's contact as the line saw it, bounces and all.
public struct ButtonEdge: Hashable, Sendable, BitwiseCopyable {
  public enum Direction: Hashable, Sendable, BitwiseCopyable {
    /// The contact closed: somebody pushes the button.
    case down
    /// The contact opened.
    case up
  }

  public var button: Button
  public var direction: Direction
  /// When it happened, not when it was read.
  public var instant: Instant
  public var origin: Origin

  public init(_ button: Button, _ direction: Direction, at instant: Instant, from origin: Origin = .box) {
    self.button = button
    self.direction = direction
    self.instant = instant
    self.origin = origin
  }
}

/// One press of a button. No two are equal, not even of one instant.
public struct Press: Hashable, Sendable, BitwiseCopyable {
  public let button: Button
  /// When the button went down.
  public let instant: Instant
  /// Counts the presses of all buttons.
  public let number: UInt64

  package init(_ button: Button, at instant: Instant, number: UInt64) {
    self.button = button
    self.instant = instant
    self.number = number
  }
}

/// Two different buttons, in no order.
public struct ButtonPair: Hashable, Sendable, BitwiseCopyable {
  /// The one that stands earlier in `Button.allCases`.
  public let first: Button
  public let second: Button

  /// nil for a button with itself.
  public init?(_ one: Button, _ other: Button) {
    guard one != other else { return nil }
    first = one.index < other.index ? one : other
    second = one.index < other.index ? other : one
  }
}

/// What can be turned, by what it is for.
public enum Dial: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
  case tempo
  case numerator
  case denominator
  case preset
}

/// A dial was turned by some detents.
public struct DialTurn: Hashable, Sendable, BitwiseCopyable {
  public var dial: Dial
  /// Clockwise above 0, the other way below.
  public var detents: Int
  /// When it happened, not when it was read.
  public var instant: Instant
  public var origin: Origin

  public init(_ dial: Dial, by detents: Int, at instant: Instant, from origin: Origin) {
    self.dial = dial
    self.detents = detents
    self.instant = instant
    self.origin = origin
  }
}

/// Where a button or a dial is: on the box itself, or on one of the devices beside it, a pedal or a keyboard.
///
/// A button may be there several times, on the box and on a pedal: each has a contact of its own.
public struct Origin: Hashable, Sendable, BitwiseCopyable {
  /// 0 for the box, from 1 on the devices in the order in which they were configured.
  public let number: Int

  /// The box's own.
  public static let box = Origin(number: 0)

  public init(number: Int) { self.number = number }
}

/// What can be done with buttons, each by itself and two together. When it is what: see ``GestureMachine``.
public enum Gesture: Hashable, Sendable, BitwiseCopyable {
  case short(Button)
  case long(Button)
  /// Again and again while it is held.
  case repeated(Button)
  case chord(ButtonPair)
}

/// Which gestures there are with a button, without what they mean.
struct GestureShape: Hashable, Sendable, BitwiseCopyable {
  enum Short: Hashable, Sendable, BitwiseCopyable {
    case nothing
    case atEdge
    case onRelease
  }

  enum Hold: Hashable, Sendable, BitwiseCopyable {
    case nothing
    case long
    case repeats
  }

  var button: Button
  var short: Short
  var hold: Hold
  /// The buttons that have a chord with it: a bit for each, by its index.
  var partners: UInt16

  /// Whether what a short press does at its edge may be taken back.
  var isProvisional: Bool { short == .atEdge && (hold == .long || partners != 0) }
}
