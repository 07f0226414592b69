import MetronomeCore

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
