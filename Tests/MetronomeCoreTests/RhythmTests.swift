import MetronomeCore
import Testing

/// Exact instants of rhythms, in nanoseconds from the start.
@Suite struct RhythmTests {
  /// The instants of all hits of a rhythm before `end`, with the numbers of their voices.
  private func hits(
    _ text: String, _ metre: Metre, bpm: String, before end: Nanoseconds
  ) throws -> [(instant: Int64, voice: Int, level: Level)] {
    let rhythm = try Rhythm(text: text, for: metre)
    let timeline = Timeline(session: 1, firstBeat: .zero, tempo: Tempo(decimal: bpm)!, signature: metre.signature)
    var hits: [(instant: Int64, voice: Int, level: Level)] = []
    for voice in 0..<rhythm.voiceCount {
      var next = rhythm.firstSlot(of: voice, at: .zero, in: metre)
      while let slot = next, let instant = timeline.instant(of: slot.position), instant < .zero + end {
        hits.append((instant.nanoseconds, voice, slot.level))
        next = rhythm.firstSlot(of: voice, at: slot.position, isAfter: true, in: metre)
      }
    }
    return hits.sorted { ($0.instant, $0.voice) < ($1.instant, $1.voice) }
  }

  private func instants(_ text: String, _ metre: Metre, bpm: String, before end: Nanoseconds) throws -> [Int64] {
    let all = try hits(text, metre, bpm: bpm, before: end).map(\.instant)
    return all.enumerated().filter { $0.offset == 0 || all[$0.offset - 1] != $0.element }.map(\.element)
  }

  private let four = Metre(.initial)
  private let three = Metre(Signature(text: "3/4")!)

