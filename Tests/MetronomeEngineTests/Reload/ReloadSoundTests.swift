import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import TestSupport
import Testing

/// Another configuration of the sound, while the stream goes on or gives way to another.
@Suite struct ReloadSoundTests {
  private static let hand: Script = {
    var script = Script()
    script.press(.play, at: .milliseconds(100))
    return script
  }()

  /// Two recordings of the same length on the same stream, one of them with another volume from some time on: each click is
  /// wholly that of the one or the other, the one that has begun rings out, and the next one is another.
  @Test(arguments: [1_010, 1_124, 1_130, 1_140, 1_600, 1_610] as [Int64])
  func aClickThatHasBegunRingsOut(milliseconds: Int64) throws {
    func samples(_ volume: Double?) -> [Int32] {
      let tape = Tape()
      let bench = Bench(sound: true, script: ReloadSoundTests.hand, recording: tape)
      if let volume { bench.reload(at: .milliseconds(volume == 0.3 ? milliseconds : 0)) { $0.sounds.volume = volume } }
      bench.ended(after: .seconds(3))
      return tape.samples
    }
    let (old, new) = (samples(nil), samples(0.30001))
    let changed = samples(0.3)
    #expect(changed.count == old.count)
    let beats = try #require(Bench.clickFrames(in: old))
    var kinds = ""
    for (beat, next) in zip(beats, beats.dropFirst() + [old.count]) {
      let span = (beat - 20)..<min(next - 20, old.count)
      let isOld = changed[span] == old[span]
      // One thousandth of a percent of the volume apart, and a step of the 16 bits.
      let isNew = zip(changed[span], new[span]).allSatisfy { abs(Int64($0) - Int64($1)) <= 0x20000 }
      kinds += isOld ? "o" : isNew ? "n" : "?"
    }
    // Beats at 124, 624, 1124, 1624, 2124 and 2624 ms, written a buffer ahead.
    let expected = [
      1_010: "oonnnn", 1_124: "ooonnn", 1_130: "ooonnn", 1_140: "ooonnn", 1_600: "ooonnn", 1_610: "oooonn",
    ]
    #expect(kinds == expected[Int(milliseconds)])
  }

  /// Whatever is changed, and how often, there is one click for each beat, none twice, on the stream that was opened first.
  @Test(arguments: Seeds.few(8, of: 30)) func otherLatenciesLoseNoClickAndDoubleNone(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let tempo = Int.random(in: 60_000...300_000, using: &random)
    let most = 60_000_000_000_000 / Int64(tempo) * 9 / 10
    let bench = Bench(Settings(tempo: Tempo(milliBPM: tempo)!), sound: true, script: ReloadSoundTests.hand)
    var longest = Nanoseconds.zero
    for second in 1...5 as ClosedRange<Int64> {
      let latency = Nanoseconds(.random(in: 0...min(most, 500_000_000), using: &random))
      longest = max(longest, latency)
      bench.reload(at: .seconds(second) + Nanoseconds(.random(in: 0...999_999_999, using: &random))) {
        $0.latencies.audio = latency
        $0.sounds.volume = latency.count % 2 == 0 ? 0.3 : 0.9
      }
    }
    bench.ended(after: .seconds(9))
    #expect(bench.lines(per: Nanoseconds(1), [.incident]) == [])
    #expect(bench.simulation.board.sound?.openings == 1)
    let beats = bench.beats.map(\.time)
    let clicks = bench.clicks
    #expect(clicks.count >= beats.count)
    for (click, beat) in zip(clicks, beats) {
      // A click that is made late by a longer latency comes with the next period, and that is before the beat.
      #expect(click <= beat + .microseconds(20) && click >= beat - longest - .microseconds(20))
    }
    #expect(zip(clicks, clicks.dropFirst()).allSatisfy { $0 < $1 })
  }

  /// Three beats cannot sound at once: those that are too late by the longer latency are left out but the last.
  @Test func aLatencyLongerThanABeatMakesNoBurst() {
    let bench = Bench(Settings(tempo: Tempo(milliBPM: 600_000)!), sound: true, script: ReloadSoundTests.hand)
    bench.reload(at: .milliseconds(2_050)) { $0.latencies.audio = .milliseconds(350) }
    bench.ended(after: .seconds(4))
    #expect(bench.lines(per: .seconds(1), [.incident]) == ["2 missed 2"])
    let gaps = zip(bench.clicks, bench.clicks.dropFirst()).map { ($1 - $0).count / 1_000_000 }
    #expect(gaps.filter { $0 != 100 }.count == 2, "\(gaps)")
  }

