import CLinux
import Glibc
import MetronomeCore

/// Waits until one of several descriptors can be read or an instant comes.
///
/// For a thread without real-time duties: the wait is as exact as the kernel's timer slack.
public struct DescriptorWait: Sendable {
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
      let result = waitOnce(until: deadline)
      if result >= 0 { return result > 0 }
      guard result == -EINTR else { throw SystemError("ppoll", errno: -result) }
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

  private mutating func waitOnce(until deadline: Instant?) -> Int32 {
    guard let deadline else { return clinux_poll(&entries, UInt(entries.count), nil) }
    let left = max(deadline - clock.now, .zero)
    var timeout = timespec(Instant(nanoseconds: left.count))
    return clinux_poll(&entries, UInt(entries.count), &timeout)
  }
}
