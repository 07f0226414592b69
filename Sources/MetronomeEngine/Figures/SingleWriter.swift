import Synchronization

extension Atomic<UInt64> {
  /// Counts so many more, on the only thread that writes it: a load and a store, without the locked bus of a
  /// read-modify-write. Whoever sees it counted sees what was written before.
  @inline(__always)
  borrowing func count(_ number: UInt64 = 1) {
    store(load(ordering: .relaxed) &+ number, ordering: .releasing)
  }
}
