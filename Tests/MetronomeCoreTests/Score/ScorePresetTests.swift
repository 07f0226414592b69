import Testing

@testable import MetronomeCore

/// Presets that name a place in a score.
@Suite struct ScorePresetTests {
  private static let text = """
    song "A"
    intro: 2 2/4 60
    verse: 4 2/4 60
    song "B" scale=50%
    1 2/4 60
    solo: 4 2/4 60
    """

  private func name(_ text: String) -> PresetName { PresetName(text)! }

  private func preset(_ text: String, _ place: SavedPlace? = nil) -> Preset {
    Preset(name(text), Music(tempo: Tempo(bpm: 77)!, signature: .initial), place: place)
  }

  private func list(_ presets: Preset...) throws -> PresetList {
    var list = PresetList()
    for preset in presets { try list.save(preset) }
    return list
  }

  private func stage(_ presets: Preset...) throws -> ScoreStage {
    var stage = try ScoreStage(ScorePresetTests.text)
    for preset in presets { try stage.metronome.presets.save(preset) }
    return stage
  }

  private func loaded(_ text: String, name: String, _ presets: PresetList) throws -> Metronome {
    var metronome = Metronome(presets: presets)
    metronome.load(SetList(try Score(text: text), name: name))
    return metronome
  }

  /// The instants of the beats in milliseconds since the first one.
  private func times(_ stage: ScoreStage) -> [Int64] {
    stage.beats.map { ($0.instant - (.zero + stage.lead)).count / 1_000_000 }
  }

  private let verse = SavedPlace(score: "test", song: 0, bar: 2, speed: 1_000)
  private let solo = SavedPlace(score: "test", song: 1, bar: 1, speed: 800)

  // MARK: Storing

  @Test func aStoppedMetronomeStoresWhereTheNextStartBegins() throws {
    var stage = try stage()
    for command in [Command.nextSong, .nextSection, .stepTempo(byMilliBPM: 30_000), .storePreset(1)] {
      try stage.apply(command)
    }
    #expect(stage.metronome.presets[place: 1]?.place == solo)
    #expect(stage.metronome.presets[place: 1]?.tempo == .initial)
    #expect(stage.metronome.recalled == 1)
  }

  @Test func aPlayingMetronomeStoresTheSectionThatSounds() throws {
    var stage = try stage()
    try stage.apply(.start)
    try stage.play(until: .zero + .milliseconds(4_500))
    try stage.apply(.storePreset(1))
    #expect(stage.metronome.presets[place: 1]?.place == verse)
  }

  @Test func aScoreWithoutANameStoresNothing() throws {
    var metronome = try loaded("4 60", name: "", PresetList())
    let reply = metronome.apply(.storePreset(1), pressed: .zero, effective: .zero, now: .zero)
    #expect(reply == .refused(.scoreHasNoName) && metronome.presets.count == 0)
  }

  // MARK: Recalling

  @Test func aRecallWhilePlayingWaitsForTheBarLine() throws {
    var stage = try stage(preset("solo", solo))
    try stage.apply(.start)
    try stage.play(until: .zero + .milliseconds(1_200))
    try stage.apply(.recallPreset(1))
    #expect(stage.metronome.recalled == 1)
    try stage.play(until: .zero + .milliseconds(2_000))
    #expect(stage.metronome.state.score?.text == #""A", song 1 of 2, intro, bar 1"#)
    try stage.play(until: .zero + .milliseconds(2_100))
    #expect(stage.metronome.state.score?.text == #""B", song 2 of 2, solo, bar 2, 80 %"#)
    try stage.play(until: .zero + .milliseconds(7_500))
    #expect(times(stage) == [0, 1_000, 2_000, 3_250, 4_500, 5_750, 7_000])
  }

  @Test func theSpeedOfThePresetStaysInTheFollowingSections() throws {
    var stage = try stage(preset("slow", SavedPlace(score: "test", song: 0, bar: 0, speed: 800)))
    try stage.apply(.start)
    try stage.play(until: .zero + .milliseconds(1_200))
    try stage.apply(.recallPreset(1))
    try stage.play(until: .zero + .milliseconds(7_100))
    #expect(stage.metronome.state.score?.text == #""A", song 1 of 2, verse, bar 3, 80 %"#)
    try stage.play(until: .zero + .milliseconds(8_500))
    #expect(times(stage) == [0, 1_000, 2_000, 3_250, 4_500, 5_750, 7_000, 8_250])
  }

