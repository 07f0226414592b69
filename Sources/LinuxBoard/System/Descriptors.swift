import CLinux
import Glibc
import MetronomeCore

/// Waits until one of several descriptors can be read or an instant comes.
///
/// For a thread without real-time duties. The kernel lets such a thread oversleep by a thousandth of the time it was to
/// sleep (`select_estimate_accuracy` in fs/select.c: 0.1 %, 0.5 % at a lower priority, at most 100 ms), so a long wait is
/// made of shorter ones, and the end of it is as exact as the timer slack, 50 µs.
public struct DescriptorWait: Sendable {
  /// A wait no longer than this is not cut into shorter ones.
  private static let short = Nanoseconds.milliseconds(10)
  /// Of a long wait this part is left for later, which is more than the kernel oversleeps.
  private static let reserve: Int64 = 64

  private var entries: [pollfd]
  private let clock = LinuxClock()

  public init(_ descriptors: [Int32]) {
    entries = []
    add(descriptors)
  }

  /// Waits.
  ///
  /// - Parameter deadline: nil: as long as it takes.
  /// - Returns: whether a descriptor is ready; which, ``isReady(_:)`` tells. false: the deadline has come.
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

  /// Whether the last wait found this descriptor readable, or broken, which reading it will tell.
  public func isReady(_ descriptor: Int32) -> Bool {
    entries.contains { $0.fd == descriptor && $0.revents != 0 }
  }

  /// Takes descriptors in from the next wait on. None that it has already.
  public mutating func add(_ descriptors: [Int32]) {
    entries += descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
  }

  /// Leaves descriptors out from now on: broken ones would be ready for ever.
  public mutating func remove(_ descriptors: [Int32]) {
    entries.removeAll { descriptors.contains($0.fd) }
  }

  private mutating func wait(for time: Nanoseconds?) -> Int32 {
    guard let time else { return clinux_poll(&entries, UInt(entries.count), nil) }
    var timeout = timespec(Instant(nanoseconds: time.count))
    return clinux_poll(&entries, UInt(entries.count), &timeout)
  }
}

/// Several descriptors as one: it can be read when one of them can.
final class DescriptorGroup {
  /// To be polled for reading.
  let descriptor: Int32

  init() throws(SystemError) {
    let result = clinux_group_descriptor()
    guard result >= 0 else { throw SystemError("epoll_create1", errno: -result) }
    descriptor = result
  }

  deinit { close(descriptor) }

  /// Takes a descriptor in, until it is closed.
  func add(_ member: Int32) throws(SystemError) {
    let result = clinux_add_to_group(descriptor, member)
    if result < 0 { throw SystemError("epoll_ctl", errno: -result) }
  }

  /// Whether one of them can be read now. Never waits.
  var isReadable: Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    var atOnce = timespec()
    return clinux_poll(&entry, 1, &atOnce) > 0
  }
}

/// A descriptor that other threads make readable, for a thread that waits for descriptors.
public final class EventDescriptor: Sendable {
  /// To be polled for reading.
  public let descriptor: Int32

  public init() throws(SystemError) {
    let result = clinux_event_descriptor()
    guard result >= 0 else { throw SystemError("eventfd", errno: -result) }
    descriptor = result
  }

  deinit { close(descriptor) }

  /// Makes the descriptor readable. Any thread; never waits.
  public func ring() {
    var one: UInt64 = 1
    // It can only be refused because it is full of rings not yet heard, and then it is readable all the same.
    _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
  }

  /// Makes it unreadable again, however often it was rung. Never waits.
  public func clear() {
    var count: UInt64 = 0
    _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
  }
}

/// A descriptor that becomes readable after a time.
final class TimerDescriptor {
  private let descriptor: Int32

  /// - Parameter group: becomes readable when the time has come.
  init(group: DescriptorGroup) throws(SystemError) {
    let result = clinux_timer_descriptor()
    guard result >= 0 else { throw SystemError("timerfd_create", errno: -result) }
    descriptor = result
    try group.add(result)
  }

  deinit { close(descriptor) }

  /// Begins anew: it rings after this time, once.
  func ring(after time: Nanoseconds) { _ = clinux_set_timer(descriptor, time.count) }

  /// Whether it rang since this was asked last. Never waits.
  func takeRing() -> Bool {
    var count: UInt64 = 0
    return read(descriptor, &count, MemoryLayout<UInt64>.size) > 0
  }
}

/// A call to the system that failed for want of memory, descriptors or threads: nothing a metronome can go on without.
public struct SystemError: Error, Hashable, Sendable {
  /// The call, as its manual page is named.
  public var call: String
  /// Positive.
  public var errno: Int32

  public init(_ call: String, errno: Int32) {
    self.call = call
    self.errno = errno
  }
}

/// Whether the system granted what makes the timing better but can be done without.
public enum Grant: Hashable, Sendable {
  case granted
  case refused(errno: Int32)
}
