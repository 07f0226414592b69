import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// Blink codes and beats share the light and the buzzer. The test steps the beat loop.
@Suite struct BlinkCodeDisplayTests {
  private let lines = RecordingLines()
  private let publication = TimelinePublication()
  private let plan = OutputPlan()
  private let blinkCodes = Publication(BlinkCode?.none)
  private let loop: BeatLoop<RecordingLines, RecordingObserver>

  init() {
    loop = BeatLoop(
      lines: lines, publication: publication, plan: plan, blinkCodes: blinkCodes,
      observer: RecordingObserver())
  }

  private func ms(_ count: Int64) -> Instant { .zero + .milliseconds(count) }

  private func play(_ bpm: Int = 120) {
    publication.publish(Timeline(session: 1, firstBeat: .zero, tempo: Tempo(bpm: bpm)!, signature: .initial))
  }

  /// Steps at every deadline until `end`. Returns one line per change: milliseconds and the active outputs.
  private func run(from start: Int64 = 0, until end: Int64) -> [String] {
    var changes: [String] = []
    var now = ms(start)
    while now < ms(end) {
      let count = lines.calls.count
      let next = loop.step(at: now)
      for levels in lines.calls[count...] { changes.append("\(now.nanoseconds / 1_000_000) \(letters(levels))") }
      guard let next else { return changes }
      now = next
    }
    return changes
  }

  private func letters(_ levels: LineSet) -> String {
    (levels.contains(.light) ? "L" : "-") + (levels.contains(.pendulum) ? "P" : "-")
      + (levels.contains(.buzzer) ? "B" : "-")
  }

  @Test func stoppedMetronomeShowsABlinkCodeAndThenSwitchesOff() {
    blinkCodes.publish(BlinkCode(.stored, from: ms(1_000)))
    #expect(run(until: 10_000) == ["1300 L-B", "1400 ---", "1550 L-B", "1650 ---"])
    #expect(loop.step(at: ms(20_000)) == nil)
  }

  @Test func blinkCodeReplacesLightAndBuzzerButNotThePendulum() {
    play()
    blinkCodes.publish(BlinkCode(.stored, from: ms(420)))
    // Beats at 500 (odd), 1000 and 1500: beats during the blink code show on the pendulum only.
    #expect(
      run(until: 1_600) == [
        "0 L-B", "40 L--", "100 ---", "500 -P-", "720 LPB", "820 -P-", "970 LPB", "1000 L-B", "1070 ---", "1500 LPB",
        "1520 LP-", "1550 -P-",
      ])
  }

  /// A blink code ends the current flash. Only the light shows a refusal; the buzzer continues with the beats.
  @Test func blinkCodeEndsTheCurrentFlash() {
    play()
    blinkCodes.publish(BlinkCode(.refused(.noScore), from: ms(20)))
    #expect(run(until: 990) == ["0 L-B", "20 --B", "40 ---", "320 L--", "500 LPB", "520 LP-", "920 -P-"])
  }

  @Test func beatThatBeginsDuringABlinkCodeStaysHidden() {
    play()
    // The blink code lasts from 620 to 1270: the beat at 1000 is hidden, the beat at 1500 is shown.
    blinkCodes.publish(BlinkCode(.stored, from: ms(355)))
    let changes = run(until: 1_560)
    #expect(changes.suffix(4) == ["1005 ---", "1500 LPB", "1520 LP-", "1550 -P-"])
  }

  @Test func newBlinkCodeReplacesTheOldAndNilEndsIt() {
    blinkCodes.publish(BlinkCode(.tempo(Tempo(bpm: 888)!), from: .zero))
    #expect(run(until: 350) == ["300 L-B"])
    blinkCodes.publish(.none)
    #expect(run(from: 350, until: 5_000) == ["350 ---"])
  }

  @Test func mutedSoundLeavesTheLight() {
    plan.mute([.buzzer, .audio])
    blinkCodes.publish(BlinkCode(.stored, from: .zero))
    #expect(run(until: 5_000) == ["300 L--", "400 ---", "550 L--", "650 ---"])
  }
}
