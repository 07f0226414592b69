import HardwareAbstraction
import MetronomeCore

/// Carries out a plan of faults, call by call.
final class FaultInjector {
  private let faults: [FaultPlan.Fault]
  private let clock: VirtualClock
  private var random: SeededRandom
  private var calls: [HardwareError.Operation: Int] = [:]

  init(_ plan: FaultPlan, clock: VirtualClock) {
    faults = plan.faults
    random = SeededRandom(seed: plan.seed)
    self.clock = clock
  }

  /// To be called at the start of every operation that can fail.
  func strike(_ operation: HardwareError.Operation) throws(HardwareError) {
    guard !faults.isEmpty else { return }
    let call = calls[operation, default: 0] + 1
    calls[operation] = call
    for fault in faults where fault.operation == operation && strikes(fault.occasion, call: call) {
      throw HardwareError(operation, errno: fault.errno)
    }
  }

  private func strikes(_ occasion: FaultPlan.Occasion, call: Int) -> Bool {
    switch occasion {
    case .call(let number): call == number
    case .during(let range): range.contains(clock.now)
    case .random(let probability): Double.random(in: 0..<1, using: &random) < probability
    }
  }
}
