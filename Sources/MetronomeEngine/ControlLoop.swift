import HardwareAbstraction
import MetronomeCore

/// From buttons to the timeline: edges, gestures, commands, the metronome's state.
///
/// A step machine: ``step(at:)`` reads what there is to read and says when it wants to be called next. One thread only,
/// an ordinary one.
public final class ControlLoop<Buttons: ButtonEdges, Observer: EngineObserver> {
  /// From a failed reading of the buttons to the next attempt.
  private static var rest: Nanoseconds { .seconds(1) }

  private let buttons: Buttons
  private let lead: SharedLead
  private let publication: TimelinePublication
  private let observer: Observer

  private var gestures: GestureStage
  private var metronome: Metronome
  private var announced: MetronomeState?
  /// States that were reached and are not announced yet.
  private var news: [MetronomeState] = []
  /// Until when the buttons are left alone because they could not be read.
  private var buttonsRest: Instant?

  public init(
    settings: Settings, gestures: GestureStage = GestureStage(), buttons: Buttons, lead: SharedLead,
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

  /// Whether the buttons could be read when it was tried last. While they cannot, it is tried again every second, and
  /// whoever waits for them waits in vain, or is told without end that there is something to read.
  public var canReadButtons: Bool { buttonsRest == nil }

  /// Reads the buttons and does what they say.
  ///
  /// - Returns: when to call again; nil: not before there are edges to read.
  public func step(at now: Instant) -> Instant? {
    note()
    let before = metronome.timeline
    if now >= buttonsRest ?? now { readButtons(at: now) }
    carryOut(gestures.settle(at: now, level: level), now: now)
    metronome.catchUp(effective: lead.current.effect(ofPress: now, now: now), now: now)
    tell(ifNot: before, at: now)
    return [gestures.deadline, metronome.deadline, buttonsRest].compactMap(\.self).min()
  }

  /// Carries out a command that no button gave.
  public func perform(_ command: Command, at now: Instant) {
    note()
    let before = metronome.timeline
    carryOut([GestureStage.Timed(command, at: now)], now: now)
    tell(ifNot: before, at: now)
  }

  private func readButtons(at now: Instant) {
    do throws(HardwareError) {
      while let edge = try buttons.next() { carryOut(gestures.take(edge), now: now) }
      buttonsRest = nil
    } catch {
      buttonsRest = now + ControlLoop.rest
      observer.failed(error, at: now)
    }
  }

  /// Whether a button is down, as far as it can be told. A chip that refuses it will refuse the next reading too, which is
  /// reported.
  private func level(of button: Button) -> Bool? { canReadButtons ? try? buttons.isDown(button) : nil }

  private func carryOut(_ commands: [GestureStage.Timed], now: Instant) {
    for timed in commands {
      metronome.apply(timed.command, effective: lead.current.effect(ofPress: timed.instant, now: now), now: now)
      note()
    }
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
  }
}
