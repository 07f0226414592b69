import HardwareAbstraction
import MetronomeCore

/// Turns button edges into gestures, commands, the metronome's state and the timeline. Runs on one thread, not a real-time one.
public final class ControlLoop<B: Board, Observer: EngineObserver> {
  let reader: HandReader<B, Observer>
  private var dials = DialMachine()
  var outlets: Outlets
  private let saver: StateSaver<Observer>?
  private let display: DisplayLoop<Observer>?
  /// A reply that the display does not have yet.
  private var newReply: Reply?
  let observer: Observer
  let wake: Waker
  /// nil while the buttons control the metronome.
  private var calibrator: Calibrator?

  var metronome: Metronome
  /// The time of the last input from a button or a command.
  private var lastTouch: Instant?
  private var blinkCode: BlinkCode?
  private var lastReported: MetronomeState?
  /// The earliest effect of a change: the outputs had committed the beats before it when the latencies changed.
  private var earliest = Instant.zero
  private var unreported: [MetronomeState] = []
  private var practice = PracticeTracker()
  /// Estimates the clock that the metronome follows; nil: it follows none.
  var follower: ClockFollower?
  /// When a Link session counts as gone; nil: there is none.
  var linkDeadline: Instant?
  private var isRehearsal = false
  /// Whether it played after the step before: see ``pause(at:)``.
  private var wasPlaying = false
  /// Set by a whole step: while nothing changes and the lead stays the same, further steps have nothing to do before `until` (nil: at
  /// no time). nil: the next step must be a whole one.
  private var idle: (until: Instant?, lead: Lead)?
  package var pairing = PairingWindow()
  /// Whether a companion hears of ``pairing``.
  package var hasCompanion = false

  init(
    _ metronome: Metronome, board: B, options: EngineOptions, outlets: Outlets, saver: StateSaver<Observer>?,
    display: DisplayLoop<Observer>?, observer: Observer, wake: Waker
  ) {
    self.metronome = metronome
    reader = HandReader(options.gestures, lockOut: options.lockOut, board: board, observer: observer)
    self.outlets = outlets
    self.saver = saver
    self.display = display
    self.observer = observer
    self.wake = wake
    use(options.source)
    self.outlets.use(
      options.midi, of: board.midi?.list ?? MIDIPortList(), clockWhenStopped: options.clockWhenStopped)
    self.outlets.useSound(of: metronome.state)
  }

  /// Simulates a press of each button, without reading the buttons or notifying the observer. See ``Engine/rehearse()``.
  func rehearse() {
    isRehearsal = true
    var now = Instant.zero
    for button in Button.all {
      reader.rehearse(button, at: now)
      now = now + .seconds(1)
      _ = step(at: now)
    }
  }

  public var state: MetronomeState { metronome.currentState }

  package var isPlaying: Bool { metronome.isPlaying }

  public var timeline: Timeline { metronome.timeline }

  /// The ramp that plays, or that a start would play; nil: none.
  package var ramp: TempoSteps? { metronome.ramp }

  /// The number of recalled presets since the start.
  public var recalls: UInt64 { metronome.recalls }

  /// The bar that a start would play.
  public var bar: Bar { metronome.settings.bar }

  /// What a start plays without a score, and the practice aids.
  package var settings: Settings { metronome.settings }

  public var savedState: SavedState { metronome.savedState }

  /// Whether the last attempt to read the buttons succeeded. After a failure, the loop retries every second; the descriptors
  /// must not be polled meanwhile.
  public var canReadButtons: Bool { reader.canRead }

  /// Reads the buttons and carries out their commands. Returns when to call again; nil: only when woken or for new edges.
  public func step(at now: Instant) -> Instant? {
    if let calibrator { return calibrate(calibrator, at: now) }
    reader.read(
      at: now, act: { carryOut($0, now: now) },
      turn: { turn in
        touch(at: turn.instant)
        dials.process(turn) { carryOut($0, now: now) }
      },
      clock: { follow($0, now: now) },
      recall: { number in
        touch(at: now)
        carryOut(.recallPreset(number), now: now)
      })
    if let touch = reader.lastTouch { self.touch(at: touch) }
    // A bounce changes nothing, so the rest of the step is skipped. Its work could delay the first beat.
    if idle?.lead != outlets.lead.current || due.map({ $0 <= now }) ?? false { doDueWork(at: now) }
    return [reader.deadline, due].compactMap(\.self).min()
  }

