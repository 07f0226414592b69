import MetronomeCore

/// The lines of lights and buzzer. The board holds them, initially inactive, until ``release()``. They may appear late, or
/// disappear and return: setting missing lines is not an error, and takes effect when they appear. The level of a line
/// that is not wired is ignored. Used by one thread at a time.
public protocol OutputLines: AnyObject {
  /// Sets every line in one call to the hardware. Throws a `HardwareError` with operation `setLines` if the chip refuses; the
  /// lines then do not change.
  func set(_ levels: LineSet) throws(HardwareError)

  /// Makes every output inactive and releases the lines. ``set(_:)`` must not be called afterwards; `release()` may be.
  func release()
}

/// An output of the box: the place of one on lines, from 0 to 15, or a sound card. ``BoxNames`` has the names.
public struct Output: Hashable, Sendable, BitwiseCopyable, CustomStringConvertible {
  /// How many outputs on lines a box can have.
  @inlinable public static var room: Int { 16 }

  /// Below ``room`` the place of an output on lines.
  @usableFromInline let place: UInt8

  /// An output on lines, or for ``room`` the sound card, and then the second one.
  @inlinable public init(index: Int) {
    precondition((0...Output.room + 1).contains(index), "there is room for sixteen outputs")
    place = UInt8(index)
  }

  @inlinable init(place: UInt8) { self.place = place }

  /// The place, from 0; the sound cards are the last.
  @inlinable public var index: Int { Int(place) }

  /// Flashes on every beat.
  @inlinable public static var light: Output { Output(place: 0) }
  /// A second light, on for odd beats and off for even beats. It looks like a swinging pendulum beside the first light.
  @inlinable public static var pendulum: Output { Output(place: 1) }
  /// Sounds on every beat.
  @inlinable public static var buzzer: Output { Output(place: 2) }
  @inlinable public static var audio: Output { Output(place: 16) }
  /// A second sound card, with a clock of its own.
  @inlinable public static var secondAudio: Output { Output(place: 17) }

  @inlinable public static func == (a: Output, b: Output) -> Bool { a.place == b.place }

  /// The standard name.
  public var description: String { BoxNames.standard[self] }
}

/// A set of outputs. Copying and iterating it does not allocate. Inlinable for the beat loop.
public struct OutputSet: Sequence, ExpressibleByArrayLiteral, Hashable, Sendable, BitwiseCopyable {
  /// One bit per output, the lowest bit for the first output.
  public var rawValue: UInt32

  @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }
  @inlinable public init(_ output: Output) { rawValue = 1 << output.place }
  @inlinable public init(_ outputs: some Sequence<Output>) { rawValue = outputs.reduce(0) { $0 | 1 << $1.place } }
  @inlinable public init(arrayLiteral outputs: Output...) { self.init(outputs) }

  @inlinable public static var all: OutputSet { OutputSet(rawValue: 0x3_FFFF) }
  @inlinable public static var none: OutputSet { OutputSet(rawValue: 0) }
  /// The places for outputs on lines.
  @inlinable public static var onLines: OutputSet { OutputSet(rawValue: 0xFFFF) }
  /// Light, pendulum and buzzer.
  // Without an array literal, whose storage the beat loop would look up.
  @inlinable public static var standard: OutputSet { OutputSet(rawValue: 0b111) }
  /// Those of the standard outputs, and the sound cards, that silent mode mutes.
  @inlinable public static var standardHeard: OutputSet { OutputSet(rawValue: 0x3_0004) }

  @inlinable public var isEmpty: Bool { rawValue == 0 }
  @inlinable public func contains(_ output: Output) -> Bool { rawValue & 1 << output.place != 0 }
  @inlinable public func union(_ other: OutputSet) -> OutputSet { OutputSet(rawValue: rawValue | other.rawValue) }
  @inlinable public func intersection(_ other: OutputSet) -> OutputSet {
    OutputSet(rawValue: rawValue & other.rawValue)
  }
  @inlinable public func subtracting(_ other: OutputSet) -> OutputSet {
    OutputSet(rawValue: rawValue & ~other.rawValue)
  }
  @inlinable public mutating func insert(_ output: Output) { rawValue |= 1 << output.place }
  @inlinable public mutating func remove(_ output: Output) { rawValue &= ~(1 << output.place) }

  /// Iterates in the order of the places.
  @inlinable public func makeIterator() -> Iterator { Iterator(rest: rawValue) }

  public struct Iterator: IteratorProtocol, BitwiseCopyable {
    @usableFromInline var rest: UInt32

    @inlinable init(rest: UInt32) { self.rest = rest }

    @inlinable public mutating func next() -> Output? {
      guard rest != 0 else { return nil }
      defer { rest &= rest - 1 }
      return Output(place: UInt8(truncatingIfNeeded: rest.trailingZeroBitCount))
    }
  }
}

