import CLinux
import Glibc
import HardwareAbstraction
import MetronomeCore

/// Lets one thread sleep until a deadline or until another thread rings.
///
/// The deadline is absolute, on a high-resolution timer of the kernel. Neither side allocates or takes a lock.
///
/// `@unchecked Sendable`: a semaphore may be shared between threads, and the pointer to it never changes.
public final class Doorbell: @unchecked Sendable {
  private let semaphore: UnsafeMutablePointer<sem_t>
  /// The limit of clock readings in each of the two loops of a spin: more than the fastest machine makes in 200 µs.
  private static let maxReadings = 20_000
  /// How long before the deadline a spin ignores rings, so that it reads the clock more often.
  private static let unchecked = Nanoseconds.microseconds(2)

  public init() {
    semaphore = .allocate(capacity: 1)
    let result = sem_init(semaphore, 0, 0)
    precondition(result == 0, "sem_init cannot fail for a process-local semaphore with the value 0")
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  /// Ends the other thread's current wait, or its next wait if it is not waiting. Any thread.
  public func ring() { sem_post(semaphore) }

  /// Sleeps until the deadline, if any, or until a thread rings. It clears all pending rings.
  ///
  /// - Returns: whether a thread rang.
  @discardableResult
  public func wait(until deadline: Instant?) -> Bool { sleep(until: deadline).isRung }

  /// How and when a wait ended.
  package struct Waking {
    package var isRung: Bool
    var instant: Instant
  }

  /// Waits like ``wait(until:)``.
  func sleep(until deadline: Instant?) -> Waking {
    var result: Int32
    var now = timespec()
    repeat { result = waitOnce(until: deadline, &now) } while result == -EINTR
    precondition(result == 0 || result == -ETIMEDOUT, "waiting for a valid semaphore cannot fail")
    if result == 0 { clear() }
    return Waking(isRung: result == 0, instant: Instant(now))
  }

  /// Waits like ``wait(until:)``, but spins on the clock, to meet the deadline to less than a microsecond. In the last 2 µs and
  /// after the deadline it ignores rings, and such a ring ends the next wait. If the clock stands still, or advances only when it
  /// is read, this thread sleeps for the rest.
  package func spin(until deadline: Instant) -> Waking {
    let clock = LinuxClock()
    for _ in 0..<Doorbell.maxReadings {
      let now = clock.now
      // The deadline is checked before the semaphore: if an interrupt has made this thread late, it returns at once.
      if now >= deadline { return Waking(isRung: false, instant: now) }
      if sem_trywait(semaphore) == 0 {
        clear()
        return Waking(isRung: true, instant: now)
      }
      guard now >= deadline - Doorbell.unchecked else { continue }
      let last = Instant(nanoseconds: clinux_spin(deadline.nanoseconds, UInt32(Doorbell.maxReadings)))
      if last >= deadline { return Waking(isRung: false, instant: last) }
      break
    }
    return sleep(until: deadline)
  }

  private func clear() { while sem_trywait(semaphore) == 0 {} }

  private func waitOnce(until deadline: Instant?, _ now: inout timespec) -> Int32 {
    guard let deadline else { return clinux_semaphore_wait(semaphore, nil, &now) }
    var time = timespec(deadline)
    return clinux_semaphore_wait(semaphore, &time, &now)
  }
}

/// `CLOCK_MONOTONIC`, with which the kernel timestamps edges and playback positions.
public struct LinuxClock: MonotonicClock, Sendable {
  public init() {}

  public var now: Instant { read(CLOCK_MONOTONIC) }

  /// The closest of a few pairs of readings: the thread may be preempted within a pair.
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

  /// The longest time that reading both clocks takes without preemption.
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
  /// An instant of `CLOCK_MONOTONIC`; negative instants become zero.
  init(_ instant: Instant) {
    let nanoseconds = max(instant.nanoseconds, 0)
    self.init(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  }
}

/// Waits until one of several descriptors is readable or a deadline is reached.
///
/// For threads without real-time priority. The kernel lets such a thread oversleep by 0.1 % of the time (0.5 % at a lower
/// priority, at most 100 ms; `select_estimate_accuracy` in fs/select.c), so a long wait is split into shorter waits and
/// ends within the timer slack, 50 µs.
public struct DescriptorWait: Sendable {
  /// The longest wait that is not split.
  private static let short = Nanoseconds.milliseconds(10)
  /// The first part of a long wait ends 1/64 early. This is more than the kernel oversleeps.
  private static let reserve: Int64 = 64

  private var entries: [pollfd]
  private let clock = LinuxClock()

  public init(_ descriptors: [Int32]) {
    entries = []
    add(descriptors)
  }

