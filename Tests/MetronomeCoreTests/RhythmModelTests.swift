import MetronomeCore
import TestSupport
import Testing

/// A rhythm as lists of plain fractions, and its text.
struct RandomRhythm {
  struct Plan {
    var metre: Metre
    var text: String
    /// Per voice: the length of the cycle, and the sounding slots of one cycle, in notes of the signature's denominator.
    var voices: [(length: Fraction, hits: [(at: Fraction, level: Character)])]
  }

  /// A plain fraction, never reduced.
  struct Fraction {
    var over: Int
    var under: Int

    static func + (a: Fraction, b: Fraction) -> Fraction {
      Fraction(over: a.over * b.under + b.over * a.under, under: a.under * b.under)
    }
    static func * (a: Fraction, b: Fraction) -> Fraction { Fraction(over: a.over * b.over, under: a.under * b.under) }
  }

  private var random: Lehmer

  init(seed: UInt64) { random = Lehmer(seed: seed) }

  mutating func next() -> Plan {
    let denominator = [2, 4, 8, 16][random.below(4)]
    let numerator = 1 + random.below(12)
    let metre = Metre(Signature(text: "\(numerator)/\(denominator)")!)
    var (text, voices) = ("", [(length: Fraction, hits: [(at: Fraction, level: Character)])]())
    let sub = 1 + random.below(8)
    // Eighths swing in halves and quarters, sixteenths also in eighths.
    let level = denominator <= 4 && random.below(2) == 0 ? 8 : 16
    let swings = 2 * denominator <= level && random.below(3) > 0
    let long = 50 + random.below(26)
    let swing = swings ? Fraction(over: long, under: 100) : nil
    var cells = bars(of: numerator)
    if random.below(3) == 0 {
      cells = (0..<numerator).map { (1, [$0 == 0 ? "X" : "x"]) }
    } else {
      text = written(cells)
    }
    if sub > 1 { text += " sub=\(sub)" }
    if swings { text += " swing=\(long)%@\(level)" }
    var isDivided = sub > 1 || long == 50 || cells.contains { $0.slots.count > 1 }
    for _ in 0..<random.below(4) {
      let (cells, own, isEven) = addVoice(to: &text, numerator, denominator)
      if !isEven, cells.contains(where: { $0.slots.count > 1 }) { isDivided = true }
      voices.append(
        listed(
          cells, Fraction(over: denominator, under: own), own * 2 <= level && !isEven ? swing : nil,
          pair: Fraction(over: 2 * own, under: level)))
    }
    // Swing alone divides the notes into those that swing.
    let parts = swings && !isDivided ? level / denominator : sub
    let divided = cells.map { cell in
      cell.span == 1 && cell.slots.count == 1 && cell.slots[0] != "."
        ? (1, cell.slots + Array(repeating: "o", count: parts - 1)) : cell
    }
    voices.insert(
      listed(divided, Fraction(over: 1, under: 1), swing, pair: Fraction(over: 2 * denominator, under: level)), at: 0)
    return Plan(metre: metre, text: text, voices: voices)
  }

  private typealias Cell = (span: Int, slots: [Character])

  /// The cells of another voice, the notes that they count, and whether its hits are equal and do not swing.
  private mutating func addVoice(
    to text: inout String, _ numerator: Int, _ denominator: Int
  ) -> (cells: [Cell], own: Int, isEven: Bool) {
    switch random.below(3) {
    case 0:
      let (hits, notes) = (1 + random.below(13), 1 + random.below(13))
      text += " & \(hits):\(notes)"
      return ([(notes, ["X"] + Array(repeating: "x", count: hits - 1))], denominator, true)
    case 1:
      let own = [4, 8, 16][random.below(3)]
      let beats = 1 + random.below(9)
      let cells = bars(of: beats)
      text += " & \(written(cells)) @\(beats)/\(own)"
      return (cells, own, false)
    default:
      let cells = bars(of: numerator)
      text += " & \(written(cells))"
      // 2:Xxx is the polyrhythm 3:2.
      let isEven = cells.count == 1 && cells[0].slots[0] == "X" && cells[0].slots.dropFirst().allSatisfy { $0 == "x" }
      return (cells, denominator, isEven)
    }
  }

