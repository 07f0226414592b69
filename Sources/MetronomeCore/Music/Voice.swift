/// An exact number of beats or notes: a whole number and a fraction in lowest terms, from 0 to below 1.
public struct Position: Hashable, Comparable, Sendable, BitwiseCopyable, CustomStringConvertible {
  public let whole: Int64
  public let numerator: Int64
  public let denominator: Int64

  public static var zero: Position { Position(whole: 0) }

  /// The fraction `numerator / denominator`, which may be negative.
  ///
  /// - Precondition: the denominator is positive.
  public init(_ numerator: Int64, over denominator: Int64 = 1) {
    precondition(denominator > 0, "the denominator of a position must be positive")
    let (quotient, remainder) = numerator.quotientAndRemainder(dividingBy: denominator)
    whole = remainder < 0 ? quotient - 1 : quotient
    let rest = remainder < 0 ? remainder + denominator : remainder
    let divisor = greatestCommonDivisor(rest, denominator)
    self.numerator = rest / divisor
    self.denominator = denominator / divisor
  }

  public static func < (a: Position, b: Position) -> Bool {
    a.whole != b.whole ? a.whole < b.whole : a.numerator * b.denominator < b.numerator * a.denominator
  }

  public static func + (a: Position, b: Position) -> Position {
    if b.numerator == 0 { return Position(whole: a.whole + b.whole, a) }
    let sum = Position(a.numerator * b.denominator + b.numerator * a.denominator, over: a.denominator * b.denominator)
    return Position(whole: a.whole + b.whole + sum.whole, sum)
  }

  public static func - (a: Position, b: Position) -> Position {
    if b.numerator == 0 { return Position(whole: a.whole - b.whole, a) }
    let rest = Position(a.numerator * b.denominator - b.numerator * a.denominator, over: a.denominator * b.denominator)
    return Position(whole: a.whole - b.whole + rest.whole, rest)
  }

  /// This position times a positive fraction.
  func scaled(by numerator: Int64, over denominator: Int64) -> Position {
    Position((whole * self.denominator + self.numerator) * numerator, over: self.denominator * denominator)
  }

  /// A whole number, without a division.
  init(whole: Int64) { (self.whole, numerator, denominator) = (whole, 0, 1) }

  private init(whole: Int64, _ fraction: Position) {
    self.whole = whole
    numerator = fraction.numerator
    denominator = fraction.denominator
  }

  /// The fraction as in a trace: `0`, `1/3`.
  public var fraction: String { numerator == 0 ? "0" : "\(numerator)/\(denominator)" }

  /// `12`, or `12 1/3`.
  public var description: String { numerator == 0 ? "\(whole)" : "\(whole) \(fraction)" }
}

/// One cycle of a voice: cells that divide a number of notes into slots of equal length, each with a level.
///
/// The notes are those of the signature's denominator, unless the voice has its own ``denominator``. A cycle has at most
/// ``maxNotes`` notes and ``maxSlots`` slots. All cells are packed into six words, so that a timeline can contain voices.
public struct Voice: Hashable, Sendable, BitwiseCopyable {
  public static let maxNotes = 64
  public static let maxSlots = 64

  /// A part of a cycle: `span` notes, divided into as many equal slots as there are levels.
  public struct Cell: Hashable, Sendable {
    public var span: Int
    public var levels: [Level]

    public init(_ levels: [Level], over span: Int = 1) {
      self.span = span
      self.levels = levels
    }
  }

  /// A built-in sound. For a voice, ``click`` is the chosen set.
  public enum Sound: UInt8, Hashable, Sendable, CaseIterable, BitwiseCopyable {
    case click, cowbell
    case wood, rim, hihat, beep, mechanical, soft, dry

    /// The sounds that can be chosen for all clicks: each has four levels that can be told apart.
    public static let sets = allCases.filter { $0 != .cowbell }

    public var name: String { "\(self)" }

    public init?(name: some StringProtocol) {
      guard let sound = Sound.allCases.first(where: { $0.name == name }) else { return nil }
      self = sound
    }

    /// One of ``sets``; nil for any other name.
    public init?(set name: some StringProtocol) {
      self.init(name: name)
      if self == .cowbell { return nil }
    }

    package static var setNames: String { sets.map(\.name).joined(separator: ", ") }

    /// The set after this one; wraps.
    public var next: Sound {
      Sound.sets[((Sound.sets.firstIndex(of: self) ?? -1) + 1) % Sound.sets.count]
    }
  }

