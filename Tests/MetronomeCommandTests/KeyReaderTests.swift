import MetronomeCore
import MetronomeTerminal
import Testing

@Suite struct KeyReaderTests {
  @Test(arguments: [
    (" p", [Key.button(.play), .button(.play)]), ("+-", [.button(.faster), .button(.slower)]),
    ("ndt", [.button(.numerator), .button(.denominator), .button(.tap)]), ("q", [.quit]), ("\u{3}", [.quit]),
    ("\u{1B}[A\u{1B}OB", [.button(.faster), .button(.slower)]), ("xyz\u{E9}\u{4E2D}", []),
    ("\u{1B}[1;5D", []), ("\u{1B}[1;2P", []), ("\u{1B}[15~", []), ("\u{1B}[200~", []), ("\u{1B}O2P", []),
    ("\u{1B}OP", []), ("\u{1B}[[D", []), ("\u{1B}[ D", []), ("\u{1B}q", []), ("\u{1B}\u{1B}[D", []),
    ("\u{1B}\u{1B}[[D", []), ("\u{1B}[1;5Dq", [.quit]), ("\u{1B}[1;\u{3}", [.quit]),
    ("\u{1B}[1;\u{1B}[A", [.button(.faster)]),
  ])
  func readsWholeSequences(text: String, keys: [Key]) {
    var reader = KeyReader()
    #expect(reader.keys(in: text.utf8) == keys)
    #expect(reader.keys(in: "t".utf8) == [.button(.tap)])
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
    #expect(reader.keys(in: "\u{1B}[B".utf8) == [.button(.slower)])
  }
}
