import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeSimulation
import Testing

/// What befalls card, loops, clock and disk by a script.
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

  @Test(arguments: cards) func cardsAreLostAndHadAgain(script: String, sounds: [String]) throws {
    let told = try Told(script, for: .seconds(2))
    #expect(told.sounds == sounds)
  }

  @Test func aCardThatSleepsIsWoken() throws {
    let told = try Told("1s card sleeps", for: .seconds(2))
    #expect(told.sounds.count == 1)
    #expect(told.faults(.readAudioPosition).count + told.faults(.writeAudio).count == 1)
  }

  @Test func aCardThatStopsRunsDry() throws {
    let told = try Told("0 press play\n1s card stops", for: .seconds(3))
    let underruns = told.trace.events.filter { if case .underrun = $0.what { true } else { false } }
    #expect(underruns.count == 1)
  }

  /// The clicks stay on the beat, though the card runs as fast as it wants.
  @Test func aCardThatDriftsIsFollowed() throws {
    let told = try Told("0 press play\n20s card drifts +200ppm", for: .seconds(60))
    #expect(worstClick(of: told) < .microseconds(200))
    // It did go another way: until the last click in 39.5 s by 7.9 ms, or 379 frames of 48,000 a second.
    let other = try Told("0 press play", for: .seconds(60))
    #expect((378...380).contains(lastFrame(of: told) - lastFrame(of: other)))
  }

  @Test func aSlewOfTheClockIsNoDriftOfTheCard() throws {
    let told = try Told("0 press play\n20s clock slews -500ppm\n40s clock slews 0ppm", for: .seconds(60))
    #expect(worstClick(of: told) < .microseconds(200))
    // Of the slewed seconds the card has played 10 ms more, for they lasted longer.
    let other = try Told("0 press play", for: .seconds(60))
    #expect((479...481).contains(lastFrame(of: told) - lastFrame(of: other)))
  }

  @Test func aLoopThatIsLateIsLateOnce() throws {
    let told = try Told("0 press play\n1s late beats 3ms", for: .seconds(3), configuration: MishapTests.silent)
    #expect(told.beats == [1, 501, 1_004, 1_501, 2_001, 2_501])
  }

  /// A bell does not wake a loop that is held up.
  @Test func nobodyWakesALoopThatIsHeldUp() throws {
    let told = try Told(
      "0 press play\n900ms late beats 700ms\n1050ms press faster\n1100ms press faster", for: .seconds(2),
      configuration: MishapTests.silent)
    #expect(told.beats.filter { (900..<1_601).contains($0) } == [])
    #expect(told.beats.contains { $0 >= 1_601 })
  }

  @Test func lateControlsActLate() throws {
    let told = try Told("1s late control 50ms\n1s press play", for: .seconds(2), configuration: MishapTests.silent)
    #expect(told.states == ["0 stopped 120 BPM", "1050 playing 120 BPM"])
  }

  @Test func aFullDiskIsToldAndTriedAgain() throws {
    let told = try Told(
      "1s disk full\n2s press faster\n20s disk free\n60s power cut\n61s power on\n", for: .seconds(62),
      configuration: MishapTests.silent)
    #expect(told.faults(.saveState) == ["2000 28"])
    #expect(told.states.last == "61000 stopped 121 BPM")
  }

  @Test func aDiskFailsSoManyTimes() throws {
    // The first attempt, and those 2 and 4 s after the one before.
    let told = try Told(
      "1s disk fails 2\n2s press faster\n7s power cut\n8s power on\n", for: .seconds(9),
      configuration: MishapTests.silent)
    #expect(told.faults(.saveState) == ["2000 5"])
    let fine = try Told(
      "1s disk fails 2\n2s press faster\n9s power cut\n10s power on\n", for: .seconds(11),
      configuration: MishapTests.silent)
    #expect(fine.states.last == "10000 stopped 121 BPM")
  }

  /// A box whose beats stand still is begun anew, and plays on if it is to.
  @Test(arguments: ["beats", "control"]) func theServiceManagerBeginsABoxAnewThatStandsStill(loop: String) throws {
    let told = try Told(
      "0 press play\n10s late \(loop) 1m", for: .seconds(20), configuration: MishapTests.silent + "autoplay: last\n")
    #expect(told.ends.count == 2)
    #expect(told.ends.first?.hasSuffix("kill") == true)
    let longest = zip(told.beats, told.beats.dropFirst()).map { $1 - $0 }.max() ?? 0
    // It was last fed up to a quarter of the patience before.
    #expect(longest <= 5_000 + 100 + 1_000)
  }

  @Test func aBoxThatIsLateForLessIsLeftAlone() throws {
    let told = try Told(
      "0 press play\n10s late beats 3s\n20s late control 3s", for: .seconds(60), configuration: MishapTests.silent)
    #expect(told.ends == [])
  }

  /// The frame with which the last click began.
  private func lastFrame(of told: Told) -> Int64 {
    let frames = told.trace.events.compactMap { event -> Int64? in
      if case .click(let place, _) = event.what { place.whole } else { nil }
    }
    return frames.last ?? 0
  }

  /// By how much a click is off its beat at the most, after the first ten seconds.
  private func worstClick(of told: Told) -> Nanoseconds {
    var beats: [Nanoseconds] = []
    var worst = Nanoseconds.zero
    for event in told.trace.events where event.time > .seconds(10) {
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
