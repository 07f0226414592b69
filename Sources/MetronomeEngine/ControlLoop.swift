import HardwareAbstraction
import MetronomeCore

/// From buttons to the timeline: edges, gestures, commands, the metronome's state.
///
/// A step machine: ``step(at:)`` reads what there is to read and says when it wants to be called next. One thread only,
/// an ordinary one.
public final class ControlLoop<Buttons: ButtonEdges, Observer: EngineObserver> {
  private let buttons: Buttons
  private let lead: Lead
  private let publication: TimelinePublication
  private let observer: Observer

  private var gestures: GestureStage
  private var metronome: Metronome
  private var announced: MetronomeState?

  public init(
    settings: Settings, gestures: GestureStage = GestureStage(), buttons: Buttons, lead: Lead,
    publication: TimelinePublication, observer: Observer
  ) {
    metronome = Metronome(settings)
    self.gestures = gestures
    self.buttons = buttons
    self.lead = lead
    self.publication = publication
    self.observer = observer
  }

  public var state: MetronomeState { metronome.state }

  public var timeline: Timeline { metronome.timeline }

  /// Reads the buttons and does what they say.
  ///
  /// - Returns: when to call again; nil: not before there are edges to read.
  public func step(at now: Instant) -> Instant? {
    announce(at: now)
    let before = metronome.timeline
    readButtons(at: now)
    carryOut(gestures.settle(at: now), now: now)
    metronome.catchUp(effective: lead.effect(ofPress: now, now: now), now: now)
    publish(ifNot: before)
    return [gestures.deadline, metronome.deadline].compactMap(\.self).min()
  }

  /// Carries out a command that no button gave.
  public func perform(_ command: Command, at now: Instant) {
    announce(at: now)
    let before = metronome.timeline
    carryOut([GestureStage.Timed(command, at: now)], now: now)
    publish(ifNot: before)
  }

  private func readButtons(at now: Instant) {
    do throws(HardwareError) {
      while let edge = try buttons.next() { carryOut(gestures.take(edge), now: now) }
    } catch {
      observer.failed(error, at: now)
    }
  }

  private func carryOut(_ commands: [GestureStage.Timed], now: Instant) {
    for timed in commands {
      metronome.apply(timed.command, effective: lead.effect(ofPress: timed.instant, now: now), now: now)
      announce(at: now)
    }
  }

  private func publish(ifNot before: Timeline) {
    if metronome.timeline != before { publication.publish(metronome.timeline) }
  }

  private func announce(at now: Instant) {
    guard metronome.state != announced else { return }
    announced = metronome.state
    observer.changed(to: metronome.state, at: now)
  }
}