  /// When work is due that does not depend on the buttons; nil: none is. Valid while ``idle`` is not nil.
  private var due: Instant? { [idle?.until, autoStop].compactMap(\.self).min() }

  /// The rest of a whole step: does what is due, publishes and reports changes, and finds what is due next.
  private func doDueWork(at now: Instant) {
    // If the lead changes during the step, the next step is a whole one.
    let lead = outlets.lead.current
    recordBeforeChange(at: now)
    checkSource(at: now)
    if let linkDeadline, now >= linkDeadline { leaveLink(at: now) }
    if let end = autoStop, end <= now { carryOut(.stop, now: now) }
    metronome.catchUp(effective: effect(of: now, now: now), now: now)
    recordState()
    publishAndReport(at: now)
    let until = [metronome.nextDeadline, follower?.deadline, linkDeadline].compactMap(\.self).min()
    idle = (until, lead)
  }

  /// Until when the control thread must sleep after a step, whatever happens: after a start whose first beat is less than 2 ms away,
  /// until 200 µs after that beat, because the thread's work on bounces and the log could delay it. Without sound, MIDI outputs and
  /// latencies of lines, the beat comes 1 ms after the press. Call it once after each step.
  public func pause(at now: Instant) -> Instant? {
    defer { wasPlaying = isPlaying }
    guard isPlaying, !wasPlaying, let beat = timeline.firstBeat(atOrAfter: now)?.instant, beat - now < .milliseconds(2)
    else { return nil }
    return beat + .microseconds(200)
  }

  /// Must be called before the metronome changes: records what has been played and the state until now. The next step is then a whole
  /// one.
  func recordBeforeChange(at now: Instant) {
    idle = nil
    followPractice(at: now)
    recordState()
  }

  /// Changes the metronome outside a step: records what was before, and publishes, reports and saves what is then. All changes are made
  /// with it, or within a step.
  ///
  /// - Parameter isInput: whether a person changes it, so that the time without input begins again.
  @discardableResult
  func change<Result>(at now: Instant, isInput: Bool = true, _ body: () -> Result) -> Result {
    recordBeforeChange(at: now)
    if isInput { touch(at: now) }
    let result = body()
    recordState()
    publishAndReport(at: now)
    wake(.control)
    return result
  }

  /// Carries out a command that did not come from a button.
  public func perform(_ command: Command, at now: Instant) {
    change(at: now) { carryOut(command, now: now) }
  }

  /// Carries out a command that was given at an instant, like the press of a button.
  ///
  /// - Returns: the reply. Light and buzzer show it, except a refusal.
  package func perform(_ command: Command, pressed: Instant, at now: Instant) -> Reply? {
    change(at: now) {
      let effective = effect(of: pressed, now: now)
      var reply = metronome.apply(command, pressed: pressed, effective: effective, now: now)
      reply = pair(command, pressed: pressed, now: now) ?? reply
      if case .refused = reply { blinkCode = nil } else { blinkCode = reply.map { BlinkCode($0, from: effective) } }
      newReply = reply ?? newReply
      return reply
    }
  }

  /// Carries out a command about phones; nil: it is another one.
  private func pair(_ command: Command, pressed: Instant, now: Instant) -> Reply? {
    switch command {
    case .pair: return pairing.press(at: pressed, now: now)
    case .forgetPhones:
      // Nobody would forget them.
      guard hasCompanion else { return .refused(.noPhonePage) }
      pairing.forget()
      return .stored
    default: return nil
    }
  }

  /// Shows the number of a phone that asks to be paired, by light, buzzer and display. Returns false unless a person has opened the
  /// window.
  package func showNumber(_ number: Int, at now: Instant) -> Bool {
    guard pairing.show(number, at: now) else { return false }
    change(at: now) {
      blinkCode = BlinkCode(.number(number), from: effect(of: now, now: now))
      newReply = .number(number)
    }
    return true
  }

  /// Loads a score in place of the loaded one; nil: a start plays the settings. While playing, it waits for the stop.
  package func load(_ score: SetList?, at now: Instant) {
    change(at: now) { metronome.load(score) }
  }

  /// The sections of the song that is loaded, in the order in which they are played.
  package func sections(atMost count: Int) -> [SongSection] { metronome.sections(atMost: count) }

  /// The names of the songs that are loaded.
  package var songNames: [String] { metronome.songNames }

