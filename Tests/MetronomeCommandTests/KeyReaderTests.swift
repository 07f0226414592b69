import MetronomeCore
import MetronomeTerminal
import Testing

@Suite struct KeyReaderTests {
  private static func press(_ buttons: Button...) -> [Key] { buttons.map { .press($0) } }

  private static let valid: [(String, [Key])] = [
    (" p", press(.play, .play)), ("+-", press(.faster, .slower)), ("nd", press(.numerator, .denominator)),
    ("fgjk", press(.preset1, .preset2, .preset3, .preset4)), ("[]", press(.presetPrevious, .presetNext)),
    ("crs", [.chord(.slower, .faster), .chord(.play, .faster), .chord(.play, .numerator)]),
    ("<>", [.turn(.tempo, by: -1), .turn(.tempo, by: 1)]), ("/*", [.turn(.volume, by: -1), .turn(.volume, by: 1)]),
    ("vba", [.chord(.numerator, .denominator), .chord(.denominator, .tap), .chord(.numerator, .tap)]),
    ("09.,", [.digit("0"), .digit("9"), .point, .point]),
    ("\r\u{7F}\u{8}", [.enter, .erase, .erase]), ("h?", [.hold, .help]), ("q", [.quit]), ("w", [.nextClickSet]),
    ("\u{3}", [.quit]),
    ("\u{1A}", [.suspend]),
    ("\u{1B}[A\u{1B}OB", press(.faster, .slower)), ("\u{1B}OP\u{1B}OS", press(.preset1, .preset4)),
    ("\u{1B}[11~\u{1B}[13~", press(.preset1, .preset3)), ("\u{1B}[[B", press(.preset2)), ("\u{1B}", [.escape]),
    ("\u{1B}[15~\u{1B}[17~\u{1B}[18~\u{1B}[19~", (12..<16).map { .press(Button(index: $0)) }),
    ("\u{1B}[[E", press(Button(index: 12))),
  ]

  private static let meaningless = [
    "x", "\u{1B}[1;5D", "\u{1B}[1;2P", "\u{1B}[20~", "\u{1B}[200~", "\u{1B}[111111111~", "\u{1B}O2P",
    "\u{1B}OT",
    "\u{1B}[[I", "\u{1B}[ D", "\u{1B}q", "\u{1B}h", "\u{1B}\u{1B}[D",
  ]

  private static let broken: [(String, [Key])] = [
    ("\u{1B}[1;5Dq", [.other, .quit]), ("\u{1B}[1;\u{3}", [.quit]), ("\u{1B}[1;\u{1B}[A", press(.faster)),
    ("\u{E9}", [.other, .other]), ("\u{1B}\u{1B}[[D", [.other]),
  ]

  private static let sequences: [(String, [Key])] = valid + meaningless.map { ($0, [.other]) } + broken

  @Test(arguments: sequences)
  func sequenceIsReadAsAWhole(text: String, keys: [Key]) {
    var reader = KeyReader()
    #expect(reader.keys(in: text.utf8) == keys)
    #expect(reader.keys(in: "t".utf8) == KeyReaderTests.press(.tap))
  }

  /// An escape character cut off from its sequence also counts as the Escape key, which only cancels the input of other keys.
  @Test(arguments: [
    "\u{1B}[A", "\u{1B}OC", "\u{1B}[1;5D", "\u{1B}[1;2P", "\u{1B}[[D", "\u{1B}[15~", "\u{1B}[11~", "\u{1B}OP",
  ])
  func splitSequenceIsReadLikeTheWhole(text: String) {
    let bytes = Array((text + "t").utf8)
    var reader = KeyReader()
    let expected = reader.keys(in: bytes)
    for cut in 1..<bytes.count {
      var reader = KeyReader()
      let pieces = reader.keys(in: bytes[..<cut]) + reader.keys(in: bytes[cut...])
      #expect(pieces == (cut == 1 ? [.escape] : []) + expected, "cut after \(cut)")
    }
    var slow = KeyReader()
    #expect(bytes.flatMap { slow.keys(in: [$0]) } == [.escape] + expected)
  }

  @Test func escapeKeyDoesNotSwallowTheNextKey() {
    var reader = KeyReader()
    #expect(reader.keys(in: [0x1B]) == [.escape])
    #expect(reader.keys(in: "q".utf8) == [.quit])
    #expect(reader.keys(in: [0x1B]) == [.escape])
    #expect(reader.keys(in: "\u{1B}[B".utf8) == KeyReaderTests.press(.slower))
  }
}
