import MetronomeCore
import MetronomeEngine
import ThreadMeter

/// What playing costs: processor time, and allocations, of which there may be none.
enum CostSection {
  private static let periods = 100_000
  private static let beats = 100_000
  /// Of a core.
  private static let allowedShare = 0.01

  /// Prints the tables; returns how many lines do not hold.
  static func run() -> Int {
    print("Cost: \(periods) periods of 256 frames at 48,000 Hz, stereo, and \(beats) beats, each on one thread")
    print()
    // The counter last: what is made once in a process has then been made.
    return audio() + lines() + counter()
  }

  /// Whether what is allocated is counted: a block of each kind, and objects made within the steps of a loop.
  private static func counter() -> Int {
    guard let before = ThreadMeter.allocations else {
      print("Allocations are not counted here: that needs glibc.")
      print()
      return 0
    }
    UnsafeMutableRawPointer.allocate(byteCount: 4_096, alignment: 8).deallocate()
    UnsafeMutableRawPointer.allocate(byteCount: 4_096, alignment: 64).deallocate()
    let blocks = (ThreadMeter.allocations ?? 0) - before
    let loop = LoopCost.ofAudio(periods: 1_000, timeline(milliBPM: 120_000), ClickSounds(), Tally(makesObjects: true))
    var table = Table(["the counter itself", "allocated", "counted", ""])
    var failed = 0
    for (name, allocated, counted) in [
      ("a plain and an aligned block", 2, blocks),
      (
        "an audio loop whose observer makes an object for each click", loop.beats,
        (loop.firstAllocations ?? 0) + (loop.allocations ?? 0)
      ),
    ] {
      let holds = allocated > 0 && counted == allocated
      failed += holds ? 0 : 1
      table.add([name, "\(allocated)", "\(counted)", verdict(holds)])
    }
    table.print()
    print()
    return failed
  }

  private static func audio() -> Int {
    let own = ClickSounds(
      first: .recorded(TestSound.second(hertz: 1_760)), regular: .recorded(TestSound.second(hertz: 880)))
    let changing = LoopCost.Disturbance(every: 187, delay: .milliseconds(30)) { now in
      let session = UInt32(now.nanoseconds / 1_000_000_000)
      return timeline(
        milliBPM: 100_000 + Int(session % 100) * 1_337, session: session + 2, from: now + .milliseconds(24))
    }
    let runs: [(String, LoopCost)] = [
      ("120 BPM", .ofAudio(periods: periods, timeline(milliBPM: 120_000), ClickSounds())),
      ("133.7 BPM", .ofAudio(periods: periods, timeline(milliBPM: 133_700), ClickSounds())),
      ("120 BPM, own sounds of 1 s, stereo", .ofAudio(periods: periods, timeline(milliBPM: 120_000), own)),
      ("133.7 BPM, own sounds of 1 s, stereo", .ofAudio(periods: periods, timeline(milliBPM: 133_700), own)),
      (
        "started anew and the card run dry every second",
        .ofAudio(periods: periods, timeline(milliBPM: 133_700), ClickSounds(), disturbed: changing)
      ),
    ]
    var table = Table([
      "audio loop", "clicks", "run dry", "µs a period", "% of a core", "allowed", "allocated in 1st s", "later",
      "allowed", "",
      "worst µs",
    ])
    var failed = 0
    for (name, cost) in runs {
      let holds = cost.share < allowedShare && cost.allocations ?? 0 == 0
      failed += holds ? 0 : 1
      table.add([
        name, "\(cost.beats)", "\(cost.underruns)", (Double(cost.processorTime) / Double(periods) / 1_000).text(2),
        (cost.share * 100).text(3), (allowedShare * 100).text(0), count(cost.firstAllocations), count(cost.allocations),
        "0", verdict(holds),
        (Double(cost.worstStep) / 1_000).text(1),
      ])
    }
    table.print()
    print()
    return failed
  }

  private static func lines() -> Int {
    let apart = OutputLatencies(light: .milliseconds(3), pendulum: .milliseconds(5), buzzer: .milliseconds(11))
    let runs: [(String, LoopCost)] = [
      ("120 BPM", .ofBeats(beats, timeline(milliBPM: 120_000), .none)),
      ("133.7 BPM, three latencies", .ofBeats(beats, timeline(milliBPM: 133_700), apart)),
    ]
    var table = Table([
      "beat loop", "beats", "steps", "µs a beat", "allocated in 1st s", "later", "allowed", "", "worst µs",
    ])
    var failed = 0
    for (name, cost) in runs {
      let holds = cost.allocations ?? 0 == 0
      failed += holds ? 0 : 1
      table.add([
        name, "\(cost.beats)", "\(cost.steps)", (Double(cost.processorTime) / Double(beats) / 1_000).text(2),
        count(cost.firstAllocations), count(cost.allocations), "0", verdict(holds),
        (Double(cost.worstStep) / 1_000).text(1),
      ])
    }
    table.print()
    print()
    return failed
  }

  private static func timeline(
    milliBPM: Int, session: UInt32 = 1, from instant: Instant = .zero + .milliseconds(24)
  ) -> Timeline {
    Timeline(
      session: session, firstBeat: instant, tempo: Tempo(clampingMilliBPM: milliBPM), signature: .initial)
  }

  private static func count(_ allocations: UInt64?) -> String { allocations.map { "\($0)" } ?? "–" }

  private static func verdict(_ holds: Bool) -> String { holds ? "holds" : "FAILS" }
}