  /// The next tempo of the steps that play at an instant, and in how many beats it begins; nil if none follows.
  package func nextStep(at instant: Instant) -> (tempo: Tempo, beats: Int64)? { metronome.nextStep(at: instant) }

  /// Starts a calibration: from now on the buttons calibrate the outputs. Dials are ignored; playing continues.
  public func calibrate(_ calibration: Calibration) -> Calibrator {
    let calibrator = Calibrator(calibration, plan: outlets.plan, wake: wake)
    self.calibrator = calibrator
    reader.rebind(to: Calibration.standardTable, lockOut: Debouncer.standardLockOut)
    wake(.control)
    return calibrator
  }

  private func calibrate(_ calibrator: Calibrator, at now: Instant) -> Instant? {
    reader.read(
      at: now, act: { if let command = Calibration.Command($0.command) { calibrator.perform(command) } }, turn: { _ in }
    )
    return reader.deadline
  }

  /// Applies the tempo, bar and rules of other options. What is the same in the `old` options does not replace the user's
  /// setting.
  func reconfigure(_ options: EngineOptions, from old: EngineOptions, at now: Instant) {
    let (wanted, before) = (options.settings, old.settings)
    let music = MusicChange(from: before.music, to: wanted.music)
    let hasOtherMusic = !music.isEmpty || options.score != old.score
    change(at: now, isInput: hasOtherMusic || options.rules.autoStop != old.rules.autoStop) {
      if options.score != old.score { metronome.load(options.score) }
      if options.source != old.source { use(options.source) }
      metronome.reconfigure(
        rules: options.rules, limit: wanted.limit, music: music, trainer: (wanted.trainer, before.trainer),
        effective: effect(of: now, now: now), now: now)
    }
  }

  /// Must be called before latencies change, so that the beats that the outputs have committed do not change.
  func holdCommitted(at now: Instant) { earliest = max(earliest, now + outlets.lead.current.duration) }

  /// When the metronome stops for lack of input; nil: never.
  private var autoStop: Instant? {
    guard isPlaying, let lastTouch else { return nil }
    return metronome.rules.autoStop.map { lastTouch + $0 }
  }

  func touch(at instant: Instant) { lastTouch = max(lastTouch ?? instant, instant) }

  func effect(of instant: Instant, now: Instant) -> Instant {
    max(earliest, outlets.lead.current.effect(ofPress: instant, now: now))
  }

  /// When the first beat can be shown that a source starts at an instant.
  func soonestEffect(of instant: Instant, now: Instant) -> Instant {
    max(earliest, outlets.lead.ofSource.effect(ofPress: instant, now: now))
  }

  private func carryOut(_ command: Command, now: Instant) {
    carryOut(GestureEvent(command, at: now, press: now), now: now)
  }

  /// Carries out a preset request. A recall has the same effect as the command of a button.
  public func carryOut(_ request: PresetRequest, at now: Instant) -> PresetReply {
    recordBeforeChange(at: now)
    do throws(PresetError) {
      if let command = try metronome.carryOut(request) { perform(command, at: now) }
      if request != .list { touch(at: now) }
      saver?.keep(metronome.savedState)
      return PresetReply(savedState: metronome.savedState)
    } catch {
      return PresetReply(error, savedState: metronome.savedState)
    }
  }

  private func carryOut(_ event: GestureEvent, now: Instant) {
    recordBeforeChange(at: now)
    touch(at: event.instant)
    let effective = effect(of: event.instant, now: now)
    let command = event.command.inSteps(event.steps)
    if let press = event.undoes {
      let isAllowed = metronome.undo(press, for: command, effective: effective, now: now)
      guard isAllowed else { return }
    }
    var reply = metronome.apply(
      command, pressed: event.press, provisional: event.provisional, effective: effective, now: now)
    reply = pair(command, pressed: event.press, now: now) ?? reply
    blinkCode = reply.map { BlinkCode($0, from: effective) }
    newReply = reply ?? newReply
    recordState()
  }

  private func followPractice(at now: Instant) {
    guard !isRehearsal, let record = practice.follow(metronome.timeline, metronome.currentState, at: now),
      record.bars > 0
    else { return }
    observer.practised(record, at: now)
  }

  func recordState() {
    let state = metronome.currentState
    if state != unreported.last ?? lastReported { unreported.append(state) }
  }

