import Glibc
import HardwareAbstraction
import LinuxBoard
import MetronomeCore
import Synchronization

/// A loop that waits for one instant after the other, and is measured.
enum Contender: String, Hashable, Sendable, CaseIterable {
  /// cyclictest of rt-tests: what a real-time thread of this machine can do.
  case cyclictest
  /// The beat loop's wake-ups, left to the kernel's timer.
  case timer
  /// The beat loop's edges, with the clock watched before each.
  case spinning
  /// The same at 300 BPM, for what it costs there.
  case playing
  /// The loop that people write: a relative sleep, and another.
  case nanosleep
  /// The same in Python.
  case python

  /// How many times as long as the others' its turns are: where waits are long, so that there are some.
  var turns: Int64 { self == .playing ? 4 : 1 }

  /// As a table calls it.
  var title: String {
    switch self {
    case .cyclictest: "cyclictest, wake-ups"
    case .timer: "beat loop, wake-ups by the timer"
    case .spinning: "beat loop, edges"
    case .playing: "beat loop, edges at 300 BPM"
    case .nanosleep: "a loop around nanosleep"
    case .python: "a loop around Python's time.sleep"
    }
  }
}

/// cyclictest, of rt-tests: a thread of the highest class that sleeps from instant to instant, and how late it wakes up.
enum CyclicTest {
  /// What it keeps apart, in nanoseconds: of the wake-ups that are later it says how many, and how late the latest was.
  private static let scale = 1_000_000

  /// The words to start it with, for so many waits. It runs with real-time priority only.
  static func words(waits: Int, of wait: Nanoseconds, priority: Int32) -> [String] {
    let microseconds = (wait.count + 500) / 1_000
    return [
      "cyclictest", "--quiet", "--threads=1", "--nsecs", "--mlockall", "--priority=\(priority)",
      "--interval=\(microseconds)", "--loops=\(waits)", "--histogram=\(scale)", "--histfile=/dev/null",
      "--json=/dev/stdout",
    ]
  }

  /// How late it woke up, out of what it prints; nil if that is no such thing.
  static func lateness(in output: String) -> HistogramSnapshot? {
    var histogram = HistogramSnapshot()
    var (counted, cycles, latest) = (0, 0, 0)
    for line in output.split(separator: "\n") {
      guard let (key, value) = member(line) else { continue }
      switch key {
      case "cycles": cycles = value
      case "max": latest = value
      default:
        guard let lateness = Int64(key) else { continue }
        for _ in 0..<value { histogram.record(Nanoseconds(lateness)) }
        counted += value
      }
    }
    guard cycles > 0, counted > 0 else { return nil }
    // The others are taken for as early as they may have been: it is what the beat loop is held against.
    for _ in min(counted + 1, cycles)..<cycles { histogram.record(Nanoseconds(Int64(scale))) }
    if counted < cycles { histogram.record(Nanoseconds(Int64(latest))) }
    return histogram
  }

  /// A line `"key": 12,` of its JSON, in which each member has one of its own.
  private static func member(_ line: Substring) -> (key: String, value: Int)? {
    let parts = line.split(separator: ":")
    guard parts.count == 2 else { return nil }
    let key = parts[0].filter { $0 != " " && $0 != "\"" }
    guard let value = Int(parts[1].filter { $0 != " " && $0 != "," }) else { return nil }
    return (String(key), value)
  }
}

/// The loop that people write first, in Python.
enum PythonLoop {
  private static let program = """
    from sys import argv
    from time import monotonic_ns, sleep, thread_time_ns
    wait, length = float(argv[1]), int(argv[2])
    cost = thread_time_ns()
    ends = [monotonic_ns()]
    while ends[-1] - ends[0] < length:
        sleep(wait)
        ends.append(monotonic_ns())
    print(thread_time_ns() - cost, *ends)
    """

  /// The words to start it with, for so long.
  static func words(for length: Nanoseconds, waits wait: Nanoseconds) -> [String] {
    let (seconds, rest) = wait.count.quotientAndRemainder(dividingBy: 1_000_000_000)
    return ["python3", "-c", program, "\(seconds).\(String(rest + 1_000_000_000).dropFirst())", "\(length.count)"]
  }

