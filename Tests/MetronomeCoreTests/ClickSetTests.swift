import Foundation
import MetronomeCore
import SignalSupport
import Testing

/// What the sets of clicks promise: measured with an independent implementation, at volume 1, as the card plays them.
@Suite struct ClickSetTests {
  /// The factor of the mixer.
  private static let headroom: Float = 0.75
  private static let rates = [44_100, 48_000, 96_000]

  private func played(_ set: Voice.Sound, _ level: Level, rate: Int) -> [Float] {
    let (source, gain) = ClickSounds().source(of: level, in: set)
    return source.channels(rate: rate)[0].map { $0 * gain * ClickSetTests.headroom }
  }

  @Test func namesOfTheSetsAreStable() {
    #expect(
      Voice.Sound.sets.map(\.name) == ["click", "wood", "rim", "hihat", "beep", "mechanical", "soft", "dry"])
    #expect(
      Voice.Sound.sets.map(\.next.name) == ["wood", "rim", "hihat", "beep", "mechanical", "soft", "dry", "click"])
    #expect(Voice.Sound(set: "wood") == .wood && Voice.Sound(set: "cowbell") == nil && Voice.Sound(set: "Wood") == nil)
    #expect(Voice.Sound(name: "cowbell") == .cowbell && Voice.Sound(name: "") == nil)
  }

  /// Table 1 and 2 of ITU-R BS.1770-5.
  @Test func weightingIsThatOfTheRecommendation() {
    let filters = KWeighting.filters(rate: 48_000)
    let expected = [
      ([1.53512485958697, -2.69169618940638, 1.19839281085285], [1, -1.69065929318241, 0.73248077421585]),
      ([1, -2, 1], [1, -1.99004745483398, 0.99007225036621]),
    ]
    for (filter, (b, a)) in zip(filters, expected) {
      #expect(zip(filter.b + filter.a, b + a).allSatisfy { ($0 - $1).magnitude < 1e-8 })
    }
    // A sine of 997 Hz at full scale has -3.01 LUFS.
    let sine = (0..<48_000).map { Float(sin(2 * .pi * 997 * Double($0) / 48_000)) }
    #expect((loudness(sine, rate: 48_000) + 3.01).magnitude < 0.05)
  }

  /// Changing the set neither startles nor hides a level: at each level, all sets are equally loud within 0.2 dB.
  @Test(arguments: Voice.Sound.sets, rates)
  func setsAreEquallyLoudAndLevelsAreToldApart(set: Voice.Sound, rate: Int) {
    let loudnesses = Level.sounding.map { loudness(played(set, $0, rate: rate), rate: rate) }
    for (measured, expected) in zip(loudnesses, [-17.5, -20, -22.5, -32.5]) {
      #expect((measured - expected).magnitude < 0.1, "\(set) \(loudnesses)")
    }
  }

  @Test(arguments: Voice.Sound.sets, rates)
  func peaksLeaveRoomAndAttacksAreShort(set: Voice.Sound, rate: Int) {
    for level in Level.sounding {
      let samples = played(set, level, rate: rate)
      let highest = samples.map(\.magnitude).max()!
      #expect(20 * log10(highest) <= -1.5)
      #expect(samples.count * 1_000 <= 81 * rate)
      // The first frame is 0, and value and slope at the end are below one least significant bit at 16 bits.
      #expect(samples[0].magnitude < 1e-6)
      #expect(samples.suffix(2).allSatisfy { $0.magnitude < 1e-5 })
      func first(above part: Float) -> Int { samples.firstIndex { $0.magnitude >= part * highest }! }
      #expect((first(above: 0.9) - first(above: 0.1)) * 500 <= rate, "\(set) \(level)")
    }
  }

  @Test(arguments: Voice.Sound.sets, rates)
  func nothingIsAboveTheBandAndThereIsNoOffset(set: Voice.Sound, rate: Int) {
    for level in [Level.strong, .medium, .weak] {
      let levels = Levels(played(set, level, rate: rate), above: 0.42)
      #expect(levels.above < -100 && levels.direct < -120, "\(set) \(level) \(levels)")
    }
  }

  /// At the lowest rate every set still sounds.
  @Test(arguments: Voice.Sound.sets) func lowRatesHaveAllSets(set: Voice.Sound) {
    for level in [Level.strong, .medium, .weak] {
      #expect(played(set, level, rate: 8_000).map(\.magnitude).max()! > 0.1)
    }
  }

  /// No two sets are the same: their strong clicks have different spectra.
  @Test func setsDiffer() {
    let frequencies = (1...200).map { Double($0) / 480 }
    let spectra = Voice.Sound.sets.map { set in
      let levels = spectrum(played(set, .strong, rate: 48_000), at: frequencies)
      let length = levels.reduce(0) { $0 + $1 * $1 }.squareRoot()
      return levels.map { $0 / length }
    }
    for (index, one) in spectra.enumerated() {
      for other in spectra[..<index] { #expect(zip(one, other).map { $0 * $1 }.reduce(0, +) < 0.9) }
    }
  }

  // MARK: - What is chosen

  @Test func levelsAndRecordingsWinOverTheSet() {
    var sounds = ClickSounds()
    sounds.levels.strong = .rim
    sounds.levels.weak = .dry
    func own(_ level: Level) -> ClickSound? { sounds.ownSource(of: level)?.sound }
    #expect(own(.strong) == .synthesised(.rim, .strong) && own(.medium) == nil)
    #expect(own(.weak) == .synthesised(.dry, .weak) && own(.ghost) == .synthesised(.dry, .weak))
    #expect(sounds.ownSource(of: .ghost)?.gain == ClickSounds.ghostGain)
    sounds.levels = PerLevel(repeating: nil)
    #expect(Level.sounding.allSatisfy { own($0) == nil })
  }

  @Test func commandsChooseASetAndTheStateNamesIt() {
    var box = Box()
    #expect(box.metronome.state.set == .click && box.metronome.savedState.set == nil)
    let timeline = box.metronome.timeline
    box.press(.setClickSet(.rim), at: 100)
    #expect(box.metronome.state.set == .rim && box.metronome.state.mode == "rim, stopped")
    #expect(box.metronome.savedState.set == .rim && box.metronome.timeline == timeline)
    box.press(.nextClickSet, at: 200)
    #expect(box.metronome.state.set == .hihat)
    // The configured set is not a choice.
    box.press(.setClickSet(.click), at: 300)
    #expect(box.metronome.savedState.set == nil)
  }

  @Test func presetsAndRhythmsChooseTheirSet() throws {
    var box = Box()
    box.press(.setClickSet(.wood), at: 100)
    box.press(.storePreset(1), at: 200)
    #expect(box.metronome.presets[place: 1]?.rhythm.text == "set=wood")
    box.press(.setClickSet(.click), at: 300)
    box.press(.storePreset(2), at: 400)
    box.press(.recallPreset(1), at: 500)
    #expect(box.metronome.state.set == .wood && box.metronome.state.rhythm == Rhythm())
    // A preset without a set keeps it.
    box.press(.recallPreset(2), at: 600)
    #expect(box.metronome.state.set == .wood)
    box.press(.setRhythm(try #require(Rhythm(anyMetre: "sub=2 set=dry"))), at: 700)
    #expect(box.metronome.state.set == .dry && box.metronome.state.rhythm.text == "sub=2")
    let saved = box.metronome.savedState
    #expect(try StateFile(StateFile(saved, save: 3).bytes).savedState == saved)
    let text = String(decoding: StateFile(saved, save: 3).bytes, as: UTF8.self)
    #expect(text.hasPrefix("metronome state 4\n") && text.contains("\nset dry\nrhythm sub=2\n"))
    #expect(text.contains("preset+ 120 4/4 1/4 \"set=wood\" 1"))
  }

  @Test(arguments: [("set dry", "set cowbell"), ("set dry", "set"), ("set dry\n", ""), ("state 4", "state 3")])
  func otherTextOfVersion4IsDamaged(original: String, replacement: String) throws {
    var text = String(decoding: StateFile(SavedState(set: .dry), save: 3).bytes, as: UTF8.self)
    text.replace(original, with: replacement)
    #expect(throws: StateFileError.damaged) { try StateFile(Array(text.utf8)) }
  }

  @Test func anotherConfiguredSetReplacesTheChoice() {
    var metronome = Metronome()
    metronome.apply(.setClickSet(.rim), pressed: .zero, effective: .zero, now: .zero)
    var rules = Rules()
    metronome.reconfigure(rules: rules, limit: .none, effective: .zero, now: .zero)
    #expect(metronome.state.set == .rim)
    rules.homeSet = .soft
    metronome.reconfigure(rules: rules, limit: .none, effective: .zero, now: .zero)
    #expect(metronome.state.set == .soft && metronome.savedState.set == nil)
  }

  @Test func songsAndEntriesHaveTheirSet() throws {
    let score = try Score(text: "song \"A\" set=wood\n2 120\n2 120 set=rim\n2 120 xxxx sub=2\nsong \"B\"\n1 90\n")
    let sets = score.songs.flatMap { song in
      song.parts.map { part -> Voice.Sound? in
        guard case .section(let section) = part else { return nil }
        return section.bar.rhythm.set
      }
    }
    #expect(sets == [.wood, .rim, .wood, nil])
  }

  @Test(arguments: [
    ("song \"A\" set=drum\n2 120", "1:10: unknown set \"set=drum\"; the sets are click, wood, rim,"),
    ("2 120 set=cowbell", "1:7: unknown set \"set=cowbell\"; the sets are click, wood, rim,"),
  ])
  func unknownSetIsReported(text: String, expected: String) {
    var error: NotationError?
    do throws(NotationError) { _ = try Score(text: text) } catch let refusal { error = refusal }
    #expect(error.map { "\($0.line):\($0.column): \($0.text)" }?.hasPrefix(expected) == true)
  }
}
