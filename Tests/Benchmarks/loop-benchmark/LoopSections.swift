import BenchmarkTable
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import ThreadMeter

/// What the loops cost on their threads: processor time, and what they may not do in steady state at all: allocate, free,
/// retain, release.
enum LoopSections {
  private static let periods = 100_000
  private static let beats = 100_000
  /// Of a core.
  private static let allowedShare = 0.01

  /// Prints the tables; returns how many lines do not hold.
  static func run(_ figures: FigureFile) -> Int {
    print("Cost: \(periods) periods of 256 frames at 48,000 Hz, stereo, and \(beats) beats, each on one thread;")
    print("a + f + r: how often memory was allocated, freed, and a reference counted up or down")
    print()
    // The counter last: what is made once in a process has then been made.
    let (sound, beats) = (audio(figures), lines(figures))
    let used = sound.used + beats.used
    if Usage.now != nil { figures.add("loop.used", Double(used.allocations + used.frees + used.references)) }
    return sound.failed + beats.failed + counter()
  }

  /// Whether all that is counted: a block of each kind, and objects made, kept and let go within the steps of a loop.
  private static func counter() -> Int {
    guard let before = Usage.now else {
      print("Nothing of that is counted here: it needs glibc, and Swift's runtime as a library.")
      print()
      return 0
    }
    UnsafeMutableRawPointer.allocate(byteCount: 4_096, alignment: 8).deallocate()
    UnsafeMutableRawPointer.allocate(byteCount: 4_096, alignment: 64).deallocate()
    let blocks = Usage.now.map { $0 - before } ?? Usage()
    let objects = used(
      by: .ofAudio(periods: 1_000, timeline(milliBPM: 120_000), ClickSounds(), Tally(spoils: .objects)))
    let references = used(by: .ofBeats(100, timeline(milliBPM: 120_000), .none, Tally(spoils: .references)))
    var table = Table(["the counter itself", "at least", "counted", ""])
    var failed = 0
    for (name, least, counted) in [
      ("allocated: a plain and an aligned block", 2, blocks.allocations),
      ("freed: the same", 2, blocks.frees),
      ("allocated: by an observer that makes an object for each click", 10, objects.allocations),
      ("freed: the one of the click before", 9, objects.frees),
      ("counted up and down: by an observer that lets a beat's object go and has another", 100, references.references),
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

  /// - Returns: how many lines do not hold, and what all runs used in steady state.
  private static func audio(_ figures: FigureFile) -> (failed: Int, used: Usage) {
    let own = ClickSounds(
      PerLevel(strong: .recorded(TestSound.second(hertz: 1_760)), weak: .recorded(TestSound.second(hertz: 880))))
    let anew = LoopCost.Disturbance.anew(every: 187, delay: .milliseconds(30)) { now in
      let session = UInt32(now.nanoseconds / 1_000_000_000)
      return timeline(
        milliBPM: 100_000 + Int(session % 100) * 1_337, session: session + 2, from: now + .milliseconds(24))
    }
    let (even, uneven) = (timeline(milliBPM: 120_000), timeline(milliBPM: 133_700))
    let runs: [(String, LoopCost)] = [
      ("120 BPM", .ofAudio(periods: periods, even, ClickSounds())),
      ("133.7 BPM", .ofAudio(periods: periods, uneven, ClickSounds())),
      ("120 BPM, own sounds of 1 s, stereo", .ofAudio(periods: periods, even, own)),
      ("133.7 BPM, own sounds of 1 s, stereo", .ofAudio(periods: periods, uneven, own)),
      ("started anew and the card run dry every second", .ofAudio(periods: periods, uneven, own, disturbed: anew)),
      ("tempo changed by another thread", .ofAudio(periods: periods, uneven, own, disturbed: .tempo)),
    ]
    var table = Table([
      "audio loop", "clicks", "run dry", "changes", "µs a period", "% of a core", "allowed", "a + f + r in 1st s",
      "later",
      "allowed", "", "worst µs",
    ])
    var failed = 0
    figures.add("loop.audio", runs[3].1.share * 100)
    for (name, cost) in runs {
      let holds = cost.share < allowedShare && (cost.later?.isNone ?? true)
      failed += holds ? 0 : 1
      table.add([
        name, "\(cost.beats)", "\(cost.underruns)", "\(cost.changes)",
        (Double(cost.processorTime) / Double(periods) / 1_000).text(2), (cost.share * 100).text(3),
        (allowedShare * 100).text(0), text(cost.first), text(cost.later), "0 + 0 + 0", verdict(holds),
        (Double(cost.worstStep) / 1_000).text(1),
      ])
    }
    table.print()
    print()
    return (failed, used(in: runs))
  }

  /// - Returns: as ``audio(_:)``.
  private static func lines(_ figures: FigureFile) -> (failed: Int, used: Usage) {
    let apart = OutputLatencies(light: .milliseconds(3), pendulum: .milliseconds(5), buzzer: .milliseconds(11))
    let (even, uneven) = (timeline(milliBPM: 120_000), timeline(milliBPM: 133_700))
    let runs: [(String, LoopCost)] = [
      ("120 BPM", .ofBeats(beats, even, .none)),
      ("133.7 BPM, three latencies", .ofBeats(beats, uneven, apart)),
      ("tempo changed by another thread", .ofBeats(beats, even, .none, disturbed: .tempo)),
      ("the same, three latencies", .ofBeats(beats, uneven, apart, disturbed: .tempo)),
    ]
    var table = Table([
      "beat loop", "beats", "steps", "changes", "µs a beat", "a + f + r in 1st s", "later", "allowed", "", "worst µs",
    ])
    var failed = 0
    figures.add("loop.beat", Double(runs[0].1.processorTime) / Double(beats) / 1_000)
    for (name, cost) in runs {
      let holds = cost.later?.isNone ?? true
      failed += holds ? 0 : 1
      table.add([
        name, "\(cost.beats)", "\(cost.steps)", "\(cost.changes)",
        (Double(cost.processorTime) / Double(beats) / 1_000).text(2), text(cost.first), text(cost.later), "0 + 0 + 0",
        verdict(holds), (Double(cost.worstStep) / 1_000).text(1),
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

  private static func text(_ usage: Usage?) -> String {
    usage.map { "\($0.allocations) + \($0.frees) + \($0.references)" } ?? "–"
  }

  private static func verdict(_ holds: Bool) -> String { holds ? "holds" : "FAILS" }
}
