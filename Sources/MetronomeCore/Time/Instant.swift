/// A point on the monotonic clock (`CLOCK_MONOTONIC` on Linux), in whole nanoseconds since the clock's own zero.
///
/// The one time of the whole program: edges of buttons are stamped in it by the kernel, beats are computed in it, lines
/// and frames follow it. A wall clock never meets it.
public struct Instant: Hashable, Comparable, Sendable, BitwiseCopyable {
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  public static let zero = Instant(nanoseconds: 0)

  public static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }
  public static func - (a: Instant, b: Instant) -> Nanoseconds { Nanoseconds(a.nanoseconds - b.nanoseconds) }
  public static func + (a: Instant, b: Nanoseconds) -> Instant { Instant(nanoseconds: a.nanoseconds + b.count) }
  public static func - (a: Instant, b: Nanoseconds) -> Instant { Instant(nanoseconds: a.nanoseconds - b.count) }
}
