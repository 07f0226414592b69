import LinuxBoard
import MetronomeCore

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
    let latency = WakeupLatency()
    defer { _ = latency.grant }
    let rights = try LoopBench.rights()
    var loops = Contender.allCases
    var figures: [Contender: [BlockFigures]] = [:]
    var notices: [String] = []
    for block in 1...blocks {
      tell(block)
      for loop in loops {
        if let one = try turn(loop, rights) {
          figures[loop, default: []].append(one)
        } else {
          loops.removeAll { $0 == loop }
          notices.append(loop.absence)
        }
      }
    }
    return (loops.map { LoopFigures($0, figures[$0] ?? []) }, rights, notices)
  }

  /// One loop in one block; nil if it cannot be run.
  private func turn(_ loop: Contender, _ rights: Grant) throws(SystemError) -> BlockFigures? {
    let time = length * loop.turns / (LoopBench.turnsPerBlock * Int64(blocks))
    let (music, wait) = (BenchMusic.fastest, BenchMusic.fastest.wait)
    let count = max(Int(time.count / wait.count), 1)
    switch loop {
    case .cyclictest:
      let priority = rights == .granted ? RealTimeThread.beatPriority : nil
      let words = CyclicTest.words(waits: count, of: wait, priority: priority)
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
      return BlockFigures(try SleepLoop.run(waits: count, of: wait), interval: Double(wait.count))
    case .python:
      // It takes longer than it should, by what it drifts.
      let words = PythonLoop.words(waits: count, of: wait)
      return run(words, time * 2 + LoopBench.patience).flatMap { PythonLoop.waits(in: $0, of: wait) }.map {
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

extension Contender {
  /// That there are no figures of it.
  fileprivate var absence: String {
    switch self {
    case .cyclictest: "no cyclictest to measure against: apt install rt-tests"
    case .python: "no Python to measure against: apt install python3"
    case .timer, .spinning, .playing, .nanosleep: "\(title): could not be run"
    }
  }
}
