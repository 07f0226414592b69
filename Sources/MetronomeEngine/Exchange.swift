import MetronomeCore
import Synchronization

/// Hands values from one thread to others, without a lock and without waiting.
///
/// A ring of slots: the writer fills the slot after the newest and then names it the newest. A reader copies the newest and
/// checks whether the writer has come round to that slot meanwhile; only then, after ``slots`` - 1 changes during one copy,
/// it copies again. Unlike with a sequence lock a reader never waits for a writer that it may have interrupted on the
/// same core.
public final class Publication<Value: BitwiseCopyable & Sendable>: Sendable {
  private static var slots: Int { 4 }
  private static var wordsPerSlot: Int { (MemoryLayout<Value>.size + 7) / 8 }
  /// A reader that is overtaken this often keeps what it has until its next step.
  private static var attempts: Int { 4 }

  /// Freed in `deinit`; between, every access is atomic.
  private nonisolated(unsafe) let words: UnsafeMutablePointer<Atomic<UInt64>>
  /// Only the writer's thread uses it. It is zeroed once, so every word that is published has been initialised, those after the
  /// value's end too. Padding within a value is copied as the caller has it; no reader looks at it.
  private nonisolated(unsafe) let staging: UnsafeMutablePointer<UInt64>
  private let newest = Atomic<UInt64>(0)

  /// - Parameter first: the newest until another is published.
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

  /// How often was published. A reader that has seen this number has seen the newest value.
  public var generation: UInt64 { newest.load(ordering: .acquiring) }

  /// Makes a value the newest. One thread only.
  public func publish(_ value: Value) {
    let next = newest.load(ordering: .relaxed) + 1
    let slot = slot(of: next)
    UnsafeMutableRawPointer(staging).storeBytes(of: value, as: Value.self)
    atomicMemoryFence(ordering: .releasing)
    for index in 0..<Publication.wordsPerSlot { slot[index].store(staging[index], ordering: .relaxed) }
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

extension UnsafeMutableRawBufferPointer {
  /// Sets eight bytes, or what is left at the end.
  fileprivate func setWord(_ index: Int, to word: UInt64) {
    let start = index * 8
    withUnsafeBytes(of: word) { bytes in
      let length = Swift.min(8, count - start)
      UnsafeMutableRawBufferPointer(rebasing: self[start..<start + length])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[0..<length]))
    }
  }
}

/// Lends one object at a time to a real-time thread, which neither counts a reference to it nor releases one.
///
/// Two threads use it: the owner lends an object and keeps the reference, the borrower reads it where it is and gives it back.
/// No lock, and neither waits for the other.
package final class Slot<Owned: AnyObject>: Sendable {
  private let place = Atomic(Place.empty)
  private let isAskedBack = Atomic(false)
  /// Only the owner's thread uses it.
  private nonisolated(unsafe) var owned: Owned?
  /// Written by the owner before ``place`` is released as lent, read by the borrower after it has acquired that.
  private nonisolated(unsafe) var lent: Unmanaged<Owned>?

  package init() {}

  // MARK: The owner's side

  /// Whether the borrower has an object.
  package var isLent: Bool { place.load(ordering: .acquiring) == .lent }

  /// Whether an object has come back.
  package var isReturned: Bool { place.load(ordering: .acquiring) == .returned }

  /// The object that is lent or has come back. Its owner may use what the borrower leaves alone.
  package var object: Owned? { owned }

  /// Lends an object. The slot is empty.
  package func lend(_ object: Owned) {
    precondition(place.load(ordering: .relaxed) == .empty, "a slot holds one object at a time")
    owned = object
    lent = .passUnretained(object)
    place.store(.lent, ordering: .releasing)
  }

  /// Asks the borrower to give the object back.
  package func askBack() { isAskedBack.store(true, ordering: .relaxed) }

  /// Takes back what was returned; nil: nothing was.
  package func takeBack() -> Owned? { isReturned ? recall() : nil }

  /// Takes the object back whoever has it: only while no borrower runs, or none can reach it.
  @discardableResult
  package func recall() -> Owned? {
    defer {
      owned = nil
      lent = nil
      isAskedBack.store(false, ordering: .relaxed)
      place.store(.empty, ordering: .relaxed)
    }
    return owned
  }

  // MARK: The borrower's side

  /// The object, good until it is given back; nil: none.
  package var borrowed: Unmanaged<Owned>? { isLent ? lent : nil }

  package var isWantedBack: Bool { isAskedBack.load(ordering: .relaxed) }

  /// Gives the object back. From here on the borrower does not use it.
  package func giveBack() { place.store(.returned, ordering: .releasing) }
}

/// Where a slot's object is.
private enum Place: UInt8, AtomicRepresentable {
  case empty
  case lent
  case returned
}

/// Messages between threads that may block. Any thread leaves them; one takes them all, in order.
///
/// `@unchecked Sendable`: ``lock`` guards the messages, and whoever leaves one that is not `Sendable` uses it no more.
package final class Mailbox<Message>: @unchecked Sendable {
  // Not a `Mutex<[Message]>`: Swift 6.0 crashes on a mutex of a generic parameter.
  private let lock = Mutex(())
  private var messages: [Message] = []

  package init() {}

  /// - Parameter isSuperseded: which of the messages that wait need not be read any more. So a mailbox stays bounded.
  package func leave(_ message: Message, replacing isSuperseded: (Message) -> Bool = { _ in false }) {
    lock.withLock { _ in
      messages.removeAll(where: isSuperseded)
      messages.append(message)
    }
  }

  package func takeAll() -> [Message] {
    lock.withLock { _ in
      defer { messages = [] }
      return messages
    }
  }
}
