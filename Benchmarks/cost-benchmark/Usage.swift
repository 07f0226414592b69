import ThreadMeter

/// A thread's operations that a loop must not do: allocations, frees, retains and releases.
struct Usage {
  var allocations: UInt64 = 0
  var frees: UInt64 = 0
  /// Retains and releases.
  var references: UInt64 = 0

  /// The usage of the calling thread since it started; nil if not counted.
  static var now: Usage? {
    guard let allocations = ThreadMeter.allocations, let frees = ThreadMeter.frees,
      let references = ThreadMeter.references
    else { return nil }
    return Usage(allocations: allocations, frees: frees, references: references)
  }

  var isNone: Bool { allocations == 0 && frees == 0 && references == 0 }

  static func + (one: Usage, other: Usage) -> Usage {
    Usage(
      allocations: one.allocations + other.allocations, frees: one.frees + other.frees,
      references: one.references + other.references)
  }

  static func - (one: Usage, other: Usage) -> Usage {
    Usage(
      allocations: one.allocations - other.allocations, frees: one.frees - other.frees,
      references: one.references - other.references)
  }
}
