import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import ThreadMeter

/// The cost of the loops on their threads: processor time, and allocations, frees, retains and releases, of which there must be
/// none in steady state.
enum LoopSections {
  private static let periods = 100_000
  private static let beats = 100_000
  /// The allowed share of a core: of the audio loop, and of either loop with a dense rhythm.
  private static let allowedShare = 0.01
  private static let allowedDenseShare = 0.02
  /// The same if every click starts between two frames, and up to sixteen sound at once.
  private static let allowedInterpolatedShare = 0.05

  /// Prints the tables; returns how many lines exceed their bound.
  static func run(_ figures: FigureFile) -> Int {
    print("Cost: \(periods) periods of 256 frames at 48,000 Hz, stereo, and \(beats) beats, each on one thread;")
    print("a + f + r: number of allocations, of frees, and of retains and releases")
    print()
    // The counter is tested last, when everything that is allocated once per process exists.
    let (audio, beats) = (audio(figures), lines(figures))
    let used = audio.used + beats.used
    if Usage.now != nil { figures.add("loop.used", Double(used.allocations + used.frees + used.references)) }
    return audio.failed + beats.failed + counter()
  }

  /// Checks that everything is counted: a block of each kind, and objects created, retained and released in a loop's steps.
  private static func counter() -> Int {
    guard let before = Usage.now else {
      print("Operations are not counted: counting requires glibc, and Swift's runtime as a shared library.")
      print()
      return 0
    }
    UnsafeMutableRawPointer.allocate(byteCount: 4_096, alignment: 8).deallocate()
    UnsafeMutableRawPointer.allocate(byteCount: 4_096, alignment: 64).deallocate()
    let blocks = Usage.now.map { $0 - before } ?? Usage()
    let objects = used(
      by: .ofAudio(periods: 1_000, timeline(milliBPM: 120_000), ClickSounds(), Tally(violation: .objects)))
    let references = used(by: .ofBeats(100, timeline(milliBPM: 120_000), .none, Tally(violation: .references)))
    var table = Table(["the counter itself", "at least", "counted", ""])
    var failed = 0
    for (name, least, counted) in [
      ("allocated: a plain and an aligned block", 2, blocks.allocations),
      ("freed: the same", 2, blocks.frees),
      ("allocated: an object for each click, by an observer", 10, objects.allocations),
      ("freed: the objects of the previous clicks", 9, objects.frees),
      ("retained and released: objects replaced at each beat, by an observer", 100, references.references),
    ] {
      let holds = counted >= least
      failed += holds ? 0 : 1
      table.add([name, "\(least)", "\(counted)", verdict(holds)])
    }
    table.print()
    print()
    return failed
  }

  private static func used(by cost: LoopCost) -> Usage { (cost.first ?? Usage()) + (cost.later ?? Usage()) }

  /// - Returns: how many lines exceed their bound, and the usage of all runs in steady state.
  private static func audio(_ figures: FigureFile) -> (failed: Int, used: Usage) {
    let own = ClickSounds(
      PerLevel(strong: TestSound.second(hertz: 1_760), weak: TestSound.second(hertz: 880)))
    var spoken = ClickSounds()
    for number in 1...4 {
      spoken.numbers[number] = SpokenNumber(
        TestSound.second(hertz: 220 * Double(number)), onset: .milliseconds(Int64(40 * number)))
    }
    let restart = LoopCost.Disturbance.restart(every: 187, delay: .milliseconds(30)) { now in
      let session = UInt32(now.nanoseconds / 1_000_000_000)
      return timeline(
        milliBPM: 100_000 + Int(session % 100) * 1_337, session: session + 2, from: now + .milliseconds(24))
    }
    let (even, uneven) = (timeline(milliBPM: 120_000), timeline(milliBPM: 133_700))
    let runs: [(String, LoopCost)] = [
      ("120 BPM", .ofAudio(periods: periods, even, ClickSounds())),
      ("133.7 BPM", .ofAudio(periods: periods, uneven, ClickSounds())),
      ("120 BPM, recorded sounds of 1 s, stereo", .ofAudio(periods: periods, even, own)),
      ("133.7 BPM, recorded sounds of 1 s, stereo", .ofAudio(periods: periods, uneven, own)),
      ("133.7 BPM, spoken count of words of 1 s, stereo", .ofAudio(periods: periods, uneven, spoken)),
      ("restarted, with an underrun, every second", .ofAudio(periods: periods, uneven, own, disturbed: restart)),
      ("tempo changed by another thread", .ofAudio(periods: periods, uneven, own, disturbed: .tempo)),
      (denseName, .ofAudio(periods: periods, denseTimeline(milliBPM: 300_000), ClickSounds())),
      (interpolatedName, .ofAudio(periods: periods, denseTimeline(milliBPM: 299_900), ClickSounds())),
    ]
    var table = Table([
      "audio loop", "clicks", "underruns", "changes", "µs per period", "% of a core", "allowed", "a + f + r in 1st s",
      "later",
      "allowed", "", "worst µs",
    ])
    var failed = 0
    figures.add("loop.audio", runs[3].1.share * 100)
    for (name, cost) in runs {
      let allowed =
        switch name {
        case denseName: allowedDenseShare
        case interpolatedName: allowedInterpolatedShare
        default: allowedShare
        }
      let holds = cost.share < allowed && (cost.later?.isNone ?? true)
      failed += holds ? 0 : 1
      table.add([
        name, "\(cost.beats)", "\(cost.underruns)", "\(cost.changes)",
        (Double(cost.processorTime) / Double(periods) / 1_000).text(2), (cost.share * 100).text(3),
        (allowed * 100).text(0), text(cost.first), text(cost.later), "0 + 0 + 0", verdict(holds),
        (Double(cost.worstStep) / 1_000).text(1),
      ])
    }
    table.print()
    print()
    return (failed, used(in: runs))
  }

