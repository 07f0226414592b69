import HardwareAbstraction
import LinuxBoard
import MetronomeCore
import MetronomeEngine

/// The loops in turn, block after block: what a machine does otherwise from one minute to the next meets all of them alike.
public struct LoopBench {
  /// The shortest turn: over a hundred waits.
  private static let leastTurn = Nanoseconds.milliseconds(250)
  private static let turnsPerBlock = Contender.allCases.reduce(0) { $0 + $1.turns }
  /// What another program takes to start and to end, at the most.
  private static let patience = Nanoseconds.seconds(20)

  private let length: Nanoseconds
  private let blocks: Int
  private let run: ([String], Nanoseconds) -> String?

  /// The shortest time for so many blocks.
  public static func leastLength(blocks: Int) -> Nanoseconds {
    leastTurn * (turnsPerBlock * Int64(blocks))
  }

  /// - Parameters:
  ///   - length: of all blocks together, ``leastLength(blocks:)`` at least.
  ///   - run: runs another program, for so long at the most, and answers with what it prints; nil: it is not there, or failed.
  public init(length: Nanoseconds, blocks: Int, run: @escaping ([String], Nanoseconds) -> String?) {
    precondition(length >= LoopBench.leastLength(blocks: blocks), "a turn of each loop in each block takes a while")
    self.length = length
    self.blocks = blocks
    self.run = run
  }

  /// Runs all blocks.
  ///
  /// - Parameter tell: is told which block begins, from 1.
  /// - Returns: what each loop came to that could be run, what the system said to the priority, and in one line each which
  ///   loops there are no figures of, and why.
  public func measure(
    _ tell: (Int) -> Void
  ) throws(SystemError) -> (loops: [LoopFigures], rights: Grant, notices: [String]) {
    _ = lockMemory()
    // As the box holds it while it plays, and cyclictest.
    let latency = WakeupLatencyRequest()
    defer { _ = latency.grant }
    let rights = try LoopBench.rights()
    let loops = Contender.allCases
    var figures: [Contender: [BlockFigures]] = [:]
    for block in 1...blocks {
      tell(block)
      // Another one is first each time: what one leaves behind does not always meet the same.
      let first = block % loops.count
      for loop in loops[first...] + loops[..<first] {
        if let one = try turn(loop, rights) { figures[loop, default: []].append(one) }
      }
    }
    let measured = loops.compactMap { loop in figures[loop].map { LoopFigures(loop, $0) } }
    return (measured, rights, loops.compactMap { absence(of: $0, blocks: figures[$0]?.count ?? 0, rights) })
  }

  /// That a loop has not been measured in so many blocks as there were; nil if it has.
  private func absence(of loop: Contender, blocks measured: Int, _ rights: Grant) -> String? {
    guard measured < blocks else { return nil }
    guard measured == 0 else {
      return "\(loop.title): failed in \(blocks - measured) of \(blocks) blocks, which have no figures of it"
    }
    switch loop {
    case .cyclictest where rights != .granted: return "cyclictest not measured: it runs with real-time priority only"
    case .cyclictest: return "no cyclictest to measure against: apt install rt-tests"
    case .python: return "no Python to measure against: apt install python3"
    case .timer, .spinning, .playing, .nanosleep: return "\(loop.title): could not be run"
    }
  }

  /// One loop in one block; nil if it cannot be run, or fails.
  private func turn(_ loop: Contender, _ rights: Grant) throws(SystemError) -> BlockFigures? {
    let time = length * loop.turns / (LoopBench.turnsPerBlock * Int64(blocks))
    let (music, wait) = (BenchMusic.fastest, BenchMusic.fastest.wait)
    switch loop {
    case .cyclictest:
      guard rights == .granted else { return nil }
      let count = max(Int(time.count / wait.count), 1)
      let words = CyclicTest.words(waits: count, of: wait, priority: RealTimeThread.beatPriority)
      return run(words, time + LoopBench.patience).flatMap(CyclicTest.lateness).map {
        BlockFigures(lateness: $0, interval: Double(wait.count))
      }
    case .timer:
      return BlockFigures(try BeatBlock.run(music, spins: false, for: time).wakeUps, interval: music.interval)
    case .spinning:
      return BlockFigures(try BeatBlock.run(music, spins: true, for: time).edges, interval: music.interval)
    case .playing:
      let playing = BenchMusic.playing
      return BlockFigures(try BeatBlock.run(playing, spins: true, for: time).edges, interval: playing.interval)
    case .nanosleep:
      return BlockFigures(try SleepLoop.run(for: time, waits: wait), interval: Double(wait.count))
    case .python:
      let words = PythonLoop.words(for: time, waits: wait)
      return run(words, time + LoopBench.patience).flatMap { PythonLoop.waits(in: $0, of: wait) }.map {
        BlockFigures($0, interval: Double(wait.count))
      }
    }
  }

  /// What the system says to a thread that asks for the beat thread's priority.
  private static func rights() throws(SystemError) -> Grant {
    let thread = try RealTimeThread(name: "rights", priority: RealTimeThread.beatPriority) {}
    thread.join()
    return thread.scheduling
  }
}

/// The beat loop as it is, on its thread as it is, with a chip that only notes when it was called.
enum BeatBlock {
  /// From the start of the thread to the first beat.
  private static let lead = Nanoseconds.milliseconds(5)

  /// What it did for a while.
  static func run(_ music: BenchMusic, spins: Bool, for length: Nanoseconds) throws(SystemError) -> WaitRecorder {
    let clock = LinuxClock()
    let recorder = WaitRecorder(capacity: Int(length.count / music.wait.count) + 1)
    let publication = TimelinePublication()
    let loop = BeatLoop(
      lines: recorder, patterns: Publication(music.pattern), publication: publication,
      plan: OutputPlan(OutputPlan.Settings(latencies: music.latencies)), observer: SilentObserver())
    let start = clock.now + lead
    publication.publish(Timeline(session: 1, firstBeat: start, tempo: music.tempo, signature: music.signature))
    let thread = try LoopThread(
      name: "beats", priority: RealTimeThread.beatPriority, isExact: { loop.isExact },
      step: { recorder.step(at: $0, loop.step) })
    thread.setSpinning(spins)
    Doorbell().wait(until: start + length)
    thread.stop()
    return recorder
  }
}

/// Music with four edges a beat, all equally far apart: the light goes on, half a beat later off, and the buzzer does the same
/// a quarter of a beat before.
public struct BenchMusic: Hashable, Sendable {
  public var tempo: Tempo
  public var signature: Signature

  /// As fast as it goes: a wait of 1.9 ms.
  public static let fastest = BenchMusic(
    tempo: Tempo(bpm: 999)!, signature: Signature(4, over: 32, limit: .denominator)!)
  /// What nobody plays faster: a wait of 50 ms.
  public static let playing = BenchMusic(tempo: Tempo(bpm: 300)!, signature: .initial)

  private static let edgesPerBeat: Int64 = 4

  /// From edge to edge, in nanoseconds.
  public var interval: Double {
    60e9 * 1_000 * 4 / Double(tempo.milliBPM) / Double(signature.denominator) / Double(BenchMusic.edgesPerBeat)
  }

  /// The same in whole nanoseconds.
  public var wait: Nanoseconds { Nanoseconds(Int64(interval.rounded())) }

  /// A pulse is never longer than half a beat.
  package var pattern: OutputPattern {
    let half = OutputPattern.Pulses(first: .atMost(.seconds(60)), regular: .atMost(.seconds(60)))
    return OutputPattern(light: half, buzzer: half)
  }

  package var latencies: OutputLatencies { OutputLatencies(buzzer: wait) }
}
