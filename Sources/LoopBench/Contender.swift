import Glibc
import LinuxBoard
import MetronomeCore
import Synchronization

/// A loop that waits for one instant after the other, and is measured.
public enum Contender: String, Hashable, Sendable, CaseIterable {
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
  public var title: String {
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
public enum CyclicTest {
  /// What it keeps apart, in nanoseconds: of the wake-ups that are later it says how many, and how late the latest was.
  private static let scale = 1_000_000

  /// The words to start it with, for so many waits. It runs with real-time priority only.
  public static func words(waits: Int, of wait: Nanoseconds, priority: Int32) -> [String] {
    let microseconds = (wait.count + 500) / 1_000
    return [
      "cyclictest", "--quiet", "--threads=1", "--nsecs", "--mlockall", "--priority=\(priority)",
      "--interval=\(microseconds)", "--loops=\(waits)", "--histogram=\(scale)", "--histfile=/dev/null",
      "--json=/dev/stdout",
    ]
  }

  /// How late it woke up, out of what it prints; nil if that is no such thing.
  public static func lateness(in output: String) -> HistogramSnapshot? {
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
public enum PythonLoop {
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
  public static func words(for length: Nanoseconds, waits wait: Nanoseconds) -> [String] {
    let (seconds, rest) = wait.count.quotientAndRemainder(dividingBy: 1_000_000_000)
    return ["python3", "-c", program, "\(seconds).\(String(rest + 1_000_000_000).dropFirst())", "\(length.count)"]
  }

  /// What it did, out of what it prints; nil if that is no such thing.
  public static func waits(in output: String, of wait: Nanoseconds) -> Waits? {
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
