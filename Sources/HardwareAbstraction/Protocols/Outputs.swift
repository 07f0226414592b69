import MetronomeCore

/// The lines of lights and buzzer. The board holds them, initially inactive, until ``release()``. They may appear late, or
/// disappear and return: setting missing lines is not an error, and takes effect when they appear. The level of an output
/// without a line is ignored. Used by one thread at a time.
public protocol OutputLines: AnyObject {
  /// Sets every output in one call to the hardware. Throws a `HardwareError` with operation `setLines` if the chip refuses; the
  /// lines then do not change.
  func set(_ levels: OutputSet) throws(HardwareError)

  /// Makes every output inactive and releases the lines. ``set(_:)`` must not be called afterwards; `release()` may be.
  func release()
}

/// The outputs of the box, as the configuration names them.
public enum Output: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
  /// Flashes on every beat.
  case light
  /// A second light, on for odd beats and off for even beats. It looks like a swinging pendulum beside the first light.
  case pendulum
  /// Sounds on every beat.
  case buzzer
  /// The green line of an RGB light, whose red line is `light`. It is on together with the light, at the levels whose
  /// ``LightColor`` contains green.
  case green
  /// The blue line of an RGB light.
  case blue
  case audio

  /// The outputs on lines of the GPIO chip.
  @inlinable public static var lines: OutputSet {
    OutputSet(rawValue: OutputSet.all.rawValue & ~OutputSet(.audio).rawValue)
  }

  /// The lines with pulses of their own. The others belong to the light.
  // Without an array literal, whose storage the beat loop would look up.
  @inlinable public static var pulsed: OutputSet {
    OutputSet(rawValue: OutputSet(.light).rawValue | OutputSet(.pendulum).rawValue | OutputSet(.buzzer).rawValue)
  }

  /// Whether the output is audible, so that silent mode mutes it.
  public var isHeard: Bool {
    switch self {
    case .light, .pendulum, .green, .blue: false
    case .buzzer, .audio: true
    }
  }

  public static var sounding: OutputSet { OutputSet(OutputSet.all.lazy.filter(\.isHeard)) }

  /// The position in the declaration, from 0.
  @inlinable public var index: Int {
    switch self {
    case .light: 0
    case .pendulum: 1
    case .buzzer: 2
    case .green: 3
    case .blue: 4
    case .audio: 5
    }
  }

  @inlinable init?(index: Int) {
    switch index {
    case 0: self = .light
    case 1: self = .pendulum
    case 2: self = .buzzer
    case 3: self = .green
    case 4: self = .blue
    case 5: self = .audio
    default: return nil
    }
  }
}

/// A set of outputs, for example the active ones: active means lit or sounding, whether the line is then high or low. Copying
/// and iterating it does not allocate. Inlinable for the beat loop.
public struct OutputSet: Sequence, ExpressibleByArrayLiteral, Hashable, Sendable, BitwiseCopyable {
  /// One bit per output, the lowest bit for the first output.
  public var rawValue: UInt8

  @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }
  @inlinable public init(_ output: Output) { rawValue = 1 << output.index }
  @inlinable public init(_ outputs: some Sequence<Output>) { rawValue = outputs.reduce(0) { $0 | 1 << $1.index } }
  @inlinable public init(arrayLiteral outputs: Output...) { self.init(outputs) }

  @inlinable public static var all: OutputSet { OutputSet(rawValue: 1 << (Output.audio.index + 1) - 1) }
  @inlinable public static var inactive: OutputSet { OutputSet(rawValue: 0) }

  @inlinable public var isEmpty: Bool { rawValue == 0 }
  @inlinable public func contains(_ output: Output) -> Bool { rawValue & 1 << output.index != 0 }
  @inlinable public func isDisjoint(with other: OutputSet) -> Bool { rawValue & other.rawValue == 0 }

  @inlinable public func union(_ other: OutputSet) -> OutputSet { OutputSet(rawValue: rawValue | other.rawValue) }
  @inlinable public func intersection(_ other: OutputSet) -> OutputSet {
    OutputSet(rawValue: rawValue & other.rawValue)
  }
  @inlinable public func symmetricDifference(_ other: OutputSet) -> OutputSet {
    OutputSet(rawValue: rawValue ^ other.rawValue)
  }
  @inlinable public func subtracting(_ other: OutputSet) -> OutputSet {
    OutputSet(rawValue: rawValue & ~other.rawValue)
  }

  @inlinable public mutating func formUnion(_ other: OutputSet) { rawValue |= other.rawValue }
  @inlinable public mutating func insert(_ output: Output) { rawValue |= 1 << output.index }
  @inlinable public mutating func remove(_ output: Output) { rawValue &= ~(1 << output.index) }

  /// Iterates in the order of declaration.
  @inlinable public func makeIterator() -> Iterator { Iterator(rest: rawValue) }

  public struct Iterator: IteratorProtocol, BitwiseCopyable {
    @usableFromInline var rest: UInt8

    @inlinable init(rest: UInt8) { self.rest = rest }

    @inlinable public mutating func next() -> Output? {
      guard rest != 0 else { return nil }
      defer { rest &= rest - 1 }
      return Output(index: rest.trailingZeroBitCount)
    }
  }
}

