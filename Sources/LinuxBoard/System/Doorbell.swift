import CLinux
import Glibc
import HardwareAbstraction
import MetronomeCore

/// Lets one thread sleep until an instant or until another thread rings.
///
/// The deadline is absolute and kept by a high-resolution timer of the kernel. Neither side allocates or takes a lock.
public final class Doorbell: @unchecked Sendable {
  // Why it is Sendable: a semaphore is made to be shared by threads, and this pointer to it never changes.
  private let semaphore: UnsafeMutablePointer<sem_t>
  /// Of the clock, in one watch: more than the fastest makes in 200 µs.
  private static let mostReadings = 20_000

  public init() {
    semaphore = .allocate(capacity: 1)
    let result = sem_init(semaphore, 0, 0)
    precondition(result == 0, "a semaphore of one process that starts at 0 cannot be refused")
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  /// Ends the other thread's wait, or its next one if it does not wait now. Any thread.
  public func ring() {
    sem_post(semaphore)
  }

  /// Sleeps until the deadline or until somebody rings; however often that was, the bell is silent again afterwards.
  ///
  /// - Parameter deadline: nil: waits for the bell only.
  /// - Returns: whether it rang.
  @discardableResult
  public func wait(until deadline: Instant?) -> Bool { sleep(until: deadline).isRung }

  /// What ended a wait, and when.
  struct Waking {
    var isRung: Bool
    var instant: Instant
  }

  /// Waits as ``wait(until:)`` does.
  func sleep(until deadline: Instant?) -> Waking {
    var result: Int32
    var now = timespec()
    repeat { result = waitOnce(until: deadline, &now) } while result == -EINTR
    precondition(result == 0 || result == -ETIMEDOUT, "waiting for a valid semaphore cannot fail")
    if result == 0 { silence() }
    return Waking(isRung: result == 0, instant: Instant(now))
  }

  /// Watches the clock until the deadline, without sleeping, or until somebody rings. The bell is silent again afterwards.
  ///
  /// For a moment before a deadline that is to be met to less than a microsecond. Where the clock stands still, or goes by
  /// being read, it sleeps for the rest.
  ///
  /// - Returns: whether it rang.
  @discardableResult
  public func watch(until deadline: Instant) -> Bool { spin(until: deadline).isRung }

  /// Watches as ``watch(until:)`` does.
  func spin(until deadline: Instant) -> Waking {
    let clock = LinuxClock()
    for _ in 0..<Doorbell.mostReadings {
      let isRung = sem_trywait(semaphore) == 0
      let now = clock.now
      if isRung { silence() }
      if isRung || now >= deadline { return Waking(isRung: isRung, instant: now) }
    }
    return sleep(until: deadline)
  }

  private func silence() {
    while sem_trywait(semaphore) == 0 {}
  }

  private func waitOnce(until deadline: Instant?, _ now: inout timespec) -> Int32 {
    guard let deadline else { return clinux_semaphore_wait(semaphore, nil, &now) }
    var time = timespec(deadline)
    return clinux_semaphore_wait(semaphore, &time, &now)
  }
}

/// `CLOCK_MONOTONIC`: what the kernel stamps edges and sound positions with.
public struct LinuxClock: MonotonicClock, Sendable {
  public init() {}

  public var now: Instant { read(CLOCK_MONOTONIC) }

  /// The closest of a few pairs of readings: between the two of one the thread may have been interrupted.
  public var pair: ClockPair {
    var best = ClockPair(monotonic: .zero, raw: .zero)
    var narrowest = Nanoseconds(.max)
    for _ in 0..<LinuxClock.attempts {
      let before = now
      let raw = read(CLOCK_MONOTONIC_RAW)
      let width = now - before
      if width < narrowest {
        narrowest = width
        best = ClockPair(monotonic: before + width / 2, raw: raw)
      }
      if width <= LinuxClock.bracket { break }
    }
    return best
  }

  /// What reading two clocks takes at the most if nothing comes between.
  private static let bracket = Nanoseconds.microseconds(2)
  private static let attempts = 3

  private func read(_ clock: clockid_t) -> Instant {
    var time = timespec()
    clock_gettime(clock, &time)
    return Instant(time)
  }
}

extension Instant {
  init(_ time: timespec) {
    self.init(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }
}

extension timespec {
  /// An instant of `CLOCK_MONOTONIC`. Before its zero there is nothing to wait for: those are its zero.
  init(_ instant: Instant) {
    let nanoseconds = max(instant.nanoseconds, 0)
    self.init(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  }
}