  /// - Returns: how many lines exceed their bound, and the usage of all runs in steady state.
  private static func lines(_ figures: FigureFile) -> (failed: Int, used: Usage) {
    let apart = OutputLatencies(light: .milliseconds(3), pendulum: .milliseconds(5), buzzer: .milliseconds(11))
    let (even, uneven) = (timeline(milliBPM: 120_000), timeline(milliBPM: 133_700))
    let runs: [(String, LoopCost)] = [
      ("120 BPM", .ofBeats(beats, even, .none)),
      ("133.7 BPM, three latencies", .ofBeats(beats, uneven, apart)),
      ("tempo changed by another thread", .ofBeats(beats, even, .none, disturbed: .tempo)),
      ("the same, three latencies", .ofBeats(beats, uneven, apart, disturbed: .tempo)),
      (denseName, .ofBeats(beats, denseTimeline(milliBPM: 300_000), .none, shown: shortPulses)),
      ("the same, three latencies", .ofBeats(beats, denseTimeline(milliBPM: 300_000), apart, shown: shortPulses)),
    ]
    var table = Table([
      "beat loop", "beats", "steps", "changes", "µs per beat", "% of a core", "allowed", "a + f + r in 1st s", "later",
      "allowed", "", "worst µs",
    ])
    var failed = 0
    figures.add("loop.beat", Double(runs[0].1.processorTime) / Double(beats) / 1_000)
    for (name, cost) in runs {
      let holds = cost.share < allowedDenseShare && (cost.later?.isNone ?? true)
      failed += holds ? 0 : 1
      table.add([
        name, "\(cost.beats)", "\(cost.steps)", "\(cost.changes)",
        (Double(cost.processorTime) / Double(beats) / 1_000).text(2), (cost.share * 100).text(3),
        (allowedDenseShare * 100).text(0), text(cost.first), text(cost.later), "0 + 0 + 0", verdict(holds),
        (Double(cost.worstStep) / 1_000).text(1),
      ])
    }
    table.print()
    print()
    return (failed, used(in: runs))
  }

  private static func used(in runs: [(String, LoopCost)]) -> Usage {
    runs.reduce(Usage()) { $0 + ($1.1.later ?? Usage()) }
  }

  private static func timeline(
    milliBPM: Int, session: UInt32 = 1, from instant: Instant = .zero + .milliseconds(24)
  ) -> Timeline {
    Timeline(
      session: session, firstBeat: instant, tempo: Tempo(clampingMilliBPM: milliBPM), signature: .initial)
  }

  /// 320 slots a second in the main voice, each of them shown, and three other voices.
  private static let denseName = "300 BPM, 8 slots in each 32nd, four voices"

  private static let interpolatedName = "the same at 299.9 BPM, clicks between two frames"

  private static func denseTimeline(milliBPM: Int) -> Timeline {
    guard let signature = Signature(4, over: 32, limit: .none),
      let rhythm = try? Rhythm(text: "sub=8 & 3:1 & 5:4 sound=click & x..x. @5/16", for: Metre(signature))
    else { fatalError("the rhythm above is invalid") }
    return Timeline(
      session: 1, firstBeat: .zero + .milliseconds(24), tempo: Tempo(clampingMilliBPM: milliBPM),
      bar: Bar(Metre(signature), rhythm))
  }

  /// Pulses that are short enough for the lines to show every slot: 640 edges a second of each line.
  private static func shortPulses(_ projections: inout Projections) {
    for output in [Output.light, .buzzer] {
      projections[output].pulses = PerLevel(repeating: .atMost(.microseconds(800)))
      projections[output].hits.levels = PerLevel(repeating: true)
    }
  }

  private static func text(_ usage: Usage?) -> String {
    usage.map { "\($0.allocations) + \($0.frees) + \($0.references)" } ?? "–"
  }

  private static func verdict(_ holds: Bool) -> String { holds ? "holds" : "FAILS" }
}
