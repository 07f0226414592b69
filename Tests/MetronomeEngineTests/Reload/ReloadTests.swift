import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import TestSupport
import Testing

/// Reloads of the configuration while playing.
@Suite struct ReloadTests {
  private static func script(_ lines: String) -> Script {
    do throws(ScriptError) { return try Script(text: Array(lines.utf8), file: "hands") } catch {
      fatalError("\(error)")
    }
  }

  // MARK: - Tempo, signature, rules

  @Test func reloadChangesTempoAndSignatureAsCommandsDo() {
    func bench() -> Bench { Bench(script: ReloadTests.script("0.1 press play")) }
    let reloaded = bench().reload(at: .milliseconds(1_300)) { options in
      options.settings.tempo = Tempo(milliBPM: 90_000)!
      options.settings.signature = Signature(3, over: 4, limit: .denominator)!
      options.rules.homeTempo = options.settings.tempo
    }
    let commanded = bench()
    commanded.simulation.schedule(at: .zero + .milliseconds(1_300)) { [simulation = commanded.simulation] in
      simulation.perform(.setTempo(Tempo(milliBPM: 90_000)!))
      simulation.perform(.setNumerator(3))
    }
    reloaded.ended(after: .seconds(9))
    commanded.ended(after: .seconds(9))
    #expect(reloaded.beats.map(\.beat) == commanded.beats.map(\.beat))
    #expect(reloaded.lines(per: .milliseconds(1)).last == "1300 playing 90 BPM 3/4")
  }

  /// Settings made by buttons stay. After an edit of the volume the tempo stays as set by the buttons, and so does the
  /// signature within its limit.
  @Test func settingsMadeByButtonsStay() {
    let bench = Bench(script: ReloadTests.script("1 press faster\n2 press numerator\n3 press play"))
    bench.reload(at: .milliseconds(3_700)) { $0.sounds.volume = 0.5 }
    bench.reload(at: .milliseconds(4_700)) { $0.settings.signature = Signature(4, over: 4, limit: .denominator)! }
    bench.ended(after: .seconds(6))
    expect(
      bench.lines(per: .milliseconds(1)),
      """
      0 stopped 120 BPM 4/4
      1000 stopped 121 BPM 4/4
      2080 stopped 121 BPM 5/4
      3000 playing 121 BPM 5/4
      """)
  }

  @Test func stricterLimitReducesTheSignature() {
    let wide = Settings(Music(signature: Signature(7, over: 4, limit: .none)!), limit: .none)
    let bench = Bench(wide, script: ReloadTests.script("1 press play\n4 press numerator"))
    bench.reload(at: .milliseconds(2_200)) { options in
      options.settings = Settings(
        Music(tempo: options.settings.tempo, signature: Signature(4, over: 4, limit: .denominator)!),
        limit: .denominator)
    }
    bench.ended(after: .seconds(5))
    expect(
      bench.lines(per: .milliseconds(1)),
      """
      0 stopped 120 BPM 7/4
      1000 playing 120 BPM 7/4
      2200 playing 120 BPM 4/4
      4080 playing 120 BPM 1/4
      """)
  }

  @Test func newRulesApplyFromTheReloadOn() {
    let bench = Bench(script: ReloadTests.script("0 press play\n5 press play\n6 press play"))
    bench.reload(at: .milliseconds(2_000)) { $0.rules.countIn = 1 }
    bench.ended(after: .milliseconds(8_600))
    let counted = bench.beats.filter(\.beat.isCountedIn).map { $0.time.count / 1_000_000 }
    #expect(counted == [6_001, 6_501, 7_001, 7_501])
  }

  /// The automatic stop counts the idle time from the reload at the earliest.
  @Test func automaticStopCountsFromTheReload() {
    let bench = Bench(script: ReloadTests.script("0 press play"))
    bench.reload(at: .seconds(30)) { $0.rules.autoStop = .seconds(10) }
    bench.reload(at: .seconds(35)) { $0.sounds.volume = 0.1 }
    bench.ended(after: .seconds(50))
    #expect(bench.lines(per: .milliseconds(1)).last == "40000 stopped 120 BPM 4/4")
  }

  // MARK: - Pulses

  @Test func shortenedPulseEndsAtOnceAndLengthenedOneDoesNotFlashTwice() {
    let bench = Bench(
      Settings(Music(signature: Signature(1, over: 4, limit: .denominator)!)),
      script: ReloadTests.script("0.999 press play"))
    for (time, width) in [(1_030, 10), (1_060, 200), (1_550, 70)] as [(Int64, Int64)] {
      bench.reload(at: .milliseconds(time)) { $0.pattern.light.strong = .atMost(.milliseconds(width)) }
    }
    bench.ended(after: .milliseconds(1_900))
    let light = bench.lines(per: .milliseconds(1), [.line]).filter { $0.contains("light") }
    expect(light, "1000 light on\n1030 light off\n1500 light on\n1570 light off")
  }

