import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// A sound card that fails for an hour causes no extra work in the beat loop.
@Suite struct WorkPerBeatTests {
  /// The fault of every card that is opened.
  enum CardFailure: CaseIterable {
    /// Each write fails with `EIO`.
    case failing
    /// The card reports free space, but accepts no frames.
    case deaf

    var faults: FaultPlan {
      var plan = FaultPlan()
      let end = hour + .seconds(1)
      switch self {
      case .failing: plan.fail(.writeAudio, .other, errno: 5, on: .during(.zero ..< .zero + end))
      case .deaf:
        // A card starts with a full buffer: the first write is one period (8 ms) after it was opened.
        for step in 0..<(end.count / 7_000_000) {
          plan.schedule(.acceptsNothing(times: .max), at: .zero + .milliseconds(7 * step))
        }
      }
      return plan
    }
  }

  enum Beats: CaseIterable {
    case steady
    case uneven

    var settings: Settings {
      switch self {
      case .steady: Settings()
      case .uneven:
        Settings(
          Music(tempo: Tempo(milliBPM: 92_500)!, signature: Signature(7, over: 8, limit: .denominator)!),
          limit: .denominator)
      }
    }
  }

  /// The beat loop's work in an hour of playing, counted from the first beat.
  private struct Work {
    /// The deadlines that the loop returned.
    var deadlines: [Nanoseconds]
    /// How often it set the lines.
    var calls: Int
    var beats: [Nanoseconds]
    var edges: [Edge]
  }

  private struct Edge: Equatable {
    var time: Nanoseconds
    var output: OutputLine
    var isActive: Bool
  }

  /// A format with a low rate, because each of 1,800 cards synthesises its sounds again.
  private static let format = AudioFormat(
    rate: 8_000, channels: 1, sampleFormat: .s16, periodFrames: 64, bufferFrames: 256)
  private static let press = Nanoseconds.milliseconds(100)
  private static let hour = Nanoseconds.seconds(3_600)

  @Test(arguments: CardFailure.allCases, Beats.allCases)
  func failingCardCausesNoWorkInTheBeatLoop(failure: CardFailure, music: Beats) {
    let (_, quiet) = played(music, audio: false)
    let (bench, work) = played(music, audio: true, failure.faults)
    #expect(work.deadlines == quiet.deadlines)
    #expect(work.calls == quiet.calls)
    #expect(work.beats == quiet.beats)
    #expect(work.edges == quiet.edges)
    // One deadline for the first beat, then three per beat: it begins, its buzzer ends, its light ends.
    #expect(quiet.beats.count > 7_000 && quiet.deadlines.count == 1 + 3 * quiet.beats.count)
    #expect(quiet.calls == 3 * quiet.beats.count)
    // No click was played, although opening was retried throughout, at growing intervals.
    #expect(bench.clicks == [])
    expectRetryDelays(bench)
  }

  /// Checks the delay from a failure to the retry: 100 ms at first, doubled each time, up to 2 s.
  private func expectRetryDelays(_ bench: Bench) {
    let openings = bench.trace.events.compactMap { event in
      if case .audio(.locking) = event.what { event.time } else { nil }
    }
    let failures = bench.trace.events.compactMap { event in
      if case .fault = event.what { event.time } else { nil }
    }
    #expect(openings.count == bench.simulation.board.audio?.openings && openings.count > 1_750)
    #expect(failures.count == openings.count)
    let delays = zip(openings.dropFirst(), failures).map { $0 - $1 }
    let allowed = delays.indices.map { Nanoseconds.milliseconds(min(100 << min(Int64($0), 5), 2_000)) }
    #expect(delays == allowed)
  }

  /// Plays for an hour, and returns the bench and the work of its beat loop.
  private func played(_ music: Beats, audio: Bool, _ faults: FaultPlan = FaultPlan()) -> (Bench, Work) {
    var script = Script()
    script.press(.play, at: WorkPerBeatTests.press)
    let bench = Bench(music.settings, audio: audio, script: script, faults: faults, format: WorkPerBeatTests.format)
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
      // The first call is due to the press.
      deadlines: deadlines.dropFirst().map { $0 - .zero - origin }, calls: bench.simulation.board.lines.calls,
      beats: bench.beats.map { $0.time - origin }, edges: edges)
    return (bench, work)
  }
}
