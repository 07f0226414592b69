import MetronomeCore
import MetronomeEngine
import Synchronization
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Values that are passed between real threads. The sanitizers run these tests too.
@Suite struct PublicationTests {
  private func timeline(_ number: Int) -> Timeline {
    Timeline(
      session: UInt32(number), firstBeat: Instant(nanoseconds: Int64(number)),
      tempo: Tempo(milliBPM: 1_000 + number % 998_000)!, signature: .initial)
  }

  @Test func newestValueIsReadOnce() {
    let publication = TimelinePublication()
    var copy = timeline(9)
    var seen: UInt64 = 0
    #expect(publication.read(into: &copy, seen: &seen))
    #expect(copy == .stopped)
    #expect(!publication.read(into: &copy, seen: &seen))
    for number in 1...10 { publication.publish(timeline(number)) }
    #expect(publication.read(into: &copy, seen: &seen))
    #expect(copy == timeline(10))
    #expect(!publication.read(into: &copy, seen: &seen))
  }

  @Test func readerNeverSeesATornTimeline() {
    let publication = TimelinePublication()
    let last: UInt32 = 20_000
    onThreads(
      {
        for number in 1...Int(last) { publication.publish(self.timeline(number)) }
      },
      {
        var copy = Timeline.stopped
        var seen: UInt64 = 0
        while copy.session < last {
          let session = copy.session
          guard publication.read(into: &copy, seen: &seen), copy.isPlaying else { continue }
          #expect(copy == self.timeline(Int(copy.session)))
          #expect(copy.session > session)
        }
      })
  }

  /// A value with inner and trailing padding, whose size is not a multiple of a word.
  private struct PaddedValue: BitwiseCopyable, Sendable, Equatable {
    var flag: UInt8
    var number: Int64
    var last: UInt8
  }

  @Test func paddedValueIsPassedIntact() {
    let publication = Publication(PaddedValue(flag: 0, number: 0, last: 0))
    var copy = PaddedValue(flag: 1, number: 1, last: 1)
    var seen: UInt64 = 0
    for number in 1...300 {
      let value = PaddedValue(flag: UInt8(number % 256), number: -Int64(number), last: UInt8(number % 251))
      publication.publish(value)
      #expect(publication.read(into: &copy, seen: &seen))
      #expect(copy == value)
    }
  }

  /// The bytes after the value's end in its last word are zero. They are published too, so they must not be uninitialised.
  @Test func bytesAfterTheValueAreZero() throws {
    let size = MemoryLayout<PaddedValue>.size
    let words = (size + 7) / 8
    #expect(size % 8 != 0)
    // The allocator reuses the block freed last.
    let used = (0..<8).map { _ in UnsafeMutablePointer<UInt64>.allocate(capacity: words) }
    for block in used {
      block.initialize(repeating: .max, count: words)
      block.deallocate()
    }
    let publication = Publication(PaddedValue(flag: 1, number: 2, last: 3))
    let child = try #require(Mirror(reflecting: publication).children.first { $0.label == "staging" })
    let staging = UnsafeRawPointer(try #require(child.value as? UnsafeMutablePointer<UInt64>))
    for round in 1...3 {
      #expect(staging.load(fromByteOffset: size - 1, as: UInt8.self) == 3)
      for offset in size..<words * 8 {
        #expect(staging.load(fromByteOffset: offset, as: UInt8.self) == 0, "byte \(offset) in round \(round)")
      }
      publication.publish(PaddedValue(flag: 255, number: -1, last: 3))
    }
    withExtendedLifetime(publication) {}
  }
}

@Suite struct SlotTests {
  /// An object that reports, when it is freed, whether it is freed on the owner's thread.
  private final class Payload: Sendable {
    let number: Int
    private let note: @Sendable (Bool) -> Void
    private let owner: pthread_t

    init(_ number: Int, owner: pthread_t, note: @escaping @Sendable (Bool) -> Void) {
      self.number = number
      self.owner = owner
      self.note = note
    }

    deinit { note(pthread_equal(pthread_self(), owner) != 0) }
  }