  /// The notes in a cycle, 1 to ``maxNotes``.
  public var notes: Int { Int(noteCount) }
  /// The note that the cells count, if it is not the note of the signature's denominator: 1, 2, 4, 8, 16 or 32.
  public var denominator: Int? { value == 0 ? nil : Int(value) }
  public var sound: Sound
  /// The slots in a cycle, 1 to ``maxSlots``.
  var slots: Int { Int(slotCount) }
  // Narrow, so that a timeline can contain several rhythms.
  private let noteCount: UInt8
  private let slotCount: UInt8
  /// The denominator; 0 for the signature's.
  private let value: UInt8
  /// One bit for each note at which a cell begins, and one for each slot that begins a cell. The n-th bits are the n-th cell's.
  private let cellNotes: UInt64
  private let cellSlots: UInt64
  /// The levels of the slots in binary, lowest bits first: 0 rest, 1 ghost, 2 weak, 3 medium, 4 strong.
  private let bits: (UInt64, UInt64, UInt64)

  /// nil if there are no cells, a cell has no span or no slots, or the cells have more notes or slots than fit.
  public init?(_ cells: [Cell], denominator: Int? = nil, sound: Sound = .click) {
    var (notes, slots) = (0, 0)
    var (cellNotes, cellSlots): (UInt64, UInt64) = (0, 0)
    var bits: (UInt64, UInt64, UInt64) = (0, 0, 0)
    for cell in cells {
      guard cell.span > 0, !cell.levels.isEmpty, cell.span <= Voice.maxNotes - notes,
        cell.levels.count <= Voice.maxSlots - slots
      else { return nil }
      cellNotes |= 1 << UInt64(notes)
      cellSlots |= 1 << UInt64(slots)
      for level in cell.levels {
        let code = UInt64(level.loudness)
        bits.0 |= (code & 1) << UInt64(slots)
        bits.1 |= (code >> 1 & 1) << UInt64(slots)
        bits.2 |= (code >> 2) << UInt64(slots)
        slots += 1
      }
      notes += cell.span
    }
    guard notes > 0 else { return nil }
    noteCount = UInt8(notes)
    slotCount = UInt8(slots)
    value = UInt8(denominator ?? 0)
    self.sound = sound
    self.cellNotes = cellNotes
    self.cellSlots = cellSlots
    self.bits = bits
  }

  /// A bar with one slot for each note: the first is strong, those in `medium` are medium, those in `ghost` ghosts, the others
  /// weak. No note is in both; bits beyond the notes do not count.
  init(notes: Int, medium: UInt64, ghost: UInt64) {
    let all: UInt64 = (1 << UInt64(notes)) - 1
    noteCount = UInt8(notes)
    slotCount = UInt8(notes)
    value = 0
    sound = .click
    cellNotes = all
    cellSlots = all
    bits = (medium | ghost & all, all & ~1 & ~ghost, 1)
  }

  /// A polyrhythm: `hits` of equal distance over `notes` notes. nil beyond ``maxSlots`` or ``maxNotes``.
  public init?(_ hits: Int, over notes: Int, sound: Sound = .cowbell) {
    guard hits > 0 else { return nil }
    self.init([Cell([.strong] + Array(repeating: .weak, count: hits - 1), over: notes)], sound: sound)
  }

  /// Whether a cell has more than one slot.
  var isDivided: Bool { slots > cellNotes.nonzeroBitCount }

  /// Whether swing does not move its slots: those of a polyrhythm are equal by definition, and a clave has its own places.
  var keepsItsGrid: Bool { isPolyrhythm || isClave }

  /// Whether it is one cell of the signature's notes, with a strong slot and weak ones.
  var isPolyrhythm: Bool {
    let all = UInt64.max >> UInt64(64 - slots)
    return value == 0 && cellNotes == 1 && bits == (0, all & ~1, 1)
  }

  /// Whether it has the slots of one of ``claves``, the lowest bit first.
  private var isClave: Bool {
    guard value == 4, cellNotes == 0xFF, cellSlots == 0x5555, slots == 16, bits.0 == 0 else { return false }
    return switch bits.1 | bits.2 {
    case 0x1449, 0x1489: bits.2 == 1
    case 0x4914, 0x8914: bits.2 == 0x100
    default: false
    }
  }

  public var cells: [Cell] {
    var cells: [Cell] = []
    var place = Place()
    while place.note < notes {
      let (span, count) = extent(of: place)
      cells.append(Cell((0..<count).map { level(ofSlot: place.slot + $0) }, over: span))
      place = Place(note: place.note + span, slot: place.slot + count)
    }
    return cells
  }

  func level(ofSlot slot: Int) -> Level {
    let mask: UInt64 = 1 << UInt64(slot)
    let low = bits.0 & mask == 0 ? 0 : 1
    let middle = bits.1 & mask == 0 ? 0 : 2
    return Level(loudness: low + middle + (bits.2 & mask == 0 ? 0 : 4))
  }

  /// One bit for each slot that has one of these levels and is not a rest.
  func slots(among levels: PerLevel<Bool>) -> UInt64 {
    var slots: UInt64 = 0
    if levels.strong { slots |= bits.2 }
    if levels.medium { slots |= bits.0 & bits.1 }
    if levels.weak { slots |= bits.1 & ~bits.0 }
    if levels.ghost { slots |= bits.0 & ~bits.1 }
    return slots
  }