/// A color of an RGB light: which of its lines are on.
public enum LightColor: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
  case red, yellow, green, cyan, blue, magenta, white

  // Without array literals, which a release build would confuse: see check_arrays in Scripts/lib/release-build.
  @inlinable public var lines: OutputSet {
    let (red, green, blue) = (OutputSet(.light), OutputSet(.green), OutputSet(.blue))
    return switch self {
    case .red: red
    case .yellow: red.union(green)
    case .green: green
    case .cyan: green.union(blue)
    case .blue: blue
    case .magenta: red.union(blue)
    case .white: red.union(green).union(blue)
    }
  }
}

/// A value for each output. Inlinable, so that the loops of other modules use it without generic code.
public struct PerOutput<Value> {
  public var light: Value
  public var pendulum: Value
  public var buzzer: Value
  public var green: Value
  public var blue: Value
  public var audio: Value

  @inlinable public init(_ make: (Output) -> Value) {
    light = make(.light)
    pendulum = make(.pendulum)
    buzzer = make(.buzzer)
    green = make(.green)
    blue = make(.blue)
    audio = make(.audio)
  }

  @inlinable public init(repeating value: Value) { self.init { _ in value } }

  @inlinable public subscript(output: Output) -> Value {
    get {
      switch output {
      case .light: light
      case .pendulum: pendulum
      case .buzzer: buzzer
      case .green: green
      case .blue: blue
      case .audio: audio
      }
    }
    set {
      switch output {
      case .light: light = newValue
      case .pendulum: pendulum = newValue
      case .buzzer: buzzer = newValue
      case .green: green = newValue
      case .blue: blue = newValue
      case .audio: audio = newValue
      }
    }
  }

  @inlinable
  public func map<Other>(_ transform: (Value) -> Other) -> PerOutput<Other> { PerOutput<Other> { transform(self[$0]) } }
}

extension PerOutput: Equatable where Value: Equatable {}
extension PerOutput: Hashable where Value: Hashable {}
extension PerOutput: Sendable where Value: Sendable {}
extension PerOutput: BitwiseCopyable where Value: BitwiseCopyable {}

/// The delay of each output until it is seen or heard, measured from the call that sets the line, or from the instant at which
/// the card reports a frame as played. Each output is sent early by its delay, so that all coincide on the beat. Only
/// differences matter: a common delay may be omitted, and a press then takes effect sooner.
public typealias OutputLatencies = PerOutput<Nanoseconds>

extension PerOutput<Nanoseconds> {
  public static var longest: Nanoseconds { .milliseconds(500) }

  /// - Precondition: each latency is from 0 to ``longest``.
  public init(
    light: Nanoseconds = .zero, pendulum: Nanoseconds = .zero, buzzer: Nanoseconds = .zero, audio: Nanoseconds = .zero
  ) {
    self.init(repeating: .zero)
    self.light = light
    self.pendulum = pendulum
    self.buzzer = buzzer
    self.audio = audio
    precondition(isAllowed, "a latency must be from 0 to half a second")
  }

  public static var none: OutputLatencies { OutputLatencies(repeating: .zero) }
  /// The largest allowed latency on every output.
  public static var most: OutputLatencies { OutputLatencies(repeating: longest) }

  /// Whether each latency is from 0 to ``longest``.
  public var isAllowed: Bool {
    OutputSet.all.allSatisfy { (Nanoseconds.zero...OutputLatencies.longest).contains(self[$0]) }
  }

  /// Adds `change` to every latency; none goes below zero.
  public func moved(by change: Nanoseconds) -> OutputLatencies { map { max(.zero, $0 + change) } }

  /// The largest latency of some outputs; 0 for the empty set.
  public func latest(of outputs: OutputSet) -> Nanoseconds {
    var latest = Nanoseconds.zero
    for output in outputs { latest = max(latest, self[output]) }
    return latest
  }
}
