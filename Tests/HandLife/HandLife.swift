import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// The life of a box in busy hands, from its switching on: it keeps changing what it has to remember.
public final class HandLife {
  /// From an instant on this is to be remembered.
  public struct Moment: Hashable, Sendable {
    public var instant: Instant
    public var savedState: SavedState

    public init(_ instant: Instant, _ savedState: SavedState) {
      self.instant = instant
      self.savedState = savedState
    }
  }

  /// How late the loop that saves wakes up at the most.
  public static let latest = Nanoseconds.milliseconds(300)
  private static let buttons: [Button] = [
    .play, .slower, .faster, .faster, .numerator, .denominator, .tap, .presetNext, .presetPrevious, .preset1, .preset2,
  ]

  public let simulation: Simulation
  private var last: SavedState?

  /// - Parameters:
  ///   - store: what it remembers in, and begins with.
  ///   - seed: of what the hands do.
  public init(_ store: any StateFolder, seed: UInt64, length: Nanoseconds) throws(HardwareError) {
    var options = SimulatedBoard.Options()
    options.audio = nil
    options.store = store
    simulation = try Simulation(EngineOptions(), board: options, sinks: [])
    var random = SeededRandom(seed: seed)
    var script = Script()
    var time = Nanoseconds.zero
    while time < length {
      time = time + .milliseconds(Int64.random(in: 40...900, using: &random))
      let held = Nanoseconds.milliseconds(Int64.random(in: 1...5, using: &random) == 1 ? 700 : 35)
      script.press(HandLife.buttons.randomElement(using: &random) ?? .play, at: time, for: held)
      time = time + held
    }
    simulation.board.buttons.schedule(script.edges(from: .zero))
    simulation.lateness = { loop, _ in
      loop == .state ? Nanoseconds(Int64.random(in: 0...HandLife.latest.count, using: &random)) : .zero
    }
  }

  /// Lets the next thing happen.
  ///
  /// - Returns: what is to be remembered from then on, if that has changed; nil: nothing happens any more.
  public func next() -> [Moment]? {
    if last == nil { return note() }
    guard let instant = simulation.nextInstant else { return nil }
    simulation.run(until: max(instant, simulation.board.clock.now) + Nanoseconds(1))
    return note()
  }

  private func note() -> [Moment] {
    let memory = simulation.engine.control.savedState
    guard memory != last else { return [] }
    last = memory
    return [Moment(simulation.board.clock.now, memory)]
  }
}

extension [HandLife.Moment] {
  /// How long before an instant this was in force; zero: it is; nil: it never was.
  public func age(of memory: SavedState, at instant: Instant) -> Nanoseconds? {
    for (index, moment) in enumerated().reversed() where moment.savedState == memory {
      return index == count - 1 ? .zero : instant - self[index + 1].instant
    }
    return nil
  }
}
