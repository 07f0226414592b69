import MetronomeCore
import Testing

/// The commands that step through subdivisions and accents.
@Suite struct RhythmCommandTests {
  private func signature(_ text: String) throws -> Signature { try #require(Signature(text: text)) }

  private func box(_ signature: String, _ rhythm: String = "", beat: String = "1/4") throws -> Box {
    var box = Box()
    let signature = try self.signature(signature)
    box.metronome = Metronome(
      Settings(
        Music(
          signature: signature, unit: try #require(BeatUnit(text: beat)),
          rhythm: try Rhythm(text: rhythm, for: Metre(signature)))))
    return box
  }

  /// The rhythms after each of some commands, one second apart.
  private func rhythms(_ command: Command, _ count: Int, from rhythm: String, in signature: String) throws -> [String] {
    var box = try box(signature, rhythm)
    return (0..<count).map { step in
      box.press(command, at: Int64(step) * 1_000)
      return box.metronome.settings.rhythm.text
    }
  }

  /// The text of the bar after each of some presses of next_accents.
  private func accents(_ count: Int, _ box: Box) -> [String] {
    var box = box
    return (0..<count).map { step in
      box.press(.nextAccents, at: Int64(step) * 1_000)
      let state = box.metronome.state
      return state.unit == .quarter ? state.barText : "\(state.unit) \(state.barText)"
    }
  }

  private static let swings = [("4/1", "sub=8"), ("3/2", "sub=4"), ("4/4", "sub=2"), ("6/8", "sub=2")]

  @Test(arguments: swings) func subdivisionsWrap(text: String, divided: String) throws {
    let swing = "\(divided) swing=2:1" + (text == "6/8" ? "@16" : "")
    let forward = try rhythms(.nextSubdivision, 7, from: "", in: text)
    #expect(forward == ["sub=2", "sub=3", "sub=4", "sub=6", swing, "", "sub=2"])
    let backward = try rhythms(.previousSubdivision, 7, from: "", in: text)
    #expect(backward == [swing, "sub=6", "sub=4", "sub=3", "sub=2", "", swing])
  }

  @Test(arguments: ["5/16", "9/32"]) func shortNotesHaveNoSwing(text: String) throws {
    #expect(try rhythms(.nextSubdivision, 5, from: "", in: text).suffix(2) == ["sub=6", ""])
    #expect(try rhythms(.previousSubdivision, 2, from: "", in: text) == ["sub=6", "sub=4"])
  }

  @Test(arguments: [
    ("sub=5", "sub=6", "sub=4"), ("sub=8", "sub=2 swing=2:1", "sub=6"), ("sub=12", "sub=2 swing=2:1", "sub=6"),
    ("swing=62%", "", "sub=6"), ("sub=4 swing=55%@16", "", "sub=6"),
    ("X.x. sub=2 & 3:4", "X.x. sub=3 & 3:4", "X.x. & 3:4"),
  ])
  func otherSubdivisionsGoToTheNearest(text: String, next: String, previous: String) throws {
    #expect(try rhythms(.nextSubdivision, 1, from: text, in: "4/4") == [next])
    #expect(try rhythms(.previousSubdivision, 1, from: text, in: "4/4") == [previous])
  }

  private static let cycles: [(String, [String])] = [
    ("1/4", ["1/4 x"]), ("2/4", ["2/4 xx"]), ("3/4", ["3/4 xxx"]), ("4/4", ["2+2/4", "4/4 xxxx"]),
    ("5/4", ["2+3/4", "3+2/4", "5/4 xxxxx"]),
    ("6/8", ["3/8 6/8", "2+2+2/8", "3+3/8", "6/8 xxxxxx"]),
    ("7/8", ["2+2+3/8", "3+2+2/8", "2+3+2/8", "7/8 xxxxxxx"]),
    ("8/8", ["2+2+2+2/8", "3+3+2/8", "2+3+3/8", "3+2+3/8", "8/8 xxxxxxxx"]),
    ("9/8", ["3/8 9/8", "2+2+2+3/8", "3+2+2+2/8", "2+3+2+2/8", "2+2+3+2/8", "3+3+3/8", "9/8 xxxxxxxxx"]),
    ("6/4", ["3/4 6/4", "2+2+2/4", "3+3/4", "6/4 xxxxxx"]),
  ]

  @Test(arguments: cycles) func accentsWrap(text: String, others: [String]) throws {
    let expected = others + [text]
    #expect(accents(2 * expected.count, try box(text)) == expected + expected)
  }

  /// Every bar has a cycle that ends, whose groups fill it.
  @Test(arguments: 1...32) func everyBarHasAccents(notes: Int) throws {
    for denominator in NumeratorLimit.none.denominators {
      let own = Bar(Signature(notes, denominator))
      var (bar, seen) = (own.nextAccents, [own])
      while bar != own, seen.count < 40 {
        #expect(bar.metre.signature.numerator == notes && bar.metre.signature.denominator == denominator)
        #expect(bar.metre.signature.groups.allSatisfy { [2, 3].contains($0) } || !bar.metre.signature.hasGroups)
        #expect(!seen.contains(bar))
        seen.append(bar)
        bar = bar.nextAccents
      }
      #expect(bar == own)
    }
  }

  @Test func otherAccentsGoToTheMetresOwn() throws {
    #expect(accents(2, try box("4/4", "X.x. sub=3")) == ["4/4 sub=3", "2+2/4 sub=3"])
    #expect(accents(1, try box("1+2+2+2/8")) == ["7/8"])
    // A dotted beat that does not fill the bar.
    #expect(accents(2, try box("7/8", beat: "3/8")) == ["7/8", "2+2+3/8"])
    // An undotted beat is kept.
    #expect(accents(1, try box("5/8", beat: "1/8")) == ["1/8 2+3/8"])
  }

  @Test func unfittingPatternGivesWayAndReturns() throws {
    var box = try box("4/4", "X.x.")
    box.press(.nextNumerator, at: 0)
    #expect(box.metronome.state.barText == "5/4")
    box.press(.previousNumerator, at: 1_000)
    #expect(box.metronome.state.barText == "4/4 X.x.")
  }

  @Test func changeBeginsWithTheNextBeat() throws {
    var box = try box("4/4", "sub=4")
    box.press(.start, at: 0)
    let beats = box.beats(0...9)
    box.press(.nextSubdivision, at: 700)
    box.press(.nextAccents, at: 800)
    #expect(box.beats(0...9) == beats)
    let timeline = box.metronome.timeline
    var (positions, last) = ([String](), Position(-1))
    while positions.count < 16, let hit = timeline.hit(of: 0, after: last) {
      positions.append("\(hit.position)")
      last = hit.position
    }
    #expect(positions.prefix(10) == ["0", "0 1/4", "0 1/2", "0 3/4", "1", "1 1/4", "1 1/2", "1 3/4", "2", "2 1/6"])
    let levels = (4..<8).map { timeline.beat($0)?.level }
    #expect(levels == [.strong, .weak, .medium, .weak])
  }

  @Test(arguments: [Command.nextSubdivision, .previousSubdivision, .nextAccents])
  func undonePressRestoresTheRhythm(command: Command) throws {
    var box = try box("6/8", "sub=2")
    box.press(.start, at: 0)
    let (settings, beats) = (box.metronome.settings, box.beats(1...20))
    // No beat is played between the press and its undoing.
    box.press(command, at: 1_100, button: .tap)
    #expect(box.metronome.settings != settings)
    box.undo(1_100, .tap, for: .tellTempo, at: 1_150)
    #expect(box.metronome.settings == settings)
    #expect(box.beats(1...20) == beats)
  }

  @Test func dialMakesOneStepPerDetent() {
    var machine = DialMachine()
    var commands: [Command] = []
    for (milliseconds, detents) in [(0, 2), (10, -1)] as [(Int64, Int)] {
      let turn = DialTurn(.subdivision, by: detents, at: .zero + .milliseconds(milliseconds), from: .box)
      machine.process(turn) { commands.append($0.command) }
    }
    #expect(commands == [.nextSubdivision, .nextSubdivision, .previousSubdivision])
  }
}
