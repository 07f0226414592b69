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
