import HardwareAbstraction
import MetronomeCore

/// From hands to the timeline: edges, gestures, commands, the metronome's state.
///
/// A step machine: ``step(at:)`` reads what there is to read and says when it wants to be called next. One thread only,
/// an ordinary one.
public final class ControlLoop<B: Board, Observer: EngineObserver> {
  let reader: HandReader<B, Observer>
  private var dials = DialMachine()
  let outlets: Outlets
  private let keeper: StateSaver<Observer>?
  private let observer: Observer
  private let wake: @Sendable (Loop) -> Void
  /// nil: the buttons lead the metronome.
  private var calibrator: Calibrator?

  private var metronome: Metronome
  /// When a hand or anybody else last wanted something; nil: never.
  private var lastTouch: Instant?
  private var signal = BlinkCode.none
  /// The timeline and the signal as the outputs know them.
  private var publishedTimeline = Timeline.stopped
  private var publishedSignal = BlinkCode.none
  private var announced: MetronomeState?
  /// Nothing takes effect before: so far the outputs had committed when they were set otherwise.
  private var earliest = Instant.zero
  /// States that were reached and are not announced yet.
  private var news: [MetronomeState] = []

  init(
    _ metronome: Metronome, board: B, options: EngineOptions, outlets: Outlets, keeper: StateSaver<Observer>?,
    observer: Observer, wake: @escaping @Sendable (Loop) -> Void
  ) {
    self.metronome = metronome
    reader = HandReader(options.gestures, lockOut: options.lockOut, board: board, observer: observer)
    self.outlets = outlets
    self.keeper = keeper
    self.observer = observer
    self.wake = wake
    if metronome.state.isSilent { outlets.plan.mute(Output.sounding) }
  }

  public var state: MetronomeState { metronome.state }

  public var timeline: Timeline { metronome.timeline }

  /// What is to be remembered.
  public var savedState: SavedState { metronome.savedState }

  /// Whether the buttons could be read when it was tried last. While they cannot, it is tried again every second; waiting for
  /// their descriptors would never end, or end at once.
  public var canReadButtons: Bool { reader.canRead }

  /// Reads the buttons and does what they say.
  ///
  /// - Returns: when to call again; nil: when there are edges to read, or it is woken.
  public func step(at now: Instant) -> Instant? {
    if let calibrator { return calibrate(calibrator, at: now) }
    note()
    reader.read(
      at: now, act: { carryOut($0, now: now) },
      turn: { turn in
        touch(at: turn.instant)
        dials.take(turn) { carryOut($0, now: now) }
      })
    if let touch = reader.lastTouch { self.touch(at: touch) }
    if let end = autoStop, end <= now { carryOut(.stop, now: now) }
    metronome.catchUp(effective: effect(of: now, now: now), now: now)
    tell(at: now)
    return [reader.deadline, metronome.deadline, autoStop].compactMap(\.self).min()
  }

  /// Carries out a command that no hand gave.
  public func perform(_ command: Command, at now: Instant) {
    note()
    touch(at: now)
    carryOut(command, now: now)
    tell(at: now)
    wake(.control)
  }

  /// From here on the buttons shift the outputs against each other. Dials do nothing, and what plays goes on.
  public func calibrate(_ calibration: Calibration) -> Calibrator {
    let calibrator = Calibrator(calibration, plan: outlets.plan, wake: wake)
    self.calibrator = calibrator
    reader.rebind(to: Calibration.standardTable, lockOut: Debouncer.standardLockOut)
    wake(.control)
    return calibrator
  }

  private func calibrate(_ calibrator: Calibrator, at now: Instant) -> Instant? {
    reader.read(
      at: now, act: { if let command = Calibration.Command($0.meaning) { calibrator.perform(command) } }, turn: { _ in }
    )
    return reader.deadline
  }

  /// Takes over what other options say of tempo, signature and rules.
  ///
  /// - Parameter old: those in force: what is the same in both stays as hands have set it.
  func reconfigure(_ options: EngineOptions, from old: EngineOptions, at now: Instant) {
    note()
    let (wanted, before) = (options.settings, old.settings)
    let tempo = wanted.tempo == before.tempo ? nil : wanted.tempo
    let signature = wanted.signature == before.signature ? nil : wanted.signature
    if tempo != nil || signature != nil || options.rules.autoStop != old.rules.autoStop { touch(at: now) }
    metronome.reconfigure(
      rules: options.rules, limit: wanted.limit, tempo: tempo, signature: signature,
      effective: effect(of: now, now: now), now: now)
    note()
    tell(at: now)
  }

  /// The outputs are about to be set otherwise: what they have committed by now stays.
  func holdCommitted(at now: Instant) {
    earliest = max(earliest, now + outlets.lead.current.duration)
  }

  /// When it stops because nobody touches it; nil: not.
  private var autoStop: Instant? {
    guard metronome.timeline.isPlaying, let lastTouch else { return nil }
    return metronome.rules.autoStop.map { lastTouch + $0 }
  }

  private func touch(at instant: Instant) { lastTouch = max(lastTouch ?? instant, instant) }

  private func effect(of instant: Instant, now: Instant) -> Instant {
    max(earliest, outlets.lead.current.effect(ofPress: instant, now: now))
  }

  private func carryOut(_ command: Command, now: Instant) {
    carryOut(GestureEvent(command, at: now, press: now), now: now)
  }

  /// Carries out a request about presets. A recall is the command that a button gives.
  public func carryOut(_ request: PresetRequest, at now: Instant) -> PresetReply {
    do throws(PresetError) {
      if let command = try metronome.carryOut(request) { perform(command, at: now) }
      if request != .list { touch(at: now) }
      keeper?.keep(metronome.savedState)
      return PresetReply(savedState: metronome.savedState)
    } catch {
      return PresetReply(error, savedState: metronome.savedState)
    }
  }

  private func carryOut(_ event: GestureEvent<Command>, now: Instant) {
    touch(at: event.instant)
    let effective = effect(of: event.instant, now: now)
    let command = event.meaning.inSteps(event.steps)
    if let press = event.takesBack {
      let goesOn = metronome.takeBack(press, for: command, effective: effective, now: now)
      guard goesOn else { return }
    }
    let reply = metronome.apply(
      command, pressed: event.press, provisional: event.provisional, effective: effective, now: now)
    signal = reply.map { BlinkCode($0, from: effective) } ?? .none
    note()
  }

  private func note() {
    if metronome.state != news.last ?? announced { news.append(metronome.state) }
  }

  /// Publishes what has changed, and only then tells of it: the outputs come before the log, and both before the disk.
  private func tell(at now: Instant) {
    publish()
    for state in news { observer.changed(to: state, at: now) }
    announced = news.last ?? announced
    news = []
    keeper?.keep(metronome.savedState)
  }

  private func publish() {
    var isNews = false
    if let newest = news.last, newest.isSilent != announced?.isSilent ?? false {
      outlets.plan.mute(newest.isSilent ? Output.sounding : .inactive)
      isNews = true
    }
    if metronome.timeline != publishedTimeline {
      publishedTimeline = metronome.timeline
      outlets.timeline.publish(publishedTimeline)
      isNews = true
    }
    if signal != publishedSignal {
      publishedSignal = signal
      outlets.signals.publish(signal)
      isNews = true
    }
    // The audio loop is not woken: it sees news with its next period, and could not change what it has committed.
    if isNews { wake(.beats) }
  }
}
