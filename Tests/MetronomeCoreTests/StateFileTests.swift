import MetronomeCore
import TestSupport
import Testing

/// A state file is read as it was written; every other file is refused.
@Suite struct StateFileTests {
  private static func name(_ text: String) -> PresetName { PresetName(text)! }

  private static let full: SavedState = {
    var presets = PresetList()
    let seven = Signature(7, over: 8, limit: .none)!
    for (text, tempo) in [("Slow waltz", 92_500), ("Été / 2", 999_000), ("checksum 00000000", 1_000)] {
      try? presets.save(Preset(name(text), Music(tempo: Tempo(milliBPM: tempo)!, signature: seven)))
    }
    return SavedState(
      Music(tempo: Tempo(milliBPM: 33_333)!, signature: seven), isPlaying: true, isSilent: true, presets: presets,
      recalled: 2)
  }()

  private static let savedStates: [SavedState] = {
    var most = SavedState(recalled: 128)
    for place in 1...PresetList.capacity {
      let text = String(repeating: "x", count: PresetName.longest - 3) + String(place + 100)
      try? most.presets.save(Preset(name(text), Music(tempo: Tempo(milliBPM: 999_999 - 1_000)!, signature: .initial)))
    }
    return [SavedState(), full, most, placed]
  }()

  private static let placed: SavedState = {
    var presets = PresetList()
    let (solo, far) = (
      SavedPlace(score: "at the Gig", song: 1, bar: 16, speed: 850),
      SavedPlace(score: "x", song: 999_999, bar: SongMap.mostBeats - 1, speed: 1_000)
    )
    try? presets.save(Preset(name("Solo"), Music(tempo: .initial, signature: .initial), place: solo))
    try? presets.save(Preset(name("at 1 1"), Music(tempo: .initial, signature: .initial)))
    let five = Signature(text: "2+3/8")!
    let rhythm = (try? Rhythm(text: "sub=2", for: Metre(five))) ?? Rhythm()
    try? presets.save(Preset(name("Far"), Music(tempo: .initial, signature: five, rhythm: rhythm), place: far))
    return SavedState(presets: presets, recalled: 3)
  }()

  private func parse(_ bytes: [UInt8]) -> Result<StateFile, StateFileError> {
    Result { () throws(StateFileError) in try StateFile(bytes) }
  }

  @Test(arguments: savedStates) func stateFilesRoundTrip(savedState: SavedState) throws {
    let file = StateFile(savedState, save: 17)
    let read = try StateFile(file.bytes)
    #expect(read == file)
    #expect(file.bytes.count <= StateFile.longest)
  }

