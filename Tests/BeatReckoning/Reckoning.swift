import MetronomeCore

/// What must be played, worked out beat by beat in plain fractions. It never looks at a timeline.
///
/// Whoever has it tells it of starts and changes when they are announced, and asks for the beats one after the other.
public struct Reckoning {
  /// Nanoseconds × thousandths × quarters in a minute.
  private static let minute: Int128 = 240_000_000_000_000

  /// What is to be played from some instant on.
  private enum Change {
    case at(Int64, Tempo, Signature)
    /// At the first bar line at an instant or after it.
    case atBarLine(after: Int64, Tempo, Signature)
  }

  /// Where the next beat falls, as a fraction: whole nanoseconds and some more over ``divisor``.
  private var whole: Int128
  private var part: Int128 = 0
  /// Beats since the one that this stretch is counted from, which lies on a whole nanosecond once it was played.
  private var count: Int128 = 0
  private var origin: Int128
  private var tempo: Tempo
  private var signature: Signature
  private var bar: Int64
  private var position = -1
  private var changes: [Change] = []
  /// When the last change took effect: none that was ordered later does so earlier.
  private var floor: Int128
  /// The number of the beat that comes next.
  public private(set) var nextIndex: Int64 = 0

  /// Playing begins.
  ///
  /// - Parameter countIn: bars before bar 0.
  public init(first: Instant, tempo: Tempo, signature: Signature, countIn: Int = 0) {
    whole = Int128(first.nanoseconds)
    origin = whole
    floor = whole
    self.tempo = tempo
    self.signature = signature
    // The first beat begins a bar.
    bar = -Int64(countIn)
  }

  /// Another tempo or signature from an instant on, with the phase kept.
  public mutating func change(to tempo: Tempo, _ signature: Signature, at instant: Instant) {
    changes.append(.at(instant.nanoseconds, tempo, signature))
  }

  /// Another tempo or signature from the bar line on that falls at an instant or after it.
  public mutating func changeAtBarLine(to tempo: Tempo, _ signature: Signature, after instant: Instant) {
    changes.append(.atBarLine(after: instant.nanoseconds, tempo, signature))
  }

  /// The beat that comes next, if that falls before an instant.
  public mutating func next(before limit: Instant = Instant(nanoseconds: .max)) -> Beat? {
    while let change = changes.first {
      switch change {
      case .at(let instant, let tempo, let signature):
        let effect = max(floor, Int128(instant))
        guard effect <= whole, effect < Int128(limit.nanoseconds) else { return play(before: limit) }
        turn(to: tempo, signature, at: effect)
      case .atBarLine(let earliest, let tempo, let signature):
        guard Int128(earliest) <= whole, isAtBarLine else { return play(before: limit) }
        turnAtBarLine(to: tempo, signature)
      }
      changes.removeFirst()
    }
    return play(before: limit)
  }

  private var divisor: Int128 { Int128(tempo.milliBPM) * Int128(signature.denominator) }

  /// Whether the next beat begins a bar.
  private var isAtBarLine: Bool { position < 0 || position + 1 >= signature.numerator }

  private mutating func turn(to tempo: Tempo, _ signature: Signature, at instant: Int128) {
    let left = (whole - instant) * divisor + part
    self.tempo = tempo
    self.signature = signature
    count = 0
    floor = instant
    guard nextIndex > 0 else { return }
    whole = instant + left / divisor
    part = left % divisor
  }

  private mutating func turnAtBarLine(to tempo: Tempo, _ signature: Signature) {
    self.tempo = tempo
    self.signature = signature
    if position >= 0 { bar += 1 }
    position = -1
    part = 0
    count = 0
    floor = whole
  }

  private mutating func play(before limit: Instant) -> Beat? {
    guard Int64(whole) < limit.nanoseconds else { return nil }
    let instant = Int64(whole)
    position += 1
    if position >= signature.numerator {
      position = 0
      bar += 1
    }
    if count == 0 { origin = whole }
    count += 1
    whole = origin + count * Reckoning.minute / divisor
    part = count * Reckoning.minute % divisor
    defer { nextIndex += 1 }
    return Beat(index: nextIndex, instant: Instant(nanoseconds: instant), bar: bar, position: position)
  }
}
