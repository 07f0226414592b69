import HardwareAbstraction
import LinuxBoard
import MetronomeCore

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

  func set(_ levels: OutputLevels) {
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
