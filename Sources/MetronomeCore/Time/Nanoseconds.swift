/// A span of time in whole nanoseconds.
///
/// 64 bits hold 292 years either way. The standard library's `Duration` counts attoseconds in 128 bits, which the
/// loops would divide away again at every step; the kernel's own unit is used throughout instead.
public struct Nanoseconds: Hashable, Comparable, Sendable, BitwiseCopyable {
  public var count: Int64

  public init(_ count: Int64) { self.count = count }

  public static let zero = Nanoseconds(0)

  public static func microseconds(_ count: Int64) -> Nanoseconds { Nanoseconds(count * 1_000) }
  public static func milliseconds(_ count: Int64) -> Nanoseconds { Nanoseconds(count * 1_000_000) }
  public static func seconds(_ count: Int64) -> Nanoseconds { Nanoseconds(count * 1_000_000_000) }

  public static func < (a: Nanoseconds, b: Nanoseconds) -> Bool { a.count < b.count }
  public static func + (a: Nanoseconds, b: Nanoseconds) -> Nanoseconds { Nanoseconds(a.count + b.count) }
  public static func - (a: Nanoseconds, b: Nanoseconds) -> Nanoseconds { Nanoseconds(a.count - b.count) }
  public static func * (a: Nanoseconds, b: Int64) -> Nanoseconds { Nanoseconds(a.count * b) }
  public static func / (a: Nanoseconds, b: Int64) -> Nanoseconds { Nanoseconds(a.count / b) }
}
