import HardwareAbstraction
import MetronomeCore

/// Shifts the outputs against each other until the user sees and hears them together. A value type, changed by commands.
///
/// Shifting an output earlier raises its latency. The pendulum is a light too, and is shifted with it.
public struct Calibration: Hashable, Sendable {
  public enum Command: Hashable, Sendable {
    /// Cycles through the combinations: all parts together, pairs, single parts.
    case nextCombination
    /// Selects the next part to shift.
    case nextPart
    /// Shifts the selected part by a step, unless a latency would leave its allowed range.
    case earlier, later
    /// Toggles between a coarse and a fine step.
    case nextStep
    case finish
  }

  /// The metronome command for each button; ``Command/init(_:)`` maps it to a calibration command.
  public static let standardTable = GestureTable(shorts: [
    .play: .togglePlaying,
    .slower: .stepTempo(byMilliBPM: -1_000),
    .faster: .stepTempo(byMilliBPM: 1_000),
    .numerator: .nextNumerator,
    .denominator: .nextDenominator,
    .tap: .tap,
  ])

  public static let coarseStep = Nanoseconds.milliseconds(1)
  public static let fineStep = Nanoseconds.microseconds(100)

  /// The parts that are present: two or more.
  public let parts: [Output]
  public private(set) var step = Calibration.coarseStep
  public private(set) var shiftedPart: Output
  public private(set) var isOver = false

  private let outputs: OutputSet
  /// Each of these is its own part; every other output belongs to the light.
  private let heard: OutputSet
  private let original: OutputLatencies
  /// The current latencies. At the start all are raised by the same amount, so that each output can be shifted either way.
  private var sent: OutputLatencies
  private var combinationIndex = 0

  /// nil if fewer than two of the present outputs can be distinguished.
  public init?(_ latencies: OutputLatencies, outputs: OutputSet, heard: OutputSet = .standardHeard) {
    parts = Array(outputs.intersection(heard.union([.light])))
    self.heard = heard
    guard parts.count > 1 else { return nil }
    self.outputs = outputs
    shiftedPart = parts[0]
    let all = OutputSet.all.map { latencies[$0] }
    let least = all.min() ?? .zero
    let most = all.max() ?? .zero
    let room = (OutputLatencies.longest - (most - least)) / 2
    original = latencies.moved(by: room - least)
    sent = original
  }

  public mutating func apply(_ command: Command) {
    switch command {
    case .nextCombination: combinationIndex = (combinationIndex + 1) % combinations.count
    case .nextPart:
      let index = parts.firstIndex(of: shiftedPart) ?? 0
      shiftedPart = parts[(index + 1) % parts.count]
    case .earlier: shift(by: step)
    case .later: shift(by: .zero - step)
    case .nextStep: step = step == Calibration.coarseStep ? Calibration.fineStep : Calibration.coarseStep
    case .finish: isOver = true
    }
  }

  public var combination: [Output] { combinations[combinationIndex] }

  /// By how much a part is now sent earlier than before the calibration; negative if later.
  public func shift(of part: Output) -> Nanoseconds { sent[part] - original[part] }

  /// The latencies to configure. The smallest latency of the present outputs is 0.
  public var result: OutputLatencies { sent.moved(by: .zero - (outputs.map { sent[$0] }.min() ?? .zero)) }

  public var muted: OutputSet { OutputSet.all.subtracting(OutputSet(combination)) }

  func apply(to projections: inout Projections) {
    for output in OutputSet.all {
      projections[output].latency = sent[output]
      projections[output].isMuted = muted.contains(output)
    }
  }

  /// All parts together, pairs, single parts.
  private var combinations: [[Output]] {
    let pairs = parts.indices.flatMap { first in parts[(first + 1)...].map { [parts[first], $0] } }
    return [parts] + (parts.count > 2 ? pairs : []) + parts.map { [$0] }
  }

  private mutating func shift(by change: Nanoseconds) {
    var shifted = sent
    for output in OutputSet.all where (heard.contains(output) ? output : .light) == shiftedPart {
      shifted[output] = sent[output] + change
    }
    if shifted.isAllowed { sent = shifted }
  }
}

extension Calibration.Command {
  /// The meaning of a metronome command during calibration; nil for a command without a meaning.
  public init?(_ command: Command) {
    switch command {
    case .togglePlaying: self = .nextCombination
    case .stepTempo(let milliBPM): self = milliBPM < 0 ? .earlier : .later
    case .nextNumerator: self = .nextPart
    case .nextDenominator: self = .nextStep
    case .tap: self = .finish
    default: return nil
    }
  }
}

/// A calibration in progress, and the output plan that it changes. Used on the control loop's thread.
public final class Calibrator {
  public private(set) var calibration: Calibration
  private let plan: OutputPlan
  private let wake: Waker

  init(_ calibration: Calibration, plan: OutputPlan, wake: Waker) {
    self.calibration = calibration
    self.plan = plan
    self.wake = wake
    follow()
  }

  public func perform(_ command: Calibration.Command) {
    calibration.apply(command)
    follow()
  }

  private func follow() {
    var projections = plan.newest
    calibration.apply(to: &projections)
    guard projections != plan.newest else { return }
    plan.publish(projections)
    wake(.beats)
  }
}
