/// What sounds in a bar: the main voice and up to three others.
public struct Rhythm: Hashable, Sendable, BitwiseCopyable {
  /// The main voice and the others together.
  public static let maxVoices = 4
  public static let subdivisions = 1...12

  /// The main voice; nil: the metre's own levels.
  public var pattern: Voice?
  /// How many slots a sounding note of the main voice has that the pattern does not divide: 1 to 12. The new slots are ghosts. If
  /// it is 1 and nothing else divides notes, ``swing`` divides them.
  public var subdivision = 1
  /// Moves the slots of the main voice and of other patterns, but not those of polyrhythms and claves.
  public var swing: Swing?
  /// The set of its clicks; nil: the player's choice.
  public var set: Voice.Sound?
  private var second: Voice?
  private var third: Voice?
  private var fourth: Voice?

  public init(_ pattern: Voice? = nil) { self.pattern = pattern }

  /// The voices beside the main one, at most three.
  public var others: [Voice] {
    get { [second, third, fourth].compactMap(\.self) }
    set {
      precondition(newValue.count < Rhythm.maxVoices, "a rhythm has at most four voices")
      second = newValue.first
      third = newValue.dropFirst().first
      fourth = newValue.dropFirst(2).first
    }
  }

  public var voiceCount: Int { 1 + (second == nil ? 0 : 1) + (third == nil ? 0 : 1) + (fourth == nil ? 0 : 1) }

  /// Whether all hits are beats with the levels that the metre gives them.
  public func hasOnlyBeats(in metre: Metre) -> Bool {
    metre.notesInBeat == 1 && pattern == nil && slotsInNote(of: metre.signature.denominator) == 1 && voiceCount == 1
  }

  /// The slots of a note that the pattern does not divide: of swing alone, the two of a pair, or those of several pairs.
  private func slotsInNote(of denominator: Int) -> Int {
    guard subdivision == 1, let swing, !swing.isStraight, 2 * denominator <= swing.level else { return subdivision }
    if pattern?.isDivided ?? false { return 1 }
    func moves(_ voice: Voice?) -> Bool { voice.map { $0.isDivided && !$0.keepsItsGrid } ?? false }
    return moves(second) || moves(third) || moves(fourth) ? 1 : swing.level / denominator
  }

  func sound(of voice: Int) -> Voice.Sound {
    switch voice {
    case 1: second?.sound ?? .click
    case 2: third?.sound ?? .click
    case 3: fourth?.sound ?? .click
    default: .click
    }
  }

  /// A voice: 0 is the main one.
  public func voice(_ number: Int, in metre: Metre) -> Voice? {
    switch number {
    case 0: pattern ?? metre.rule
    case 1: second
    case 2: third
    case 3: fourth
    default: nil
    }
  }

  /// A sounding slot of a voice.
  public struct Slot: Hashable, Sendable {
    /// In beats, from the bar line at which the rhythm began.
    public var position: Position
    public var level: Level
    /// What is said here in a spoken count, if this is a slot of the main voice between beats.
    package var syllable: Syllable?
  }

