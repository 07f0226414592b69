import HardwareAbstraction
import MetronomeCore

/// Carries out a plan of faults, call by call.
final class FaultInjector {
  private let faults: [FaultPlan.Fault]
  /// Of the card, those to come.
  private var cardFaults: ArraySlice<FaultPlan.TimedCardFault>
  private let grants: [(from: Instant, format: AudioFormat)]
  private let clock: VirtualClock
  private var random: SeededRandom
  private var calls: [HardwareError.Operation: Int] = [:]

  init(_ plan: FaultPlan, clock: VirtualClock) {
    faults = plan.faults
    cardFaults = plan.cardFaults[...]
    grants = plan.grants
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

  /// The next thing that has befallen the sound card by now. Each is told once.
  func nextCardFault() -> CardFault? {
    guard let next = cardFaults.first, next.instant <= clock.now else { return nil }
    cardFaults.removeFirst()
    return next.fault
  }

  /// What a card that is opened now grants; nil: what it always does.
  var grantedFormat: AudioFormat? { grants.last { $0.from <= clock.now }?.format }

  private func strikes(_ occasion: FaultPlan.Occasion, call: Int) -> Bool {
    switch occasion {
    case .call(let number): call == number
    case .during(let range): range.contains(clock.now)
    case .random(let probability): Double.random(in: 0..<1, using: &random) < probability
    }
  }
}
