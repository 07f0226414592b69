/// Limits how often something happens (token bucket).
package struct RateLimit: Hashable, Sendable {
  private var interval: Nanoseconds
  private let longest: Nanoseconds
  private let burst: Int64
  /// When a full burst is possible again.
  package private(set) var isFreeAt = Instant.zero

  /// - Parameters:
  ///   - interval: one is possible in each such time on average.
  ///   - burst: how many are possible at once.
  ///   - longest: the interval doubles with each that is counted, up to this one, for a burst of 1; nil: it is constant.
  package init(every interval: Nanoseconds, burst: Int64, growingTo longest: Nanoseconds? = nil) {
    (self.interval, self.burst, self.longest) = (interval, burst, longest ?? interval)
  }

  package init(perSecond: Int64, burst: Int64) { self.init(every: .seconds(1) / perSecond, burst: burst) }

  /// When one more is possible; in the past if it is possible now.
  package var opensAt: Instant { isFreeAt - interval * (burst - 1) }

  package func allows(at now: Instant) -> Bool { opensAt <= now }

  package mutating func count(at now: Instant) {
    isFreeAt = max(isFreeAt, now) + interval
    interval = min(interval * 2, longest)
  }

  /// Counts one more if it is allowed.
  package mutating func admit(at now: Instant) -> Bool {
    guard allows(at: now) else { return false }
    count(at: now)
    return true
  }
}
