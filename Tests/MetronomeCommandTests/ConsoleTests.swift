import MetronomeCore
import MetronomeTerminal
import Testing

@Suite struct ConsoleTests {
  private let start = Instant.zero

  @Test(arguments: [
    ("97\r", 97_000), ("97.5\r", 97_500), ("97,25\r", 97_250), ("8\u{7F}120\r", 120_000), ("60.\r", 60_000),
  ])
  func typedNumberSetsTheTempo(keys: String, milliBPM: Int) throws {
    var console = Console()
    let tempo = try #require(Tempo(milliBPM: milliBPM))
    #expect(type(keys, in: &console) == [.setTempo(tempo)])
    #expect(console.typed == "" && console.message == nil && console.deadline == nil)
  }

  @Test func pauseConfirmsATypedNumber() throws {
    var console = Console()
    #expect(type("9", in: &console) == [])
    #expect(type("7", in: &console, at: start + .milliseconds(900)) == [])
    #expect(console.typed == "97")
    let end = start + .milliseconds(900) + Console.pause
    #expect(console.deadline == end)
    #expect(console.pass(at: start + .milliseconds(1_500)) == [])
    let tempo = try #require(Tempo(bpm: 97))
    #expect(console.pass(at: end) == [.setTempo(tempo)])
    #expect(console.typed == "" && console.deadline == nil)
  }

  @Test func escapeCancelsATypedNumber() {
    var console = Console()
    #expect(type("97\u{1B}", in: &console) == [])
    #expect(console.typed == "" && console.deadline == nil)
    #expect(type("\r", in: &console) == [.press(.play, isHeld: false)])
  }

  @Test func anotherKeyFirstConfirmsATypedNumber() throws {
    var console = Console()
    let tempo = try #require(Tempo(bpm: 97))
    #expect(type("97 ", in: &console) == [.setTempo(tempo), .press(.play, isHeld: false)])
  }

  @Test(arguments: [
    ("0", "0 is not a tempo"), ("1000", "1000 is not a tempo"), (".5", ".5 is not a tempo"), (".", ". is not a number"),
    ("1.2.3", "1.2.3 is not a number"), ("97.1234", "97.1234 has more than three decimals"),
    ("0123.4567", "0123.4567 has more than three decimals"), ("123456789", "123456789 is not a tempo"),
    ("00000000000000123", "0000000000000012 is too long"),
  ])
  func invalidTempoIsReported(text: String, error: String) {
    var console = Console()
    #expect(type(text + "\r", in: &console) == [])
    #expect(console.message == error + "; type 1 to 999")
    #expect(console.deadline == start + Console.messageTime)
    #expect(console.pass(at: start + Console.messageTime) == [])
    #expect(console.message == nil)
  }

  @Test func keyHHoldsTheNextKey() {
    var console = Console()
    #expect(type("h", in: &console) == [])
    #expect(console.holdsNext)
    #expect(type(" n", in: &console) == [.press(.play, isHeld: true), .press(.numerator, isHeld: false)])
    #expect(type("hhf", in: &console) == [.press(.preset1, isHeld: false)])
    #expect(type("hxf", in: &console) == [.press(.preset1, isHeld: false)])
    #expect(type("hwf", in: &console) == [.nextClickSet, .press(.preset1, isHeld: false)])
    #expect(type("hcf", in: &console) == [.chord(.slower, .faster), .press(.preset1, isHeld: false)])
    #expect(type("hq", in: &console) == [.quit])
  }

  /// The keys that once did not release a held key, so that the tempo ran away, and some that have another function.
  @Test(arguments: ["x", "h", "\u{1B}", "\u{1A}", "+", " ", "9", "\u{1B}[A", "?", "\r"])
  func anyKeyReleasesAHeldKey(key: String) {
    var console = Console()
    #expect(type(key, in: &console, isHolding: true) == [.release])
    #expect(console.typed == "" && !console.holdsNext && console.helpPage == nil)
  }

  @Test func quitWorksWhileAKeyIsHeld() {
    var console = Console()
    #expect(type("q", in: &console, isHolding: true) == [.quit])
  }

  @Test func anyKeyClosesTheHelp() {
    var console = Console()
    #expect(type("?", in: &console) == [])
    #expect(console.helpPage == 0)
    #expect(type(" ", in: &console) == [])
    #expect(console.helpPage == nil)
    #expect(type(" ", in: &console) == [.press(.play, isHeld: false)])
  }

  @Test func anyKeyTurnsThePagesOfALongHelp() {
    var console = Console()
    #expect(type("?", in: &console) == [])
    console.helpPages = 3
    #expect(type(" ", in: &console) == [] && console.helpPage == 1)
    #expect(type("x", in: &console) == [] && console.helpPage == 2)
    #expect(type("?", in: &console) == [] && console.helpPage == nil)
  }

  @Test(arguments: ["hc", "hr", "h>"]) func chordOrDialThatCannotBeHeldIsReported(keys: String) {
    var console = Console()
    #expect(type(keys, in: &console).count == 1)
    #expect(console.message == "only a single button can be held")
  }

  @Test func controlZSuspends() {
    var console = Console()
    #expect(type("\u{1A}", in: &console) == [.suspend])
  }

  @Test func keyWithoutEffectShowsAMessage() throws {
    var memory = SavedState()
    #expect(Console.remark(on: .recallPreset(3), memory) == "no preset 3")
    #expect(Console.remark(on: .nextPreset, memory) == "no presets yet")
    #expect(Console.remark(on: .storePreset(3), memory) == "stored as preset 3")
    #expect(Console.remark(on: .storePreset(3), memory, isKept: false) == "preset 3 is stored until you quit")
    #expect(Console.remark(on: nil, memory) == "this key has no command in the configuration")
    #expect(Console.remark(on: .togglePlaying, memory) == nil)
    try memory.presets.save(Preset(try #require(PresetName("Waltz")), Music(tempo: .initial, signature: .initial)))
    #expect(Console.remark(on: .recallPreset(1), memory) == nil)
    #expect(Console.remark(on: .nextPreset, memory) == nil)
    memory.place = SavedPlace(score: "Gig", song: 0)
    #expect(Console.remark(on: .recallPreset(1), memory) == "preset 1 is not in this score")
    let solo = Preset(
      try #require(PresetName("Solo")), Music(tempo: .initial, signature: .initial), place: memory.place)
    try memory.presets.save(solo)
    #expect(Console.remark(on: .recallPreset(2), memory) == nil)
    memory.place = nil
    #expect(Console.remark(on: .recallPreset(2), memory) == "preset 2 is in the score Gig")
    var console = Console()
    #expect(type("x", in: &console) == [])
    #expect(console.message == "this key does nothing; ? shows the keys")
    #expect(type("t", in: &console) == [.press(.tap, isHeld: false)])
    #expect(console.message == nil)
  }

  private func type(
    _ text: String, in console: inout Console, isHolding: Bool = false, at instant: Instant = .zero
  ) -> [Console.Action] {
    var reader = KeyReader()
    return reader.keys(in: text.utf8).flatMap { console.act(on: $0, isHolding: isHolding, at: instant) }
  }
}
