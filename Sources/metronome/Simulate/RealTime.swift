import BoardSimulation
import Foundation
import MetronomeCore

/// Lets a simulation's virtual time follow the clock.
final class RealTime {
  private let simulation: Simulation
  private let end: Instant?
  var isOver = false

  /// - Parameter end: when it is over by itself.
  init(_ simulation: Simulation, end: Instant? = nil) {
    self.simulation = simulation
    self.end = end
  }

  /// Lets everything happen that is due now, and ends when the time is over.
  func advance() {
    let now = monotonicNow()
    if let end, now >= end {
      simulation.run(until: end)
      isOver = true
    } else {
      simulation.run(until: max(now + Nanoseconds(1), simulation.board.clock.now))
    }
  }

  /// Waits until something is due or a descriptor can be read; the first one ends everything.
  ///
  /// - Parameter deadline: until when at the most; nil: as long as it takes.
  /// - Returns: which can be read.
  func wait(for descriptors: [Int32], until deadline: Instant? = nil) -> [Bool] {
    var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    guard !isOver, poll(&polled, nfds_t(polled.count), timeout(until: deadline)) > 0 else {
      return descriptors.map { _ in false }
    }
    let ready = polled.map { $0.revents != 0 }
    if ready[0] { isOver = true }
    return ready
  }

  /// Milliseconds until something is due, rounded up; -1 for ever.
  private func timeout(until deadline: Instant?) -> Int32 {
    guard let due = [simulation.nextInstant, end, deadline].compactMap(\.self).min() else { return -1 }
    let left = max(0, (due - monotonicNow()).count)
    return Int32(min((left + 999_999) / 1_000_000, 60_000))
  }
}

func monotonicNow() -> Instant {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
}
