/// The speed of quarter notes: 1 to 999 beats per minute, in whole thousandths.
///
/// The tempo counts quarter notes in every signature. A beat, however, is one note of the signature's denominator.
public struct Tempo: Hashable, Comparable, Sendable, BitwiseCopyable, CustomStringConvertible {
  /// Thousandths of a beat per minute, always within ``range``.
  public let milliBPM: Int32

  public static let range: ClosedRange<Int32> = 1_000...999_000

  /// 120 BPM, the tempo of a new metronome.
  public static let initial = Tempo(clampingMilliBPM: 120_000)

  /// nil outside ``range``.
  public init?(milliBPM: Int) {
    guard let thousandths = Int32(exactly: milliBPM), Tempo.range.contains(thousandths) else { return nil }
    self.milliBPM = thousandths
  }

  public init(clampingMilliBPM milliBPM: Int) {
    self.milliBPM = Int32(min(max(milliBPM, Int(Tempo.range.lowerBound)), Int(Tempo.range.upperBound)))
  }

  /// nil outside 1 to 999.
  public init?(bpm: Int) {
    guard (1...999).contains(bpm) else { return nil }
    self.init(milliBPM: bpm * 1_000)
  }

  /// Parses a decimal with at most three decimal places, such as `92.5` or `120`; nil for anything else.
  public init?(decimal text: some StringProtocol) {
    guard let thousandths = thousandths(ofDecimal: text) else { return nil }
    self.init(milliBPM: thousandths)
  }

  /// This tempo plus `step` thousandths, limited to ``range``.
  public func stepped(byMilliBPM step: Int) -> Tempo {
    let (sum, overflows) = Int(milliBPM).addingReportingOverflow(step)
    return Tempo(clampingMilliBPM: overflows ? .max : sum)
  }

  /// The number without unit and trailing zeros: `120`, `92.5`, `33.333`.
  public var number: String { decimal(thousandths: Int(milliBPM)) }

  /// The text on a display: `120 BPM`, `92.5 BPM`.
  public var description: String { number + " BPM" }

  public static func < (a: Tempo, b: Tempo) -> Bool { a.milliBPM < b.milliBPM }
}

/// A time signature: the notes in a bar, the groups that they form, and the note value.
public struct Signature: Hashable, Sendable, BitwiseCopyable, CustomStringConvertible {
  private let notes: UInt8
  private let value: UInt8
  /// The notes at which a group begins, one bit each; the first is always set.
  let heads: UInt32

  public static let highestNumerator = 32

  /// 4/4, the signature of a new metronome.
  public static let initial = Signature(unchecked: 4, over: 4)

  /// Notes in a bar, 1 to ``highestNumerator``.
  public var numerator: Int { Int(notes) }
  /// The note value: 1, 2, 4, 8, 16 or 32. Such a note lasts one beat, unless the tempo counts a dotted note.
  public var denominator: Int { Int(value) }

  /// One group. nil if the limit does not allow it.
  public init?(_ numerator: Int, over denominator: Int, limit: NumeratorLimit) {
    guard limit.denominators.contains(denominator), (1...limit.highestNumerator(over: denominator)).contains(numerator)
    else { return nil }
    self.init(unchecked: numerator, over: denominator)
  }

  /// nil unless there is a group, every group has a note, and the limit allows their sum.
  public init?(groups: [Int], over denominator: Int, limit: NumeratorLimit) {
    guard groups.count <= Signature.highestNumerator,
      groups.allSatisfy({ (1...Signature.highestNumerator).contains($0) }),
      let whole = Signature(groups.reduce(0, +), over: denominator, limit: limit)
    else { return nil }
    var (heads, next): (UInt32, Int) = (0, 0)
    for group in groups {
      heads |= 1 << UInt32(next)
      next += group
    }
    self.init(unchecked: whole.numerator, over: denominator, heads: heads)
  }

  private init(unchecked numerator: Int, over denominator: Int, heads: UInt32 = 1) {
    notes = UInt8(numerator)
    value = UInt8(denominator)
    self.heads = heads
  }

  /// Whether there is more than one group.
  public var hasGroups: Bool { heads != 1 }

