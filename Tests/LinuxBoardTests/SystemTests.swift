import Glibc
import LinuxBoard
import MetronomeCore
import Synchronization
import Testing

@Suite struct SystemTests {
  @Test func clockNeverGoesBack() {
    let clock = LinuxClock()
    let first = clock.now
    #expect(clock.now >= first)
  }

  @Test func doorbellRungBeforehandEndsTheNextWaitOnly() {
    let bell = Doorbell()
    bell.ring()
    bell.ring()
    #expect(bell.wait(until: nil))
    #expect(!bell.wait(until: .zero))
  }

  @Test func doorbellWaitsUntilTheDeadlineAndNoLess() {
    let clock = LinuxClock()
    let deadline = clock.now + .milliseconds(1)
    #expect(!Doorbell().wait(until: deadline))
    #expect(clock.now >= deadline)
  }

  @Test func doorbellIsHeardByWhoeverWatchesTheClock() {
    let bell = Doorbell()
    bell.ring()
    bell.ring()
    #expect(bell.watch(until: Instant(nanoseconds: .max)))
    #expect(!bell.watch(until: .zero))
    #expect(!bell.wait(until: .zero))
  }

  @Test func whoeverWatchesTheClockIsNeverEarlyNorWatchesForEver() {
    let clock = LinuxClock()
    // Soon, and later than as many readings of the clock as it makes take.
    for span in [Nanoseconds.microseconds(20), .milliseconds(50)] {
      let deadline = clock.now + span
      #expect(!Doorbell().watch(until: deadline))
      #expect(clock.now >= deadline)
    }
  }

  @Test(arguments: [false, true]) func aLoopIsNeverCalledBeforeItsDeadlineAndEachTimeItIsRung(spins: Bool) throws {
    let rung = Doorbell()
    let deadlines = Mutex<[Instant]>([])
    let early = Mutex(0)
    let steps = Mutex(0)
    let clock = LinuxClock()
    let thread = try LoopThread(name: "test", priority: 1, lag: { .microseconds(3) }, isExact: { true }) { now in
      steps.withLock { $0 += 1 }
      return deadlines.withLock { deadlines in
        if let last = deadlines.last, now < last || clock.now < last - .microseconds(3) { early.withLock { $0 += 1 } }
        if deadlines.count == 6 {
          rung.ring()
          return nil
        }
        deadlines.append(now + .microseconds(Int64(deadlines.count) * 100))
        return deadlines.last
      }
    }
    thread.setSpinning(spins)
    rung.wait(until: nil)
    #expect(early.withLock { $0 } == 0)
    let before = steps.withLock { $0 }
    thread.ring()
    rung.wait(until: nil)
    thread.stop()
    #expect(steps.withLock { $0 } > before)
  }

  @Test func eventDescriptorIsReadyUntilItIsCleared() throws {
    let event = try EventDescriptor()
    let other = try EventDescriptor()
    var wait = DescriptorWait([other.descriptor, event.descriptor])
    #expect(try !wait.wait(until: .zero))
    event.ring()
    event.ring()
    #expect(try wait.wait(until: nil))
    #expect(wait.isReady(event.descriptor))
    #expect(!wait.isReady(other.descriptor))
    event.clear()
    #expect(try !wait.wait(until: .zero))
  }

  @Test func removedDescriptorIsNotWaitedFor() throws {
    let event = try EventDescriptor()
    var wait = DescriptorWait([event.descriptor])
    event.ring()
    wait.remove([event.descriptor])
    #expect(try !wait.wait(until: .zero))
  }

  @Test func realTimeThreadRunsItsBodyWhateverIsGranted() throws {
    let bell = Doorbell()
    let thread = try RealTimeThread(name: "test", priority: 1) { bell.ring() }
    thread.join()
    #expect(bell.wait(until: .zero))
  }
}