  @Test func aPressWaitsForTheNewLatencies() {
    var script = ReloadSoundTests.hand
    script.press(.play, at: .seconds(2))
    script.press(.play, at: .seconds(3))
    let bench = Bench(script: script)
    bench.reload(at: .milliseconds(2_500)) { $0.latencies.light = .milliseconds(40) }
    bench.ended(after: .milliseconds(3_200))
    #expect(bench.beats.last?.beat.instant == .zero + .milliseconds(3_041))
    #expect(bench.beats.last?.time == .milliseconds(3_001))
  }

  /// What the lines had been sent for a longer latency is not taken back by a press just after it has become a shorter one.
  @Test func whatIsCommittedStays() {
    var script = ReloadSoundTests.hand
    script.press(.faster, at: .milliseconds(2_301))
    let bench = Bench(script: script, latencies: OutputLatencies(light: .milliseconds(400)))
    bench.reload(at: .milliseconds(2_300)) { $0.latencies = .none }
    bench.ended(after: .seconds(4))
    // The beats fall at 501, 1001, … until 401 ms after the change; then they are faster.
    let instants = bench.beats.map { $0.beat.instant.nanoseconds / 1_000_000 }
    #expect(instants == [501, 1_001, 1_501, 2_001, 2_501, 2_998, 3_494, 3_990])
    #expect(bench.lines(per: .seconds(1), [.incident]) == [])
  }

  @Test func noSoundAndSoundAgain() {
    let bench = Bench(sound: true, script: ReloadSoundTests.hand)
    var none = SimulatedBoard.Options()
    none.audio = nil
    bench.reload(at: .milliseconds(1_100), board: none, BoardChanges(sound: true))
    bench.reload(at: .milliseconds(2_900), BoardChanges(sound: true))
    bench.ended(after: .milliseconds(4_300))
    let clicks = bench.clicks.map { ($0.count + 1_000) / 1_000_000 }
    #expect(clicks == [124, 624, 3_124, 3_624, 4_124])
    expect(
      bench.lines(per: .milliseconds(100), [.sound]), "0 locking\n11 off\n29 locking")
    #expect(bench.rises(of: .light).count == 9)
  }

  /// The card that is waited for is another one from then on.
  @Test func aCardThatIsWaitedForGivesWay() {
    var faults = FaultPlan()
    faults.unplugCard(during: (.zero + .milliseconds(500))..<(.zero + .seconds(2)))
    let bench = Bench(sound: true, script: ReloadSoundTests.hand, faults: faults)
    bench.reload(at: .milliseconds(1_000)) { $0.sounds.volume = 0.2 }
    bench.reload(at: .milliseconds(2_010), BoardChanges(sound: true)) { $0.sounds.volume = 0.1 }
    bench.ended(after: .seconds(4))
    #expect(bench.clicks.map { ($0.count + 1_000) / 1_000_000 } == [124, 2_124, 2_624, 3_124, 3_624])
  }
}

extension Bench {
  /// Where clicks begin on a tape: after a hundredth of a second in which nothing was heard.
  static func clickFrames(in samples: [Int32]) -> [Int]? {
    var frames: [Int] = []
    var last = -480
    for (frame, sample) in samples.enumerated() where sample.magnitude > 1 << 22 {
      if frame - last > 480 { frames.append(frame) }
      last = frame
    }
    return frames.isEmpty ? nil : frames
  }
}

/// What one output does that is not like the others.
@Suite struct UnequalOutputsTests {
  private static var hand: Script {
    var script = Script()
    script.press(.play, at: .milliseconds(500))
    return script
  }

  /// Four beats lie within the new latency: the buzzer leaves them out, and light and pendulum still show them.
  @Test func aRaisedLatencyLosesNoBeat() {
    let settings = Settings(tempo: Tempo(bpm: 480)!)
    let bench = Bench(settings, script: UnequalOutputsTests.hand)
    bench.reload(at: .milliseconds(2_010)) { $0.latencies.buzzer = .milliseconds(500) }
    bench.ended(after: .seconds(4))
    let beats = bench.beats.map(\.beat.index)
    #expect(beats == Array(0..<Int64(beats.count)))
    let shown = bench.rises(of: .light).count
    // The last beats of the buzzer are sent, and not seen yet.
    #expect(beats.count - shown == 4)
    #expect(bench.beats.filter { $0.time == .milliseconds(2_010) }.count == 4)
  }

  /// An output without a line is as late as it likes.
  @Test func whatIsNotThereDelaysNothing() {
    let late = OutputLatencies(pendulum: .milliseconds(300), audio: .milliseconds(400))
    let plain = Projections(latencies: OutputLatencies(light: .milliseconds(2)), present: [.light, .buzzer])
    let projections = Projections(
      latencies: OutputLatencies(light: .milliseconds(2), pendulum: late.pendulum, audio: late.audio),
      present: [.light, .buzzer])
    #expect(projections == plain)
    #expect(Lead(nil, latencies: projections.latencies).duration == .milliseconds(3))
    #expect(projections.latencies == OutputLatencies(light: .milliseconds(2), pendulum: .milliseconds(2)))
  }
}