  /// The first sounding slot of a voice at one of some levels, at or after a position in beats, or only after it with `isAfter`;
  /// nil if there is none. The position is counted from the bar line at which the rhythm began. Neither allocates nor counts
  /// references.
  public func firstSlot(
    of number: Int, at position: Position, isAfter: Bool = false, among levels: PerLevel<Bool> = .all,
    in metre: Metre
  ) -> Slot? {
    guard let voice = voice(number, in: metre) else { return nil }
    let slots = voice.slots(among: levels)
    let subdivision = number == 0 ? slotsInNote(of: metre.signature.denominator) : 1
    let hasGhosts = subdivision > 1 && levels.ghost
    guard slots != 0 || hasGhosts else { return nil }
    let swing = number > 0 && swing != nil && voice.keepsItsGrid ? nil : swing
    let (own, notesInBeat) = (voice.denominator ?? metre.signature.denominator, metre.notesInBeat)
    // Notes of the voice in a beat: notesInBeat · own / denominator.
    let (up, down) = (Int64(notesInBeat * own), Int64(metre.signature.denominator))
    // The time from the start of the cycle, in notes · unit: without a fraction, so that nothing is reduced before the end.
    let unit = position.denominator * down
    let target = (position.whole * position.denominator + position.numerator) * up
    var cycle = target.floorDivided(by: unit * Int64(voice.notes))
    // The search reaches every slot within two cycles.
    let end = cycle + 2
    let rest = target - cycle * unit * Int64(voice.notes)
    let note = rest / unit
    var place = voice.cell(atNote: Int(note))
    var from = SlotSearch(time: rest - Int64(place.note) * unit, unit: unit, isAfter: isAfter)
    while cycle < end {
      let (span, given) = voice.extent(of: place)
      let divides = number == 0 && span == 1 && given == 1 && voice.level(ofSlot: place.slot) != .rest
      let count = divides ? subdivision : given
      var wanted = slots >> UInt64(place.slot)
      if divides { wanted = wanted & 1 | (hasGhosts ? ~1 : 0) }
      if let slot = firstSlot(of: wanted, span, count, from, own, swing) {
        let notes = (cycle * Int64(voice.notes) + Int64(place.note)) * slot.denominator + slot.numerator
        let level = divides && slot.index > 0 ? .ghost : voice.level(ofSlot: place.slot + slot.index)
        // The number of the slot in the bar, and in its beat, as if nothing swings.
        let (before, isOnGrid) = (place.note * count).quotientAndRemainder(dividingBy: span)
        let (inBeat, isWhole) = (notesInBeat * count).quotientAndRemainder(dividingBy: span)
        let isSaid = number == 0 && voice.denominator == nil && isOnGrid == 0 && isWhole == 0 && inBeat > 1
        return Slot(
          position: Position(notes * down, over: slot.denominator * up), level: level,
          syllable: isSaid ? Syllable(slot: (before + slot.index) % inBeat, of: inBeat) : nil)
      }
      place = Voice.Place(note: place.note + span, slot: place.slot + given)
      if place.note == voice.notes {
        place = Voice.Place()
        cycle += 1
      }
      from = .start
    }
    return nil
  }

  /// Where in a cell the search for a slot begins.
  private struct SlotSearch {
    static var start: SlotSearch { SlotSearch(time: 0, unit: 1, isAfter: false) }

    /// In notes · `unit` from the start of the cell.
    var time: Int64
    var unit: Int64
    /// Whether a slot at the time itself is left out.
    var isAfter: Bool

    /// The first of slots that are `length` / `count` notes apart.
    func firstSlot(_ count: Int, in length: Int) -> Int {
      let (whole, rest) = (time * Int64(count)).quotientAndRemainder(dividingBy: unit * Int64(length))
      return Int(whole) + (isAfter || rest > 0 ? 1 : 0)
    }

    /// Whether a place in notes is at or after the time, or only after it.
    func admits(_ numerator: Int64, over denominator: Int64) -> Bool {
      let (place, time) = (numerator * unit, time * denominator)
      return isAfter ? place > time : place >= time
    }
  }

  /// The first slot of a cell that is one of `wanted`: its number, and its place in notes of `own` from the start of the cell.
  private func firstSlot(
    of wanted: UInt64, _ span: Int, _ count: Int, _ from: SlotSearch, _ own: Int, _ swing: Swing?
  ) -> (index: Int, numerator: Int64, denominator: Int64)? {
    let inPair = swing?.slotsInPair(span: span, count: count, denominator: own)
    var slot = from.firstSlot(count, in: span)
    // A slot that swings is later than without swing, but in the same pair.
    if let inPair { slot = max(0, slot - 1) / inPair * inPair }
    while slot < count {
      slot += (wanted >> UInt64(slot)).trailingZeroBitCount
      guard slot < count else { return nil }
      guard let swing, inPair != nil else { return (slot, Int64(slot * span), Int64(count)) }
      let moved = swing.moved(Position(Int64(slot * span), over: Int64(count)), denominator: own)
      let numerator = moved.whole * moved.denominator + moved.numerator
      if from.admits(numerator, over: moved.denominator) { return (slot, numerator, moved.denominator) }
      slot += 1
    }
    return nil
  }
}

/// A metre and a rhythm in it: what a timeline repeats.
public struct Bar: Hashable, Sendable, BitwiseCopyable {
  public let metre: Metre
  public let rhythm: Rhythm
  /// Which bars and beats are silent.
  public let filter: SilenceFilter

