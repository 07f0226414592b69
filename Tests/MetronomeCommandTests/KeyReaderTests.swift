import MetronomeCore
import MetronomeTerminal
import Testing

@Suite struct KeyReaderTests {
  private static func tap(_ buttons: Button...) -> [Key] { buttons.map { .press($0, isHeld: false) } }

  private static let meant: [(String, [Key])] = [
    (" p\r", tap(.play, .play, .play)), ("+-", tap(.faster, .slower)), ("nd", tap(.numerator, .denominator)),
    ("1234", tap(.preset1, .preset2, .preset3, .preset4)), ("[]", tap(.presetPrevious, .presetNext)),
    ("0rs", [.chord(.slower, .faster), .chord(.play, .faster), .chord(.play, .numerator)]),
    ("<>,.", [.turn(.tempo, by: -1), .turn(.tempo, by: 1), .turn(.tempo, by: -1), .turn(.tempo, by: 1)]),
    ("q", [.quit]), ("\u{3}", [.quit]), ("\u{1B}[A\u{1B}OB", tap(.faster, .slower)),
  ]

  private static let meaningless = [
    "xyz\u{E9}\u{4E2D}", "\u{1B}[1;5D", "\u{1B}[1;2P", "\u{1B}[15~", "\u{1B}[200~", "\u{1B}O2P", "\u{1B}OP",
    "\u{1B}[[D", "\u{1B}[ D", "\u{1B}q", "\u{1B}h", "\u{1B}\u{1B}[D", "\u{1B}\u{1B}[[D",
  ]

  private static let broken: [(String, [Key])] = [
    ("\u{1B}[1;5Dq", [.quit]), ("\u{1B}[1;\u{3}", [.quit]), ("\u{1B}[1;\u{1B}[A", tap(.faster)),
  ]

  private static let whole: [(String, [Key])] = meant + meaningless.map { ($0, []) } + broken

  @Test(arguments: whole)
  func readsWholeSequences(text: String, keys: [Key]) {
    var reader = KeyReader()
    #expect(reader.keys(in: text.utf8) == keys)
    #expect(reader.keys(in: "t".utf8) == KeyReaderTests.tap(.tap))
  }

  private static let held: [(String, [Key])] = [
    ("h n", [.press(.play, isHeld: true), .press(.numerator, isHeld: false)]),
    ("H\u{1B}[A", [.press(.faster, isHeld: true)]), ("hx1", [.press(.preset1, isHeld: true)]),
    ("hh1", [.press(.preset1, isHeld: false)]), ("hhh1", [.press(.preset1, isHeld: true)]),
    ("h0n", [.chord(.slower, .faster), .press(.numerator, isHeld: false)]), ("hq", [.quit]),
  ]

  @Test(arguments: held)
  func anHHoldsTheNextKey(text: String, keys: [Key]) {
    var reader = KeyReader()
    #expect(reader.keys(in: text.utf8) == keys)
    #expect(!reader.holdsNext)
    var slow = KeyReader()
    #expect(text.utf8.flatMap { slow.keys(in: [$0]) } == keys)
  }

  @Test func anHIsSeenUntilTheNextKey() {
    var reader = KeyReader()
    #expect(reader.keys(in: "h".utf8) == [])
    #expect(reader.holdsNext)
    #expect(reader.keys(in: "h".utf8) == [])
    #expect(!reader.holdsNext)
  }

  @Test(arguments: ["\u{1B}[A", "\u{1B}OC", "\u{1B}[1;5D", "\u{1B}[1;2P", "\u{1B}[[D", "\u{1B}[15~"])
  func piecesMeanWhatTheWholeMeans(text: String) {
    let bytes = Array((text + "t").utf8)
    var reader = KeyReader()
    let whole = reader.keys(in: bytes)
    for cut in 1..<bytes.count {
      var reader = KeyReader()
      let pieces = reader.keys(in: bytes[..<cut]) + reader.keys(in: bytes[cut...])
      #expect(pieces == whole, "cut after \(cut)")
    }
    var slow = KeyReader()
    #expect(bytes.flatMap { slow.keys(in: [$0]) } == whole)
  }

  @Test func theEscapeKeyTakesNothingFromTheNext() {
    var reader = KeyReader()
    #expect(reader.keys(in: [0x1B]) == [])
    #expect(reader.keys(in: "q".utf8) == [.quit])
    #expect(reader.keys(in: [0x1B]) == [])
    #expect(reader.keys(in: "\u{1B}[B".utf8) == KeyReaderTests.tap(.slower))
  }
}
