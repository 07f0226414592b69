import MetronomeCore
import TestSupport
import Testing

/// Groups, beat unit and rhythm in the state file, in presets and in requests.
@Suite struct SavedRhythmTests {
  private static let rhythms = [
    "", "X.x.", "sub=3", "xxxx sub=2 swing=62%@16", "2:xxx|x|xo*2 & 3:4", "& clave=son32 & X.x @3/8 sound=click",
    "swing=2:1 & x..x",
  ]

  private static func rhythm(_ text: String) throws -> Rhythm {
    try Rhythm(text: text, for: Metre(try #require(Signature(text: "1/1"))))
  }

  private func text(_ state: SavedState) -> String { String(decoding: StateFile(state, save: 1).bytes, as: UTF8.self) }

  private static func preset(_ name: String, _ signature: String, _ beat: String, _ rhythm: String) throws -> Preset {
    Preset(
      try #require(PresetName(name)),
      Music(
        tempo: .initial, signature: try #require(Signature(text: signature)), unit: try #require(BeatUnit(text: beat)),
        rhythm: try self.rhythm(rhythm)))
  }

  private static func example() throws -> SavedState {
    var state = SavedState(
      Music(
        signature: try #require(Signature(text: "2+2+3/8")), unit: try #require(BeatUnit(text: "3/8")),
        rhythm: try rhythm("X.x.x.x sub=2")), volume: try #require(Volume(number: "-6")))
    try state.presets.save(preset("Plain", "3/4", "1/4", ""))
    try state.presets.save(preset("3/8 \"sub=2\" x", "6/8", "3/8", ""))
    try state.presets.save(preset("Seven", "3+2+2/8", "1/4", "sub=2"))
    return state
  }

  @Test func stateFileIsHumanReadable() throws {
    let text = text(try SavedRhythmTests.example())
    #expect(
      String(text.dropLast(18)) == """
        metronome state 2
        save 1
        tempo 120
        signature 2+2+3/8
        playing no
        silent no
        recalled none
        volume -6
        beat 3/8
        rhythm X.x.x.x sub=2
        preset 120 3/4 Plain
        preset+ 120 6/8 3/8 "" 3/8 "sub=2" x
        preset+ 120 3+2+2/8 1/4 "sub=2" Seven

        """)
  }

  @Test func onlyAdditionsForceVersion2() throws {
    let groups = try #require(Signature(text: "3+2/4"))
    let isSecond = try [
      SavedState(), SavedState(Music(signature: groups)), SavedState(Music(unit: try #require(BeatUnit(text: "1/8")))),
      SavedState(Music(rhythm: SavedRhythmTests.rhythm("sub=2"))),
    ].map { text($0).hasPrefix("metronome state 2\n") }
    #expect(isSecond == [false, true, true, true])
    var state = SavedState()
    try state.presets.save(SavedRhythmTests.preset("a", "6/8", "1/4", ""))
    #expect(text(state).hasPrefix("metronome state 1\n"))
    try state.presets.save(SavedRhythmTests.preset("a", "3+3/8", "1/4", ""))
    #expect(text(state).hasPrefix("metronome state 2\n"))
    #expect(try StateFile(StateFile(state, save: 1).bytes).savedState == state)
  }

  /// The checksum is correct in each of these files.
  @Test(arguments: [
    ("metronome state 2", "metronome state 1"), ("beat 3/8\nrhythm X.x.x.x sub=2", "rhythm X.x.x.x sub=2\nbeat 3/8"),
    ("volume -6\nbeat 3/8", "beat 3/8\nvolume -6"), ("beat 3/8", "beat 1/4"), ("beat 3/8", "beat 3/7"),
    ("beat 3/8", "beat ♩."), ("beat 3/8\n", "beat 3/8\nbeat 3/8\n"), ("rhythm X.x.x.x sub=2", "rhythm "),
    ("rhythm X.x.x.x sub=2", "rhythm X.x.x.x  sub=2"), ("rhythm X.x.x.x sub=2", "rhythm sub=2 X.x.x.x"),
    ("X.x.x.x sub=2", "X.x.x.x sub=13"), ("X.x.x.x sub=2", "X.x.x.x sub=1"), ("2+2+3/8", "2+2+0/8"),
    ("preset+ 120 6/8 3/8 \"\"", "preset+ 120 6/8 1/4 \"\""), ("6/8 3/8 \"\" 3/8", "6/8 3/8 \"\"3/8"),
    ("6/8 3/8 \"\" 3/8", "6/8 3/8 \" 3/8"), ("6/8 3/8 \"\"", "6/8 3/8 x\"\""),
    ("6/8 3/8 \"\" 3/8", "6/8 3/8 \"sub=x\" 3/8"),
    ("preset+ 120 6/8", "preset 120 6/8 1/4"), ("preset 120 3/4 Plain", "preset+ 120 3/4 Plain"),
    ("preset 120 3/4 Plain", "preset+ 120 3/4 1/4 \"\" Plain"), ("\"sub=2\" Seven", "\"sub=2\""),
    ("\"sub=2\" Seven", "\"sub=2\"  Seven"),
  ])
  func nonCanonicalTextIsDamaged(original: String, replacement: String) throws {
    let body = String(text(try SavedRhythmTests.example()).dropLast(18))
    #expect(body.contains(original))
    let changed = StateFileTests.signed(body.replacing(original, with: replacement))
    let result = Result { () throws(StateFileError) in try StateFile(changed) }
    let isOtherName = replacement == "preset 120 6/8 1/4"
    #expect(isOtherName || result == .failure(.damaged))
  }

  @Test func truncatedAndFlippedFilesAreRefused() throws {
    let bytes = StateFile(try SavedRhythmTests.example(), save: 1).bytes
    for count in 0..<bytes.count {
      #expect(throws: StateFileError.truncated) { try StateFile(Array(bytes[..<count])) }
      var flipped = bytes
      flipped[count] ^= 1 << UInt8(count % 8)
      #expect(throws: StateFileError.self) { try StateFile(flipped) }
    }
  }

  /// A random voice: any cells that fit.
  private func voice(_ random: inout Lehmer, sound: Voice.Sound) -> Voice? {
    let cells = (0...random.below(6)).map { _ in
      Voice.Cell((0...random.below(4)).map { _ in Level.allCases[random.below(5)] }, over: 1 + random.below(5))
    }
    let denominator = random.below(2) == 0 ? nil : 1 << random.below(6)
    return Voice(cells, denominator: sound == .click ? nil : denominator, sound: sound)
  }

  private func rhythm(_ random: inout Lehmer) -> Rhythm {
    var rhythm = Rhythm(random.below(2) == 0 ? nil : voice(&random, sound: .click))
    rhythm.subdivision = 1 + random.below(12)
    if random.below(2) == 0 { rhythm.swing = Swing(500 + random.below(250), of: 1_000, level: 8 << random.below(2)) }
    rhythm.others = (0..<random.below(4)).compactMap { _ in voice(&random, sound: .cowbell) }
    return rhythm
  }

  @Test(arguments: Seeds.few(10, of: 200)) func randomStatesRoundTrip(seed: UInt64) throws {
    var random = Lehmer(seed: seed &+ 5)
    let texts = ["4/4", "6/8", "2+2+3/8", "3+2/4", "32/32", "1+1+1/2"]
    let beats = ["1/4", "3/8", "1/8", "3/2", "1/32"]
    for _ in 0..<30 {
      let rhythm = self.rhythm(&random)
      var state = SavedState(
        Music(
          signature: try #require(Signature(text: texts[random.below(6)])),
          unit: try #require(BeatUnit(text: beats[random.below(5)])), rhythm: rhythm))
      for place in 0..<random.below(5) {
        var preset = try SavedRhythmTests.preset("\"\(place)\" x", texts[random.below(6)], beats[random.below(5)], "")
        if random.below(2) == 0 { preset.rhythm = self.rhythm(&random) }
        try state.presets.save(preset)
      }
      let file = StateFile(state, save: 9)
      #expect(try StateFile(file.bytes) == file, "\(rhythm.text)")
    }
  }

  /// Three voices and a pattern of 32 different cells of two notes, each with two slots.
  @Test func fullListOfTheLongestPresetsFits() throws {
    let cells = (0..<32).map { Voice.Cell($0 % 2 == 0 ? [.weak, .ghost] : [.ghost, .weak], over: 2) }
    var rhythm = Rhythm(Voice(cells))
    rhythm.subdivision = 12
    rhythm.swing = Swing(748, of: 999, level: 16)
    rhythm.others = (0..<3).compactMap { _ in
      var voice = Voice(cells, denominator: 32)
      voice?.sound = .click
      return voice
    }
    #expect(rhythm.text.utf8.count == 726)
    let signature = try #require(Signature(groups: Array(repeating: 1, count: 32), over: 32, limit: .none))
    let (tempo, unit) = (try #require(Tempo(milliBPM: 998_999)), try #require(BeatUnit(3, over: 32)))
    var state = SavedState(
      Music(tempo: tempo, signature: signature, unit: unit, rhythm: rhythm), isPlaying: true, isSilent: true,
      volume: try #require(Volume.all.last), recalled: 128)
    for place in 1...PresetList.capacity {
      let name = String(repeating: "x", count: PresetName.longest - 3) + String(place + 100)
      try state.presets.save(
        Preset(try #require(PresetName(name)), Music(tempo: tempo, signature: signature, unit: unit, rhythm: rhythm)))
    }
    let file = StateFile(state, save: UInt64(Int64.max))
    #expect(file.bytes.count <= StateFile.longest)
    #expect(try StateFile(file.bytes) == file)
  }

  // MARK: - Presets

  @Test func recallSetsEverythingAtTheBarLine() throws {
    var presets = PresetList()
    try presets.save(SavedRhythmTests.preset("Jig", "6/8", "3/8", "sub=2"))
    try presets.save(SavedRhythmTests.preset("Plain", "4/4", "1/4", ""))
    var box = Box(presets: presets)
    box.press(.start, at: 0)
    box.press(.recallPreset(1), at: 700)
    #expect(box.metronome.state.barText == "6/8 sub=2" && box.metronome.state.unit.description == "3/8")
    // 4/4 ends at 2,024 ms; then two beats of 500 ms make a bar.
    #expect(box.beats(3...7) == "1524:0.3 2024:1.0 2524:1.1 3024:2.0 3524:2.1")
    box.press(.recallPreset(2), at: 2_600)
    #expect(box.metronome.state.barText == "4/4" && box.metronome.state.unit == .quarter)
  }

  @Test func storeKeepsTheRhythmThatIsPlayed() throws {
    let rhythm = try SavedRhythmTests.rhythm("X.x. sub=3")
    var metronome = Metronome(Settings(Music(signature: Signature(5, 4), rhythm: rhythm)))
    metronome.apply(.storePreset(1), pressed: .zero, effective: .zero, now: .zero)
    metronome.apply(.previousNumerator, pressed: .zero, effective: .zero, now: .zero)
    metronome.apply(.storePreset(2), pressed: .zero, effective: .zero, now: .zero)
    #expect(metronome.presets.presets.map(\.rhythm.text) == ["sub=3", "X.x. sub=3"])
  }

  @Test func requestSavesTheCurrentRhythmUnlessItIsGiven() throws {
    var state = SavedState(
      Music(unit: try #require(BeatUnit(text: "1/8")), rhythm: try SavedRhythmTests.rhythm("X.x. sub=3")))
    let (a, b) = (try #require(PresetName("a")), try #require(PresetName("b")))
    try state.carryOut(.save(a, MusicChange(signature: Signature(3, 4))))
    try state.carryOut(.save(b, MusicChange(unit: .quarter, rhythm: Rhythm())))
    #expect(state.presets[a]?.rhythm.text == "sub=3")
    #expect(state.presets[a]?.unit.description == "1/8")
    #expect(state.presets[b]?.rhythm == Rhythm())
    try state.carryOut(.recall(b))
    #expect(state.rhythm == Rhythm() && state.unit == .quarter)
  }
}
