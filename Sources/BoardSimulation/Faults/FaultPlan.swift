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
