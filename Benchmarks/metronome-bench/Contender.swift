import Glibc
import HardwareAbstraction
import LinuxBoard
import MetronomeCore
import Synchronization

/// A measured loop that waits for one deadline after another.
enum Contender: String, Hashable, Sendable, CaseIterable {
  /// cyclictest of rt-tests: the reference for a real-time thread on this machine.
  case cyclictest
  /// The beat loop without spinning: wake-ups by the kernel's timer.
  case timer
  /// The edges of the beat loop, which spins before each.
  case spinning
  /// Like ``spinning``, but at 300 BPM, to measure the cost.
  case playing
  /// The naive loop: repeated relative sleeps.
  case nanosleep
  /// The naive loop in Python.
  case python

  /// The relative length of the loop's turns: longer for long waits.
  var turns: Int64 { self == .playing ? 4 : 1 }

  var title: String {
    switch self {
    case .cyclictest: "cyclictest, wake-ups"
    case .timer: "beat loop, timer wake-ups"
    case .spinning: "beat loop, edges"
    case .playing: "beat loop, edges at 300 BPM"
    case .nanosleep: "a loop around nanosleep"
    case .python: "a loop around Python's time.sleep"
    }
  }
}

/// cyclictest, of rt-tests: measures how late a real-time thread wakes up from absolute sleeps.
enum CyclicTest {
  /// The number of bins, of one nanosecond each. For wake-ups beyond them cyclictest prints only the count and the maximum.
  private static let scale = 1_000_000

  /// The command line for `waits` waits of `wait` each. It needs real-time priority.
  static func words(waits: Int, of wait: Nanoseconds, priority: Int32) -> [String] {
    let microseconds = (wait.count + 500) / 1_000
    return [
      "cyclictest", "--quiet", "--threads=1", "--nsecs", "--mlockall", "--priority=\(priority)",
      "--interval=\(microseconds)", "--loops=\(waits)", "--histogram=\(scale)", "--histfile=/dev/null",
      "--json=/dev/stdout",
    ]
  }

  /// Parses the lateness of the wake-ups from cyclictest's output; nil if the output is invalid.
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
    // All wake-ups beyond the bins, except the latest, count as just beyond them. This favours cyclictest.
    for _ in min(counted + 1, cycles)..<cycles { histogram.record(Nanoseconds(Int64(scale))) }
    if counted < cycles { histogram.record(Nanoseconds(Int64(latest))) }
    return histogram
  }

  /// Parses a line `"key": 12,` of cyclictest's JSON, which has one member per line.
  private static func member(_ line: Substring) -> (key: String, value: Int)? {
    let parts = line.split(separator: ":")
    guard parts.count == 2 else { return nil }
    let key = parts[0].filter { $0 != " " && $0 != "\"" }
    guard let value = Int(parts[1].filter { $0 != " " && $0 != "," }) else { return nil }
    return (String(key), value)
  }
}

/// The naive loop in Python.
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

  /// The command line for a run of `length` with waits of `wait`.
  static func words(for length: Nanoseconds, waits wait: Nanoseconds) -> [String] {
    let (seconds, rest) = wait.count.quotientAndRemainder(dividingBy: 1_000_000_000)
    return ["python3", "-c", program, "\(seconds).\(String(rest + 1_000_000_000).dropFirst())", "\(length.count)"]
  }

  /// Parses the waits from the program's output; nil if the output is invalid.
  static func waits(in output: String, of wait: Nanoseconds) -> Waits? {
    let words = output.split(whereSeparator: \.isWhitespace)
    let numbers = words.compactMap { Int64($0) }
    guard numbers.count == words.count, numbers.count > 2 else { return nil }
    return Waits(
      ends: numbers.dropFirst().map(Instant.init(nanoseconds:)), interval: wait, processorTime: Nanoseconds(numbers[0]))
  }
}

/// The naive loop: repeated relative sleeps on an ordinary thread.
enum SleepLoop {
  static func run(for length: Nanoseconds, waits wait: Nanoseconds) throws(SystemError) -> Waits {
    let result = Mutex(Waits([]))
    let done = Doorbell()
    let thread = try BlockingThread(name: "sleeps") {
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

enum ThreadTime {
  static var now: Nanoseconds {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Nanoseconds(Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }
}

/// Measures the clock map of a sound card while the card plays silence.
enum AudioTrial {
  /// nil if no sound is configured.
  static func run(_ request: AudioRequest, for length: Nanoseconds) throws(HardwareError) -> BenchResult.Audio? {
    switch AudioInspection.look(request, measuring: length).outcome {
    case .notWanted: return nil
    case .refused(let error): throw error
    case .hangs: throw HardwareError(.openAudio, .timedOut, detail: "the sound card does not answer")
    case .opened(let card):
      return BenchResult.Audio(card: card.name, health: health(card.readings, rate: card.format.rate))
    }
  }

  static func health(_ readings: [AudioFacts.FrameTime], rate: Int) -> ClockMap.Health {
    var map = ClockMap(rate: rate)
    for reading in readings { map.observe(frame: reading.frame, at: reading.instant) }
    return map.health
  }
}

/// Measures the cost of setting all lines of a box to their current, inactive levels.
enum LineTrial {
  private static let calls = 2_000
  /// Limits the trial on a chip that takes milliseconds per call.
  private static let longest = Nanoseconds.seconds(5)

  /// Requests the lines on the main thread, measures, and releases them; nil if no output is wired.
  static func run(_ wiring: Wiring) throws(HardwareError) -> BenchResult.SetCall? {
    guard !wiring.outputs.isEmpty else { return nil }
    var outputs = wiring
    outputs.buttons = [:]
    outputs.inputs = []
    let board = try LinuxBoard.open(
      wiring: outputs, audio: AudioRequest(device: .none), stateFolder: nil, notice: { _ in })
    defer { board.release() }
    guard case .held(let chip?) = board.linesState else { return nil }
    let costs = Mutex(HistogramSnapshot())
    // Unsafe only to the compiler: until it is joined, no other thread uses the lines.
    nonisolated(unsafe) let lines = board.lines
    do throws(SystemError) {
      let thread = try RealTimeThread(name: "lines", priority: RealTimeThread.beatPriority) {
        let found = LineTrial.costs(lines)
        costs.withLock { $0 = found }
      }
      thread.join()
    } catch {
      throw HardwareError(.setLines, .other, errno: error.errno, detail: error.call)
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
