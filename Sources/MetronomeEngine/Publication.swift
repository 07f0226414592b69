import MetronomeCore
import Synchronization

/// Hands a value from the control loop to the beat and audio loops, without a lock and without waiting.
///
/// A ring of slots: the writer fills the slot after the newest and then names it the newest. A reader copies the newest
/// and looks whether the writer has come round to that slot meanwhile; only then, after ``slots`` - 1 changes in the time
/// of one copy, it copies again. Unlike with a plain sequence lock a reader never waits for a writer, which it may have
/// interrupted on the same core and would then wait for without end.
public final class Publication<Value: BitwiseCopyable & Sendable>: Sendable {
  private static var slots: Int { 4 }
  private static var wordsPerSlot: Int { (MemoryLayout<Value>.size + 7) / 8 }
  /// A reader that is overtaken this often keeps what it has until its next step.
  private static var attempts: Int { 4 }

  /// Freed in `deinit`; between, every access is atomic.
  private nonisolated(unsafe) let words: UnsafeMutablePointer<Atomic<UInt64>>
  private let newest = Atomic<UInt64>(0)

  /// - Parameter first: the newest until another is published.
  public init(_ first: Value) {
    let count = Publication.slots * Publication.wordsPerSlot
    words = .allocate(capacity: count)
    for index in 0..<count { (words + index).initialize(to: Atomic(0)) }
    publish(first)
  }

  deinit {
    words.deinitialize(count: Publication.slots * Publication.wordsPerSlot)
    words.deallocate()
  }

  /// How often was published. A reader that has seen this number has seen the newest value.
  public var generation: UInt64 { newest.load(ordering: .acquiring) }

  /// Makes a value the newest. One thread only.
  public func publish(_ value: Value) {
    let next = newest.load(ordering: .relaxed) + 1
    let slot = slot(of: next)
    atomicMemoryFence(ordering: .releasing)
    withUnsafeBytes(of: value) { bytes in
      for index in 0..<Publication.wordsPerSlot {
        slot[index].store(bytes.word(index), ordering: .relaxed)
      }
    }
    newest.store(next, ordering: .releasing)
  }

  /// Copies the newest value if it is newer than the one seen. Any thread.
  ///
  /// - Returns: whether it was.
  public func read(into value: inout Value, seen: inout UInt64) -> Bool {
    for _ in 0..<Publication.attempts {
      let before = newest.load(ordering: .acquiring)
      guard before != seen else { return false }
      var copy = value
      let slot = slot(of: before)
      withUnsafeMutableBytes(of: &copy) { bytes in
        for index in 0..<Publication.wordsPerSlot {
          bytes.setWord(index, to: slot[index].load(ordering: .relaxed))
        }
      }
      atomicMemoryFence(ordering: .acquiring)
      if newest.load(ordering: .relaxed) - before < UInt64(Publication.slots - 1) {
        value = copy
        seen = before
        return true
      }
    }
    return false
  }

  private func slot(of generation: UInt64) -> UnsafeMutablePointer<Atomic<UInt64>> {
    words + Int(generation % UInt64(Publication.slots)) * Publication.wordsPerSlot
  }
}

/// How the timeline reaches the outputs.
public typealias TimelinePublication = Publication<Timeline>

extension Publication where Value == Timeline {
  public convenience init() { self.init(.stopped) }
}

extension UnsafeRawBufferPointer {
  /// Eight bytes, or what is left of the last ones.
  fileprivate func word(_ index: Int) -> UInt64 {
    var word: UInt64 = 0
    let start = index * 8
    withUnsafeMutableBytes(of: &word) {
      $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: self[start..<Swift.min(start + 8, count)]))
    }
    return word
  }
}

extension UnsafeMutableRawBufferPointer {
  fileprivate func setWord(_ index: Int, to word: UInt64) {
    let start = index * 8
    withUnsafeBytes(of: word) { bytes in
      let length = Swift.min(8, count - start)
      UnsafeMutableRawBufferPointer(rebasing: self[start..<start + length])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[0..<length]))
    }
  }
}