  @Test func aChangeOfTheSpeedAfterwardsStaysToo() throws {
    var stage = try stage(preset("slow", SavedPlace(score: "test", song: 0, bar: 0, speed: 800)))
    try stage.apply(.start)
    try stage.apply(.recallPreset(1))
    try stage.play(until: .zero + .milliseconds(2_100))
    try stage.apply(.resetTempo)
    try stage.play(until: .zero + .milliseconds(6_500))
    #expect(stage.metronome.state.score?.text == #""A", song 1 of 2, verse, bar 3"#)
  }

  @Test func aButtonBeforeTheBarLineMovesOnFromTheRecalledPlace() throws {
    var stage = try stage(preset("slow", SavedPlace(score: "test", song: 0, bar: 0, speed: 500)))
    try stage.apply(.start)
    try stage.play(until: .zero + .milliseconds(1_200))
    try stage.apply(.recallPreset(1))
    try stage.apply(.nextSection)
    try stage.play(until: .zero + .milliseconds(7_500))
    #expect(stage.metronome.state.score?.text == #""A", song 1 of 2, verse, bar 3, 50 %"#)
    #expect(times(stage) == [0, 1_000, 2_000, 4_000, 6_000])
  }

  /// Both sections begin at bar 0 of the song, because what follows a part without an end has no bars of its own.
  @Test func aSectionAfterAVampIsRemembered() throws {
    var stage = try ScoreStage("vamp: * 2/4 60\nsolo: 4 2/4 60\nend: 1 2/4 60")
    try stage.apply(.start)
    try stage.play(until: .zero + .milliseconds(1_200))
    try stage.apply(.nextSection)
    try stage.play(until: .zero + .milliseconds(3_200))
    try stage.apply(.storePreset(1))
    let place = stage.metronome.savedState.place
    #expect(
      place?.bar == 0 && place?.sectionsAfter == 1 && place == stage.metronome.savedState.presets[place: 1]?.place)
    try stage.apply(.stop)
    try stage.apply(.previousSection)
    #expect(stage.metronome.state.score?.label == "vamp")
    try stage.apply(.recallPreset(1))
    #expect(stage.metronome.state.score?.label == "solo")
    let file = try StateFile(StateFile(stage.metronome.savedState, save: 1).bytes)
    #expect(file.savedState == stage.metronome.savedState)
  }

  @Test func restartingTheSectionReplacesTheRecall() throws {
    var stage = try stage(preset("solo", solo))
    try stage.apply(.start)
    try stage.play(until: .zero + .milliseconds(1_200))
    try stage.apply(.recallPreset(1))
    try stage.apply(.restartSection)
    try stage.play(until: .zero + .milliseconds(2_500))
    #expect(stage.metronome.state.score?.text == #""A", song 1 of 2, intro, bar 1"#)
    #expect(times(stage) == [0, 1_000, 2_000])
  }

  @Test func anUndoneRecallGoesNowhere() throws {
    var stage = try stage(preset("solo", solo))
    try stage.apply(.start)
    try stage.play(until: .zero + .milliseconds(1_200))
    let press = Press(.preset1, at: stage.now, number: 1)
    try stage.apply(.recallPreset(1), pressed: stage.now, provisional: press)
    try stage.undo(press, for: .tellTempo)
    try stage.play(until: .zero + .milliseconds(4_500))
    #expect(stage.metronome.state.score?.text == #""A", song 1 of 2, verse, bar 3"#)
    #expect(stage.metronome.recalled == nil)
  }

  @Test func aRecallEndsAPauseAtOnce() throws {
    var stage = try ScoreStage("1 2/4 60\npause wait\nend: 4 2/4 120")
    try stage.metronome.presets.save(preset("end", SavedPlace(score: "test", song: 0, bar: 1, speed: 500)))
    try stage.apply(.start)
    try stage.play(until: .zero + .seconds(5))
    try stage.apply(.recallPreset(1))
    try stage.play(until: .zero + .milliseconds(7_500))
    #expect(times(stage) == [0, 1_000, 5_000, 6_000, 7_000])
    #expect(stage.metronome.state.score?.text == "end, bar 2, 50 %")
  }

  @Test func aRecallWhileStoppedChoosesTheNextStart() throws {
    var stage = try stage(preset("solo", solo))
    try stage.apply(.recallPreset(1))
    #expect(!stage.metronome.timeline.isPlaying)
    #expect(stage.metronome.state.score?.text == #""B", song 2 of 2, solo, bar 2, 80 %"#)
    try stage.apply(.start)
    try stage.play(until: .zero + .milliseconds(2_600))
    #expect(times(stage) == [0, 1_250, 2_500])
  }

  // MARK: Refusals

  /// Whether a preset is recalled by a button and by a request, which agree.
  private func isRecalled(_ metronome: Metronome) -> Bool {
    var (pressed, asked) = (metronome, metronome)
    let reply = pressed.apply(.recallPreset(1), pressed: .zero, effective: .zero, now: .zero)
    let preset = metronome.presets.presets[0].name
    let error = Result { () throws(PresetError) in try asked.carryOut(.recall(preset)) }
    if reply == nil {
      #expect(error == .success(.recallPreset(1)) && pressed.recalled == 1)
      return true
    }
    let refusal = metronome.state.score == nil ? CommandRefusal.presetInScore : .presetOutsideScore
    #expect(reply == .refused(refusal) && error == .failure(.isElsewhere(preset)))
    #expect(pressed.savedState == metronome.savedState)
    return false
  }

  @Test func onlyPlacesOfTheLoadedScoreAreRecalled() throws {
    let (placed, plain) = (try list(preset("solo", solo)), try list(preset("plain")))
    #expect(isRecalled(try loaded(ScorePresetTests.text, name: "test", placed)))
    #expect(isRecalled(Metronome(presets: plain)))
    #expect(!isRecalled(try loaded(ScorePresetTests.text, name: "test", plain)))
    #expect(!isRecalled(try loaded(ScorePresetTests.text, name: "other", placed)))
    #expect(!isRecalled(Metronome(presets: placed)))
    #expect(!isRecalled(try loaded("8 60", name: "test", placed)))
    let nameless = try list(preset("x", SavedPlace(score: "", song: 0)))
    #expect(!isRecalled(try loaded("8 60", name: "", nameless)))
  }

  @Test func aBarThatIsGoneMeansTheBeginningOfItsSong() throws {
    let gone = try list(preset("gone", SavedPlace(score: "test", song: 1, bar: 99, speed: 9_999)))
    var metronome = try loaded("8 60\nsong \"B\" scale=70%\n4 90", name: "test", gone)
    #expect(metronome.apply(.recallPreset(1), pressed: .zero, effective: .zero, now: .zero) == nil)
    #expect(metronome.state.score?.text == #""B", song 2 of 2, bar 1, 70 %"#)
  }

  @Test func stepsLeaveOutWhatCannotBeRecalled() throws {
    let presets = try list(
      preset("a"), preset("verse", verse), preset("c"), preset("solo", solo),
      preset("far", SavedPlace(score: "other", song: 0)))
    func steps(_ command: Command, _ metronome: Metronome) -> [Int?] {
      var metronome = metronome
      return (0..<4).map { _ in
        metronome.apply(command, pressed: .zero, effective: .zero, now: .zero)
        return metronome.recalled
      }
    }
    let score = try loaded(ScorePresetTests.text, name: "test", presets)
    #expect(steps(.nextPreset, score) == [2, 4, 2, 4])
    #expect(steps(.previousPreset, score) == [4, 2, 4, 2])
    #expect(steps(.nextPreset, Metronome(presets: presets)) == [1, 3, 1, 3])
    #expect(steps(.previousPreset, Metronome(presets: presets)) == [3, 1, 3, 1])
    #expect(steps(.nextPreset, try loaded("8 60", name: "x", presets)) == [nil, nil, nil, nil])
  }

  // MARK: Requests

  @Test func aRequestStoresThePlaceUnlessItHasValues() throws {
    var metronome = try loaded(ScorePresetTests.text, name: "test", PresetList())
    metronome.select(solo)
    _ = try metronome.carryOut(.save(name("here"), MusicChange()))
    _ = try metronome.carryOut(.save(name("fast"), MusicChange(tempo: Tempo(bpm: 200))))
    #expect(metronome.presets[name("here")]?.place == solo)
    #expect(metronome.presets[name("fast")]?.place == nil)
    _ = try metronome.carryOut(.rename(name("here"), to: name("there")))
    #expect(metronome.presets[name("there")]?.place == solo)
  }

  @Test func aRecallInASavedStateChoosesThePlace() throws {
    var saved = SavedState(presets: try list(preset("solo", solo)), place: verse)
    try saved.carryOut(.recall(name("solo")))
    #expect(saved.place == solo && saved.tempo == .initial && saved.recalled == 1)
    for place in [nil, SavedPlace(score: "other", song: 1)] {
      let before = SavedState(presets: try list(preset("solo", solo)), place: place)
      var after = before
      #expect(throws: PresetError.isElsewhere(name("solo"))) { try after.carryOut(.recall(name("solo"))) }
      #expect(after == before)
    }
  }
}
