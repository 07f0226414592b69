import HardwareAbstraction
import LinuxBoard
import MetronomeCore
import MetronomeEngine

/// Runs the loops in turn, block after block, so that changes of the machine affect all of them equally.
struct LoopBench {
  /// The shortest turn, of more than a hundred waits.
  private static let leastTurn = Nanoseconds.milliseconds(250)
  private static let turnsPerBlock = Contender.allCases.reduce(0) { $0 + $1.turns }
  /// How long another program may take to start and to end.
  private static let programTimeout = Nanoseconds.seconds(20)

  private let length: Nanoseconds
  private let blocks: Int
  private let run: ([String], Nanoseconds) -> String?

  static func leastLength(blocks: Int) -> Nanoseconds { leastTurn * (turnsPerBlock * Int64(blocks)) }

  /// `length` is the length of all blocks together, at least ``leastLength(blocks:)``. `run` runs a program with a timeout and
  /// returns its output; nil if the program is missing or fails.
  init(length: Nanoseconds, blocks: Int, run: @escaping ([String], Nanoseconds) -> String?) {
    precondition(length >= LoopBench.leastLength(blocks: blocks), "the benchmark is too short for its number of blocks")
    (self.length, self.blocks, self.run) = (length, blocks, run)
  }

  /// Runs all blocks, and reports the number of each, from 1, as it starts. The notices say which loops lack figures, and why.
  func measure(_ progress: (Int) -> Void) throws(SystemError) -> (
    loops: [LoopFigures], rights: Grant, notices: [String]
  ) {
    _ = lockMemory()
    // The box and cyclictest also hold this request.
    let latency = WakeupLatencyRequest()
    defer { _ = latency.grant }
    let rights = try LoopBench.rights()
    let loops = Contender.allCases
    var figures: [Contender: [BlockFigures]] = [:]
    for block in 1...blocks {
      progress(block)
      // Each block starts with another loop, so that a loop's after-effects hit different ones.
      let first = block % loops.count
      for loop in loops[first...] + loops[..<first] {
        if let one = try turn(loop, rights) { figures[loop, default: []].append(one) }
      }
    }
    let measured = loops.compactMap { loop in figures[loop].map { LoopFigures(loop, $0) } }
    return (measured, rights, loops.compactMap { absence(of: $0, blocks: figures[$0]?.count ?? 0, rights) })
  }

  /// Why a loop has no figures in some blocks; nil if all blocks have figures.
  private func absence(of loop: Contender, blocks measured: Int, _ rights: Grant) -> String? {
    guard measured < blocks else { return nil }
    guard measured == 0 else {
      return "\(loop.title): failed in \(blocks - measured) of \(blocks) blocks; they are not counted"
    }
    switch loop {
    case .cyclictest where rights != .granted: return "cyclictest not measured: it needs real-time priority"
    case .cyclictest: return "cyclictest not measured: not installed (apt install rt-tests)"
    case .python: return "Python loop not measured: not installed (apt install python3)"
    case .timer, .spinning, .playing, .nanosleep: return "\(loop.title): not measured"
    }
  }

  /// Runs one loop in one block; nil if it cannot run, or fails.
  private func turn(_ loop: Contender, _ rights: Grant) throws(SystemError) -> BlockFigures? {
    let time = length * loop.turns / (LoopBench.turnsPerBlock * Int64(blocks))
    let (music, wait) = (BenchMusic.fastest, BenchMusic.fastest.wait)
    switch loop {
    case .cyclictest:
      guard rights == .granted else { return nil }
      let count = max(Int(time.count / wait.count), 1)
      let words = CyclicTest.words(waits: count, of: wait, priority: RealTimeThread.beatPriority)
      return run(words, time + LoopBench.programTimeout).flatMap(CyclicTest.lateness).map {
        BlockFigures(lateness: $0, interval: Double(wait.count))
      }
    case .timer:
      return BlockFigures(try BeatBlock.run(music, spins: false, for: time).wakeUps, interval: music.interval)
    case .spinning, .playing:
      let music = loop == .playing ? .playing : music
      return BlockFigures(try BeatBlock.run(music, spins: true, for: time).edges, interval: music.interval)
    case .nanosleep: return BlockFigures(try SleepLoop.run(for: time, waits: wait), interval: Double(wait.count))
    case .python:
      let words = PythonLoop.words(for: time, waits: wait)
      return run(words, time + LoopBench.programTimeout).flatMap { PythonLoop.waits(in: $0, of: wait) }.map {
        BlockFigures($0, interval: Double(wait.count))
      }
    }
  }

  /// Whether the kernel grants the beat thread's priority.
  private static func rights() throws(SystemError) -> Grant {
    let thread = try RealTimeThread(name: "rights", priority: RealTimeThread.beatPriority) {}
    thread.join()
    return thread.scheduling
  }
}

