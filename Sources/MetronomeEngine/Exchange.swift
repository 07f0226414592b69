import MetronomeCore
import Synchronization

/// Passes values from one thread to others, lock-free and wait-free.
///
/// The storage is a ring of slots: the writer fills the slot after the newest, then publishes its number. A reader copies the
/// newest slot, and retries only if the writer has reached this slot again, after ``slots`` - 1 changes during one copy. Unlike
/// with a sequence lock, a reader never waits for a writer that it may have preempted on the same core.
public final class Publication<Value: BitwiseCopyable & Sendable>: Sendable {
  private static var slots: Int { 4 }
  private static var wordsPerSlot: Int { (MemoryLayout<Value>.size + 7) / 8 }
  /// A reader that has retried this often keeps its old value until its next step.
  private static var attempts: Int { 4 }

  /// The pointer never changes until `deinit` frees it, and every access to the words is atomic.
  private nonisolated(unsafe) let words: UnsafeMutablePointer<Atomic<UInt64>>
  /// Only the writer's thread uses it. Zeroed once, so that every published word is initialised, also past the value's end;
  /// padding within a value is copied as is, and never read.
  private nonisolated(unsafe) let staging: UnsafeMutablePointer<UInt64>
  private let newest = Atomic<UInt64>(0)

  public init(_ first: Value) {
    let count = Publication.slots * Publication.wordsPerSlot
    words = .allocate(capacity: count)
    for index in 0..<count { (words + index).initialize(to: Atomic(0)) }
    staging = .allocate(capacity: Publication.wordsPerSlot)
    staging.initialize(repeating: 0, count: Publication.wordsPerSlot)
    publish(first)
  }

  deinit {
    words.deinitialize(count: Publication.slots * Publication.wordsPerSlot)
    words.deallocate()
    staging.deallocate()
  }

  /// The number of values published. A reader that has seen this number has the newest value.
  public var generation: UInt64 { newest.load(ordering: .acquiring) }

  /// Publishes a value. One thread only.
  public func publish(_ value: Value) {
    let next = newest.load(ordering: .relaxed) + 1
    let slot = slot(of: next)
    UnsafeMutableRawPointer(staging).storeBytes(of: value, as: Value.self)
    atomicMemoryFence(ordering: .releasing)
    for index in 0..<Publication.wordsPerSlot { slot[index].store(staging[index], ordering: .relaxed) }
    newest.store(next, ordering: .releasing)
  }

  /// Copies the newest value if it is newer than the value seen, and returns whether it was. Any thread.
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

public typealias TimelinePublication = Publication<Timeline>

extension Publication where Value == Timeline {
  public convenience init() { self.init(.stopped) }
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

/// Lends one object at a time to a real-time thread, which neither retains nor releases it. The owner's thread lends it and
/// keeps the reference; the borrower's thread uses it and returns it. Lock-free; neither side waits.
package final class Slot<Owned: AnyObject>: Sendable {
  private let place = Atomic(Place.empty)
  private let returnRequest = Atomic(false)
  /// Only the owner's thread uses it.
  private nonisolated(unsafe) var owned: Owned?
  /// The owner writes it before it stores ``place`` as lent (release). The borrower reads it after loading ``place`` (acquire).
  private nonisolated(unsafe) var lent: Unmanaged<Owned>?

  package init() {}

  // The owner calls the members up to ``recall()``, the borrower those after it.
  package var isLent: Bool { place.load(ordering: .acquiring) == .lent }
  package var isReturned: Bool { place.load(ordering: .acquiring) == .returned }

  /// The object, lent or returned. Its owner may use the parts that the borrower does not.
  package var object: Owned? { owned }

  /// Lends an object. The slot must be empty.
  package func lend(_ object: Owned) {
    precondition(place.load(ordering: .relaxed) == .empty, "a slot holds one object at a time")
    owned = object
    lent = .passUnretained(object)
    place.store(.lent, ordering: .releasing)
  }

  /// Asks the borrower to return the object.
  package func requestReturn() { returnRequest.store(true, ordering: .relaxed) }

  /// Removes the returned object from the slot; nil if it was not returned.
  package func reclaim() -> Owned? { isReturned ? recall() : nil }

  /// Removes the object in any state. Call it only while no borrower runs or can reach the object.
  @discardableResult
  package func recall() -> Owned? {
    defer {
      owned = nil
      lent = nil
      returnRequest.store(false, ordering: .relaxed)
      place.store(.empty, ordering: .relaxed)
    }
    return owned
  }

  /// The lent object, valid until the borrower returns it.
  package var borrowed: Unmanaged<Owned>? { isLent ? lent : nil }

  package var isReturnRequested: Bool { returnRequest.load(ordering: .relaxed) }

  /// Called by the borrower when it no longer uses the object.
  package func returnBorrowed() { place.store(.returned, ordering: .releasing) }
}

private enum Place: UInt8, AtomicRepresentable {
  case empty, lent, returned
}

/// Messages between threads that may block. Any thread posts them; one thread drains them, in order.
///
/// `@unchecked Sendable`: ``lock`` guards the messages, and a thread that posts a message that is not `Sendable` must not
/// use it afterwards.
package final class Mailbox<Message>: @unchecked Sendable {
  // Not a `Mutex<[Message]>`: Swift 6.0 crashes on a mutex of a generic parameter.
  private let lock = Mutex(())
  private var messages: [Message] = []

  package init() {}

  /// Posts a message, and removes pending messages that it supersedes, so that the mailbox stays bounded.
  package func post(_ message: Message, replacing isSuperseded: (Message) -> Bool = { _ in false }) {
    lock.withLock { _ in
      messages.removeAll(where: isSuperseded)
      messages.append(message)
    }
  }

  /// Removes and returns all messages, in the order in which they were posted.
  package func drain() -> [Message] {
    lock.withLock { _ in
      defer { messages = [] }
      return messages
    }
  }
}

/// Wakes the loops of an engine. Code that publishes data for a loop calls it; the host implements it.
public final class Waker: Sendable {
  private let wake: @Sendable (Loop) -> Void

