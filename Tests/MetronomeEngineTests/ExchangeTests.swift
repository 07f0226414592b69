import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Synchronization
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The objects that hand something from one thread to another, under real threads: the sanitizers look at these.
@Suite struct PublicationTests {
  private func timeline(_ number: Int) -> Timeline {
    Timeline(
      session: UInt32(number), firstBeat: Instant(nanoseconds: Int64(number)),
      tempo: Tempo(milliBPM: 1_000 + number % 998_000)!, signature: .initial)
  }

  @Test func theNewestIsReadOnce() {
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

  @Test func aReaderNeverSeesHalfATimeline() {
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

  /// A value with padding in its middle and at its end, of a size that is no multiple of a word.
  private struct Gappy: BitwiseCopyable, Sendable, Equatable {
    var flag: UInt8
    var number: Int64
    var last: UInt8
  }

  @Test func aValueOfAnyLayoutComesThroughWhole() {
    let publication = Publication(Gappy(flag: 0, number: 0, last: 0))
    var copy = Gappy(flag: 1, number: 1, last: 1)
    var seen: UInt64 = 0
    for number in 1...300 {
      let value = Gappy(flag: UInt8(number % 256), number: -Int64(number), last: UInt8(number % 251))
      publication.publish(value)
      #expect(publication.read(into: &copy, seen: &seen))
      #expect(copy == value)
    }
  }
}

@Suite struct SlotTests {
  /// Notes on which thread it is freed.
  private final class Parcel: Sendable {
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

  @Test func whatIsLentComesBack() throws {
    let slot = Slot<Parcel>()
    #expect(slot.borrowed == nil)
    #expect(slot.takeBack() == nil)
    let parcel = Parcel(7, owner: pthread_self()) { _ in }
    slot.lend(parcel)
    #expect(slot.isLent && !slot.isWantedBack && slot.object === parcel)
    #expect(try #require(slot.borrowed).takeUnretainedValue() === parcel)
    slot.askBack()
    #expect(slot.isWantedBack)
    #expect(slot.takeBack() == nil)
    slot.giveBack()
    #expect(slot.isReturned && slot.borrowed == nil)
    #expect(slot.takeBack() === parcel)
    #expect(slot.object == nil && !slot.isWantedBack && !slot.isReturned)
  }

  @Test func whatNobodyHasAnyMoreIsRecalled() {
    let slot = Slot<Parcel>()
    #expect(slot.recall() == nil)
    let parcel = Parcel(7, owner: pthread_self()) { _ in }
    slot.lend(parcel)
    #expect(slot.recall() === parcel)
    #expect(slot.borrowed == nil)
  }

  /// The owner drops each object as soon as it has come back, while the borrower may still be about to return from giving it
  /// back. Were the borrower to hold a reference, some would be freed on its thread.
  @Test func noObjectIsFreedOnTheBorrowersThread() {
    let last = 20_000
    let slot = Slot<Parcel>()
    let freed = Mailbox<Bool>()
    let sum = Mutex(0)
    onThreads(
      {
        let owner = pthread_self()
        for number in 1...last {
          slot.lend(Parcel(number, owner: owner) { freed.leave($0) })
          while slot.takeBack() == nil { sched_yield() }
        }
      },
      {
        var number = 0
        while number < last {
          guard let parcel = slot.borrowed else {
            sched_yield()
            continue
          }
          number = parcel._withUnsafeGuaranteedRef { $0.number }
          sum.withLock { $0 += number }
          slot.giveBack()
        }
      })
    #expect(sum.withLock { $0 } == last * (last + 1) / 2)
    #expect(freed.takeAll() == [Bool](repeating: true, count: last))
  }
}

@Suite struct MailboxTests {
  @Test func whatIsLeftIsTakenOnceAndInOrder() {
    let mailbox = Mailbox<Int>()
    #expect(mailbox.takeAll() == [])
    for number in 1...3 { mailbox.leave(number) }
    #expect(mailbox.takeAll() == [1, 2, 3])
    #expect(mailbox.takeAll() == [])
  }

  @Test func aMessageReplacesThoseThatItSupersedes() {
    let mailbox = Mailbox<Int>()
    for number in 1...5 { mailbox.leave(number, replacing: { $0 % 2 == number % 2 }) }
    #expect(mailbox.takeAll() == [4, 5])
  }

  @Test func nothingIsLostBetweenThreads() {
    let mailbox = Mailbox<Int>()
    let each = 10_000
    let taken = Mutex([Int]())
    onThreads(
      { for number in 0..<each { mailbox.leave(2 * number) } },
      { for number in 0..<each { mailbox.leave(2 * number + 1) } },
      {
        var count = 0
        while count < 2 * each {
          let messages = mailbox.takeAll()
          count += messages.count
          taken.withLock { $0 += messages }
        }
      })
    let all = taken.withLock { $0 }
    for parity in 0..<2 { #expect(all.filter { $0 % 2 == parity } == (0..<each).map { 2 * $0 + parity }) }
  }
}

/// The sound's loop and keeper on threads of their own, as on the real board, while the sounds and the card change.
@Suite struct SoundExchangeTests {
  /// Time goes by with what is written.
  private final class Frames: MonotonicClock, Sendable {
    let count = Atomic<Int64>(0)
    var now: Instant { Instant(nanoseconds: count.load(ordering: .relaxed) * 1_000_000_000 / 48_000) }
    var pair: ClockPair {
      let now = now
      return ClockPair(monotonic: now, raw: now)
    }
  }

  /// Takes everything at once.
  private final class Card: AudioOutput {
    let format = AudioFormat(rate: 48_000, channels: 2, sampleFormat: .s16, periodFrames: 64, bufferFrames: 256)
    private let clock: Frames
    private let first: Int64

    init(_ clock: Frames) {
      self.clock = clock
      first = clock.count.load(ordering: .relaxed)
    }

    func status() throws(HardwareError) -> AudioStatus {
      AudioStatus(instant: clock.now, frame: clock.count.load(ordering: .relaxed) - first, delay: 0, available: 256)
    }

    func write(_ frames: UnsafeRawBufferPointer) throws(HardwareError) -> Int {
      clock.count.wrappingAdd(Int64(frames.count / format.bytesPerFrame), ordering: .relaxed)
      return frames.count / format.bytesPerFrame
    }
  }

  /// Only the keeper's thread uses it.
  private final class Port: AudioPort, @unchecked Sendable {
    let name = "port"
    let clock: Frames
    var opened = 0
    var closed = 0

    init(_ clock: Frames) { self.clock = clock }

    func open() throws(HardwareError) -> Card {
      opened += 1
      return Card(clock)
    }

    func resume(_ output: Card) throws(HardwareError) {}

    func close(_ output: Card) { closed += 1 }
  }

  @Test func soundsAndCardsChangeWhileItPlays() {
    let clock = Frames()
    let ports = [Port(clock), Port(clock)]
    let publication = TimelinePublication()
    publication.publish(Timeline(session: 1, firstBeat: .zero, tempo: Tempo(bpm: 999)!, signature: .initial))
    let figures = LiveFigures()
    let sound = Sound(
      port: ports[0], clock: clock, sounds: ClickSounds(), publication: publication, plan: OutputPlan(),
      lead: SharedLead(), observer: figures, wake: { _ in })
    let isOver = Atomic(false)
    onThreads(
      { while !isOver.load(ordering: .acquiring) { _ = sound.loop.step(at: clock.now) } },
      {
        for change in 1...200 {
          let frames = clock.count.load(ordering: .relaxed)
          sound.keeper.use(ClickSounds(volume: Double(change % 10) / 10))
          if change.isMultiple(of: 20) {
            let port = ports[change / 20 % 2]
            let opened = port.opened
            sound.keeper.use(port)
            while port.opened == opened {
              _ = sound.keeper.step(at: clock.now)
              sched_yield()
            }
          }
          // Until it has gone on: an exchange takes until the last click of before has ended.
          while clock.count.load(ordering: .relaxed) < frames + 2_400 {
            _ = sound.keeper.step(at: clock.now)
            sched_yield()
          }
        }
        isOver.store(true, ordering: .releasing)
      })
    sound.keeper.end()
    for port in ports { #expect(port.opened == port.closed) }
    #expect(ports[0].opened == 6)
    #expect(ports[1].opened == 5)
    #expect(figures.now.underruns == 0)
  }
}

/// Runs each on a thread of its own, and returns when all have ended.
private func onThreads(_ bodies: @Sendable () -> Void...) {
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
    precondition(result == 0, "a thread is refused")
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