  /// Waits for a descriptor or the deadline; nil: no deadline. Returns true if a descriptor is ready (``isReady(_:)``), false
  /// at the deadline.
  public mutating func wait(until deadline: Instant?) throws(SystemError) -> Bool {
    while true {
      let left = deadline.map { max($0 - clock.now, .zero) }
      let isLast = left.map { $0 <= DescriptorWait.short } ?? false
      let result = wait(for: left.map { isLast ? $0 : $0 - $0 / DescriptorWait.reserve })
      if result > 0 { return true }
      if result == 0, isLast { return false }
      guard result == 0 || result == -EINTR else { throw SystemError("ppoll", errno: -result) }
    }
  }

  /// Whether the last wait found this descriptor readable or broken; reading it shows which.
  public func isReady(_ descriptor: Int32) -> Bool {
    entries.contains { $0.fd == descriptor && $0.revents != 0 }
  }

  /// Adds descriptors, from the next wait on. A descriptor must not be added twice.
  public mutating func add(_ descriptors: [Int32]) {
    entries += descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
  }

  /// Removes descriptors. This is for broken descriptors, which would be ready at every wait.
  public mutating func remove(_ descriptors: [Int32]) { entries.removeAll { descriptors.contains($0.fd) } }

  private mutating func wait(for time: Nanoseconds?) -> Int32 {
    guard let time else { return clinux_poll(&entries, UInt(entries.count), nil) }
    var timeout = timespec(Instant(nanoseconds: time.count))
    return clinux_poll(&entries, UInt(entries.count), &timeout)
  }
}

/// Several descriptors as one descriptor (epoll), which is readable when one of them is readable.
final class DescriptorGroup {
  /// The descriptor to poll for reading.
  let descriptor: Int32

  init() throws(SystemError) { descriptor = try SystemError.check(clinux_group_descriptor(), "epoll_create1") }

  deinit { close(descriptor) }

  /// Adds a descriptor. Closing the descriptor removes it.
  func add(_ member: Int32) throws(SystemError) {
    _ = try SystemError.check(clinux_add_to_group(descriptor, member), "epoll_ctl")
  }

  /// Whether one of them is readable now. Never blocks.
  var isReadable: Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    var atOnce = timespec()
    return clinux_poll(&entry, 1, &atOnce) > 0
  }
}

/// A descriptor (eventfd) that any thread can make readable, to wake a thread that waits for descriptors.
public final class EventDescriptor: Sendable {
  /// The descriptor to poll for reading.
  public let descriptor: Int32

  public init() throws(SystemError) { descriptor = try SystemError.check(clinux_event_descriptor(), "eventfd") }

  deinit { close(descriptor) }

  /// Makes the descriptor readable. Any thread; never blocks.
  public func ring() {
    var one: UInt64 = 1
    // The write can only fail because the counter is full, and then the descriptor is readable anyway.
    _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
  }

  /// Clears all rings, so that the descriptor is no longer readable. Never blocks.
  public func clear() {
    var count: UInt64 = 0
    _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
  }
}

/// A descriptor (timerfd) that becomes readable after a time.
final class TimerDescriptor {
  private let descriptor: Int32

  /// - Parameter group: becomes readable when the timer rings.
  init(group: DescriptorGroup) throws(SystemError) {
    descriptor = try SystemError.check(clinux_timer_descriptor(), "timerfd_create")
    try group.add(descriptor)
  }

  deinit { close(descriptor) }

  /// Restarts the timer: it rings once, after this time.
  func ring(after time: Nanoseconds) { _ = clinux_set_timer(descriptor, time.count) }

  /// Clears the ring. Returns whether the timer rang since the last call. Never blocks.
  func clear() -> Bool {
    var count: UInt64 = 0
    return read(descriptor, &count, MemoryLayout<UInt64>.size) > 0
  }
}

/// Watches folders for files that appear, disappear or change permissions (inotify). The folders may also appear and disappear.
final class FileWatch {
  /// The descriptor to poll for reading. It is readable when events are queued.
  let descriptor: Int32

  init() throws(SystemError) {
    let result = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    descriptor = try SystemError.check(result < 0 ? -errno : result, "inotify_init1")
  }

  deinit { close(descriptor) }

  /// Watches a folder, if it exists, for events of inotify(7); further calls for the same folder change nothing.
  func add(_ folder: String, _ events: Int) { inotify_add_watch(descriptor, folder, UInt32(events)) }

  /// Reads and discards the queued events. Returns whether there were any. Never blocks.
  func drainEvents() -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { events in
      var hasEvents = false
      while read(descriptor, events.baseAddress!, events.count) > 0 { hasEvents = true }
      return hasEvents
    }
  }
}
