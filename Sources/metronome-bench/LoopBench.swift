import HardwareAbstraction
import LinuxBoard
import MetronomeCore
import MetronomeEngine

/// The loops in turn, block after block: what a machine does otherwise from one minute to the next meets all of them alike.
struct LoopBench {
  /// The shortest turn: over a hundred waits.
  private static let leastTurn = Nanoseconds.milliseconds(250)
  private static let turnsPerBlock = Contender.allCases.reduce(0) { $0 + $1.turns }
  /// What another program takes to start and to end, at the most.
  private static let patience = Nanoseconds.seconds(20)

  private let length: Nanoseconds
  private let blocks: Int
  private let run: ([String], Nanoseconds) -> String?

  /// The shortest time for so many blocks.
  static func leastLength(blocks: Int) -> Nanoseconds {
    leastTurn * (turnsPerBlock * Int64(blocks))
  }

  /// - Parameters:
  ///   - length: of all blocks together, ``leastLength(blocks:)`` at least.
  ///   - run: runs another program, for so long at the most, and answers with what it prints; nil: it is not there, or failed.
  init(length: Nanoseconds, blocks: Int, run: @escaping ([String], Nanoseconds) -> String?) {
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
  func measure(
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
      lines: recorder, publication: publication,
      plan: OutputPlan(Projections(music.pattern, latencies: music.latencies)), observer: SilentObserver())
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
struct BenchMusic: Hashable, Sendable {
  var tempo: Tempo
  var signature: Signature

  /// As fast as it goes: a wait of 1.9 ms.
  static let fastest = BenchMusic(
    tempo: Tempo(bpm: 999)!, signature: Signature(4, over: 32, limit: .denominator)!)
  /// What nobody plays faster: a wait of 50 ms.
  static let playing = BenchMusic(tempo: Tempo(bpm: 300)!, signature: .initial)

  private static let edgesPerBeat: Int64 = 4

  /// From edge to edge, in nanoseconds.
  var interval: Double {
    60e9 * 1_000 * 4 / Double(tempo.milliBPM) / Double(signature.denominator) / Double(BenchMusic.edgesPerBeat)
  }

  /// The same in whole nanoseconds.
  var wait: Nanoseconds { Nanoseconds(Int64(interval.rounded())) }

  /// A pulse is never longer than half a beat.
  var pattern: OutputPattern {
    let half = PerLevel(repeating: Pulse.atMost(.seconds(60)))
    return OutputPattern([.light: half, .buzzer: half])
  }

  var latencies: OutputLatencies { OutputLatencies(buzzer: wait) }
}

/// What one loop did in one block: a wait after the other.
struct Waits: Hashable, Sendable {
  /// When something was to happen, and when it did.
  struct Wait: Hashable, Sendable, BitwiseCopyable {
    var deadline: Instant
    var actual: Instant
  }

  /// In order.
  var waits: [Wait]
  /// What they cost the thread, if it was asked.
  var processorTime: Nanoseconds?
  /// Whether each deadline counts from the end of the wait before.
  private let isRelative: Bool

  /// Those of a loop whose deadlines are fixed beforehand.
  init(_ waits: [Wait], processorTime: Nanoseconds? = nil) {
    self.waits = waits
    self.processorTime = processorTime
    isRelative = false
  }

  /// Those of a loop that sleeps again and again for the same time.
  ///
  /// - Parameter ends: the first one is where the first wait began.
  init(ends: [Instant], interval: Nanoseconds, processorTime: Nanoseconds? = nil) {
    waits = zip(ends, ends.dropFirst()).map { Wait(deadline: $0 + interval, actual: $1) }
    self.processorTime = processorTime
    isRelative = true
  }

  /// How late each was.
  var lateness: HistogramSnapshot {
    var histogram = HistogramSnapshot()
    for wait in waits { histogram.record(wait.actual - wait.deadline) }
    return histogram
  }

  /// By how much a wait was longer than it should have been, on the whole, in nanoseconds: what adds up.
  ///
  /// From the median of the first quarter to that of the last, against what so many intervals last: a single late one
  /// changes nothing. nil for less than eight.
  ///
  /// - Parameter interval: in nanoseconds, as exactly as there is.
  func drift(interval: Double) -> Double? {
    guard waits.count >= 8, let first = waits.first else { return nil }
    // Beats may have been left out: the deadlines tell which is which.
    let places = waits.enumerated().map { index, wait in
      isRelative ? Double(index) : (Double((wait.deadline - first.deadline).count) / interval).rounded()
    }
    let gains = zip(waits, places).map { Double(($0.actual - first.actual).count) - $1 * interval }
    let quarter = waits.count / 4
    let distance = Waits.median(Array(places.suffix(quarter))) - Waits.median(Array(places.prefix(quarter)))
    return (Waits.median(Array(gains.suffix(quarter))) - Waits.median(Array(gains.prefix(quarter)))) / distance
  }

  static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }
}

/// Stands between a loop and its thread, and in place of a chip: notes when each step was to come, when it came, and when it
/// set the lines. In place: no allocation but the first. On the beat thread until that has ended.
final class WaitRecorder: OutputLines {
  /// Of the first waits, which find their caches cold.
  private static let leftOut = 4

  private struct Entry {
    var deadline: Instant
    var wakeUp: Instant
    var edge: Instant
  }

  private let clock = LinuxClock()
  private let entries: UnsafeMutableBufferPointer<Entry>
  private var count = 0
  /// As the last step answered.
  private var deadline: Instant?
  private var edge: Instant?
  private var costBefore = Nanoseconds.zero
  private var costAfter = Nanoseconds.zero

  /// - Parameter capacity: so many waits are noted.
  init(capacity: Int) {
    entries = .allocate(capacity: capacity + WaitRecorder.leftOut)
    // Touched: the pages are there when they are written.
    entries.initialize(repeating: Entry(deadline: .zero, wakeUp: .zero, edge: .zero))
  }

  deinit { entries.deallocate() }

  func set(_ levels: OutputSet) {
    let now = clock.now
    if edge == nil { edge = now }
  }

  func release() {}

  /// Lets the loop step.
  func step(at now: Instant, _ step: (Instant) -> Instant?) -> Instant? {
    edge = nil
    let next = step(now)
    if let deadline, let edge, now >= deadline, count < entries.count {
      entries[count] = Entry(deadline: deadline, wakeUp: now, edge: edge)
      count += 1
      costAfter = ThreadTime.now
      if count == WaitRecorder.leftOut { costBefore = costAfter }
    }
    deadline = next
    return next
  }

  /// When it woke up.
  var wakeUps: Waits { waits(\.wakeUp) }

  /// When it set the lines.
  var edges: Waits { waits(\.edge) }

  private func waits(_ actual: KeyPath<Entry, Instant>) -> Waits {
    let kept = entries[..<count].dropFirst(WaitRecorder.leftOut)
    return Waits(
      kept.map { Waits.Wait(deadline: $0.deadline, actual: $0[keyPath: actual]) },
      processorTime: kept.isEmpty ? nil : costAfter - costBefore)
  }
}
