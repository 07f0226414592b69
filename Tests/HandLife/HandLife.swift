import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// A simulated box from its start, with random presses and chords, so that everything in the saved state keeps changing.
public final class HandLife {
  /// A state to be saved, and the instant from which it is current.
  public struct Moment: Hashable, Sendable {
    public var instant: Instant
    public var savedState: SavedState

    public init(_ instant: Instant, _ savedState: SavedState) {
      self.instant = instant
      self.savedState = savedState
    }
  }

  /// The longest delay of the state loop's wake-ups.
  public static let latest = Nanoseconds.milliseconds(300)
  /// The buttons of each gesture: one, or a chord of two.
  private static let gestures: [[Button]] = [
    [.play], [.slower], [.faster], [.faster], [.numerator], [.denominator], [.tap], [.presetNext], [.presetPrevious],
    [.preset1], [.preset2], [.preset3], [.preset3], [.preset4], [.numerator, .denominator], [.denominator, .tap],
    [.numerator, .tap], [.numerator, .tap],
  ]
  /// The standard bindings, which include the rhythm, and the volume on two buttons.
  private static let bindings: GestureTable = {
    var table = GestureTable.standard
    table.bind(.short(.preset3), to: .volumeDown)
    table.bind(.short(.preset4), to: .volumeUp)
    return table
  }()

  public let simulation: Simulation
  private var last: SavedState?

  /// - Parameters:
  ///   - store: the folder in which the box saves its state, and from which it restores the state at the start.
  ///   - seed: the seed of the random presses and of the wake-up delays.
  ///   - length: the time during which buttons are pressed.
  /// - Throws: the error of the simulated board.
  public init(_ store: any StateFolder, seed: UInt64, length: Nanoseconds) throws(HardwareError) {
    var options = SimulatedBoard.Options()
    options.audio = nil
    options.stateFolder = store
    simulation = try Simulation(EngineOptions(gestures: HandLife.bindings), board: options, sinks: [])
    var random = SeededRandom(seed: seed)
    var script = Script()
    var time = Nanoseconds.zero
    while time < length {
      time = time + .milliseconds(Int64.random(in: 40...900, using: &random))
      let held = Nanoseconds.milliseconds(Int64.random(in: 1...5, using: &random) == 1 ? 700 : 35)
      for button in HandLife.gestures.randomElement(using: &random) ?? [] {
        script.press(button, at: time, for: held)
        // The second button of a chord goes down while the first one is down.
        time = time + .milliseconds(20)
      }
      time = time + held
    }
    simulation.board.buttons.schedule(script.edges(from: .zero))
    simulation.lateness = { loop, _ in
      loop == .state ? Nanoseconds(Int64.random(in: 0...HandLife.latest.count, using: &random)) : .zero
    }
  }

  /// Runs until the next event.
  ///
  /// - Returns: the new state to be saved, or an empty array if it has not changed; nil if there are no more events.
  public func next() -> [Moment]? {
    if last == nil { return changes() }
    guard let instant = simulation.nextInstant else { return nil }
    simulation.run(until: max(instant, simulation.board.clock.now) + Nanoseconds(1))
    return changes()
  }

  private func changes() -> [Moment] {
    let savedState = simulation.engine.control.savedState
    guard savedState != last else { return [] }
    last = savedState
    return [Moment(simulation.board.clock.now, savedState)]
  }
}

extension [HandLife.Moment] {
  /// The time since this state was last current, up to an instant: zero if it is still current, nil if it never was.
  public func age(of savedState: SavedState, at instant: Instant) -> Nanoseconds? {
    for (index, moment) in enumerated().reversed() where moment.savedState == savedState {
      return index == count - 1 ? .zero : instant - self[index + 1].instant
    }
    return nil
  }
}
