import HardwareAbstraction
import MetronomeCore

/// Shifts outputs against each other until a person finds that they coincide.
///
/// A pure value, changed by commands. What is shifted earlier is later than was known: its latency grows. The pendulum,
/// a light as well, is shifted with the light.
public struct Calibration: Hashable, Sendable {
  public enum Command: Hashable, Sendable {
    /// Plays the parts together, by twos and one by one, in turn.
    case nextCombination
    /// Chooses what is shifted.
    case nextPart
    /// Shifts it by a step. Nothing happens where no configuration could say it any more.
    case earlier
    case later
    /// Chooses between a coarse and a fine step.
    case nextStep
    case finish
  }

  /// What a press of each button means, as a command of the metronome: see ``Command/init(_:)``.
  public static let standardTable = GestureTable<MetronomeCore.Command>(shorts: [
    .play: .togglePlaying,
    .slower: .stepTempo(byMilliBPM: -1_000),
    .faster: .stepTempo(byMilliBPM: 1_000),
    .numerator: .nextNumerator,
    .denominator: .nextDenominator,
    .tap: .tap,
  ])

  public static let coarseStep = Nanoseconds.milliseconds(1)
  public static let fineStep = Nanoseconds.microseconds(100)

  /// What is there and can be told apart by eye or ear: two or more.
  public let parts: [Output]
  /// How far a shift goes.
  public private(set) var step = Calibration.coarseStep
  /// What is shifted.
  public private(set) var shiftedPart: Output
  public private(set) var isOver = false

  private let outputs: OutputSet
  private let original: OutputLatencies
  /// How early each output is sent now. All are sent earlier than they will be, by the same, so that each can be shifted
  /// either way and no other moves.
  private var sent: OutputLatencies
  private var combinationIndex = 0

  /// nil when fewer than two parts are there.
  ///
  /// - Parameters:
  ///   - latencies: those that are configured.
  ///   - outputs: those that are there.
  public init?(_ latencies: OutputLatencies, outputs: OutputSet) {
    parts = outputs.filter { $0.part == $0 }
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

  /// What plays now.
  public var combination: [Output] { combinations[combinationIndex] }

  /// How much earlier than before the calibration a part is sent; negative: later.
  public func shift(of part: Output) -> Nanoseconds { sent[part] - original[part] }

  /// What to configure: the least of what is there is 0.
  public var result: OutputLatencies {
    sent.moved(by: .zero - (outputs.map { sent[$0] }.min() ?? .zero))
  }

  /// What keeps quiet now.
  public var muted: OutputSet { OutputSet.all.subtracting(OutputSet(combination)) }

  /// Has the outputs do what they are to do now.
  func apply(to projections: inout Projections) {
    for output in OutputSet.all {
      projections[output].latency = sent[output]
      projections[output].isMuted = muted.contains(output)
    }
  }

  /// All together, by twos, one by one.
  private var combinations: [[Output]] {
    let twos = parts.indices.flatMap { first in parts[(first + 1)...].map { [parts[first], $0] } }
    return [parts] + (parts.count > 2 ? twos : []) + parts.map { [$0] }
  }

  private mutating func shift(by change: Nanoseconds) {
    var shifted = sent
    for output in OutputSet.all where output.part == shiftedPart { shifted[output] = sent[output] + change }
    if shifted.isAllowed { sent = shifted }
  }
}

extension Output {
  /// What it is shifted with: itself, but for the pendulum.
  fileprivate var part: Output { self == .pendulum ? .light : self }
}

extension Calibration.Command {
  /// What a command means while the outputs are calibrated; nil: nothing.
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

/// A calibration under way, and the plan of outputs that follows it. On the control loop's thread.
public final class Calibrator {
  public private(set) var calibration: Calibration
  private let plan: OutputPlan
  private let wake: @Sendable (Loop) -> Void

  /// - Parameter plan: of the engine that plays. It is changed at once.
  init(_ calibration: Calibration, plan: OutputPlan, wake: @escaping @Sendable (Loop) -> Void) {
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
