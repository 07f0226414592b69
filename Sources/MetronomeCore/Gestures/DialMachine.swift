/// From turns of dials to commands.
///
/// A detent of the tempo dial is a step of one BPM, and a quick one several: as many as the time since the turn before, of
/// the same device in the same direction, goes into 100 ms, but no more than 5. So 100 ms and more apart is one step a
/// detent, 50 ms apart two, 20 ms and less apart five. The detents that come in one turn are all as quick. The other dials
/// go on to the next or back to the previous, once for each detent.
public struct DialMachine: Hashable, Sendable {
  private static let slowest = Nanoseconds.milliseconds(100)
  private static let mostSteps: Int64 = 5
  /// More than any list has places. No hand turns as far at once.
  private static let mostDetents = 128

  private var lastTempoTurn: DialTurn?

  public init() {}

  /// Takes a turn; turns come in order of time.
  ///
  /// - Parameters:
  ///   - turn: of one dial. Of more than 128 detents at once only as many count.
  ///   - act: is told what it means.
  public mutating func take(_ turn: DialTurn, _ act: (GestureEvent<Command>) -> Void) {
    guard turn.detents != 0 else { return }
    let isForward = turn.detents > 0
    let detents = Int(min(turn.detents.magnitude, UInt(DialMachine.mostDetents)))
    switch turn.dial {
    case .tempo:
      let steps = detents * quickness(of: turn)
      lastTempoTurn = turn
      let step = Command.stepTempo(byMilliBPM: isForward ? 1_000 : -1_000)
      act(GestureEvent(step, at: turn.instant, press: turn.instant, steps: steps))
    case .numerator: tell(isForward ? .nextNumerator : .previousNumerator, turn, detents, act)
    case .denominator: tell(isForward ? .nextDenominator : .previousDenominator, turn, detents, act)
    case .preset: tell(isForward ? .nextPreset : .previousPreset, turn, detents, act)
    }
  }

  /// The steps of a detent.
  private func quickness(of turn: DialTurn) -> Int {
    guard let last = lastTempoTurn, last.origin == turn.origin, last.detents.signum() == turn.detents.signum() else {
      return 1
    }
    let interval = max(turn.instant - last.instant, Nanoseconds(1))
    return Int(max(1, min(DialMachine.slowest.count / interval.count, DialMachine.mostSteps)))
  }

  private func tell(_ command: Command, _ turn: DialTurn, _ detents: Int, _ act: (GestureEvent<Command>) -> Void) {
    for _ in 0..<detents { act(GestureEvent(command, at: turn.instant, press: turn.instant)) }
  }
}
