import CLinux
import Glibc
import MetronomeCore

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
