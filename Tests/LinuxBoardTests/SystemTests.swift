import CLinux
import Glibc
import GuardTrial
import HardwareAbstraction
import LinuxBoard
import MetronomeCore
import Synchronization
import Testing

@Suite struct SystemTests {
  /// A fatal signal may arrive while another thread releases its lines.
  @Test func guardNeverWritesToFreedOutputs() { #expect(guard_trial(200) == 0) }

  @Test(arguments: [
    (HardwareError.Operation.openAudio, ENOENT, HardwareError.Kind.gone), (.openAudio, ENXIO, .gone),
    (.setLines, ENODEV, .gone), (.openChip, EPERM, .denied), (.openChip, EACCES, .denied),
    (.requestLines, EBUSY, .busy),
    (.openAudio, EINVAL, .invalid),
    // An unplugged card, or a file that is not a chip
    (.writeAudio, ENOTTY, .gone), (.readAudioPosition, EBADFD, .gone), (.openChip, ENOTTY, .unsupported),
    (.openChip, EBADFD, .other),
    (.readAudioPosition, EPIPE, .underrun), (.readAudioPosition, ESTRPIPE, .suspended),
    (.openAudio, ETIMEDOUT, .timedOut),
    (.openChip, ENOTUNIQ, .ambiguous), (.setLines, EIO, .other),
  ])
  func errorNumbersMapToKinds(operation: HardwareError.Operation, errno: Int32, kind: HardwareError.Kind) {
    #expect(HardwareError(operation, errno: errno).kind == kind)
  }

  @Test func clockIsMonotonic() {
    let clock = LinuxClock()
    let first = clock.now
    #expect(clock.now >= first)
  }

  @Test func earlyRingsEndOnlyTheNextWait() {
    let bell = Doorbell()
    bell.ring()
    bell.ring()
    #expect(bell.wait(until: nil))
    #expect(!bell.wait(until: .zero))
  }

  @Test func doorbellNeverWakesBeforeTheDeadline() {
    let clock = LinuxClock()
    let deadline = clock.now + .milliseconds(1)
    #expect(!Doorbell().wait(until: deadline))
    #expect(clock.now >= deadline)
  }

  @Test func doorbellEndsASpin() {
    let bell = Doorbell()
    bell.ring()
    bell.ring()
    #expect(bell.spin(until: Instant(nanoseconds: .max)).isRung)
    #expect(!bell.spin(until: .zero).isRung)
    #expect(!bell.wait(until: .zero))
  }

  @Test func ringAfterTheDeadlineEndsTheNextWait() {
    let bell = Doorbell()
    bell.ring()
    #expect(!bell.spin(until: .zero).isRung)
    #expect(bell.wait(until: .zero))
  }

  @Test func spinEndsAtTheDeadlineAndNotBefore() {
    let clock = LinuxClock()
    // A near deadline, and a deadline beyond the limit of clock readings in a spin.
    for span in [Nanoseconds.microseconds(20), .milliseconds(50)] {
      let deadline = clock.now + span
      #expect(!Doorbell().spin(until: deadline).isRung)
      #expect(clock.now >= deadline)
    }
  }

  /// A spin ends after its readings even if the deadline is far away, so that it would also end if the clock stood still.
  @Test func spinEndsAfterItsReadings() {
    let now = LinuxClock().now.nanoseconds
    #expect(clinux_spin(now + 900_000_000, 3) < now + 900_000_000)
  }

  /// A loop with six deadlines, whose steps do work only once a deadline has come.
  @Test(arguments: [false, true]) func loopStepsAtItsDeadlinesAndWhenRung(spins: Bool) throws {
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

  @Test func loopRehearsesOnceBeforeItsFirstStep() throws {
    let done = Doorbell()
    let calls = Mutex([String]())
    let thread = try LoopThread(
      name: "test", priority: 1, rehearse: { calls.withLock { $0.append("rehearsal") } }
    ) { _ in
      calls.withLock { $0.append("step") }
      done.ring()
      return nil
    }
    done.wait(until: nil)
    thread.ring()
    done.wait(until: nil)
    thread.stop()
    #expect(calls.withLock { $0.prefix(3) } == ["rehearsal", "step", "step"])
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

  @Test func realTimeThreadRunsItsBodyEvenWithoutPriority() throws {
    let bell = Doorbell()
    let thread = try RealTimeThread(name: "test", priority: 1) { bell.ring() }
    thread.join()
    #expect(bell.wait(until: .zero))
  }
}
