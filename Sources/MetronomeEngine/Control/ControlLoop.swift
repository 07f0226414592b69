import HardwareAbstraction
import MetronomeCore

/// From buttons to the timeline: edges, gestures, commands, the metronome's state.
///
/// A step machine: ``step(at:)`` reads what there is to read and says when it wants to be called next. One thread only,
/// an ordinary one.
public final class ControlLoop<Buttons: ButtonEdges, Observer: EngineObserver>: SteeringLoop {
  private let reader: PressReader<Buttons, Command, Observer>
  private let lead: SharedLead
  private let publication: TimelinePublication
  private let keeper: StateKeeper<Observer>?
  private let observer: Observer

  private var metronome: Metronome
  private var announced: MetronomeState?
  /// States that were reached and are not announced yet.
  private var news: [MetronomeState] = []

  public init(
    metronome: Metronome, gestures: GestureMachine<Command> = GestureMachine(.standard), buttons: Buttons,
    lead: SharedLead, publication: TimelinePublication, keeper: StateKeeper<Observer>? = nil, observer: Observer
  ) {
    self.metronome = metronome
    self.keeper = keeper
    reader = PressReader(gestures, buttons: buttons, observer: observer)
    self.lead = lead
    self.publication = publication
    self.observer = observer
  }

  public var state: MetronomeState { metronome.state }

  public var timeline: Timeline { metronome.timeline }

  public var canReadButtons: Bool { reader.canRead }

  public func step(at now: Instant) -> Instant? {
    note()
    let before = metronome.timeline
    reader.read(at: now) { carryOut($0, now: now) }
    metronome.catchUp(effective: lead.current.effect(ofPress: now, now: now), now: now)
    tell(ifNot: before, at: now)
    return [reader.deadline, metronome.deadline].compactMap(\.self).min()
  }

  /// Carries out a command that no button gave.
  public func perform(_ command: Command, at now: Instant) {
    note()
    let before = metronome.timeline
    carryOut(GestureEvent(command, at: now, press: now), now: now)
    tell(ifNot: before, at: now)
  }

  /// Carries out a request about presets. A recall is the command that a button gives.
  public func carryOut(_ request: PresetRequest, at now: Instant) -> PresetReply {
    do throws(PresetError) {
      if let command = try metronome.carryOut(request) { perform(command, at: now) }
      keeper?.keep(metronome.memory)
      return PresetReply(memory: metronome.memory)
    } catch {
      return PresetReply(error, memory: metronome.memory)
    }
  }

  private func carryOut(_ event: GestureEvent<Command>, now: Instant) {
    let effective = lead.current.effect(ofPress: event.instant, now: now)
    metronome.apply(event.meaning.inSteps(event.steps), pressed: event.press, effective: effective, now: now)
    note()
  }

  private func note() {
    if metronome.state != news.last ?? announced { news.append(metronome.state) }
  }

  /// Publishes what has changed, and only then tells of it: the outputs come before the log.
  private func tell(ifNot before: Timeline, at now: Instant) {
    if metronome.timeline != before { publication.publish(metronome.timeline) }
    for state in news { observer.changed(to: state, at: now) }
    announced = news.last ?? announced
    news = []
    keeper?.keep(metronome.memory)
  }
}
