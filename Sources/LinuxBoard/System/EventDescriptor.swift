import CLinux
import Glibc

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