  @Test func septupletsDoNotDriftInAnHour() throws {
    let first = try instants("sub=7", four, bpm: "130", before: .milliseconds(462))
    #expect(
      first == [
        0, 65_934_065, 131_868_131, 197_802_197, 263_736_263, 329_670_329, 395_604_395, 461_538_461,
      ])
    let hour = try hits("sub=7", four, bpm: "130", before: .seconds(3_600))
    #expect(hour.count == 7_800 * 7)
    #expect(hour[7_799 * 7].instant == 3_599_538_461_538)
    let after = try instants("sub=7", four, bpm: "130", before: .seconds(3_600) + Nanoseconds(1))
    #expect(after.last == 3_600_000_000_000)
  }

  @Test(arguments: [
    ("sub=2 swing=2:1", "100", [0, 400_000_000, 600_000_000, 1_000_000_000]),
    ("sub=2 swing=62%", "100", [0, 372_000_000, 600_000_000, 972_000_000]),
    ("sub=2 swing=4:3", "100", [0, 342_857_142, 600_000_000, 942_857_142]),
    ("sub=2 swing=50%", "100", [0, 300_000_000, 600_000_000, 900_000_000]),
    ("sub=2 swing=75%", "100", [0, 450_000_000, 600_000_000, 1_050_000_000]),
    ("xxx|xx|xxx|xx swing=2:1", "60", [0, 333_333_333, 666_666_666, 1_000_000_000, 1_666_666_666]),
    ("sub=4 swing=62%@16", "90", [0, 206_666_666, 333_333_333, 540_000_000, 666_666_666]),
    ("sub=4 swing=62%", "90", [0, 206_666_666, 413_333_333, 540_000_000, 666_666_666]),
    // Without divided notes swing divides them; straight eighths need none.
    ("swing=2:1", "100", [0, 400_000_000, 600_000_000, 1_000_000_000]),
    ("X.x. swing=2:1 & 3:4", "100", [0, 400_000_000, 800_000_000, 1_200_000_000, 1_600_000_000]),
    ("swing=62%@16", "90", [0, 206_666_666, 333_333_333, 540_000_000, 666_666_666]),
    ("swing=50%", "100", [0, 600_000_000, 1_200_000_000]),
    ("X|xo|x|xo swing=2:1", "100", [0, 600_000_000, 1_000_000_000, 1_200_000_000, 1_800_000_000]),
    ("swing=2:1 & X|xo|x|xo", "100", [0, 600_000_000, 1_000_000_000, 1_200_000_000, 1_800_000_000]),
  ])
  func swingMovesTheSecondNoteOfAPair(text: String, bpm: String, expected: [Int64]) throws {
    let found = try instants(text, four, bpm: bpm, before: .milliseconds(2_000))
    #expect(Array(found.prefix(expected.count)) == expected)
  }

  /// The hits of a polyrhythm are equal, and a clave has its own places, whatever the main voice does.
  @Test(arguments: [
    "4:1", "8:1", "12:3", "4:2", "8:4", "2:1", "clave=son32", "clave=son23", "clave=rumba32", "clave=rumba23",
  ])
  func swingMovesNeitherPolyrhythmsNorClaves(voice: String) throws {
    func places(_ text: String) throws -> [Position] {
      let rhythm = try Rhythm(text: text, for: four)
      var places: [Position] = []
      var next = rhythm.firstSlot(of: 1, at: .zero, in: four)
      while let slot = next, slot.position < Position(8) {
        places.append(slot.position)
        next = rhythm.firstSlot(of: 1, at: slot.position, isAfter: true, in: four)
      }
      return places
    }
    let straight = try places("& \(voice)")
    #expect(straight.count >= 5)
    for swing in ["sub=2 swing=2:1", "sub=4 swing=62%@16", "swing=75%"] {
      let swung = try places("\(swing) & \(voice)")
      #expect(swung == straight, "\(swing)")
    }
    // The same slots as a pattern do swing, so the voice was not without slots to move.
    let pattern = try places("swing=2:1 & X|xo|x|xo")
    let even = try places("& X|xo|x|xo")
    #expect(pattern != even)
  }

  @Test func fourAgainstThreeHasSixInstants() throws {
    let found = try hits("& 4:3", three, bpm: "90", before: .seconds(2))
    #expect(
      found.map(\.instant) == [
        0, 0, 500_000_000, 666_666_666, 1_000_000_000, 1_333_333_333, 1_500_000_000,
      ])
    #expect(found.map(\.voice) == [0, 1, 1, 0, 1, 0, 1])
    #expect(found.map(\.level) == [.strong, .strong, .weak, .weak, .weak, .weak, .weak])
  }

  @Test(arguments: [(3, 2), (4, 3), (5, 4), (7, 5), (11, 13), (64, 63)])
  func polyrhythmHasTheInstantsOfBothVoicesOnce(hits: Int, notes: Int) throws {
    // 60 beats a minute: a cycle lasts as many seconds as it has notes.
    let metre = Metre(Signature(text: "1/4")!)
    let cycle = Nanoseconds.seconds(Int64(notes))
    let found = try instants("X & \(hits):\(notes)", metre, bpm: "60", before: cycle)
    #expect(found.count == hits + notes - gcd(hits, notes))
    var expected = Set<Int64>()
    for hit in 0..<hits { expected.insert(Int64(hit * notes) * 1_000_000_000 / Int64(hits)) }
    for note in 0..<notes { expected.insert(Int64(note) * 1_000_000_000) }
    #expect(found == expected.sorted())
  }

  private func gcd(_ a: Int, _ b: Int) -> Int { b == 0 ? a : gcd(b, a % b) }

  @Test(arguments: [
    ([2, 2, 3], 8, [0, 428_571_428, 857_142_857], 1_500_000_000),
    ([3, 3, 2], 8, [0, 642_857_142, 1_285_714_285], 1_714_285_714),
    ([2, 2, 2, 3], 8, [0, 428_571_428, 857_142_857, 1_285_714_285], 1_928_571_428),
    ([2, 2, 3], 16, [0, 214_285_714, 428_571_428], 750_000_000),
  ])
  func groupsBeginWithStrongAndMediumBeats(groups: [Int], denominator: Int, heads: [Int64], bar: Int64) throws {
    let metre = Metre(try #require(Signature(groups: groups, over: denominator, limit: .none)))
    let found = try hits("", metre, bpm: "140", before: Nanoseconds(bar + 1))
    #expect(found.count == groups.reduce(0, +) + 1)
    let headInstants: [Int64] = found.dropLast().filter { $0.level != .weak }.map(\.instant)
    #expect(headInstants == heads)
    let strong = found.filter { $0.level == .strong }
    #expect(strong.count == 2)
    #expect(found.last?.instant == bar)
    #expect(metre.signature.groups == groups)
  }

  @Test func polymeterRealignsAfterTheCommonMultiple() throws {
    let rhythm = try Rhythm(text: "Xxxx & X..x. @5/8", for: four)
    var downbeats: [Position] = []
    var next = rhythm.firstSlot(of: 1, at: .zero, in: four)
    while let slot = next, slot.position < Position(41) {
      if slot.level == .strong { downbeats.append(slot.position) }
      next = rhythm.firstSlot(of: 1, at: slot.position, isAfter: true, in: four)
    }
    #expect(downbeats == (0...16).map { Position($0 * 5, over: 2) })
    // 8 eighths against 5: both begin together every 40 eighths, which are 20 quarters.
    #expect(downbeats.filter { $0.numerator == 0 && $0.whole % 4 == 0 } == [Position(0), Position(20), Position(40)])
  }

  @Test func dottedBeatsFormGroupsOfThree() throws {
    let dotted = try #require(BeatUnit(text: "\u{2669}."))
    for (text, beats) in [("6/8", 2), ("9/8", 3), ("12/8", 4), ("3/8", 1)] {
      let metre = Metre(Signature(text: text)!, unit: dotted)
      #expect(metre.beatsInBar == beats)
      #expect(metre.notesInBeat == 3)
      #expect(
        (0..<metre.signature.numerator).map { metre.level(ofNote: $0).loudness }
          == (0..<metre.signature.numerator).map { $0 == 0 ? 4 : $0 % 3 == 0 ? 3 : 1 })
    }
    // A beat that begins no group of its own is weak.
    let grouped = Metre(Signature(text: "2+4/8")!, unit: dotted)
    #expect((0..<6).map { grouped.level(ofNote: $0) } == [.strong, .ghost, .medium, .weak, .ghost, .ghost])
    #expect(Metre(Signature(text: "7/8")!, unit: dotted).notesInBeat == 1)
    #expect(Metre(Signature(text: "6/8")!).beatsInBar == 6)
    let six = Metre(Signature(text: "6/8")!, unit: dotted)
    let rhythm = try Rhythm(text: "X.xYo.", for: six)
    var slots: [String] = []
    var next = rhythm.firstSlot(of: 0, at: .zero, in: six)
    while let slot = next, slot.position < Position(2) {
      slots.append("\(slot.position) \(slot.level)")
      next = rhythm.firstSlot(of: 0, at: slot.position, isAfter: true, in: six)
    }
    #expect(slots == ["0 strong", "0 2/3 weak", "1 medium", "1 1/3 ghost"])
  }

  @Test func changeOfTempoKeepsThePhaseWithinABeat() {
    let before = Timeline(session: 1, firstBeat: .zero, tempo: Tempo(bpm: 120)!, signature: .initial)
    let change = Instant(nanoseconds: 1_300_000_000)
    let timeline = before.changed(to: Tempo(bpm: 90)!, .initial, from: change, now: change)
    #expect(timeline.instant(of: Position(3))?.nanoseconds == 1_566_666_666)
    #expect(timeline.instant(of: Position(8, over: 3))?.nanoseconds == 1_344_444_444)
    #expect(timeline.instant(of: Position(11, over: 4))?.nanoseconds == 1_400_000_000)
    // Before the change: two and a half beats at 120 BPM.
    #expect(timeline.instant(of: Position(5, over: 2))?.nanoseconds == 1_250_000_000)
    #expect(timeline.instant(of: Position(13, over: 5))?.nanoseconds == 1_300_000_000)
  }

  @Test func silentVoiceHasNoSlots() throws {
    #expect(try Rhythm(text: "....", for: four).firstSlot(of: 0, at: .zero, in: four) == nil)
    #expect(try Rhythm(text: "", for: four).firstSlot(of: 1, at: .zero, in: four) == nil)
  }

  @Test func rhythmHasAtMost512Bytes() { #expect(MemoryLayout<Rhythm>.stride <= 512) }
}