  /// Where a cell begins.
  struct Place: BitwiseCopyable {
    var note = 0
    var slot = 0
  }

  /// The notes and slots of the cell at a place.
  func extent(of place: Place) -> (span: Int, count: Int) {
    let nextNote = min(notes, Voice.nextBit(of: cellNotes, after: place.note))
    let nextSlot = min(slots, Voice.nextBit(of: cellSlots, after: place.slot))
    return (nextNote - place.note, nextSlot - place.slot)
  }

  /// The place of the cell that contains a note of the cycle.
  func cell(atNote note: Int) -> Place {
    let before = cellNotes & (UInt64.max >> UInt64(63 - note))
    // The n-th cell begins at the n-th set bit of both words.
    var rest = cellSlots
    for _ in 1..<max(1, before.nonzeroBitCount) { rest &= rest - 1 }
    return Place(note: 63 - before.leadingZeroBitCount, slot: rest.trailingZeroBitCount)
  }

  private static func nextBit(of word: UInt64, after index: Int) -> Int {
    index >= 63 ? 64 : (word >> UInt64(index + 1)).trailingZeroBitCount + index + 1
  }

  public static func == (a: Voice, b: Voice) -> Bool {
    a.notes == b.notes && a.slots == b.slots && a.denominator == b.denominator && a.sound == b.sound
      && a.cellNotes == b.cellNotes && a.cellSlots == b.cellSlots && a.bits == b.bits
  }

  public func hash(into hasher: inout Hasher) {
    for word in [cellNotes, cellSlots, bits.0, bits.1, bits.2] { hasher.combine(word) }
    hasher.combine(notes)
    hasher.combine(denominator)
    hasher.combine(sound)
  }
}

/// Some of the voices of a rhythm.
public struct VoiceSet: OptionSet, Hashable, Sendable, BitwiseCopyable {
  public let rawValue: UInt8

  public static let all = VoiceSet(rawValue: 1 << UInt8(Rhythm.maxVoices) - 1)

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// One voice: 0 is the main one.
  public init(_ voice: Int) { self.init(rawValue: 1 << UInt8(voice)) }
}

/// A shift of every second note: of a pair of equal notes the first lasts longer.
public struct Swing: Hashable, Sendable, BitwiseCopyable {
  /// The first note's share of the pair, in lowest terms: from 1/2, which is straight, to 3/4.
  public let share: Position
  /// The notes of a pair: eighths (8) or sixteenths (16).
  public let level: Int

  public static let levels = [8, 16]

  /// Whether it moves nothing.
  var isStraight: Bool { share.denominator == 2 }

  /// nil if the share is outside 1/2 to 3/4, or the level is another.
  public init?(_ long: Int, of total: Int, level: Int = 8) {
    guard (1...1_000).contains(total), 2 * long >= total, 4 * long <= 3 * total, Swing.levels.contains(level) else {
      return nil
    }
    share = Position(Int64(long), over: Int64(total))
    self.level = level
  }

  /// The slots of a pair in a cell that divides `span` notes of a denominator into `count` slots; nil if its slots do not move.
  ///
  /// Only slots that divide the pair into two, four or eight equal parts move; triplets stay straight.
  func slotsInPair(span: Int, count: Int, denominator: Int) -> Int? {
    // A pair lasts 2/level of a whole note, and at most a note of the denominator.
    guard 2 * denominator <= level else { return nil }
    let (parts, rest) = (2 * denominator * count).quotientAndRemainder(dividingBy: level * span)
    return rest == 0 && (parts == 2 || parts == 4 || parts == 8) ? parts : nil
  }

  /// The place of a slot that moves and would fall at `position` without swing, both in notes of a denominator from the start of
  /// the cell. In each half of the pair the slots keep equal distances. The slot stays in its pair.
  func moved(_ position: Position, denominator: Int) -> Position {
    let pairs = position.scaled(by: Int64(level), over: Int64(2 * denominator))
    let half = pairs.scaled(by: 2, over: 1).whole - 2 * pairs.whole
    let start = Position(pairs.whole)
    let (numerator, total) = (share.numerator, share.denominator)
    let place: Position
    if half == 0 {
      place = start + (pairs - start).scaled(by: 2 * numerator, over: total)
    } else {
      let beyond = (pairs - start) - Position(1, over: 2)
      place = start + share + beyond.scaled(by: 2 * (total - numerator), over: total)
    }
    return place.scaled(by: Int64(2 * denominator), over: Int64(level))
  }
}

extension Level {
  /// 0 for a rest to 4 for strong.
  public var loudness: Int {
    switch self {
    case .strong: 4
    case .medium: 3
    case .weak: 2
    case .ghost: 1
    case .rest: 0
    }
  }

  init(loudness: Int) {
    switch loudness {
    case 4: self = .strong
    case 3: self = .medium
    case 2: self = .weak
    case 1: self = .ghost
    default: self = .rest
    }
  }
}
