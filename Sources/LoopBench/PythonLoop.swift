import MetronomeCore

/// The loop that people write first, in Python.
public enum PythonLoop {
  private static let program = """
    from sys import argv
    from time import monotonic_ns, sleep, thread_time_ns
    wait, count = float(argv[1]), int(argv[2])
    ends = [0] * (count + 1)
    cost = thread_time_ns()
    ends[0] = monotonic_ns()
    for number in range(count):
        sleep(wait)
        ends[number + 1] = monotonic_ns()
    print(thread_time_ns() - cost, *ends)
    """

  /// The words to start it with.
  public static func words(waits: Int, of wait: Nanoseconds) -> [String] {
    let (seconds, rest) = wait.count.quotientAndRemainder(dividingBy: 1_000_000_000)
    return ["python3", "-c", program, "\(seconds).\(String(rest + 1_000_000_000).dropFirst())", "\(waits)"]
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
