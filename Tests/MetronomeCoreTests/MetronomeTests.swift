import MetronomeCore
import Testing

@Suite struct MetronomeTests {
  // MARK: - Count-in

  @Test(arguments: 0...4) func countInBarsPrecedeBarZero(bars: Int) {
    var box = Box(rules: Rules(countIn: bars))
    box.press(.togglePlaying, at: 0)
    for number in 0..<24 {
      let instant = Instant.zero + .milliseconds(24 + 500 * Int64(number))
      let beat = Beat(index: Int64(number), instant: instant, bar: Int64(number / 4 - bars), position: number % 4)
      #expect(box.metronome.timeline.knownBeat(Int64(number)) == beat)
      #expect(beat.isCountedIn == (number < 4 * bars))
    }
  }

  @Test func everyStartHasACountIn() {
    var box = Box(rules: Rules(countIn: 1))
    box.press(.start, at: 0)
    box.press(.start, at: 3_000)
    #expect(box.beats(3...4) == "1524:-1.3 2024:0.0")
    box.press(.stop, at: 4_000)
    box.press(.togglePlaying, at: 5_000)
    #expect(box.beats(3...4) == "6524:-1.3 7024:0.0")
  }

  @Test func signatureMayChangeDuringTheCountIn() {
    var box = Box(rules: Rules(countIn: 2))
    box.press(.start, at: 0)
    box.press(.setNumerator(3), at: 600)
    #expect(box.beats(0...4) == "24:-2.0 524:-2.1 1024:-2.2 1524:-1.0 2024:-1.1")
    #expect(box.beats(5...9) == "2524:-1.2 3024:0.0 3524:0.1 4024:0.2 4524:1.0")
  }

  // MARK: - Silent mode

  @Test func silentModeDoesNotChangeTheTimeline() {
    var box = Box()
    box.press(.start, at: 0)
    let timeline = box.metronome.timeline
    #expect(box.press(.toggleSilence, at: 700) == nil)
    #expect(box.state == "playing 120 BPM 4/4 silent")
    #expect(box.metronome.timeline == timeline)
    #expect(box.metronome.savedState.isSilent)
    box.press(.toggleSilence, at: 900)
    #expect(box.state == "playing 120 BPM 4/4")
    #expect(box.metronome.timeline == timeline)
  }

  // MARK: - Tempo and signature

  @Test func resetReturnsToTheHomeTempo() {
    var box = Box(200, rules: Rules(homeTempo: Tempo(milliBPM: 92_500)!))
    box.press(.resetTempo, at: 0)
    #expect(box.state == "stopped 92.5 BPM 4/4")
  }

  @Test func signaturesStepBackwards() {
    func walk(_ command: Command, _ limit: NumeratorLimit, from signature: Signature) -> [String] {
      var box = Box(120, signature, limit: limit)
      return (0..<5 as Range<Int64>).map { moment in
        box.press(command, at: moment)
        return box.metronome.settings.signature.description
      }
    }
    #expect(walk(.previousNumerator, .denominator, from: Signature(2, 4)) == ["1/4", "4/4", "3/4", "2/4", "1/4"])
    #expect(walk(.previousNumerator, .none, from: Signature(2, 4)) == ["1/4", "32/4", "31/4", "30/4", "29/4"])
    #expect(walk(.previousDenominator, .denominator, from: Signature(7, 8)) == ["4/4", "4/32", "4/16", "4/8", "4/4"])
    #expect(walk(.previousDenominator, .none, from: Signature(5, 4)) == ["5/2", "5/1", "5/32", "5/16", "5/8"])
  }

  @Test func tellCommandsReplyWithTheSettings() {
    var box = Box(97, Signature(7, 8))
    #expect(box.press(.tellTempo, at: 0) == .tempo(Tempo(bpm: 97)!))
    #expect(box.press(.tellSignature, at: 1) == .signature(Signature(7, 8)))
    #expect(box.press(.togglePlaying, at: 2) == nil)
    #expect(box.press(.nextNumerator, at: 3) == nil)
    #expect(box.press(.tap, at: 4) == nil)
  }

  // MARK: - Saved state

  @Test func savedStateMatchesTheMetronome() {
    let presets = PresetList(("a", 60, Signature(3, 4)), ("b", 90, Signature(7, 8)))
    var box = Box(presets: presets)
    let initial = box.metronome.savedState
    #expect(initial == SavedState(presets: presets))
    box.press(.nextPreset, at: 0)
    box.press(.previousPreset, at: 1)
    box.press(.togglePlaying, at: 2)
    box.press(.toggleSilence, at: 3)
    let later = box.metronome.savedState
    #expect(
      later
        == SavedState(
          Music(tempo: Tempo(bpm: 90)!, signature: Signature(7, 8)), isPlaying: true, isSilent: true, presets: presets,
          recalled: 2))
  }

  @Test(arguments: [Int?.none, 0, -1, 3, .max]) func recalledPlaceWithoutAPresetIsIgnored(place: Int?) {
    let presets = PresetList(("a", 60, Signature(3, 4)), ("b", 90, Signature(7, 8)))
    #expect(Metronome(presets: presets, recalled: place).recalled == nil)
    #expect(Metronome(presets: presets, recalled: 2).recalled == 2)
  }
}