/// A line of an output. Most outputs have one; an RGB light has up to three.
public struct OutputLine: Hashable, Sendable, BitwiseCopyable, CustomStringConvertible {
  public enum Part: UInt8, Hashable, Sendable, CaseIterable, BitwiseCopyable {
    /// The only line of an output, or the red one of an RGB light.
    case main
    case green, blue
  }

  /// The bit in a ``LineSet``: the main lines of all outputs come first.
  @usableFromInline let bit: UInt8

  /// - Precondition: the output is on lines.
  @inlinable public init(_ output: Output, _ part: Part = .main) {
    precondition(output.index < Output.room, "the sound card has no line")
    bit = output.place + 16 * part.rawValue
  }

  @inlinable init(bit: UInt8) { self.bit = bit }

  @inlinable public var output: Output { Output(place: bit & 15) }
  public var part: Part { Part(rawValue: bit / 16) ?? .main }

  /// The standard name.
  public var description: String { BoxNames.standard[self] }

  @inlinable public static var light: OutputLine { OutputLine(bit: 0) }
  @inlinable public static var pendulum: OutputLine { OutputLine(bit: 1) }
  @inlinable public static var buzzer: OutputLine { OutputLine(bit: 2) }
  /// The green line of the light, whose red line is ``light``.
  @inlinable public static var green: OutputLine { OutputLine(bit: 16) }
  /// The blue line of the light.
  @inlinable public static var blue: OutputLine { OutputLine(bit: 32) }
}

/// A set of lines, for example the active ones: active means lit or sounding, whether the line is then high or low. Copying
/// and iterating it does not allocate. Inlinable for the beat loop.
public struct LineSet: Sequence, ExpressibleByArrayLiteral, Hashable, Sendable, BitwiseCopyable {
  /// One bit per line: those of the outputs' main lines, then those of the green, then those of the blue ones.
  public var rawValue: UInt64

  @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }
  @inlinable public init(_ line: OutputLine) { rawValue = 1 << line.bit }
  @inlinable public init(_ lines: some Sequence<OutputLine>) { rawValue = lines.reduce(0) { $0 | 1 << $1.bit } }
  @inlinable public init(arrayLiteral lines: OutputLine...) { self.init(lines) }
  /// The main lines of outputs.
  @inlinable public init(of outputs: OutputSet) { rawValue = UInt64(outputs.intersection(.onLines).rawValue) }

  @inlinable public static var all: LineSet { LineSet(rawValue: 0xFFFF_FFFF_FFFF) }
  @inlinable public static var inactive: LineSet { LineSet(rawValue: 0) }

  @inlinable public var isEmpty: Bool { rawValue == 0 }
  @inlinable public func contains(_ line: OutputLine) -> Bool { rawValue & 1 << line.bit != 0 }
  @inlinable public func isDisjoint(with other: LineSet) -> Bool { rawValue & other.rawValue == 0 }

  @inlinable public func union(_ other: LineSet) -> LineSet { LineSet(rawValue: rawValue | other.rawValue) }
  @inlinable public func intersection(_ other: LineSet) -> LineSet { LineSet(rawValue: rawValue & other.rawValue) }
  @inlinable public func symmetricDifference(_ other: LineSet) -> LineSet {
    LineSet(rawValue: rawValue ^ other.rawValue)
  }
  @inlinable public func subtracting(_ other: LineSet) -> LineSet { LineSet(rawValue: rawValue & ~other.rawValue) }

  @inlinable public mutating func formUnion(_ other: LineSet) { rawValue |= other.rawValue }
  @inlinable public mutating func insert(_ line: OutputLine) { rawValue |= 1 << line.bit }
  @inlinable public mutating func remove(_ line: OutputLine) { rawValue &= ~(1 << line.bit) }

  /// Iterates in the order of the bits.
  @inlinable public func makeIterator() -> Iterator { Iterator(rest: rawValue) }

  public struct Iterator: IteratorProtocol, BitwiseCopyable {
    @usableFromInline var rest: UInt64

    @inlinable init(rest: UInt64) { self.rest = rest }

    @inlinable public mutating func next() -> OutputLine? {
      guard rest != 0 else { return nil }
      defer { rest &= rest - 1 }
      return OutputLine(bit: UInt8(truncatingIfNeeded: rest.trailingZeroBitCount))
    }
  }
}