  /// Cells for one bar.
  private mutating func bars(of notes: Int) -> [Cell] {
    var (cells, rest): ([Cell], Int) = ([], notes)
    while rest > 0 {
      let span = random.below(3) == 0 ? 1 + random.below(rest) : 1
      let count = 1 + random.below(4)
      cells.append((span, (0..<count).map { _ in Array("XYxo.")[random.below(5)] }))
      rest -= span
    }
    return cells
  }

  private func written(_ cells: [Cell]) -> String {
    cells.map { "\($0.span):" + String($0.slots) }.joined(separator: "|")
  }

  private func listed(
    _ cells: [Cell], _ scale: Fraction, _ swing: Fraction?, pair: Fraction
  ) -> (length: Fraction, hits: [(at: Fraction, level: Character)]) {
    var (start, hits) = (0, [(at: Fraction, level: Character)]())
    for cell in cells {
      for (slot, level) in cell.slots.enumerated() where level != "." {
        var at = Fraction(over: slot * cell.span, under: cell.slots.count)
        // The slot's length goes 2, 4 or 8 times into the pair, and the pair into a note.
        let isEven = [2, 4, 8].contains { $0 * cell.span * pair.under == pair.over * cell.slots.count }
        if let swing, isEven, pair.over <= pair.under { at = swung(at, swing, pair) }
        hits.append(((Fraction(over: start, under: 1) + at) * scale, level))
      }
      start += cell.span
    }
    return (Fraction(over: start, under: 1) * scale, hits)
  }

  /// The halves of each pair are stretched and compressed.
  private func swung(_ at: Fraction, _ share: Fraction, _ pair: Fraction) -> Fraction {
    let pairs = at.over * pair.under / (at.under * pair.over)
    let start = Fraction(over: pairs * pair.over, under: pair.under)
    let rest = at + Fraction(over: -start.over, under: start.under)
    let isFirst = 2 * rest.over * pair.under < rest.under * pair.over
    if isFirst { return start + rest * share * Fraction(over: 2, under: 1) }
    let second = Fraction(over: 2 * (share.under - share.over), under: share.under)
    let beyond = rest + Fraction(over: -pair.over, under: 2 * pair.under)
    return start + pair * share + beyond * second
  }
}

/// ``Rhythm`` agrees with a model in plain fractions.
@Suite struct RhythmModelTests {
  @Test(arguments: Seeds.few(10, of: 100)) func everySlotFallsAtItsFraction(seed: UInt64) throws {
    var random = RandomRhythm(seed: seed &+ 1_000_000)
    for _ in 0..<100 { try compare(random.next()) }
  }

  private func compare(_ plan: RandomRhythm.Plan) throws {
    let rhythm = try Rhythm(stored: plan.text, for: plan.metre)
    #expect(rhythm.voiceCount == plan.voices.count)
    for (number, voice) in plan.voices.enumerated() {
      var next = rhythm.firstSlot(of: number, at: .zero, in: plan.metre)
      #expect((next == nil) == voice.hits.isEmpty, "\(plan.text)")
      guard next != nil else { continue }
      for cycle in 0..<3 {
        for hit in voice.hits {
          let expected = RandomRhythm.Fraction(over: cycle, under: 1) * voice.length + hit.at
          guard let slot = next else { return }
          let found = slot.position
          let (over, under) = (found.whole * found.denominator + found.numerator, found.denominator)
          #expect(Int(over) * expected.under == expected.over * Int(under), "\(plan.text), voice \(number)")
          #expect("XYxo."[slot.level] == hit.level, "\(plan.text), voice \(number)")
          next = rhythm.firstSlot(of: number, at: found, isAfter: true, in: plan.metre)
        }
      }
    }
  }
}

extension String {
  fileprivate subscript(level: Level) -> Character {
    switch level {
    case .strong: "X"
    case .medium: "Y"
    case .weak: "x"
    case .ghost: "o"
    case .rest: "."
    }
  }
}
