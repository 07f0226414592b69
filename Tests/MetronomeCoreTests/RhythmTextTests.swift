import MetronomeCore
import TestSupport
import Testing

@Suite struct RhythmTextTests {
  private let four = Metre(.initial)

  @Test(arguments: [
    ("", ""), ("  ", ""), ("X.x.", "X.x."), ("X|.|x|.", "X.x."), ("Xo|xo|xo|xo", "Xo|xo*3"), ("Xo|xo*3|", "Xo|xo*3"),
    ("2:xxx|x*2", "2:xxx|x*2"), ("4:xxxxx", "4:xxxxx"), ("XxYx....", "XxYx...."), ("sub=3", "sub=3"),
    ("sub=1", ""), ("swing=62%", "swing=62%"), ("swing=66.6%", "swing=66.6%"), ("swing=2:1", "swing=2:1"),
    ("swing=3:1", "swing=75%"), ("X.x. sub=2 swing=62%@16", "X.x. sub=2 swing=62%@16"), ("& 3:4", "& 3:4"),
    ("&3:4", "& 3:4"), ("X.x. & 3:4 sound=cowbell", "X.x. & 3:4"), ("& 3:4 sound=click", "& 3:4 sound=click"),
    ("& x..x. @5/8", "& x..x. @5/8"), ("& x..x.@5/8", "& x..x. @5/8"), ("& clave=son32", "& clave=son32"),
    ("& clave=rumba23 & 5:4 & 7:4", "& clave=rumba23 & 5:4 & 7:4"), ("\nX...\n& 3:4\n", "X... & 3:4"),
    ("& x*40 @4/4", "& " + String(repeating: "x", count: 40) + " @20/4"),
  ])
  func textIsParsedAndPrinted(text: String, printed: String) throws {
    let rhythm = try Rhythm(text: text, for: four)
    #expect(rhythm.text == printed)
    #expect(try Rhythm(text: printed, for: four) == rhythm)
  }

