import MetronomeCore
import Synchronization

/// Hands the timeline from the control loop to the beat and audio loops, without a lock and without waiting.
///
/// A ring of slots: the writer fills the slot after the newest and then names it the newest. A reader copies the newest
/// and looks whether the writer has come round to that slot meanwhile; only then, after ``slots`` - 1 changes in the time
/// of one copy, it copies again. Unlike with a plain sequence lock a reader never waits for a writer, which it may have
/// interrupted on the same core and would then wait for without end.
public final class TimelinePublication: Sendable {
  private static let slots = 4
  private static let wordsPerSlot = (MemoryLayout<Timeline>.size + 7) / 8
  /// A reader that is overtaken this often keeps what it has until its next step.
  private static let attempts = 4

  /// Freed in `deinit`; between, every access is atomic.
  private nonisolated(unsafe) let words: UnsafeMutablePointer<Atomic<UInt64>>
  private let newest = Atomic<UInt64>(0)

  public init() {
    let count = TimelinePublication.slots * TimelinePublication.wordsPerSlot
    words = .allocate(capacity: count)
    for index in 0..<count { (words + index).initialize(to: Atomic(0)) }
    publish(.stopped)
  }

  deinit {
    words.deinitialize(count: TimelinePublication.slots * TimelinePublication.wordsPerSlot)
    words.deallocate()
  }

  /// How often was published. A reader that has seen this number has seen the newest timeline.
  public var generation: UInt64 { newest.load(ordering: .acquiring) }

  /// Makes a timeline the newest. One thread only.
  public func publish(_ timeline: Timeline) {
    let next = newest.load(ordering: .relaxed) + 1
    let slot = slot(of: next)
    atomicMemoryFence(ordering: .releasing)
    withUnsafeBytes(of: timeline) { bytes in
      for index in 0..<TimelinePublication.wordsPerSlot {
        slot[index].store(bytes.word(index), ordering: .relaxed)
      }
    }
    newest.store(next, ordering: .releasing)
  }

  /// Copies the newest timeline if it is newer than the one seen. Any thread.
  ///
  /// - Returns: whether it was.
  public func read(into timeline: inout Timeline, seen: inout UInt64) -> Bool {
    for _ in 0..<TimelinePublication.attempts {
      let before = newest.load(ordering: .acquiring)
      guard before != seen else { return false }
      var copy = Timeline.stopped
      let slot = slot(of: before)
      withUnsafeMutableBytes(of: &copy) { bytes in
        for index in 0..<TimelinePublication.wordsPerSlot {
          bytes.setWord(index, to: slot[index].load(ordering: .relaxed))
        }
      }
      atomicMemoryFence(ordering: .acquiring)
      if newest.load(ordering: .relaxed) - before < UInt64(TimelinePublication.slots - 1) {
        timeline = copy
        seen = before
        return true
      }
    }
    return false
  }

  private func slot(of generation: UInt64) -> UnsafeMutablePointer<Atomic<UInt64>> {
    words + Int(generation % UInt64(TimelinePublication.slots)) * TimelinePublication.wordsPerSlot
  }
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
