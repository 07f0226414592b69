import Glibc
import HardwareAbstraction
import MetronomeCore

/// `CLOCK_MONOTONIC`: what the kernel stamps edges and sound positions with.
public struct LinuxClock: MonotonicClock, Sendable {
  public init() {}

  public var now: Instant {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
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