  // MARK: - Buttons

  /// A button that is held during a reload has no further effect: no short or long press, no repetition, no chord.
  @Test(arguments: [
    ("1 press faster 100ms", ["1000 stopped 121 BPM 4/4", "6000 stopped 128 BPM 4/4"]),
    ("1 press faster 4s", ["1000 stopped 121 BPM 4/4", "6000 stopped 128 BPM 4/4"]),
    ("1 press faster 3ms", ["1000 stopped 121 BPM 4/4", "6000 stopped 128 BPM 4/4"]),
    ("1 press numerator 90ms", ["6000 stopped 127 BPM 4/4"]),
    ("1 press numerator 900ms", ["6000 stopped 127 BPM 4/4"]),
    ("1 press play 900ms", ["1000 playing 120 BPM 4/4", "6000 playing 127 BPM 4/4"]),
    // The second button goes down after the change, and has its new meaning.
    (
      "1 press slower\n1.05 press faster",
      ["1000 stopped 119 BPM 4/4", "1050 stopped 126 BPM 4/4", "6000 stopped 133 BPM 4/4"]
    ),
  ])
  func heldButtonHasNoFurtherEffect(presses: String, states: [String]) {
    let bench = Bench(script: ReloadTests.script(presses + "\n6 press faster"))
    bench.reload(at: .milliseconds(1_002)) { options in
      options.gestures = GestureTable(shorts: [
        .play: .toggleSilence, .numerator: .toggleSilence, .slower: .toggleSilence,
        .faster: .stepTempo(byMilliBPM: 7_000),
      ])
      options.lockOut = .milliseconds(10)
    }
    bench.ended(after: .seconds(8))
    #expect(Array(bench.lines(per: .milliseconds(1)).dropFirst()) == states)
  }

  /// A button that is held while only the lock-out changes has no further effect: no repetition, no long press, no short press
  /// on release.
  @Test(arguments: [
    ("1 press faster 4s", ["1000 stopped 121 BPM 4/4", "6000 stopped 122 BPM 4/4"]),
    ("1 press numerator 90ms", ["6000 stopped 121 BPM 4/4"]),
    ("1 press play 900ms", ["1000 playing 120 BPM 4/4", "6000 playing 121 BPM 4/4"]),
    (
      "1 press slower\n1.05 press faster 90ms",
      ["1000 stopped 119 BPM 4/4", "1050 stopped 120 BPM 4/4", "6000 stopped 121 BPM 4/4"]
    ),
  ])
  func heldButtonHasNoFurtherEffectAfterALockOutChange(presses: String, states: [String]) {
    let bench = Bench(script: ReloadTests.script(presses + "\n6 press faster"))
    bench.reload(at: .milliseconds(1_030)) { $0.lockOut = .milliseconds(10) }
    bench.ended(after: .seconds(8))
    #expect(Array(bench.lines(per: .milliseconds(1)).dropFirst()) == states)
  }

  /// A press acts only once, however the contact bounces while the table changes.
  @Test(arguments: Seeds.few(10, of: 40)) func pressActsOnlyOnce(seed: UInt64) {
    let quick = GestureTable(shorts: [.faster: .stepTempo(byMilliBPM: 1_000)])
    var random = SeededRandom(seed: seed)
    let bench = Bench(gestures: quick)
    bench.simulation.board.buttons.schedule(
      ReloadTests.script("1 press faster 120ms").edges(from: .zero, bounces: Bounces(seed: seed)))
    let time = Nanoseconds(.random(in: 1_000_000_001...1_160_000_000, using: &random))
    bench.reload(at: time) { options in
      options.gestures = GestureTable(shorts: [.faster: .stepTempo(byMilliBPM: 1_000), .tap: .tap])
    }
    bench.ended(after: .seconds(3))
    #expect(bench.lines(per: .seconds(1)).dropFirst() == ["1 stopped 121 BPM 4/4"], "at \(time.count)")
  }

  @Test func newButtonsAndDevicesAreRead() {
    let pedal = InputRequest(.named("pedal"), keys: [KeyCode(number: 1): .play])
    let wheel = InputRequest(.named("wheel"), relative: [AxisCode(number: 0): .tempo])
    let text = """
      1 press play@1
      2 turn tempo@1 1
      3 press play
      4 turn tempo@1 2
      5 press play@1
      6 press play
      """
    let bench = Bench(script: ReloadTests.script(text), inputs: [pedal])
    var board = SimulatedBoard.Options()
    board.buttons = [.tap]
    board.inputs = [wheel, pedal]
    bench.reload(at: .milliseconds(2_500), board: board, BoardChanges(buttons: true, inputs: true))
    bench.ended(after: .seconds(8))
    expect(
      bench.lines(per: .seconds(1)), "0 stopped 120 BPM 4/4\n1 playing 120 BPM 4/4\n4 playing 122 BPM 4/4")
  }
}
