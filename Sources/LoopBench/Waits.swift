import HardwareAbstraction
import LinuxBoard
import MetronomeCore

/// What one loop did in one block: a wait after the other.
public struct Waits: Hashable, Sendable {
  /// When something was to happen, and when it did.
  public struct Wait: Hashable, Sendable, BitwiseCopyable {
    public var deadline: Instant
    public var actual: Instant

    public init(deadline: Instant, actual: Instant) {
      self.deadline = deadline
      self.actual = actual
    }
  }

  /// In order.
  public var waits: [Wait]
  /// What they cost the thread, if it was asked.
  public var processorTime: Nanoseconds?
  /// Whether each deadline counts from the end of the wait before.
  private let isRelative: Bool

  /// Those of a loop whose deadlines are fixed beforehand.
  public init(_ waits: [Wait], processorTime: Nanoseconds? = nil) {
    self.waits = waits
    self.processorTime = processorTime
    isRelative = false
  }

  /// Those of a loop that sleeps again and again for the same time.
  ///
  /// - Parameter ends: the first one is where the first wait began.
  public init(ends: [Instant], interval: Nanoseconds, processorTime: Nanoseconds? = nil) {
    waits = zip(ends, ends.dropFirst()).map { Wait(deadline: $0 + interval, actual: $1) }
    self.processorTime = processorTime
    isRelative = true
  }

  /// How late each was.
  public var lateness: HistogramSnapshot {
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
  public func drift(interval: Double) -> Double? {
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
