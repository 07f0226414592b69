import HardwareAbstraction
import MetronomeCore

/// The sound of a metronome: who opens the card, and who plays on it.
///
/// Whoever holds it calls their steps, each on a thread of its own on the real board: ``loop``'s when its deadline comes or
/// ``hasStream`` has become true, ``keeper``'s when its deadline comes or the loop needs it.
public struct Sound<Port: AudioPort, Clock: MonotonicClock, Observer: EngineObserver> {
  public let keeper: SoundKeeper<Port, Clock, Observer>
  public let loop: AudioLoop<Port.Output, Clock, Observer>
  private let handover: SoundHandover<Port.Output>

  /// - Parameters:
  ///   - port: nil: there is to be no sound until the keeper is told otherwise.
  ///   - publication: where the beats come from.
  ///   - plan: how early the clicks are sent, and whether.
  ///   - lead: is made to fit the cards that are opened.
  public init(
    port: Port?, clock: Clock, sounds: ClickSounds, publication: TimelinePublication, plan: OutputPlan,
    lead: SharedLead,
    observer: Observer
  ) {
    handover = SoundHandover()
    keeper = SoundKeeper(
      port: port, clock: clock, sounds: sounds, lead: lead, handover: handover, observer: observer)
    loop = AudioLoop(handover: handover, clock: clock, publication: publication, plan: plan, observer: observer)
  }

  /// Whether there is a card to play on.
  public var hasStream: Bool { handover.hasStream }
}
