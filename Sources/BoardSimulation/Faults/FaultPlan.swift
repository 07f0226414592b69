import HardwareAbstraction
import MetronomeCore

/// Which calls to the board fail, and how. Empty: none.
public struct FaultPlan: Sendable {
  /// When a fault strikes.
  public enum Occasion: Sendable {
    /// The call of this number, counted from 1 for each operation.
    case call(Int)
    /// Every call from an instant on until another.
    case during(Range<Instant>)
    /// Each call with this probability, 0 to 1, drawn from the plan's seed.
    case random(Double)
  }

  struct Fault: Sendable {
    var operation: HardwareError.Operation
    var errno: Int32
    var occasion: Occasion
  }

  let seed: UInt64
  private(set) var faults: [Fault] = []

  public init(seed: UInt64 = 0) { self.seed = seed }

  /// Lets an operation fail with an error number. Of several faults that strike at once the one added first counts.
  public mutating func fail(_ operation: HardwareError.Operation, errno: Int32, on occasion: Occasion) {
    faults.append(Fault(operation: operation, errno: errno, occasion: occasion))
  }
}
