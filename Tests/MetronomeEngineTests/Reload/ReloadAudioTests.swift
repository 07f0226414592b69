import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import SignalSupport
import TestSupport
import Testing

/// Reloads of the sound configuration, with the same stream or a new one.
@Suite struct ReloadAudioTests {
  private static let presses: Script = {
    var script = Script()
    script.press(.play, at: .milliseconds(100))
    return script
  }()

  /// A sounding click keeps its old volume, and the next click has the new volume.
  ///
  /// The test compares recordings with the old volume, the new volume, and a change between them.
  /// Each click has entirely the old or the new volume.
  @Test(arguments: [1_010, 1_124, 1_130, 1_140, 1_600, 1_610] as [Int64])
  func soundingClickKeepsItsOldVolume(milliseconds: Int64) throws {
    func samples(_ volume: Double?) -> [Int32] {
      let tape = Tape()
      let bench = Bench(audio: true, script: ReloadAudioTests.presses, recording: tape)
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
      // The recordings use 0.3 and 0.30001, so 16-bit samples may differ by up to two steps.
      let isNew = zip(changed[span], new[span]).allSatisfy { abs(Int64($0) - Int64($1)) <= 0x20000 }
      kinds += isOld ? "o" : isNew ? "n" : "?"
    }
    // The beats are at 124, 624, 1124, 1624, 2124 and 2624 ms. Their clicks are written one buffer ahead.
    let expected = [
      1_010: "oonnnn", 1_124: "ooonnn", 1_130: "ooonnn", 1_140: "ooonnn", 1_600: "ooonnn", 1_610: "oooonn",
    ]
    #expect(kinds == expected[Int(milliseconds)])
  }

  /// Latency changes neither lose nor repeat clicks: each beat has exactly one click, on the stream that was opened first.
  @Test(arguments: Seeds.few(8, of: 30)) func latencyChangesNeitherLoseNorRepeatClicks(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let tempo = Int.random(in: 60_000...300_000, using: &random)
    let most = 60_000_000_000_000 / Int64(tempo) * 9 / 10
    let bench = Bench(Settings(Music(tempo: Tempo(milliBPM: tempo)!)), audio: true, script: ReloadAudioTests.presses)
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
    #expect(bench.simulation.board.audio?.openings == 1)
    let beats = bench.beats.map(\.time)
    let clicks = bench.clicks
    #expect(clicks.count >= beats.count)
    for (click, beat) in zip(clicks, beats) {
      // A click that a longer latency makes late starts with the next period, still before the beat.
      #expect(click <= beat + .microseconds(20) && click >= beat - longest - .microseconds(20))
    }
    #expect(zip(clicks, clicks.dropFirst()).allSatisfy { $0 < $1 })
  }

  /// A latency that becomes longer than a beat causes no burst of clicks. Of the beats that the longer latency makes late, only
  /// the last is played.
  @Test func latencyLongerThanABeatCausesNoBurst() {
    let bench = Bench(Settings(Music(tempo: Tempo(milliBPM: 600_000)!)), audio: true, script: ReloadAudioTests.presses)
    bench.reload(at: .milliseconds(2_050)) { $0.latencies.audio = .milliseconds(350) }
    bench.ended(after: .seconds(4))
    #expect(bench.lines(per: .seconds(1), [.incident]) == ["2 missed 2"])
    let gaps = zip(bench.clicks, bench.clicks.dropFirst()).map { ($1 - $0).count / 1_000_000 }
    #expect(gaps.filter { $0 != 100 }.count == 2, "\(gaps)")
  }

  @Test func pressUsesTheNewLatencies() {
    var script = ReloadAudioTests.presses
    script.press(.play, at: .seconds(2))
    script.press(.play, at: .seconds(3))
    let bench = Bench(script: script)
    bench.reload(at: .milliseconds(2_500)) { $0.latencies.light = .milliseconds(40) }
    bench.ended(after: .milliseconds(3_200))
    #expect(bench.beats.last?.beat.instant == .zero + .milliseconds(3_041))
    #expect(bench.beats.last?.time == .milliseconds(3_001))
  }

  /// Committed beats keep their times. A press just after the latency is shortened does not change the beats that were sent
  /// early for the longer latency.
  @Test func committedBeatsKeepTheirTimes() {
    var script = ReloadAudioTests.presses
    script.press(.faster, at: .milliseconds(2_301))
    let bench = Bench(script: script, latencies: OutputLatencies(light: .milliseconds(400)))
    bench.reload(at: .milliseconds(2_300)) { $0.latencies = .none }
    bench.ended(after: .seconds(4))
    // Beats are at 501, 1001, … until 401 ms after the reload; then they are faster.
    let instants = bench.beats.map { $0.beat.instant.nanoseconds / 1_000_000 }
    #expect(instants == [501, 1_001, 1_501, 2_001, 2_501, 2_998, 3_494, 3_990])
    #expect(bench.lines(per: .seconds(1), [.incident]) == [])
  }

  @Test func soundCanBeTurnedOffAndOn() {
    let bench = Bench(audio: true, script: ReloadAudioTests.presses)
    var none = SimulatedBoard.Options()
    none.audio = nil
    bench.reload(at: .milliseconds(1_100), board: none, BoardChanges(audio: true))
    bench.reload(at: .milliseconds(2_900), BoardChanges(audio: true))
    bench.ended(after: .milliseconds(4_300))
    let clicks = bench.clicks.map { ($0.count + 1_000) / 1_000_000 }
    #expect(clicks == [124, 624, 3_124, 3_624, 4_124])
    expect(
      bench.lines(per: .milliseconds(100), [.audio]), "0 locking\n11 off\n29 locking")
    #expect(bench.rises(of: .light).count == 9)
  }

  /// A reload replaces the port of a missing card. The new port opens the card at once.
  @Test func reloadReplacesAMissingCard() {
    var faults = FaultPlan()
    faults.unplugCard(during: (.zero + .milliseconds(500))..<(.zero + .seconds(2)))
    let bench = Bench(audio: true, script: ReloadAudioTests.presses, faults: faults)
    bench.reload(at: .milliseconds(1_000)) { $0.sounds.volume = 0.2 }
    bench.reload(at: .milliseconds(2_010), BoardChanges(audio: true)) { $0.sounds.volume = 0.1 }
    bench.ended(after: .seconds(4))
    #expect(bench.clicks.map { ($0.count + 1_000) / 1_000_000 } == [124, 2_124, 2_624, 3_124, 3_624])
  }
}

extension Bench {
  /// The frames at which clicks begin: a sound after 10 ms of silence.
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