  @Test func stateFileIsHumanReadable() {
    let text = String(decoding: StateFile(StateFileTests.full, save: 3).bytes, as: UTF8.self)
    #expect(
      text == """
        metronome state 1
        save 3
        tempo 33.333
        signature 7/8
        playing yes
        silent yes
        recalled 2
        preset 92.5 7/8 Slow waltz
        preset 999 7/8 Été / 2
        preset 1 7/8 checksum 00000000
        checksum c87fcdeb

        """)
  }

  @Test func presetsWithPlacesAreHumanReadable() {
    let text = String(decoding: StateFile(StateFileTests.placed, save: 3).bytes, as: UTF8.self)
    #expect(
      text.dropLast(18) == """
        metronome state 3
        save 3
        tempo 120
        signature 4/4
        playing no
        silent no
        recalled 3
        preset 120 4/4 Solo
        at 2 17 850 at the Gig
        preset 120 4/4 at 1 1
        preset+ 120 2+3/8 1/4 "sub=2" Far
        at 1000000 1000000000000000 1000 x

        """)
  }

  /// Without places, older programs can read the file.
  @Test func theVersionIsTheOldestThatFits() {
    var state = StateFileTests.placed
    func version() -> String { String(decoding: StateFile(state, save: 1).bytes.prefix(17), as: UTF8.self) }
    #expect(version() == "metronome state 3")
    for preset in state.presets.presets {
      try? state.presets.save(Preset(preset.name, Music(tempo: .initial, signature: preset.signature)))
    }
    #expect(version() == "metronome state 2")
    try? state.presets.delete(StateFileTests.name("Far"))
    #expect(version() == "metronome state 1")
  }

  @Test(arguments: [
    ("at 2 17 850 at the Gig", "at 2 17 850 "), ("at 2 17 850 at the Gig", "at 2 17 850"), ("at 2 ", "at 0 "),
    ("at 2 ", "at 02 "), ("at 2 ", "at +2 "), ("at 2 ", "at 1000001 "), ("at 2 17 ", "at 2 0 "),
    ("at 2 17 ", "at 2 1000000000000001 "), ("at 2 17 850 ", "at 2 17 0 "), ("at 2 17 850 ", "at 2 17 1000001 "),
    ("at 2 17 850 at the Gig\n", "at 2 17 850 at the Gig\nat 2 17 850 at the Gig\n"), ("at 2 17", "At 2 17"),
    ("recalled 3\n", "recalled 3\nat 2 17 850 Gig\n"), ("state 3", "state 2"), ("at 2 17", "place 2 17"),
  ])
  func nonCanonicalPlaceIsReportedAsDamaged(original: String, replacement: String) {
    let body = String(decoding: StateFile(StateFileTests.placed, save: 3).bytes.dropLast(18), as: UTF8.self)
    #expect(body.contains(original))
    let changed = body.replacing(original, with: replacement)
    #expect(parse(StateFileTests.signed(changed)) == .failure(.damaged))
  }

  @Test(arguments: savedStates) func truncatedFileIsRefused(savedState: SavedState) {
    let bytes = StateFile(savedState, save: 1).bytes
    for count in 0..<bytes.count {
      let error = Result<StateFile, StateFileError>.failure(.truncated)
      #expect(parse(Array(bytes[..<count])) == error, "\(count) of \(bytes.count)")
    }
  }

  @Test(arguments: [full, placed]) func flippedBitIsDetected(savedState: SavedState) {
    let bytes = StateFile(savedState, save: 1).bytes
    for place in bytes.indices {
      for bit in 0..<8 {
        var flipped = bytes
        flipped[place] ^= 1 << bit
        #expect(throws: StateFileError.self, "bit \(bit) of byte \(place)") { try StateFile(flipped) }
      }
    }
  }

  @Test(arguments: [full, placed]) func trailingZerosAreDetected(savedState: SavedState) {
    let bytes = StateFile(savedState, save: 1).bytes
    for count in 0..<bytes.count {
      let zeroed = bytes[..<count] + [UInt8](repeating: 0, count: bytes.count - count)
      #expect(throws: StateFileError.self) { try StateFile(Array(zeroed)) }
    }
  }

  @Test(arguments: [full, placed]) func corruptedBytesAreRefusedOrReadUnchanged(savedState: SavedState) {
    var random = Lehmer(seed: 1)
    let bytes = StateFile(savedState, save: 1).bytes
    for _ in 0..<3_000 {
      var changed = bytes
      for _ in 0...random.below(5) {
        let place = random.below(changed.count)
        switch random.below(3) {
        case 0: changed[place] = UInt8(random.below(256))
        case 1: changed.remove(at: place)
        default: changed.insert(UInt8(random.below(256)), at: place)
        }
      }
      if case .success(let file) = parse(changed) { #expect(file.bytes == changed) }
    }
  }

  /// Text that no program writes is reported as damaged, even if its checksum is correct.
  @Test(arguments: [
    ("tempo 33.333", "tempo 33.3330"), ("tempo 33.333", "tempo 0"), ("tempo 33.333", "tempo 1e2"),
    ("signature 7/8", "signature 7/9"), ("signature 7/8", "signature +7/8"), ("playing yes", "playing Yes"),
    ("silent yes\n", ""), ("recalled 2", "recalled 0"), ("recalled 2", "recalled 129"), ("save 3", "save 03"),
    ("save 3", "save 18446744073709551616"), ("save 3", "save 9223372036854775808"), ("recalled 2", "recalled two"),
    ("preset 92.5 7/8 Slow waltz", "preset 92.5 7/8"), ("preset 92.5 7/8 Slow waltz", "preset 92.5 7/8 "),
    ("Slow waltz", "Été / 2"), ("Slow waltz", " Slow"), ("Slow waltz", "Slow\u{7}"), ("preset 1 7/8", "Preset 1 7/8"),
    ("save 3\n", "save 3\r\n"), ("metronome state 1", "metronome state 01"),
  ])
  func nonCanonicalTextIsReportedAsDamaged(original: String, replacement: String) {
    let text = String(decoding: StateFile(StateFileTests.full, save: 3).bytes, as: UTF8.self)
    let body = String(text.dropLast(18))
    #expect(body.contains(original))
    let changed = body.replacing(original, with: replacement)
    #expect(parse(StateFileTests.signed(changed)) == .failure(.damaged))
  }

  @Test func fileWithTooManyPresetsIsReportedAsDamaged() {
    let text = String(decoding: StateFile(StateFileTests.savedStates[2], save: 3).bytes, as: UTF8.self)
    let body = text.dropLast(18) + "preset 120 4/4 one more\n"
    #expect(parse(StateFileTests.signed(String(body))) == .failure(.damaged))
  }

  @Test(arguments: [
    ("", StateFileError.truncated), ("\0\0\0\0", .damaged), ("tempo: 120\n", .foreign), ("metronome", .truncated),
    ("metronome state 5\nanything", .future(version: 5)), ("metronome state 2\nanything", .truncated),
    ("metronome state 0\n", .damaged),
    ("metronome state 999999999\n", .future(version: 999_999_999)), ("metronome state 9999999999\n", .damaged),
    ("metronome state 1", .truncated), ("metronome state 1\n", .truncated), ("metronome state x\n", .damaged),
    ("\u{89}PNG", .foreign),
  ])
  func errorsDescribeTheDamage(text: String, error: StateFileError) {
    #expect(parse(Array(text.utf8)) == .failure(error))
  }

  @Test func saveCounterSaturates() {
    let file = StateFile(SavedState(), save: UInt64(Int64.max) - 1)
    #expect(file.next(SavedState()).save == UInt64(Int64.max))
    #expect(file.next(SavedState()).next(SavedState()).save == UInt64(Int64.max))
    #expect(parse(file.next(SavedState()).bytes) == .success(file.next(SavedState())))
  }

  @Test func impossibleRecalledPlaceIsNotWritten() throws {
    let read = try StateFile(StateFile(SavedState(recalled: 500), save: 1).bytes)
    #expect(read.savedState == SavedState())
  }

  @Test(arguments: ["\u{301}abc", "\u{FE0F}", "\u{1F3FB}x", "\u{0903}", "\u{FF9E}", "\u{20DD}a"])
  func nameStartingWithACombiningCharacterIsRejected(text: String) {
    #expect(PresetName(text) == nil)
    #expect(PresetName("a" + text) != nil)
  }

  @Test(arguments: ["\u{A0}", "\u{3000}", "\u{2800}", "\u{3164}", "\u{115F}", "\u{3000}\u{A0}"])
  func nameWithoutVisibleCharactersIsRejected(text: String) {
    #expect(PresetName(text) == nil && PresetName(stored: text) == nil)
    #expect(PresetName("a" + text + "a") != nil)
  }

  private static let blanks = [
    "\u{A0}", "\u{1680}", "\u{2003}", "\u{202F}", "\u{205F}", "\u{3000}", "\u{2800}", "\u{115F}", "\u{1160}",
    "\u{3164}", "\u{FFA0}", "\u{3000}\u{FE0F}",
  ]

  @Test(arguments: blanks) func blankCharacterAtAnEndOfANewNameIsRejected(blank: String) {
    #expect(PresetName("x" + blank) == nil && PresetName(blank + "x") == nil)
    #expect(PresetName("x" + blank + "x") != nil)
  }

  /// Earlier versions accepted such names.
  @Test(arguments: blanks) func storedNameWithABlankCharacterAtAnEndIsLoadedAndCanBeRenamed(blank: String) throws {
    for text in ["x" + blank, blank + "x"] {
      let body = StateFile(SavedState(), save: 1).bytes.dropLast(18) + Array("preset 90 4/4 \(text)\n".utf8)
      var savedState = try StateFile(StateFileTests.signed(String(decoding: body, as: UTF8.self))).savedState
      let name = try #require(savedState.presets[place: 1]?.name)
      #expect(name.description == text)
      try savedState.carryOut(.rename(name, to: StateFileTests.name("x")))
      #expect(savedState.presets[place: 1]?.name == StateFileTests.name("x"))
    }
  }

  @Test func nameWithAReplacementCharacterIsRejected() { #expect(PresetName("a\u{FFFD}") == nil) }

  @Test(arguments: [
    ("", "it is empty"), (String(repeating: "é", count: 33), "it has 66 bytes, and at most 64 are possible"),
    ("👩\u{200D}🎤", "it contains U+200D, which is invisible"),
    ("می\u{200C}خواهم", "it contains U+200C, which is invisible"),
    ("a\nb", "it contains U+000A, which is invisible"),
    ("a\u{FFFD}", "it contains U+FFFD, which stands for a character that was lost"), ("\u{A0}", "it is blank"),
    (" a", "it begins or ends with a space"), ("\u{301}a", "it begins with a combining character"),
    ("a\u{A0}", "it begins or ends with a blank character"),
  ])
  func refusedNameHasATrueReason(text: String, fault: String) {
    #expect(PresetName(text) == nil && PresetName.fault(of: text) == fault)
  }

  @Test(arguments: [
    "a\u{301}\u{FE0F}", "\u{1F44B}\u{1F3FB}", "\u{1100}\u{1161}", "\u{1F1E9}\u{1F1EA}", "\u{5D0}\u{5B7}",
    "e\u{301} \u{301}x",
  ])
  func unicodeNamesRoundTrip(text: String) throws {
    var savedState = SavedState()
    try savedState.presets.save(Preset(StateFileTests.name(text), Music(tempo: .initial, signature: .initial)))
    let read = try StateFile(StateFile(savedState, save: 1).bytes)
    #expect(read.savedState == savedState)
  }

  /// Appends the correct checksum, computed by another algorithm than the program uses.
  static func signed(_ text: String) -> [UInt8] {
    var rest: UInt32 = .max
    for byte in text.utf8 {
      rest ^= UInt32(byte)
      for _ in 0..<8 { rest = rest & 1 == 1 ? rest >> 1 ^ 0xEDB8_8320 : rest >> 1 }
    }
    let digits = String(~rest, radix: 16)
    return Array((text + "checksum " + String(repeating: "0", count: 8 - digits.count) + digits + "\n").utf8)
  }
}
