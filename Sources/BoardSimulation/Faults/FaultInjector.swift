import HardwareAbstraction
import MetronomeCore

/// Injects the faults of a plan, call by call.
final class FaultInjector {
  let plan: FaultPlan
  private let faults: [HardwareError.Operation: [FaultPlan.Fault]]
  /// How many calls each ``FaultPlan/Occasion/next(_:from:)`` has made fail, by its index among the faults of the
  /// operation.
  private var injected: [HardwareError.Operation: [Int: Int]] = [:]
  /// Faults that are still to come.
  private var cardFaults: ArraySlice<(instant: Instant, fault: CardFault)>
  private let clock: VirtualClock
  private var random: SeededRandom
  private var calls: [HardwareError.Operation: Int] = [:]

  init(_ plan: FaultPlan, clock: VirtualClock) {
    self.plan = plan
    faults = Dictionary(grouping: plan.faults, by: \.operation)
    cardFaults = plan.cardFaults[...]
    random = SeededRandom(seed: plan.seed)
    self.clock = clock
  }

  /// Throws the fault that applies to this call, if any. Every operation that can fail calls it first.
  func strike(_ operation: HardwareError.Operation) throws(HardwareError) {
    guard !faults.isEmpty, let faults = faults[operation] else { return }
    let call = calls[operation, default: 0] + 1
    calls[operation] = call
    for (place, fault) in faults.enumerated() where applies(fault, at: place, call: call) {
      throw HardwareError(operation, fault.kind, errno: fault.errno)
    }
  }

  /// The next due fault of the sound card. Each is returned once.
  func nextCardFault() -> CardFault? {
    guard let next = cardFaults.first, next.instant <= clock.now else { return nil }
    cardFaults.removeFirst()
    return next.fault
  }

  /// The format that a card opened now grants; nil: its own.
  var grantedFormat: AudioFormat? { plan.grants.last { $0.from <= clock.now }?.format }

  private func applies(_ fault: FaultPlan.Fault, at place: Int, call: Int) -> Bool {
    switch fault.occasion {
    case .call(let number): return call == number
    case .during(let range): return range.contains(clock.now)
    case .random(let probability): return Double.random(in: 0..<1, using: &random) < probability
    case .next(let times, let instant):
      let before = injected[fault.operation]?[place] ?? 0
      guard instant <= clock.now, before < times else { return false }
      injected[fault.operation, default: [:]][place] = before + 1
      return true
    }
  }
}

/// Which calls to the board fail, and how. By default none.
public struct FaultPlan: Sendable {
  /// When a fault is injected.
  public enum Occasion: Sendable {
    /// The call with this number, counted from 1 for each operation.
    case call(Int)
    /// Every call from one instant until another.
    case during(Range<Instant>)
    /// Each call with this probability, 0 to 1, drawn from the plan's seed.
    case random(Double)
    /// This number of consecutive calls, from an instant on.
    case next(Int, from: Instant)
  }

  struct Fault: Sendable {
    var operation: HardwareError.Operation
    var kind: HardwareError.Kind
    var errno: Int32
    var occasion: Occasion
  }

  let seed: UInt64
  private(set) var faults: [Fault] = []
  /// Sorted by time.
  private(set) var cardFaults: [(instant: Instant, fault: CardFault)] = []
  /// How much faster than nominal the card's crystal runs from an instant on, in parts per billion (10⁻⁹). In order of time.
  private(set) var drifts: [(from: Instant, ppb: Int64)] = []
  /// Sorted by time.
  private(set) var grants: [(from: Instant, format: AudioFormat)] = []

  public init(seed: UInt64 = 0) { self.seed = seed }

  /// Makes an operation fail. If several faults apply to a call, the one added first is used.
  public mutating func fail(
    _ operation: HardwareError.Operation, _ kind: HardwareError.Kind, errno: Int32, on occasion: Occasion
  ) {
    faults.append(Fault(operation: operation, kind: kind, errno: errno, occasion: occasion))
  }

  /// Adds a fault of the sound card. It has no effect unless a card is open at that instant.
  public mutating func schedule(_ fault: CardFault, at instant: Instant) {
    cardFaults.insertInOrder((instant, fault)) { $0.instant }
  }

  /// Makes the sound card grant another format if it is opened at or after an instant.
  public mutating func grant(_ format: AudioFormat, from instant: Instant) {
    grants.insertInOrder((instant, format)) { $0.from }
  }

  /// Makes the sound card's crystal run `ppb` parts per billion (10⁻⁹) faster than nominal, from an instant on.
  public mutating func drift(_ ppb: Int64, from instant: Instant) { drifts.insertInOrder((instant, ppb)) { $0.from } }

  /// Unplugs the sound card for a time. An open output fails with `ENODEV`, and opening fails until the card returns.
  public mutating func unplugCard(during span: Range<Instant>) {
    schedule(.fails(.gone, errno: 19), at: span.lowerBound)
    fail(.openAudio, .gone, errno: 2, on: .during(span))
  }
}

/// A fault of an open sound card.
public enum CardFault: Hashable, Sendable {
  /// It stops, as after an underrun, until it is resumed (`EPIPE`).
  case stops
  /// It is suspended (`ESTRPIPE`) until it is resumed; `wakes`: whether resuming succeeds.
  case sleeps(wakes: Bool)
  /// Every call fails with this error number until the card is closed.
  case fails(HardwareError.Kind, errno: Int32)
  /// The next `times` writes accept no frames.
  case acceptsNothing(times: Int)
  /// Its playback position does not advance until it is closed or restarted.
  case freezes
}