  /// The lengths of the groups, in notes.
  public var groups: [Int] {
    var groups: [Int] = []
    for note in 0..<numerator {
      if heads >> UInt32(note) & 1 == 1 { groups.append(1) } else { groups[groups.count - 1] += 1 }
    }
    return groups
  }

  /// One group with another number of notes, clamped to the range that the limit allows.
  public func with(numerator: Int, limit: NumeratorLimit) -> Signature {
    Signature(unchecked: min(max(numerator, 1), limit.highestNumerator(over: denominator)), over: denominator)
  }

  /// This signature with another denominator, which may reduce the numerator. Unchanged if the limit forbids the denominator.
  public func with(denominator: Int, limit: NumeratorLimit) -> Signature {
    guard limit.denominators.contains(denominator) else { return self }
    return regrouped(min(numerator, limit.highestNumerator(over: denominator)), over: denominator)
  }

  /// One more beat per bar; wraps to 1.
  public func nextNumerator(limit: NumeratorLimit) -> Signature {
    let next = numerator + 1
    return with(numerator: next > limit.highestNumerator(over: denominator) ? 1 : next, limit: limit)
  }

  /// One beat fewer per bar; wraps to the highest number.
  public func previousNumerator(limit: NumeratorLimit) -> Signature {
    with(numerator: numerator > 1 ? numerator - 1 : limit.highestNumerator(over: denominator), limit: limit)
  }

  /// The next denominator; wraps. It may reduce the numerator.
  public func nextDenominator(limit: NumeratorLimit) -> Signature {
    with(denominator: limit.denominators.first { $0 > denominator } ?? limit.denominators[0], limit: limit)
  }

  /// The previous denominator; wraps. It may reduce the numerator.
  public func previousDenominator(limit: NumeratorLimit) -> Signature {
    let all = limit.denominators
    return with(denominator: all.last { $0 < denominator } ?? all[all.count - 1], limit: limit)
  }

  /// The nearest signature that the limit allows: the next allowed denominator, and at most the beats allowed over it.
  public func limited(by limit: NumeratorLimit) -> Signature {
    let allowed = limit.denominators.first { $0 >= denominator } ?? denominator
    return regrouped(min(numerator, limit.highestNumerator(over: allowed)), over: allowed)
  }

  /// The groups are kept if they still fill the bar.
  private func regrouped(_ numerator: Int, over denominator: Int) -> Signature {
    Signature(unchecked: numerator, over: denominator, heads: numerator == self.numerator ? heads : 1)
  }

  /// The text on a display: `4/4`, or with groups `2+2+3/8`.
  public var description: String {
    (heads == 1 ? "\(numerator)" : groups.map(String.init).joined(separator: "+")) + "/\(denominator)"
  }

  /// Parses a signature such as `7/8` or `2+2+3/8`, without a limit on the numerator; nil for anything else.
  public init?(text: some StringProtocol) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let denominator = Int(digits: parts[1]) else { return nil }
    let words = parts[0].split(separator: "+", omittingEmptySubsequences: false)
    let groups = words.compactMap { Int(digits: $0) }
    guard groups.count == words.count else { return nil }
    self.init(groups: groups, over: denominator, limit: .none)
  }
}

/// How large the numerator of a signature may be.
public enum NumeratorLimit: String, Hashable, Sendable, CaseIterable {
  /// At most the denominator: 4/4, 7/8, 12/16. This is Raytronome's rule.
  case denominator
  /// Up to 32 over any denominator, including 1 and 2: 5/4, 12/8, 3/2. The default.
  case none

  /// The available denominators, in the order in which a button steps through them.
  public var denominators: [Int] { self == .denominator ? [4, 8, 16, 32] : [1, 2, 4, 8, 16, 32] }

  public func highestNumerator(over denominator: Int) -> Int {
    self == .denominator ? denominator : Signature.highestNumerator
  }
}

/// The bar: its signature and what the tempo counts.
public struct Metre: Hashable, Sendable, BitwiseCopyable {
  public let signature: Signature
  /// The note value that the tempo counts.
  public let unit: BeatUnit

