import Glibc
import HardwareAbstraction
import MetronomeCore

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
