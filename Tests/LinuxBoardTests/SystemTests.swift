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

  /// A loop with six deadlines, that has something to do at each and at nothing before it.
  @Test(arguments: [false, true]) func aLoopIsCalledAtItsDeadlinesNotBeforeAndWhenItIsRung(spins: Bool) throws {
    let done = Doorbell()
    let early = Atomic(0)
    let clock = LinuxClock()
    let lag = Nanoseconds.microseconds(3)
    var (count, deadline) = (0, clock.now)
    let thread = try LoopThread(name: "test", priority: 1, lag: { lag }, isExact: { true }) { now in
      guard count < 6 else {
        done.ring()
        return nil
      }
      guard now >= deadline else { return deadline }
      if clock.now < deadline - lag { early.add(1, ordering: .relaxed) }
      count += 1
      deadline = now + .microseconds(Int64(count) * 100)
      return deadline
    }
    thread.setSpinning(spins)
    done.wait(until: nil)
    #expect(early.load(ordering: .relaxed) == 0)
    thread.ring()
    done.wait(until: nil)
    thread.stop()
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
