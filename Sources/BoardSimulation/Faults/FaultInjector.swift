import HardwareAbstraction
import MetronomeCore

/// Carries out a plan of faults, call by call.
final class FaultInjector {
  private let faults: [HardwareError.Operation: [FaultPlan.Fault]]
  /// How many calls the faults that strike so many in a row have struck, by their places among those of the operation.
  private var struck: [HardwareError.Operation: [Int: Int]] = [:]
  /// Of the card, those to come.
  private var cardFaults: ArraySlice<FaultPlan.TimedCardFault>
  /// Of the card's crystal, those to come and those in force.
  let drifts: [(from: Instant, ppb: Int64)]
  private let grants: [(from: Instant, format: AudioFormat)]
  private let clock: VirtualClock
  private var random: SeededRandom
  private var calls: [HardwareError.Operation: Int] = [:]

  init(_ plan: FaultPlan, clock: VirtualClock) {
    faults = Dictionary(grouping: plan.faults, by: \.operation)
    drifts = plan.drifts
    cardFaults = plan.cardFaults[...]
    grants = plan.grants
    random = SeededRandom(seed: plan.seed)
    self.clock = clock
  }

  /// To be called at the start of every operation that can fail.
  func strike(_ operation: HardwareError.Operation) throws(HardwareError) {
    guard !faults.isEmpty, let faults = faults[operation] else { return }
    let call = calls[operation, default: 0] + 1
    calls[operation] = call
    for (place, fault) in faults.enumerated() where strikes(fault, at: place, call: call) {
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

  private func strikes(_ fault: FaultPlan.Fault, at place: Int, call: Int) -> Bool {
    switch fault.occasion {
    case .call(let number): return call == number
    case .during(let range): return range.contains(clock.now)
    case .random(let probability): return Double.random(in: 0..<1, using: &random) < probability
    case .next(let times, let instant):
      let before = struck[fault.operation]?[place] ?? 0
      guard instant <= clock.now, before < times else { return false }
      struck[fault.operation, default: [:]][place] = before + 1
      return true
    }
  }
}