  /// `wake` schedules a step of a loop. Any thread may call it, including the real-time ones: it must neither wait nor
  /// allocate.
  public init(_ wake: @escaping @Sendable (Loop) -> Void) { self.wake = wake }

  func callAsFunction(_ loop: Loop) { wake(loop) }

  /// Requests a step of the beat loop, whose steps the watchdog counts, even if nothing is due. Any thread.
  public func probe() { wake(.beats) }

  /// Reports that the host has work to do, such as lines to log, on its main thread. Any thread.
  public func hostHasWork() { wake(.control) }

  /// Wakes every loop; a host calls it to end its threads. Any thread.
  public func wakeAll() { for loop in Loop.allCases { wake(loop) } }
}

/// A cache of the last lookups in a timeline: outputs of equal latency look up the same beats, and most steps look up the next
/// beat again. Valid until the timeline changes. Used on real-time threads.
struct BeatLookup: BitwiseCopyable {
  let timeline: TimelineView
  private var view: Instant?
  private var last: Beat?
  /// The last looked up beats with even and odd numbers: a beat and the next one.
  private var even: Beat?
  private var odd: Beat?

  /// How many voices have hits within beats; 0 if there are only beats.
  let voices: Int
  /// The number of the oldest beat that is still kept; nil if stopped.
  let oldest: Int64?

  init(_ timeline: UnsafePointer<Timeline>) {
    self.timeline = TimelineView(timeline)
    voices = self.timeline.hasOnlyBeats ? 0 : self.timeline.voiceCount
    oldest = self.timeline.oldestIndex
  }

  mutating func lastBeat(atOrBefore view: Instant) -> Beat? {
    if self.view != view {
      self.view = view
      // The search is slow while the tempo changes: usually the last beat is one of the two that are known.
      if let even, let odd, abs(even.index - odd.index) == 1 {
        let (first, second) = even.index < odd.index ? (even, odd) : (odd, even)
        if first.instant <= view, view < second.instant {
          last = first
          return last
        }
      }
      last = timeline.lastBeat(atOrBefore: view)
    }
    return last
  }

  /// The beat with this number, which must not be below ``oldest``. Only while playing.
  mutating func beat(_ index: Int64) -> Beat {
    if let known = index & 1 == 0 ? even : odd, known.index == index { return known }
    let beat = timeline.knownBeat(index)
    if index & 1 == 0 { even = beat } else { odd = beat }
    return beat
  }

  mutating func instant(of index: Int64) -> Instant { beat(index).instant }
}