  /// What it did, out of what it prints; nil if that is no such thing.
  static func waits(in output: String, of wait: Nanoseconds) -> Waits? {
    let words = output.split(whereSeparator: \.isWhitespace)
    let numbers = words.compactMap { Int64($0) }
    guard numbers.count == words.count, numbers.count > 2 else { return nil }
    return Waits(
      ends: numbers.dropFirst().map(Instant.init(nanoseconds:)), interval: wait, processorTime: Nanoseconds(numbers[0]))
  }
}

/// The loop that people write: a relative sleep, and another, on an ordinary thread.
enum SleepLoop {
  static func run(for length: Nanoseconds, waits wait: Nanoseconds) throws(SystemError) -> Waits {
    let result = Mutex(Waits([]))
    let done = Doorbell()
    let thread = try PatientThread(name: "sleeps") {
      let clock = LinuxClock()
      var ends: [Instant] = []
      ends.reserveCapacity(Int(length.count / wait.count) + 2)
      let before = ThreadTime.now
      let start = clock.now
      ends.append(start)
      while ends[ends.count - 1] - start < length {
        var time = timespec(tv_sec: Int(wait.count / 1_000_000_000), tv_nsec: Int(wait.count % 1_000_000_000))
        nanosleep(&time, nil)
        ends.append(clock.now)
      }
      let cost = ThreadTime.now - before
      result.withLock { $0 = Waits(ends: ends, interval: wait, processorTime: cost) }
      done.ring()
    }
    done.wait(until: nil)
    _ = thread.join(until: Instant(nanoseconds: .max))
    return result.withLock { $0 }
  }
}

/// What the calling thread has taken of the processors.
enum ThreadTime {
  static var now: Nanoseconds {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Nanoseconds(Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }
}

/// How well the map of a sound card's clock does, while the card plays silence.
enum SoundTrial {
  /// - Returns: nil when no sound is wanted.
  static func run(_ request: AudioRequest, for length: Nanoseconds) throws(HardwareError) -> BenchResult.Sound? {
    switch SoundInspection.look(request, measuring: length).outcome {
    case .notWanted: return nil
    case .refused(let error): throw error
    case .hangs: throw HardwareError(.openAudio, .timedOut, detail: "the sound card does not answer")
    case .opened(let card):
      return BenchResult.Sound(card: card.name, health: health(card.readings, rate: card.format.rate))
    }
  }

  /// Of a map that has seen these readings.
  static func health(_ readings: [SoundFacts.Reading], rate: Int) -> ClockMap.Health {
    var map = ClockMap(rate: rate)
    for reading in readings { map.observe(frame: reading.frame, at: reading.instant) }
    return map.health
  }
}

/// What it costs to set the lines of a box, all inactive, to what they are.
enum LineTrial {
  private static let calls = 2_000
  /// For a chip that takes milliseconds.
  private static let longest = Nanoseconds.seconds(5)

  /// Takes the lines, on the main thread, and gives them back; nil when no output is wired.
  static func run(_ wiring: Wiring) throws(HardwareError) -> BenchResult.SetCall? {
    guard !wiring.outputs.isEmpty else { return nil }
    var outputs = wiring
    outputs.buttons = [:]
    outputs.inputs = []
    let board = try LinuxBoard.open(wiring: outputs, audio: AudioRequest(device: .none), store: nil, notice: { _ in })
    defer { board.release() }
    guard case .held(let chip?) = board.linesState else { return nil }
    let costs = Mutex(HistogramSnapshot())
    // Unsafe to the compiler, which cannot see the handover: until it has ended, which is waited for, only the thread uses them.
    nonisolated(unsafe) let lines = board.lines
    do throws(SystemError) {
      let thread = try RealTimeThread(name: "lines", priority: RealTimeThread.beatPriority) {
        let found = LineTrial.costs(lines)
        costs.withLock { $0 = found }
      }
      thread.join()
    } catch {
      throw HardwareError(.setLines, errno: error.errno, detail: error.call)
    }
    let cost = costs.withLock { $0 }
    return cost.count == 0 ? nil : BenchResult.SetCall(chip: chip, cost: cost)
  }

  private static func costs(_ lines: GPIOOutputs) -> HistogramSnapshot {
    let clock = LinuxClock()
    let end = clock.now + longest
    var costs = HistogramSnapshot()
    for _ in 0..<calls {
      let before = clock.now
      do throws(HardwareError) { try lines.set(.inactive) } catch { return costs }
      let after = clock.now
      costs.record(after - before)
      if after > end { break }
    }
    return costs
  }
}
