import MetronomeCore

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