  /// A pattern that does not fill whole bars of the metre is replaced by the metre's own levels.
  public init(_ metre: Metre, _ rhythm: Rhythm = Rhythm(), filter: SilenceFilter = SilenceFilter()) {
    self.metre = metre
    self.filter = filter
    var rhythm = rhythm
    if let pattern = rhythm.pattern, pattern.notes % metre.signature.numerator != 0 { rhythm.pattern = nil }
    self.rhythm = rhythm
  }

  public init(_ signature: Signature) { self.init(Metre(signature)) }
}

extension Rhythm {
  /// The shortest text that ``init(text:for:)`` parses to this rhythm.
  public var text: String {
    var words: [String] = []
    if let pattern { words.append(pattern.patternText) }
    if subdivision > 1 { words.append("sub=\(subdivision)") }
    if let swing { words.append("swing=\(swing.text)") }
    if let set { words.append("set=\(set.name)") }
    for voice in others {
      words.append("& " + voice.text)
      if voice.sound != .cowbell { words.append("sound=\(voice.sound.name)") }
    }
    return words.joined(separator: " ")
  }
}

extension Swing {
  fileprivate var text: String {
    let (long, total) = (share.numerator, share.denominator)
    let suffix = level == 8 ? "" : "@\(level)"
    guard 1_000 % total != 0 else { return decimal(thousandths: Int(long * 100_000 / total)) + "%" + suffix }
    return "\(long):\(total - long)" + suffix
  }
}

extension Voice {
  /// The names of the clave patterns, over two bars of four quarters.
  static let claves: [(name: String, slots: String)] = [
    ("son32", "X..x..x. ..x.x..."), ("son23", "..x.x... X..x..x."),
    ("rumba32", "X..x...x ..x.x..."), ("rumba23", "..x.x... X..x...x"),
  ]

  /// A clave: sixteen slots over two bars of four quarters, whatever the metre; nil for an unknown name.
  static func clave(_ name: some StringProtocol) -> Voice? {
    guard let slots = claves.first(where: { $0.name == name })?.slots.compactMap(Level.init(slot:)) else { return nil }
    let cells = stride(from: 0, to: slots.count, by: 2).map { Cell(Array(slots[$0..<$0 + 2])) }
    return Voice(cells, denominator: 4, sound: .cowbell)
  }

  fileprivate var text: String {
    let cells = cells
    if denominator == 4, let clave = Voice.claves.first(where: { Voice.clave($0.name)?.cells == cells }) {
      return "clave=" + clave.name
    }
    guard let denominator else {
      return isPolyrhythm ? "\(slots):\(notes)" : patternText
    }
    // A cycle of more notes than a signature may have is several bars.
    let bars = (1...notes).first { notes % $0 == 0 && notes / $0 <= Signature.highestNumerator } ?? notes
    return "\(patternText) @\(notes / bars)/\(denominator)"
  }

  fileprivate var patternText: String {
    let cells = cells
    if cells.allSatisfy({ $0.span == 1 && $0.levels.count == 1 }) { return cells.map { $0.levels[0].mark }.joined() }
    if cells.count == 1 { return "\(cells[0].span):" + cells[0].slots }
    var runs: [(cell: Cell, count: Int)] = []
    for cell in cells {
      if runs.last?.cell == cell { runs[runs.count - 1].count += 1 } else { runs.append((cell, 1)) }
    }
    let texts = runs.map { run in
      (run.cell.span == 1 ? "" : "\(run.cell.span):") + run.cell.slots + (run.count == 1 ? "" : "*\(run.count)")
    }
    return texts.joined(separator: "|")
  }
}

extension Voice.Cell {
  fileprivate var slots: String { levels.map(\.mark).joined() }
}

extension Level {
  /// Its letter in the text of a rhythm.
  public var mark: String {
    switch self {
    case .strong: "X"
    case .medium: "Y"
    case .weak: "x"
    case .ghost: "o"
    case .rest: "."
    }
  }

  init?(slot: Character) {
    guard let level = Level.allCases.first(where: { $0.mark == String(slot) }) else { return nil }
    self = level
  }
}
