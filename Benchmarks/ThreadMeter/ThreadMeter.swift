#if ALLOCATION_COUNTER
  import AllocationCounter
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The resource usage of the calling thread.
package enum ThreadMeter {
  /// Processor time in nanoseconds.
  package static var processorTime: Int64 { read(CLOCK_THREAD_CPUTIME_ID) }

  /// Nanoseconds on a clock that also runs while the thread waits. Cheaper to read than ``processorTime``.
  package static var time: Int64 { read(CLOCK_MONOTONIC) }

  /// The number of heap allocations; nil if they are not counted.
  package static var allocations: UInt64? {
    #if ALLOCATION_COUNTER
      allocation_count()
    #else
      nil
    #endif
  }

  /// The number of frees; nil if they are not counted.
  package static var frees: UInt64? {
    #if ALLOCATION_COUNTER
      free_count()
    #else
      nil
    #endif
  }

  /// The number of retains and releases; nil if they are not counted.
  package static var references: UInt64? {
    #if ALLOCATION_COUNTER
      countsReferences ? reference_count() : nil
    #else
      nil
    #endif
  }

  #if ALLOCATION_COUNTER
    private static let countsReferences = counts_references()
  #endif

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
