import MetronomeCore
import Synchronization

/// Counts durations of a real-time thread while others look.
///
/// One fixed block of about 16 KiB, on the buckets of `HistogramScale`: no allocation once it is made, no lock, no
/// reference counted. One thread records; any thread takes snapshots.
public struct Histogram: ~Copyable, Sendable {
  /// Unsafe to the compiler because it is a pointer: it never changes, is freed in `deinit`, and between, every access to what
  /// it points to is atomic.
  private nonisolated(unsafe) let counts: UnsafeMutablePointer<Atomic<UInt64>>
  private let belowZero = Atomic<UInt64>(0)
  private let shortest = Atomic<Int64>(.max)
  private let longest = Atomic<Int64>(.min)

  public init() {
    counts = .allocate(capacity: HistogramScale.count)
    for index in 0..<HistogramScale.count { (counts + index).initialize(to: Atomic(0)) }
  }

  deinit {
    counts.deinitialize(count: HistogramScale.count)
    counts.deallocate()
  }

  /// Counts a duration. Always the same few instructions; one thread only.
  public borrowing func record(_ duration: Nanoseconds) {
    let value = duration.count
    if value < shortest.load(ordering: .relaxed) { shortest.store(value, ordering: .relaxed) }
    if value > longest.load(ordering: .relaxed) { longest.store(value, ordering: .relaxed) }
    // Released: whoever sees it counted sees it within the shortest and the longest, and whoever sees it below zero, counted.
    counts[HistogramScale.index(of: duration)].count()
    if value < 0 { belowZero.count() }
  }

  /// What was counted by now. While another thread records it may miss what is recorded meanwhile, but never holds a
  /// duration that is not within the snapshot's `shortest` and `longest`. Any thread that may allocate.
  public borrowing func snapshot() -> HistogramSnapshot {
    let belowZero = belowZero.load(ordering: .acquiring)
    var copy = [UInt64](repeating: 0, count: HistogramScale.count)
    for index in copy.indices { copy[index] = counts[index].load(ordering: .relaxed) }
    atomicMemoryFence(ordering: .acquiring)
    let low = Nanoseconds(shortest.load(ordering: .relaxed))
    let high = Nanoseconds(longest.load(ordering: .relaxed))
    let isEmpty = copy.allSatisfy { $0 == 0 }
    return HistogramSnapshot(counts: copy, belowZero: belowZero, bounds: isEmpty ? nil : low...high)
  }
}
