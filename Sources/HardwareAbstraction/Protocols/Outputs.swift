import MetronomeCore

/// The lines that light and sound. Held, all inactive, from the moment the board has them until they are released.
///
/// They may come late, go and come back: what is set meanwhile is no error, and shown as soon as they are there. Used by one
/// thread at a time. Some of the outputs may have no line; what is said of them is dropped.
public protocol OutputLines: AnyObject {
  /// Sets every output at once, in one call to the hardware.
  ///
  /// - Throws: `HardwareError` with operation `setLines` when the chip refuses. The lines then stand as they stood.
  func set(_ levels: OutputSet) throws(HardwareError)

  /// Makes every output inactive and gives the lines back. After it nothing may be set; it may be called again.
  func release()
}

/// The outputs of the box, as the configuration names them.
public enum Output: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
  /// Flashes on every beat.
  case light
  /// A second light, on for odd beats and off for even ones: side by side with the first they swing.
  case pendulum
  /// Sounds on every beat.
  case buzzer
  /// Clicks on a sound card.
  case audio

  /// Those on lines of the GPIO chip.
  public static var lines: OutputSet { OutputSet(rawValue: OutputSet.all.rawValue & ~OutputSet(.audio).rawValue) }

  /// Those that are heard.
  public static var sounding: OutputSet { [.buzzer, .audio] }

  /// The place in the declaration, from 0.
  var index: UInt8 {
    switch self {
    case .light: 0
    case .pendulum: 1
    case .buzzer: 2
    case .audio: 3
    }
  }

  fileprivate init?(index: Int) {
    switch index {
    case 0: self = .light
    case 1: self = .pendulum
    case 2: self = .buzzer
    case 3: self = .audio
    default: return nil
    }
  }
}

/// Some of the outputs, as a set that is copied and iterated without allocation: those that are active, for example, which
/// means lit or sounding, whatever level the line has then.
public struct OutputSet: SetAlgebra, Sequence, Hashable, Sendable, BitwiseCopyable {
  /// A bit for each output, the first the lowest.
  public private(set) var rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public init() { rawValue = 0 }
  public init(_ output: Output) { rawValue = 1 << output.index }

  /// Every output.
  public static var all: OutputSet { OutputSet(rawValue: 1 << (Output.audio.index + 1) - 1) }
  /// All off.
  public static var inactive: OutputSet { OutputSet() }

  public func contains(_ output: Output) -> Bool { rawValue & 1 << output.index != 0 }

  public func union(_ other: OutputSet) -> OutputSet { OutputSet(rawValue: rawValue | other.rawValue) }
  public func intersection(_ other: OutputSet) -> OutputSet { OutputSet(rawValue: rawValue & other.rawValue) }
  public func symmetricDifference(_ other: OutputSet) -> OutputSet { OutputSet(rawValue: rawValue ^ other.rawValue) }
  public func subtracting(_ other: OutputSet) -> OutputSet { OutputSet(rawValue: rawValue & ~other.rawValue) }

  public mutating func formUnion(_ other: OutputSet) { rawValue |= other.rawValue }
  public mutating func formIntersection(_ other: OutputSet) { rawValue &= other.rawValue }
  public mutating func formSymmetricDifference(_ other: OutputSet) { rawValue ^= other.rawValue }
  public mutating func subtract(_ other: OutputSet) { rawValue &= ~other.rawValue }

  @discardableResult
  public mutating func insert(_ output: Output) -> (inserted: Bool, memberAfterInsert: Output) {
    let isNew = !contains(output)
    rawValue |= 1 << output.index
    return (isNew, output)
  }

  @discardableResult
  public mutating func remove(_ output: Output) -> Output? {
    guard contains(output) else { return nil }
    rawValue &= ~(1 << output.index)
    return output
  }

  @discardableResult
  public mutating func update(with output: Output) -> Output? { insert(output).inserted ? nil : output }

  /// In the order of their declaration.
  public func makeIterator() -> Iterator { Iterator(rest: rawValue) }

  public struct Iterator: IteratorProtocol, BitwiseCopyable {
    fileprivate var rest: UInt8

    public mutating func next() -> Output? {
      guard rest != 0 else { return nil }
      defer { rest &= rest - 1 }
      return Output(index: rest.trailingZeroBitCount)
    }
  }
}

/// A value for each output.
public struct PerOutput<Value> {
  public var light: Value
  public var pendulum: Value
  public var buzzer: Value
  public var audio: Value

  /// What is made for each output.
  public init(_ make: (Output) -> Value) {
    light = make(.light)
    pendulum = make(.pendulum)
    buzzer = make(.buzzer)
    audio = make(.audio)
  }

  /// The same for each output.
  public init(repeating value: Value) { self.init { _ in value } }

  public subscript(output: Output) -> Value {
    get {
      switch output {
      case .light: light
      case .pendulum: pendulum
      case .buzzer: buzzer
      case .audio: audio
      }
    }
    set {
      switch output {
      case .light: light = newValue
      case .pendulum: pendulum = newValue
      case .buzzer: buzzer = newValue
      case .audio: audio = newValue
      }
    }
  }

  public func map<Other>(_ transform: (Value) -> Other) -> PerOutput<Other> { PerOutput<Other> { transform(self[$0]) } }
}

extension PerOutput: Equatable where Value: Equatable {}
extension PerOutput: Hashable where Value: Hashable {}
extension PerOutput: Sendable where Value: Sendable {}
extension PerOutput: BitwiseCopyable where Value: BitwiseCopyable {}

/// How late each output is known to be: from the call that sets the line, or the instant at which the card says a frame
/// sounds, until it is seen or heard.
///
/// Each is sent so much earlier, and all land together on the beat. Only differences are to be seen: what is the same
/// for all may as well be left out, and makes a press wait less.
public typealias OutputLatencies = PerOutput<Nanoseconds>

extension PerOutput<Nanoseconds> {
  /// The longest that is allowed for.
  public static var longest: Nanoseconds { .milliseconds(500) }

  /// - Precondition: each from 0 to ``longest``.
  public init(
    light: Nanoseconds = .zero, pendulum: Nanoseconds = .zero, buzzer: Nanoseconds = .zero, audio: Nanoseconds = .zero
  ) {
    self.light = light
    self.pendulum = pendulum
    self.buzzer = buzzer
    self.audio = audio
    precondition(isAllowed, "a latency below nothing or above half a second")
  }

  /// All as good as at once.
  public static var none: OutputLatencies { OutputLatencies(repeating: .zero) }
  /// All as late as is allowed for.
  public static var most: OutputLatencies { OutputLatencies(repeating: longest) }

  /// Whether each is from 0 to ``longest``.
  public var isAllowed: Bool {
    OutputSet.all.allSatisfy { (Nanoseconds.zero...OutputLatencies.longest).contains(self[$0]) }
  }

  /// Each made longer by the same, but none shorter than nothing.
  public func moved(by change: Nanoseconds) -> OutputLatencies { map { max(.zero, $0 + change) } }

  /// That of the latest of some outputs; 0 of none.
  public func latest(of outputs: OutputSet) -> Nanoseconds {
    var latest = Nanoseconds.zero
    for output in outputs { latest = max(latest, self[output]) }
    return latest
  }
}