  public init(_ signature: Signature, unit: BeatUnit = .quarter) {
    self.signature = signature
    self.unit = unit
  }

  /// The notes in a beat: more than one if the tempo counts dotted notes that make up the bar, as in 6/8 with dotted quarters.
  public var notesInBeat: Int {
    guard unit.isDotted else { return 1 }
    let (notes, rest) = (3 * signature.denominator).quotientAndRemainder(dividingBy: unit.denominator)
    return rest == 0 && notes > 1 && signature.numerator % notes == 0 ? notes : 1
  }

  public var beatsInBar: Int { signature.numerator / notesInBeat }

  /// The level of a note of the bar without a pattern: the first is strong, the first of each group medium, the others weak.
  /// If a beat has several notes, those between the beats are ghosts; and with only one group, each beat is a group.
  public func level(ofNote note: Int) -> Level {
    if note == 0 { return .strong }
    if mediumNotes >> UInt64(note) & 1 == 1 { return .medium }
    return ghostNotes >> UInt64(note) & 1 == 1 ? .ghost : .weak
  }

  /// The main voice without a pattern: one bar.
  var rule: Voice { Voice(notes: signature.numerator, medium: mediumNotes, ghost: ghostNotes) }

  /// A bit for each note between the beats that does not begin a group.
  private var ghostNotes: UInt64 { notesInBeat == 1 ? 0 : ~beatNotes & ~UInt64(signature.heads) }

  /// A bit for each note of the bar at which a beat begins.
  private var beatNotes: UInt64 {
    let notesInBeat = notesInBeat
    var beats: UInt64 = 0
    var note = 0
    while note < signature.numerator {
      beats |= 1 << UInt64(note)
      note += notesInBeat
    }
    return beats
  }

  /// A bit for each medium note.
  private var mediumNotes: UInt64 {
    signature.hasGroups || notesInBeat == 1 ? UInt64(signature.heads & ~1) : beatNotes & ~1
  }
}

/// What the tempo counts: a note value or a dotted note value.
public struct BeatUnit: Hashable, Sendable, BitwiseCopyable, CustomStringConvertible {
  public let isDotted: Bool
  private let value: UInt8
  /// The denominator of the undotted value 1/n, or of the dotted value 3/n: 1, 2, 4, 8, 16 or 32.
  public var denominator: Int { Int(value) }

  public static let quarter = BeatUnit(isDotted: false, denominator: 4)

  private init(isDotted: Bool, denominator: Int) {
    self.isDotted = isDotted
    value = UInt8(denominator)
  }

  /// nil unless the numerator is 1 or 3 and the denominator 1, 2, 4, 8, 16 or 32. A dotted whole note is 3/2.
  public init?(_ numerator: Int, over denominator: Int) {
    guard numerator == 1 || numerator == 3 && denominator > 1, NumeratorLimit.none.denominators.contains(denominator)
    else {
      return nil
    }
    self.init(isDotted: numerator == 3, denominator: denominator)
  }

  /// Parses `1/4`, `3/8`, or the symbol of a quarter or an eighth, dotted or not, such as `♩.`; nil for anything else.
  public init?(text: some StringProtocol) {
    if let unit = BeatUnit.notes.first(where: { $0.note == text })?.unit {
      self = unit
      return
    }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let numerator = Int(digits: parts[0]), let denominator = Int(digits: parts[1])
    else { return nil }
    self.init(numerator, over: denominator)
  }

  /// The notes with a character that most fonts have.
  private static let notes: [(note: String, unit: BeatUnit)] = [
    ("\u{2669}", .quarter), ("\u{2669}.", BeatUnit(isDotted: true, denominator: 8)),
    ("\u{266A}", BeatUnit(isDotted: false, denominator: 8)), ("\u{266A}.", BeatUnit(isDotted: true, denominator: 16)),
  ]

  /// Its symbol, such as `♩.`; nil for halves and other notes that few fonts have.
  package var note: String? { BeatUnit.notes.first { $0.unit == self }?.note }

  public var description: String { "\(isDotted ? 3 : 1)/\(denominator)" }
}