/// The unchanged beat loop on its own kind of thread, with a chip that only records when it is called.
enum BeatBlock {
  /// The time from the start of the thread to the first beat.
  private static let lead = Nanoseconds.milliseconds(5)

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

/// Music with four equidistant edges per beat: light and buzzer are on for half a beat, the buzzer a quarter of a beat earlier.
struct BenchMusic: Hashable, Sendable {
  var tempo: Tempo
  var signature: Signature

  /// The fastest music: a wait of 1.9 ms.
  static let fastest = BenchMusic(tempo: Tempo(bpm: 999)!, signature: Signature(4, over: 32, limit: .denominator)!)
  /// The fastest tempo of real music: a wait of 50 ms.
  static let playing = BenchMusic(tempo: Tempo(bpm: 300)!, signature: .initial)

  private static let edgesPerBeat: Int64 = 4

  /// The time from edge to edge, in nanoseconds.
  var interval: Double {
    60e9 * 1_000 * 4 / Double(tempo.milliBPM) / Double(signature.denominator) / Double(BenchMusic.edgesPerBeat)
  }

  /// ``interval`` in whole nanoseconds.
  var wait: Nanoseconds { Nanoseconds(Int64(interval.rounded())) }

  /// The projection limits these long pulses to half a beat.
  var pattern: OutputPattern {
    let half = PerLevel(repeating: Pulse.atMost(.seconds(60)))
    return OutputPattern([.light: half, .buzzer: half])
  }

  var latencies: OutputLatencies { OutputLatencies(buzzer: wait) }
}

/// The waits of one loop in one block.
struct Waits: Hashable, Sendable {
  /// A deadline, and when it was met.
  struct Wait: Hashable, Sendable, BitwiseCopyable {
    var deadline: Instant
    var actual: Instant
  }

  /// In the order of their deadlines.
  var waits: [Wait]
  /// The thread's processor time, if it was measured.
  var processorTime: Nanoseconds?
  /// Whether each deadline is relative to the end of the previous wait.
  private let isRelative: Bool

  /// The waits of a loop with absolute deadlines.
  init(_ waits: [Wait], processorTime: Nanoseconds? = nil) {
    self.waits = waits
    self.processorTime = processorTime
    isRelative = false
  }

  /// The waits of a loop that repeatedly sleeps for the same time. The first of `ends` is the start of the first wait.
  init(ends: [Instant], interval: Nanoseconds, processorTime: Nanoseconds? = nil) {
    waits = zip(ends, ends.dropFirst()).map { Wait(deadline: $0 + interval, actual: $1) }
    self.processorTime = processorTime
    isRelative = true
  }

  var lateness: HistogramSnapshot {
    var histogram = HistogramSnapshot()
    for wait in waits { histogram.record(wait.actual - wait.deadline) }
    return histogram
  }

  /// The drift per wait, in nanoseconds, from the median of the first quarter to the median of the last quarter, so that a
  /// single late wait has no effect. nil for fewer than eight waits.
  func drift(interval: Double) -> Double? {
    guard waits.count >= 8, let first = waits.first else { return nil }
    // Beats may be missing: the deadlines identify the beats.
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

/// Sits between a loop and its thread, and replaces the chip: records when each step was due, when it ran, and when it set the
/// lines. Allocates only in `init`. Used on the beat thread until the thread has ended.
final class WaitRecorder: OutputLines {
  /// The number of first waits that are not recorded, because the caches are cold.
  private static let leftOut = 4

  private struct Entry {
    var deadline: Instant
    var wakeUp: Instant
    var edge: Instant
  }

  private let clock = LinuxClock()
  private let entries: UnsafeMutableBufferPointer<Entry>
  private var count = 0
  /// The deadline returned by the last step.
  private var deadline: Instant?
  private var edge: Instant?
  private var costBefore = Nanoseconds.zero
  private var costAfter = Nanoseconds.zero

  init(capacity: Int) {
    entries = .allocate(capacity: capacity + WaitRecorder.leftOut)
    // Prefaults the pages.
    entries.initialize(repeating: Entry(deadline: .zero, wakeUp: .zero, edge: .zero))
  }

  deinit { entries.deallocate() }

  func set(_ levels: LineSet) {
    let now = clock.now
    if edge == nil { edge = now }
  }

  func release() {}

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

  var wakeUps: Waits { waits(\.wakeUp) }
  var edges: Waits { waits(\.edge) }

  private func waits(_ actual: KeyPath<Entry, Instant>) -> Waits {
    let kept = entries[..<count].dropFirst(WaitRecorder.leftOut)
    return Waits(
      kept.map { Waits.Wait(deadline: $0.deadline, actual: $0[keyPath: actual]) },
      processorTime: kept.isEmpty ? nil : costAfter - costBefore)
  }
}
