import MetronomeCore

/// A reference model that computes the expected beats one by one in exact fractions, independently of `Timeline`.
///
/// The caller must report each start and each change when it is made, and must read the beats in order.
public struct Reckoning {
  /// The denominators of all note values and dotted note values divide this number.
  private static let parts: Int128 = 96
  /// A minute in nanoseconds, times 1,000 for milli-BPM, times ``parts``.
  private static let minute: Int128 = 60_000_000_000_000 * parts

  /// A change of tempo and bar.
  private enum Change {
    /// From an instant on.
    case at(Int64, Tempo, Bar)
    /// At the first bar line at or after an instant.
    case atBarLine(after: Int64, Tempo, Bar)
  }

  /// The time of the next beat, as a fraction: whole nanoseconds plus a remainder over ``divisor``.
  private var whole: Int128
  private var part: Int128 = 0
  /// The number of beats since the reference beat, from which the current tempo counts, and the time of that beat, as a fraction
  /// like the next beat's.
  private var count: Int128 = 0
  private var origin: Int128
  private var originPart: Int128 = 0
  private var tempo: Tempo
  private var metre: Bar
  private var bar: Int64
  private var position = -1
  private var changes: [Change] = []
  /// The time at which the last change took effect. A later change cannot take effect earlier.
  private var floor: Int128
  /// The number of the next beat.
  public private(set) var nextIndex: Int64 = 0

  /// Starts playing.
  ///
  /// - Parameter countIn: the number of bars before bar 0.
  public init(first: Instant, tempo: Tempo, bar metre: Bar, countIn: Int = 0) {
    whole = Int128(first.nanoseconds)
    origin = whole
    floor = whole
    self.tempo = tempo
    self.metre = metre
    // The first beat begins a bar.
    bar = -Int64(countIn)
  }

  /// Changes tempo and bar at an instant, and keeps the phase.
  public mutating func change(to tempo: Tempo, _ metre: Bar, at instant: Instant) {
    changes.append(.at(instant.nanoseconds, tempo, metre))
  }

  /// Changes tempo and bar at the first bar line at or after an instant.
  public mutating func changeAtBarLine(to tempo: Tempo, _ metre: Bar, after instant: Instant) {
    changes.append(.atBarLine(after: instant.nanoseconds, tempo, metre))
  }

  /// Returns the next beat if it is before an instant; otherwise nil.
  public mutating func next(before limit: Instant = Instant(nanoseconds: .max)) -> Beat? {
    while let change = changes.first {
      switch change {
      case .at(let instant, let tempo, let metre):
        let effect = max(floor, Int128(instant))
        guard effect <= whole, effect < Int128(limit.nanoseconds) else { return advance(before: limit) }
        apply(to: tempo, metre, at: effect)
      case .atBarLine(let earliest, let tempo, let metre):
        guard Int128(earliest) <= whole, isAtBarLine else { return advance(before: limit) }
        applyAtBarLine(to: tempo, metre)
      }
      changes.removeFirst()
    }
    return advance(before: limit)
  }

  private var beatsInBar: Int { metre.metre.beatsInBar }

  /// A beat lasts ``minute`` over this.
  private var divisor: Int128 {
    let (unit, signature) = (metre.metre.unit, metre.metre.signature)
    // The length of the unit and of a beat, in parts of a whole note.
    let counted = Int128(unit.isDotted ? 3 : 1) * Reckoning.parts / Int128(unit.denominator)
    let beat = Int128(metre.metre.notesInBeat) * Reckoning.parts / Int128(signature.denominator)
    return Int128(tempo.milliBPM) * counted * Reckoning.parts / beat
  }

  /// Whether the next beat begins a bar.
  private var isAtBarLine: Bool { position < 0 || position + 1 >= beatsInBar }

  private mutating func apply(to tempo: Tempo, _ metre: Bar, at instant: Int128) {
    let left = (whole - instant) * divisor + part
    self.tempo = tempo
    self.metre = metre
    count = 0
    floor = instant
    guard nextIndex > 0 else { return }
    whole = instant + left / divisor
    part = left % divisor
  }

  private mutating func applyAtBarLine(to tempo: Tempo, _ metre: Bar) {
    floor = whole
    // The bar has begun, so a later change at this bar line does not count it again.
    if position >= 0 { bar += 1 }
    position = -1
    // Only the gap changes.
    if tempo == self.tempo, metre == self.metre { return }
    self.tempo = tempo
    self.metre = metre
    part = 0
    count = 0
  }

  private mutating func advance(before limit: Instant) -> Beat? {
    guard Int64(whole) < limit.nanoseconds else { return nil }
    let instant = Int64(whole)
    position += 1
    if position >= beatsInBar {
      position = 0
      bar += 1
    }
    if count == 0 { (origin, originPart) = (whole, part) }
    count += 1
    let elapsed = originPart + count * Reckoning.minute
    whole = origin + elapsed / divisor
    part = elapsed % divisor
    defer { nextIndex += 1 }
    return Beat(index: nextIndex, instant: Instant(nanoseconds: instant), bar: bar, position: position, level: level)
  }

  /// The level of the current beat. A pattern must last one bar.
  private var level: Level {
    guard metre.rhythm.pattern != nil, bar >= 0 else {
      return metre.metre.level(ofNote: position * metre.metre.notesInBeat)
    }
    let place = Position(Int64(position))
    let slot = metre.rhythm.firstSlot(of: 0, at: place, in: metre.metre)
    return slot.map { $0.position == place ? $0.level : .rest } ?? .rest
  }
}