  /// Publishes changes to the outputs, then reports them for the log, then saves them.
  func publishAndReport(at now: Instant) {
    let state = metronome.currentState
    outlets.publish(state, metronome.timeline, blinkCode)
    if !isRehearsal { for each in unreported { observer.changed(to: each, at: now) } }
    lastReported = unreported.last ?? lastReported
    followPractice(at: now)
    unreported = []
    display?.show(
      DisplayContent(state, preset: metronome.recalled, recalls: metronome.recalls), newReply, page: page(of: state))
    newReply = nil
    saver?.keep(metronome.savedState)
  }
}

extension ControlLoop {
  /// What a screen shows; nil for another display.
  private func page(of state: MetronomeState) -> PageContent? {
    guard let display, display.showsPages else { return nil }
    var page = PageContent(state, metronome.timeline, following: metronome.following)
    let presets = metronome.savedState.presets
    if let place = metronome.recalled, let preset = presets[place: place] {
      page.preset = ("\(preset.name)", place, presets.count)
    }
    return page
  }
}

/// Readings that do not copy the metronome. A getter that is called on a property of a class gets a copy, which takes 8,000
/// instructions. A `mutating` one gets none; these change nothing.
extension Metronome {
  fileprivate var currentState: MetronomeState { @inline(never) mutating get { state } }
  fileprivate var nextDeadline: Instant? { @inline(never) mutating get { deadline } }
  fileprivate var isPlaying: Bool { @inline(never) mutating get { timeline.isPlaying } }
}

/// The clocks that the metronome can follow: a MIDI clock, or a Link session.
extension ControlLoop {
  /// Steers the beats to the source's clock.
  func follow(_ message: ClockMessage, now: Instant) {
    recordBeforeChange(at: now)
    follower?.metre = metronome.settings.bar.metre
    follower?.presumedMilliQuarters = metronome.settings.milliQuartersPerMinute
    let received = follower?.receive(message)
    if message.kind == .stop {
      metronome.sourceStopped(now: now)
      recordState()
    }
    if let received { follow(received, stamp: message.instant, now: now) }
  }

  private func follow(_ observation: BeatObservation, stamp: Instant, now: Instant) {
    // A box that follows a playing source is in use.
    if observation.isPlaying { touch(at: now) }
    if let state = follower?.state { metronome.show(state, now: now) }
    metronome.follow(
      observation, effective: effect(of: now, now: now), soonest: soonestEffect(of: stamp, now: now), now: now)
    observer.followed(deviation: observation.spread, resyncs: metronome.resyncs, at: now)
    recordState()
  }

  /// Notices that the source has fallen silent. The beat goes on at its last tempo.
  func checkSource(at now: Instant) {
    if let observation = follower?.check(at: now) { follow(observation, stamp: now, now: now) }
    guard let state = follower?.state else { return }
    metronome.show(state, now: now)
    recordState()
  }

  /// Chooses the clock that the configuration names; nil: none. A Link session ends.
  func use(_ options: SourceOptions?) {
    follower = options.map { ClockFollower(latency: $0.latency) }
    linkDeadline = nil
    metronome.use(options)
  }

  /// Follows a Link session with other peers. It is left if nothing is heard of it for two seconds.
  ///
  /// - Parameter transport: the session's start or stop, if the metronome shares it.
  /// - Returns: false if the configuration names a MIDI clock, which sets the time.
  package func followLink(
    _ observation: BeatObservation, peers: Int, transport: SharedTransport?, at now: Instant
  ) -> Bool {
    guard follower == nil else { return false }
    linkDeadline = now + Nanoseconds.seconds(2)
    change(at: now, isInput: transport?.isPlaying == true) {
      metronome.followLink(
        observation, peers: peers, transport: transport, effective: effect(of: now, now: now), now: now)
      observer.followed(deviation: .zero, resyncs: metronome.resyncs, at: now)
    }
    return true
  }

  /// Leaves a Link session: the beat goes on at its last tempo.
  package func leaveLink(at now: Instant) {
    linkDeadline = nil
    change(at: now, isInput: false) { metronome.leaveLink(now: now) }
  }

  /// The tempo that our hands want for a Link session: see ``Metronome/tempoWish``.
  package var tempoWish: (number: Int, milliQuarters: Int)? { metronome.tempoWish }

  /// See ``Metronome/refusesTempo``.
  package var refusesTempo: Bool { metronome.refusesTempo }
}
