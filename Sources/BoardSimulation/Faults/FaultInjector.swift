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
    /// So many calls in a row from an instant on.
    case next(Int, from: Instant)
  }

  struct Fault: Sendable {
    var operation: HardwareError.Operation
    var errno: Int32
    var occasion: Occasion
  }

  struct TimedCardFault: Sendable {
    var instant: Instant
    var fault: CardFault
  }

  let seed: UInt64
  private(set) var faults: [Fault] = []
  /// In order of time.
  private(set) var cardFaults: [TimedCardFault] = []
  /// How much faster than nominal the card's crystal runs from an instant on, in parts per thousand million. In order of time.
  private(set) var drifts: [(from: Instant, ppb: Int64)] = []
  /// In order of time.
  private(set) var grants: [(from: Instant, format: AudioFormat)] = []

  public init(seed: UInt64 = 0) { self.seed = seed }

  /// Lets an operation fail with an error number. Of several faults that strike at once the one added first counts.
  public mutating func fail(_ operation: HardwareError.Operation, errno: Int32, on occasion: Occasion) {
    faults.append(Fault(operation: operation, errno: errno, occasion: occasion))
  }

  /// Lets something befall the sound card at an instant. One that is closed then, it does not befall.
  public mutating func befall(_ fault: CardFault, at instant: Instant) {
    // From the back: plans are mostly made in order, and may be long.
    let index = cardFaults.lastIndex { $0.instant <= instant }.map { $0 + 1 } ?? 0
    cardFaults.insert(TimedCardFault(instant: instant, fault: fault), at: index)
  }

  /// Lets the sound card grant another format when it is opened from an instant on.
  public mutating func grant(_ format: AudioFormat, from instant: Instant) {
    let index = grants.firstIndex { $0.from > instant } ?? grants.endIndex
    grants.insert((instant, format), at: index)
  }

  /// Lets the crystal of the sound card run otherwise from an instant on.
  public mutating func drift(_ ppb: Int64, from instant: Instant) {
    let index = drifts.lastIndex { $0.from <= instant }.map { $0 + 1 } ?? 0
    drifts.insert((instant, ppb), at: index)
  }

  /// Pulls the sound card out, and puts it in again. What plays on it fails with `ENODEV`, and until it is back it cannot be
  /// opened.
  public mutating func unplugCard(during span: Range<Instant>) {
    befall(.fails(errno: 19), at: span.lowerBound)
    fail(.openAudio, errno: 2, on: .during(span))
  }
}

/// What can befall a sound card that plays.
public enum CardFault: Hashable, Sendable {
  /// It stops, as if it had run dry, until it is resumed (`EPIPE`).
  case stops
  /// It sleeps until it is woken, which works or does not (`ESTRPIPE`).
  case sleeps(wakes: Bool)
  /// Every call fails with this error number until it is closed.
  case fails(errno: Int32)
  /// It takes nothing, so many times in a row.
  case takesNothing(times: Int)
  /// It stands still until it is closed or started anew.
  case freezes
}
