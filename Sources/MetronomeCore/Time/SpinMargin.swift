/// How long before a deadline a thread that is to meet it exactly has to be awake: as long as its wake-ups have been late.
///
/// From the newest 256 wake-ups: a quarter more than the lateness that 99 in a hundred of them do not exceed, and 5 µs, but
/// 10 µs at least and 200 µs at the most. A single wake-up that was very late, because a hypervisor or a driver took the
/// processor away, is met by no margin that a thread could afford to watch the clock for; taking the latest instead of this
/// quantile would cost a tenth of a core at a thousand deadlines a second. In place: no allocation but the first.
public struct SpinMargin: ~Copyable {
  /// What ``length`` may be.
  public static let range = Nanoseconds.microseconds(10)...Nanoseconds.microseconds(200)
  /// So many wake-ups are remembered.
  public static let capacity = 256
  private static let reserve = Nanoseconds.microseconds(5)

  private let latenesses: UnsafeMutableBufferPointer<Nanoseconds>
  private var count = 0
  private var next = 0

  /// No wake-up is known.
  public init() {
    latenesses = .allocate(capacity: SpinMargin.capacity)
    latenesses.initialize(repeating: .zero)
  }

  deinit { latenesses.deallocate() }

  /// Takes in how late a wake-up was. The oldest one is forgotten if there are too many.
  public mutating func record(_ lateness: Nanoseconds) {
    latenesses[next] = lateness
    next = (next + 1) % SpinMargin.capacity
    count = min(count + 1, SpinMargin.capacity)
  }

  /// How long before its deadline the thread is to be awake; before anything is known, the longest there is.
  public var length: Nanoseconds {
    guard count > 0 else { return SpinMargin.range.upperBound }
    let wanted = usualLateness + usualLateness / 4 + SpinMargin.reserve
    return min(max(wanted, SpinMargin.range.lowerBound), SpinMargin.range.upperBound)
  }

  /// The lateness that 99 in a hundred wake-ups do not exceed: of 256 the third largest, of less than 100 the largest.
  private var usualLateness: Nanoseconds {
    var largest = (Nanoseconds(.min), Nanoseconds(.min), Nanoseconds(.min))
    for index in 0..<count {
      let lateness = latenesses[index]
      if lateness > largest.0 {
        largest = (lateness, largest.0, largest.1)
      } else if lateness > largest.1 {
        largest = (largest.0, lateness, largest.1)
      } else if lateness > largest.2 {
        largest.2 = lateness
      }
    }
    if count < 100 { return largest.0 }
    return count < 200 ? largest.1 : largest.2
  }
}