/// A color of an RGB light: which of its lines are on.
public enum LightColor: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
  case red, yellow, green, cyan, blue, magenta, white

  // Without array literals, which a release build would confuse: see check_arrays in Scripts/lib/release-build.
  @inlinable public var parts: LineParts {
    switch self {
    case .red: LineParts(rawValue: 0b001)
    case .yellow: LineParts(rawValue: 0b011)
    case .green: LineParts(rawValue: 0b010)
    case .cyan: LineParts(rawValue: 0b110)
    case .blue: LineParts(rawValue: 0b100)
    case .magenta: LineParts(rawValue: 0b101)
    case .white: LineParts(rawValue: 0b111)
    }
  }
}

/// Some lines of an output, one bit for each ``OutputLine/Part``.
public struct LineParts: Hashable, Sendable, BitwiseCopyable {
  public var rawValue: UInt8

  @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

  @inlinable public static var none: LineParts { LineParts(rawValue: 0) }
  @inlinable public static var main: LineParts { LineParts(rawValue: 1) }

  @inlinable public func union(_ other: LineParts) -> LineParts { LineParts(rawValue: rawValue | other.rawValue) }

  /// - Precondition: the output is on lines, unless there are no parts.
  @inlinable public func lines(of output: Output) -> LineSet {
    let bits = UInt64(rawValue)
    return LineSet(rawValue: (bits & 1 | bits << 15 & 1 << 16 | bits << 30 & 1 << 32) &<< UInt64(output.place))
  }
}

/// A value for each output, stored inline: sixteen on lines, and two sound cards. Inlinable, so that the loops of other modules
/// use it without generic code.
public struct OutputArray<Value: BitwiseCopyable>: BitwiseCopyable {
  @usableFromInline
  var values:
    (
      Value, Value, Value, Value, Value, Value, Value, Value, Value, Value, Value, Value, Value, Value, Value, Value,
      Value, Value
    )

  @inlinable public init(repeating value: Value) {
    values = (
      value, value, value, value, value, value, value, value, value, value, value, value, value, value, value, value,
      value, value
    )
  }

  @inlinable public init(_ make: (Output) -> Value) {
    self.init(repeating: make(.light))
    for index in 1...Output.room + 1 { self[Output(index: index)] = make(Output(index: index)) }
  }

  @inlinable public subscript(output: Output) -> Value {
    get {
      withUnsafeBytes(of: values) {
        $0.load(fromByteOffset: output.index * MemoryLayout<Value>.stride, as: Value.self)
      }
    }
    set {
      withUnsafeMutableBytes(of: &values) {
        $0.storeBytes(of: newValue, toByteOffset: output.index * MemoryLayout<Value>.stride, as: Value.self)
      }
    }
  }

  @inlinable public var light: Value {
    get { self[.light] }
    set { self[.light] = newValue }
  }
  @inlinable public var pendulum: Value {
    get { self[.pendulum] }
    set { self[.pendulum] = newValue }
  }
  @inlinable public var buzzer: Value {
    get { self[.buzzer] }
    set { self[.buzzer] = newValue }
  }
  @inlinable public var audio: Value {
    get { self[.audio] }
    set { self[.audio] = newValue }
  }
  @inlinable public var secondAudio: Value {
    get { self[.secondAudio] }
    set { self[.secondAudio] = newValue }
  }

  @inlinable
  public func map<Other>(_ transform: (Value) -> Other) -> OutputArray<Other> {
    OutputArray<Other> { transform(self[$0]) }
  }
}

extension OutputArray: Equatable where Value: Equatable {
  public static func == (a: OutputArray, b: OutputArray) -> Bool { OutputSet.all.allSatisfy { a[$0] == b[$0] } }
}
extension OutputArray: Hashable where Value: Hashable {
  public func hash(into hasher: inout Hasher) { for output in OutputSet.all { hasher.combine(self[output]) } }
}
extension OutputArray: Sendable where Value: Sendable {}

/// The delay of each output until it is seen or heard, measured from the call that sets the line, or from the instant at which
/// the card reports a frame as played. Each output is sent early by its delay, so that all coincide on the beat. Only
/// differences matter: a common delay may be omitted, and a press then takes effect sooner.
public typealias OutputLatencies = OutputArray<Nanoseconds>

extension OutputArray<Nanoseconds> {
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
