import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// A sound card that fails for a whole hour costs the beat loop nothing.
@Suite struct WorkPerBeatTests {
  /// What is the matter with every card that is opened.
  enum Trouble: CaseIterable {
    /// Each write fails with `EIO`.
    case failing
    /// It says that it has room, and takes nothing.
    case deaf

    var faults: FaultPlan {
      var plan = FaultPlan()
      let end = hour + .seconds(1)
      switch self {
      case .failing: plan.fail(.writeAudio, errno: 5, on: .during(.zero ..< .zero + end))
      case .deaf:
        // A card begins with a full buffer: it is first written to a period, 8 ms, after it was opened.
        for step in 0..<(end.count / 7_000_000) {
          plan.befall(.takesNothing(times: .max), at: .zero + .milliseconds(7 * step))
        }
      }
      return plan
    }
  }

  enum Music: CaseIterable {
    case steady
    case uneven

    var settings: Settings {
      switch self {
      case .steady: Settings()
      case .uneven:
        Settings(
          tempo: Tempo(milliBPM: 92_500)!, signature: Signature(7, over: 8, limit: .denominator)!, limit: .denominator)
      }
    }
  }

  /// What the beat loop did in an hour of playing, counted from the instant at which the first beat falls.
  private struct Work {
    /// When the loop asked to be called.
    var deadlines: [Nanoseconds]
    /// How often it set the lines.
    var calls: Int
    var beats: [Nanoseconds]
    var edges: [Edge]
  }

  private struct Edge: Equatable {
    var time: Nanoseconds
    var output: Output
    var isActive: Bool
  }

  /// At a low rate, because each of 1,800 cards makes its voices anew.
  private static let format = AudioFormat(
    rate: 8_000, channels: 1, sampleFormat: .s16, periodFrames: 64, bufferFrames: 256)
  private static let press = Nanoseconds.milliseconds(100)
  private static let hour = Nanoseconds.seconds(3_600)

  @Test(arguments: Trouble.allCases, Music.allCases)
  func aCardThatFailsForAnHourCostsTheBeatLoopNothing(trouble: Trouble, music: Music) {
    let (_, quiet) = played(music, sound: false)
    let (bench, work) = played(music, sound: true, trouble.faults)
    #expect(work.deadlines == quiet.deadlines)
    #expect(work.calls == quiet.calls)
    #expect(work.beats == quiet.beats)
    #expect(work.edges == quiet.edges)
    // The first beat is waited for; then it is begun, its buzzer ends, its light ends, and so each.
    #expect(quiet.beats.count > 7_000 && quiet.deadlines.count == 1 + 3 * quiet.beats.count)
    #expect(quiet.calls == 3 * quiet.beats.count)
    // And there was never any sound, though it was tried all the time, and ever more seldom.
    #expect(bench.clicks == [])
    expectRests(bench)
  }

  /// From a failure to the next attempt it is left alone for 100 ms, and twice as long each time, up to 2 s.
  private func expectRests(_ bench: Bench) {
    let openings = bench.trace.events.compactMap { event in
      if case .audio(.locking) = event.what { event.time } else { nil }
    }
    let failures = bench.trace.events.compactMap { event in
      if case .fault = event.what { event.time } else { nil }
    }
    #expect(openings.count == bench.simulation.board.sound?.openings && openings.count > 1_750)
    #expect(failures.count == openings.count)
    let rests = zip(openings.dropFirst(), failures).map { $0 - $1 }
    let allowed = rests.indices.map { Nanoseconds.milliseconds(min(100 << min(Int64($0), 5), 2_000)) }
    #expect(rests == allowed)
  }

  /// Plays for an hour.
  private func played(_ music: Music, sound: Bool, _ faults: FaultPlan = FaultPlan()) -> (Bench, Work) {
    var script = Script()
    script.press(.play, at: WorkPerBeatTests.press)
    let bench = Bench(music.settings, sound: sound, script: script, faults: faults, format: WorkPerBeatTests.format)
    var deadlines: [Instant] = []
    bench.simulation.lateness = { loop, deadline in
      if loop == .beats { deadlines.append(deadline) }
      return .zero
    }
    let origin = WorkPerBeatTests.press + bench.simulation.engine.lead.current.duration
    bench.ended(after: origin + WorkPerBeatTests.hour)
    let edges = bench.trace.events.compactMap { event in
      if case .line(let output, let isActive) = event.what {
        Edge(time: event.time - origin, output: output, isActive: isActive)
      } else {
        nil as Edge?
      }
    }
    let work = Work(
      // The first time it is called because of the press.
      deadlines: deadlines.dropFirst().map { $0 - .zero - origin }, calls: bench.simulation.board.lines.calls,
      beats: bench.beats.map { $0.time - origin }, edges: edges)
    return (bench, work)
  }
}
