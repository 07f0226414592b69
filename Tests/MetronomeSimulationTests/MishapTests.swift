import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeSimulation
import Testing

/// Faults that a script injects into the sound card, the loops, the clock and the disk.
@Suite struct MishapTests {
  private static let silent = "audio: {device: none}\n"

  private static let cards: [(script: String, sounds: [String])] = [
    ("1s card fails", ["0 locking", "1002 waiting: failed", "1102 locking"]),
    ("1s card freezes", ["0 locking", "1203 waiting: frozen", "1303 locking"]),
    ("1s card refuses 9", ["0 locking", "1005 waiting: deaf", "1105 locking"]),
    ("1s card sleeps for good", ["0 locking", "1002 waiting: failed", "1102 locking"]),
    ("0 card unplug\n1s card plug", ["0 waiting: gone", "1100 locking"]),
    ("1s card unplug", ["0 locking", "1002 waiting: gone"]),
  ]

  @Test(arguments: cards) func failedCardsAreReopened(script: String, sounds: [String]) throws {
    let run = try Run(script, for: .seconds(2))
    #expect(run.sounds == sounds)
  }

  @Test func suspendedCardIsResumed() throws {
    let run = try Run("1s card sleeps", for: .seconds(2))
    #expect(run.sounds.count == 1)
    #expect(run.faults(.readAudioPosition).count + run.faults(.writeAudio).count == 1)
  }

  @Test func stoppedCardUnderruns() throws {
    let run = try Run("0 press play\n1s card stops", for: .seconds(3))
    let underruns = run.trace.events.filter { if case .underrun = $0.what { true } else { false } }
    #expect(underruns.count == 1)
  }

  /// The clicks stay on the beat although the card's rate drifts.
  @Test func cardDriftIsCompensated() throws {
    let run = try Run("0 press play\n20s card drifts +200ppm", for: .seconds(60))
    #expect(worstClick(of: run) < .microseconds(200))
    // Proof that the drift was applied: at the last click, 39.5 s later, it is 7.9 ms, or 379 frames at 48 kHz.
    let other = try Run("0 press play", for: .seconds(60))
    #expect((378...380).contains(lastFrame(of: run) - lastFrame(of: other)))
  }

  @Test func clockSlewIsNotMistakenForCardDrift() throws {
    let run = try Run("0 press play\n20s clock slews -500ppm\n40s clock slews 0ppm", for: .seconds(60))
    #expect(worstClick(of: run) < .microseconds(200))
    // The slewed seconds last longer, so the card plays 10 ms more in them.
    let other = try Run("0 press play", for: .seconds(60))
    #expect((479...481).contains(lastFrame(of: run) - lastFrame(of: other)))
  }

  @Test func lateWakeUpDelaysOneBeatOnly() throws {
    let run = try Run("0 press play\n1s late beats 3ms", for: .seconds(3), configuration: MishapTests.silent)
    #expect(run.beats == [1, 501, 1_004, 1_501, 2_001, 2_501])
  }

  /// Ringing its bell does not wake a delayed loop.
  @Test func ringingDoesNotWakeADelayedLoop() throws {
    let run = try Run(
      "0 press play\n900ms late beats 700ms\n1050ms press faster\n1100ms press faster", for: .seconds(2),
      configuration: MishapTests.silent)
    #expect(run.beats.filter { (900..<1_601).contains($0) } == [])
    #expect(run.beats.contains { $0 >= 1_601 })
  }

  @Test func lateControlLoopDelaysCommands() throws {
    let run = try Run("1s late control 50ms\n1s press play", for: .seconds(2), configuration: MishapTests.silent)
    #expect(run.states == ["0 stopped 120 BPM", "1050 playing 120 BPM"])
  }

  @Test func fullDiskIsReportedAndTheSaveIsRetried() throws {
    let run = try Run(
      "1s disk full\n2s press faster\n20s disk free\n60s power cut\n61s power on\n", for: .seconds(62),
      configuration: MishapTests.silent)
    #expect(run.faults(.saveState) == ["2000 28"])
    #expect(run.states.last == "61000 stopped 121 BPM")
  }

  @Test func diskFailsTheGivenNumberOfTimes() throws {
    // Saves are attempted at once, then 2 s later, then another 4 s later.
    let run = try Run(
      "1s disk fails 2\n2s press faster\n7s power cut\n8s power on\n", for: .seconds(9),
      configuration: MishapTests.silent)
    #expect(run.faults(.saveState) == ["2000 5"])
    let fine = try Run(
      "1s disk fails 2\n2s press faster\n9s power cut\n10s power on\n", for: .seconds(11),
      configuration: MishapTests.silent)
    #expect(fine.states.last == "10000 stopped 121 BPM")
  }

  @Test func midiOutputsThatAReloadBringsBackSendAtOnce() throws {
    let midi = MishapTests.silent + "midi: {out: [{device: Port1}]}\n"
    let run = try Run(
      "1s press play\n2.1s reload without.yaml\n3.1s reload with.yaml\n", for: .seconds(5), configuration: midi,
      files: ["without.yaml": MishapTests.silent, "with.yaml": midi])
    let clocks = run.trace.events.compactMap { event -> Nanoseconds? in
      if case .midi(.clock, _) = event.what { event.time } else { nil }
    }
    #expect(!clocks.contains { $0 > .milliseconds(2_100) && $0 < .milliseconds(3_100) })
    // 24 clocks in each half second.
    #expect(clocks.filter { $0 >= .milliseconds(3_510) && $0 < .milliseconds(4_510) }.count == 48)
    #expect(clocks.contains { $0 >= .milliseconds(3_100) && $0 < .milliseconds(3_130) })
  }

  /// The service manager restarts a box whose beats have stalled; with autoplay it resumes.
  @Test(arguments: ["beats", "control"]) func watchdogRestartsAStalledBox(loop: String) throws {
    let run = try Run(
      "0 press play\n10s late \(loop) 1m", for: .seconds(20), configuration: MishapTests.silent + "autoplay: last\n")
    #expect(run.ends.count == 2)
    #expect(run.ends.first?.hasSuffix("kill") == true)
    let longest = zip(run.beats, run.beats.dropFirst()).map { $1 - $0 }.max() ?? 0
    // The watchdog was last fed up to a quarter of its timeout before the stall.
    #expect(longest <= 5_000 + 100 + 1_000)
  }

  @Test func shorterStallDoesNotTriggerTheWatchdog() throws {
    let run = try Run(
      "0 press play\n10s late beats 3s\n20s late control 3s", for: .seconds(60), configuration: MishapTests.silent)
    #expect(run.ends == [])
  }

  /// The frame with which the last click began.
  private func lastFrame(of run: Run) -> Int64 {
    let frames = run.trace.events.compactMap { event -> Int64? in
      if case .click(let place, _, _) = event.what { place.whole } else { nil }
    }
    return frames.last ?? 0
  }

  /// The largest distance of a click from its beat after the first ten seconds.
  private func worstClick(of run: Run) -> Nanoseconds {
    var beats: [Nanoseconds] = []
    var worst = Nanoseconds.zero
    for event in run.trace.events where event.time > .seconds(10) {
      switch event.what {
      case .beat: beats.append(event.time)
      case .click:
        let nearest = beats.map { max(event.time - $0, $0 - event.time) }.min() ?? .zero
        let next = Nanoseconds.milliseconds(500) - nearest
        worst = max(worst, min(nearest, max(next, .zero - next)))
      default: break
      }
    }
    return worst
  }
}
