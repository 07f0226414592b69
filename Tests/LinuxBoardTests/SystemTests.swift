import Glibc
import LinuxBoard
import MetronomeCore
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
