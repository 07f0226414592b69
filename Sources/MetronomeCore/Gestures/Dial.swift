/// The dials, named by function.
public enum Dial: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
  case tempo, numerator, denominator, preset, volume, subdivision
}

public struct DialTurn: Hashable, Sendable, BitwiseCopyable {
  public var dial: Dial
  /// Positive clockwise, negative counterclockwise.
  public var detents: Int
  /// When the dial was turned, not when the turn was read.
  public var instant: Instant
  public var origin: Origin

  public init(_ dial: Dial, by detents: Int, at instant: Instant, from origin: Origin) {
    self.dial = dial
    self.detents = detents
    self.instant = instant
    self.origin = origin
  }
}

/// How a MIDI controller without end stops sends turns, by the word in the configuration.
public enum TurnEncoding: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
  /// 1 to 63 forward, 127 down to 64 backward.
  case twosComplement = "twos-complement"
  /// 1 to 63 forward, 65 to 127 backward. 64 is no turn.
  case signMagnitude = "sign-magnitude"
  /// 65 to 127 forward, 63 down to 0 backward. 64 is no turn.
  case offset64 = "offset-64"

  /// The detents of a value from 0 to 127: positive clockwise, negative counterclockwise.
  public func detents(_ value: Int) -> Int {
    switch self {
    case .twosComplement: value < 64 ? value : value - 128
    case .signMagnitude: value < 64 ? value : 64 - value
    case .offset64: value - 64
    }
  }
}

/// Turns dial movements into commands.
///
/// A detent of the tempo dial is one step of 1 BPM, or up to 5 if the dial turns fast: 100 ms divided by the time since the
/// last turn, rounded down. It is one step if the last turn was of another device or in the other direction. So detents 100 ms
/// or more apart are one step each, 50 ms apart two, 20 ms or less apart five. All detents of one turn have the same number of
/// steps. The other dials select the next or the previous value once per detent.
public struct DialMachine: Hashable, Sendable {
  private static let slowest = Nanoseconds.milliseconds(100)
  private static let maxSteps: Int64 = 5
  /// The most detents of one turn that count. No list has more entries.
  package static let maxDetents = 128

  private var lastTempoTurn: DialTurn?

  public init() {}

  /// Processes a turn. Turns must come in order of time. At most 128 detents of one turn count.
  public mutating func process(_ turn: DialTurn, _ act: (GestureEvent) -> Void) {
    guard turn.detents != 0 else { return }
    let isForward = turn.detents > 0
    let detents = Int(min(turn.detents.magnitude, UInt(DialMachine.maxDetents)))
    switch turn.dial {
    case .tempo:
      let steps = detents * stepsPerDetent(of: turn)
      lastTempoTurn = turn
      let step = Command.stepTempo(byMilliBPM: isForward ? 1_000 : -1_000)
      act(GestureEvent(step, at: turn.instant, press: turn.instant, steps: steps))
    case .numerator: report(isForward ? .nextNumerator : .previousNumerator, turn, detents, act)
    case .denominator: report(isForward ? .nextDenominator : .previousDenominator, turn, detents, act)
    case .preset: report(isForward ? .nextPreset : .previousPreset, turn, detents, act)
    case .volume: report(isForward ? .volumeUp : .volumeDown, turn, detents, act)
    case .subdivision: report(isForward ? .nextSubdivision : .previousSubdivision, turn, detents, act)
    }
  }

  private func stepsPerDetent(of turn: DialTurn) -> Int {
    guard let last = lastTempoTurn, last.origin == turn.origin, last.detents.signum() == turn.detents.signum() else {
      return 1
    }
    let interval = max(turn.instant - last.instant, Nanoseconds(1))
    return Int(max(1, min(DialMachine.slowest.count / interval.count, DialMachine.maxSteps)))
  }

  private func report(_ command: Command, _ turn: DialTurn, _ detents: Int, _ act: (GestureEvent) -> Void) {
    for _ in 0..<detents { act(GestureEvent(command, at: turn.instant, press: turn.instant)) }
  }
}