  @Test func lentObjectIsReturned() throws {
    let slot = Slot<Payload>()
    #expect(slot.borrowed == nil)
    #expect(slot.reclaim() == nil)
    let payload = Payload(7, owner: pthread_self()) { _ in }
    slot.lend(payload)
    #expect(slot.isLent && !slot.isReturnRequested && slot.object === payload)
    #expect(try #require(slot.borrowed).takeUnretainedValue() === payload)
    slot.requestReturn()
    #expect(slot.isReturnRequested)
    #expect(slot.reclaim() == nil)
    slot.returnBorrowed()
    #expect(slot.isReturned && slot.borrowed == nil)
    #expect(slot.reclaim() === payload)
    #expect(slot.object == nil && !slot.isReturnRequested && !slot.isReturned)
  }

  @Test func unreturnedObjectIsRecalled() {
    let slot = Slot<Payload>()
    #expect(slot.recall() == nil)
    let payload = Payload(7, owner: pthread_self()) { _ in }
    slot.lend(payload)
    #expect(slot.recall() === payload)
    #expect(slot.borrowed == nil)
  }

  /// No object is freed on the borrower's thread. The owner releases each object as soon as it is returned, while the borrower
  /// may still be inside `giveBack()`. If the borrower held a reference, some objects would be freed on its thread.
  @Test func objectsAreNeverFreedOnTheBorrowersThread() {
    let last = Seeds.count(few: 4_000, full: 20_000)
    let slot = Slot<Payload>()
    let freed = Mailbox<Bool>()
    let sum = Mutex(0)
    onThreads(
      {
        let owner = pthread_self()
        for number in 1...last {
          slot.lend(Payload(number, owner: owner) { freed.post($0) })
          while slot.reclaim() == nil { sched_yield() }
        }
      },
      {
        var number = 0
        while number < last {
          guard let payload = slot.borrowed else {
            sched_yield()
            continue
          }
          number = payload._withUnsafeGuaranteedRef { $0.number }
          sum.withLock { $0 += number }
          slot.returnBorrowed()
        }
      })
    #expect(sum.withLock { $0 } == last * (last + 1) / 2)
    #expect(freed.drain() == [Bool](repeating: true, count: last))
  }
}

@Suite struct MailboxTests {
  @Test func messagesAreReceivedOnceAndInOrder() {
    let mailbox = Mailbox<Int>()
    #expect(mailbox.drain() == [])
    for number in 1...3 { mailbox.post(number) }
    #expect(mailbox.drain() == [1, 2, 3])
    #expect(mailbox.drain() == [])
  }

  @Test func messageReplacesSupersededMessages() {
    let mailbox = Mailbox<Int>()
    for number in 1...5 { mailbox.post(number, replacing: { $0 % 2 == number % 2 }) }
    #expect(mailbox.drain() == [4, 5])
  }

  @Test func messagesAreNotLostBetweenThreads() {
    let mailbox = Mailbox<Int>()
    let each = 10_000
    let received = Mutex([Int]())
    onThreads(
      { for number in 0..<each { mailbox.post(2 * number) } },
      { for number in 0..<each { mailbox.post(2 * number + 1) } },
      {
        var count = 0
        while count < 2 * each {
          let messages = mailbox.drain()
          count += messages.count
          received.withLock { $0 += messages }
        }
      })
    let all = received.withLock { $0 }
    for parity in 0..<2 { #expect(all.filter { $0 % 2 == parity } == (0..<each).map { 2 * $0 + parity }) }
  }
}

/// Runs each closure on its own thread, and returns when all have ended.
func onThreads(_ bodies: @Sendable () -> Void...) {
  let threads = bodies.map { body in
    let box = Unmanaged.passRetained(ThreadBody(body)).toOpaque()
    #if canImport(Glibc)
      var thread = pthread_t()
    #else
      var thread: pthread_t?
    #endif
    let result = pthread_create(
      &thread, nil,
      { context in
        #if canImport(Glibc)
          let context = context!
        #endif
        Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, box)
    precondition(result == 0, "pthread_create failed: \(result)")
    return thread
  }
  for thread in threads {
    #if canImport(Glibc)
      pthread_join(thread, nil)
    #else
      pthread_join(thread!, nil)
    #endif
  }
}

private final class ThreadBody {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