  @Test(arguments: [
    ("Xyx.", 1, 2, "invalid slot; the slots are X strong, Y medium, x weak, o ghost and . rest"),
    ("X.x", 1, 1, "the pattern has 3 notes, and a bar has 4 notes; write one or more whole bars"),
    ("X|xx|z|x", 1, 6, "invalid slot; the slots are X strong, Y medium, x weak, o ghost and . rest"),
    ("X|", 1, 1, "the pattern has 1 note, and a bar has 4 notes; write one or more whole bars"),
    ("3:4", 1, 3, "invalid slots \"4\"; a polyrhythm is a voice after &, such as & 3:4"),
    ("& 3", 1, 3, "invalid slots \"3\"; a polyrhythm is a voice after &, such as & 3:4"),
    ("clave=son32", 1, 1, "a clave is a voice after &, such as & clave=son32"),
    ("sub=2 sub=3", 1, 7, "sub= is given twice; write it once"),
    ("& 3:4 sound=click sound=click", 1, 19, "sound= is given twice; write it once"),
    ("& & 3:4", 1, 2, "a voice is missing after &, such as 3:4 or x..x."),
    ("& 3:4 @5/8", 1, 7, "only a pattern has a signature of its own, such as x..x. @5/8"),
    ("& 3:4 vol=3", 1, 7, "unknown option \"vol=3\"; a voice has only sound="),
    ("& x..x. @5/+8", 1, 9, "invalid signature after @; write one such as @5/8"),
    ("3:|x", 1, 3, "a cell needs at least one slot"), ("||", 1, 1, "a cell needs at least one slot"),
    ("0:xx|x", 1, 1, "a cell spans 1 to 64 notes, such as 2:xxx"),
    ("x*0", 1, 1, "a cell is repeated 1 to 64 times, such as xo*4"),
    ("xx*64", 1, 1, "a pattern has at most 64 notes and 64 slots"),
    ("sub=13", 1, 1, "sub must be a whole number from 1 to 12"),
    ("X.x. sub=x", 1, 6, "sub must be a whole number from 1 to 12"),
    (
      "X.x. sub=3 swing=2:1", 1, 12,
      "nothing swings here: sub=3 has no pairs of notes; write sub=2 or sub=4, or leave out swing="
    ),
    (
      "xxx*4 swing=2:1", 1, 7,
      "nothing swings here: the cells of this pattern have no pairs of notes; write sub=2 or sub=4, or leave out swing="
    ),
    ("“X.x.”", 1, 1, "\"“X.x.”\" has typographic quotation marks; write straight ones, \" or ', or none"),
    (
      "X.x. beat=3/8", 1, 6,
      "unknown option \"beat=3/8\"; the options are sub=, swing=, set=, and & for another voice; beat is no part of the rhythm,"
        + " but a setting of its own, as tempo is"
    ),
    ("swing=76%", 1, 1, "invalid swing; write swing=62% or swing=2:1, from 50% to 75%, with @16 for sixteenths"),
    ("swing=62%@4", 1, 1, "invalid swing; write swing=62% or swing=2:1, from 50% to 75%, with @16 for sixteenths"),
    ("sound=cowbell", 1, 1, "sound= belongs to a voice after &"),
    ("swung=2", 1, 1, "unknown option \"swung=2\"; the options are sub=, swing=, set=, and & for another voice"),
    ("X.x. x...", 1, 6, "\"x...\" is not an option; the pattern comes first, and another voice follows &"),
    ("X.x.\n& 3:4 sub=2", 2, 7, "\"sub=2\" belongs before the first &; a voice has only sound="),
    (
      "& 3:4 sound=horn", 1, 7,
      "unknown sound \"sound=horn\"; the sounds are click, cowbell, wood, rim, hihat, beep, mechanical, soft, dry"
    ),
    ("X.x. &", 1, 7, "a voice is missing after &, such as 3:4 or x..x."),
    ("& 0:4", 1, 3, "a polyrhythm has 1 to 64 hits over 1 to 64 notes, such as 3:4"),
    ("& 65:4", 1, 3, "a polyrhythm has 1 to 64 hits over 1 to 64 notes, such as 3:4"),
    ("& x..x. @5/7", 1, 9, "invalid signature after @; write one such as @5/8"),
    ("& x..x.@", 1, 8, "invalid signature after @; write one such as @5/8"),
    ("& x..x.x @5/8", 1, 3, "the pattern has 6 notes, and a bar has 5 notes; write one or more whole bars"),
    ("& clave=salsa", 1, 3, "unknown clave; the claves are son32, son23, rumba32, rumba23"),
    ("& 3:4 & 5:4 & 7:4 & 9:4", 1, 19, "a rhythm has at most 4 voices, the main one included"),
  ])
  func faultIsReportedWithItsPlace(text: String, line: Int, column: Int, message: String) {
    #expect(throws: NotationError(line: line, column: column, text: message)) { try Rhythm(text: text, for: four) }
  }

  @Test func eighthsOfAnEighthMetreDoNotSwing() throws {
    let seven = Metre(Signature(text: "7/8")!)
    #expect(throws: NotationError(line: 1, column: 1, text: "the notes of 7/8 are too short to swing in pairs of 1/8"))
    {
      try Rhythm(text: "swing=62%@8", for: seven)
    }
    #expect(try Rhythm(text: "swing=62%", for: seven).text == "swing=62%@16")
  }

  @Test func beatUnitIsParsed() {
    #expect(
      ["1/4", "3/8", "\u{2669}.", "\u{266A}", "\u{266A}.", "3/2"].compactMap { BeatUnit(text: $0)?.description }
        == ["1/4", "3/8", "3/8", "1/8", "3/16", "3/2"])
    #expect(["+3/8", "3/+8", "-1/4", "", "/", "3/8."].allSatisfy { BeatUnit(text: $0) == nil })
    #expect(["7/+8", "-7/8", "2+-1/4"].allSatisfy { Signature(text: $0) == nil })
    #expect(["", "2/4", "3/1", "1/3", "1/64", "x", "\u{2669}.."].allSatisfy { BeatUnit(text: $0) == nil })
  }

  @Test(arguments: Seeds.few(20, of: 200)) func everyRhythmIsReadBack(seed: UInt64) throws {
    var random = RandomRhythm(seed: seed)
    for _ in 0..<20 {
      let plan = random.next()
      let rhythm = try Rhythm(stored: plan.text, for: plan.metre)
      #expect(try Rhythm(stored: rhythm.text, for: plan.metre) == rhythm, "\(plan.text)")
    }
  }
}
