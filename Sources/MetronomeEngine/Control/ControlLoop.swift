import HardwareAbstraction
import MetronomeCore

/// Turns button edges into gestures, commands, the metronome's state and the timeline. Runs on one thread, not a real-time one.
public final class ControlLoop<B: Board, Observer: EngineObserver> {
  let reader: HandReader<B, Observer>
  private var dials = DialMachine()
  let outlets: Outlets
  private let saver: StateSaver<Observer>?
  private let display: DisplayLoop<Observer>?
  /// A reply that the display does not have yet.
  private var newReply: Reply?
  private let observer: Observer
  private let wake: Waker
  /// nil while the buttons control the metronome.
  private var calibrator: Calibrator?

  private var metronome: Metronome
  /// The time of the last input from a button or a command.
  private var lastTouch: Instant?
  private var blinkCode: BlinkCode?
  private var publishedTimeline = Timeline.stopped
  private var publishedBlinkCode: BlinkCode?
  private var lastReported: MetronomeState?
  /// The earliest effect of a change: the outputs had committed the beats before it when the latencies changed.
  private var earliest = Instant.zero
  private var unreported: [MetronomeState] = []
  private var practice = PracticeTracker()
  /// Estimates the clock that the metronome follows; nil: it follows none.
  private var follower: ClockFollower?
  private var midiPlan: MIDIPlan
  private var publishedMIDIPlan: MIDIPlan?
  private var hasMIDI: Bool
  private var isRehearsal = false
  /// Until when a step without a change has nothing to do, and with which lead; nil: the next step must be a whole one.
  private var settled: (until: Instant?, lead: Lead)?
  /// When a Link session counts as gone; nil: there is none.
  private var linkDeadline: Instant?
  /// When the command `pair` was given last; nil: never, or a companion has accepted a phone since then.
  package private(set) var pairingOpenedAt: Instant?

  init(
    _ metronome: Metronome, board: B, options: EngineOptions, outlets: Outlets, saver: StateSaver<Observer>?,
    display: DisplayLoop<Observer>?, observer: Observer, wake: Waker
  ) {
    self.metronome = metronome
    reader = HandReader(options.gestures, lockOut: options.lockOut, board: board, observer: observer)
    self.outlets = outlets
    midiPlan = options.midiPlan
    hasMIDI = !options.midi.isEmpty
    self.saver = saver
    self.display = display
    self.observer = observer
    self.wake = wake
    use(options.source)
    if metronome.state.isSilent { outlets.plan.mute(Output.sounding) }
    if metronome.state.volume != .full { outlets.plan.use(metronome.state.volume) }
  }

  /// Simulates a press of each button, without reading the buttons or notifying the observer. See ``Engine/rehearse()``.
  func rehearse() {
    isRehearsal = true
    var now = Instant.zero
    for button in Button.allCases {
      reader.rehearse(button, at: now)
      now = now + .seconds(1)
      _ = step(at: now)
    }
  }

  public var state: MetronomeState { currentState(of: &metronome) }

  package var isPlaying: Bool { metronome.isPlaying }

  public var timeline: Timeline { metronome.timeline }

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
    // Bounces change nothing. A whole step for each of them could delay the first beat.
    if mustFinish(at: now) { finish(at: now) }
    return [reader.deadline, settled?.until, autoStop].compactMap(\.self).min()
  }

  private func mustFinish(at now: Instant) -> Bool {
    guard let settled, settled.lead == outlets.lead.current else { return true }
    return [settled.until, autoStop].compactMap(\.self).contains { $0 <= now }
  }

  /// The rest of a whole step: does what is due, publishes and reports changes, and finds what is due next.
  private func finish(at now: Instant) {
    let lead = outlets.lead.current
    prepareChange(at: now)
    checkSource(at: now)
    if let linkDeadline, now >= linkDeadline { leaveLink(at: now) }
    if let end = autoStop, end <= now { carryOut(.stop, now: now) }
    metronome.catchUp(effective: effect(of: now, now: now), now: now)
    recordState()
    publishAndReport(at: now)
    let until = [deadline(of: &metronome), follower?.deadline, linkDeadline].compactMap(\.self).min()
    settled = (until, lead)
  }

  /// Must be called before the metronome changes: records what has been played and the state until now.
  private func prepareChange(at now: Instant) {
    settled = nil
    followPractice(at: now)
    recordState()
  }

  /// Carries out a command that did not come from a button.
  public func perform(_ command: Command, at now: Instant) {
    touch(at: now)
    carryOut(command, now: now)
    publishAndReport(at: now)
    wake(.control)
  }

  /// Carries out a command that was given at an instant, like the press of a button.
  ///
  /// - Returns: the reply. Light and buzzer show it, except a refusal.
  package func perform(_ command: Command, pressed: Instant, at now: Instant) -> Reply? {
    prepareChange(at: now)
    touch(at: now)
    let effective = effect(of: pressed, now: now)
    let reply = metronome.apply(command, pressed: pressed, effective: effective, now: now)
    blinkCode = reply.flatMap { $0 == .refused ? nil : BlinkCode($0, from: effective) }
    newReply = reply ?? newReply
    if reply == .pairing { openPairing(at: now) }
    recordState()
    publishAndReport(at: now)
    wake(.control)
    return reply
  }

  /// Follows a Link session with other peers. It is left if nothing is heard of it for two seconds.
  ///
  /// - Parameter transport: the session's start or stop, if the metronome shares it.
  /// - Returns: false if the configuration names a MIDI clock, which sets the time.
  package func followLink(
    _ observation: BeatObservation, peers: Int, transport: SharedTransport?, at now: Instant
  ) -> Bool {
    guard follower == nil else { return false }
    prepareChange(at: now)
    linkDeadline = now + Nanoseconds.seconds(2)
    if transport?.isPlaying == true { touch(at: now) }
    metronome.followLink(
      observation, peers: peers, transport: transport, effective: effect(of: now, now: now), now: now)
    observer.followed(deviation: .zero, resyncs: metronome.resyncs, at: now)
    recordState()
    publishAndReport(at: now)
    wake(.control)
    return true
  }

  /// Leaves a Link session: the beat goes on at its last tempo.
  package func leaveLink(at now: Instant) {
    prepareChange(at: now)
    linkDeadline = nil
    metronome.leaveLink(now: now)
    recordState()
    publishAndReport(at: now)
    wake(.control)
  }

  private func openPairing(at now: Instant) { pairingOpenedAt = now }

  /// A companion has accepted a phone.
  package func closePairing() { pairingOpenedAt = nil }

  /// The tempo that our hands want for a Link session: see ``Metronome/tempoWish``.
  package var tempoWish: (number: Int, milliQuarters: Int)? { metronome.tempoWish }

  /// Whether a command is refused because a source sets the tempo.
  package func isRefusedBySource(_ command: Command) -> Bool { metronome.isRefusedBySource(command) }

  /// Whether a command would recall a preset whose tempo a Link session cannot have.
  package func recallsOutsideSession(_ command: Command) -> Bool { metronome.recallsOutsideSession(command) }

  /// Whether the tempo of a Link session is outside the range of tempi in the beat unit.
  package var isSessionOutsideUnit: Bool { metronome.isSessionOutsideUnit }

  /// Loads a score in place of the loaded one; nil: a start plays the settings. While playing, it waits for the stop.
  package func load(_ score: SetList?, at now: Instant) {
    prepareChange(at: now)
    touch(at: now)
    metronome.load(score)
    recordState()
    publishAndReport(at: now)
    wake(.control)
  }

  /// The sections of the song that is loaded, in the order in which they are played.
  package func sections(atMost count: Int) -> [SongSection] { metronome.sections(atMost: count) }

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
    prepareChange(at: now)
    let (wanted, before) = (options.settings, old.settings)
    let tempo = wanted.tempo == before.tempo ? nil : wanted.tempo
    let signature = wanted.signature == before.signature ? nil : wanted.signature
    let unit = wanted.unit == before.unit ? nil : wanted.unit
    let rhythm = wanted.rhythm == before.rhythm ? nil : wanted.rhythm
    let hasOtherMusic = tempo != nil || signature != nil || unit != nil || rhythm != nil || options.score != old.score
    if options.score != old.score { metronome.load(options.score) }
    if options.source != old.source { use(options.source) }
    if hasOtherMusic || options.rules.autoStop != old.rules.autoStop { touch(at: now) }
    metronome.reconfigure(
      rules: options.rules, limit: wanted.limit, tempo: tempo, signature: signature, unit: unit, rhythm: rhythm,
      trainer: (wanted.trainer, before.trainer),
      effective: effect(of: now, now: now), now: now)
    recordState()
    publishAndReport(at: now)
  }

  /// Must be called before latencies change, so that the beats that the outputs have committed do not change.
  func holdCommitted(at now: Instant) { earliest = max(earliest, now + outlets.lead.current.duration) }

  /// When the metronome stops for lack of input; nil: never.
  private var autoStop: Instant? {
    guard isPlaying, let lastTouch else { return nil }
    return metronome.rules.autoStop.map { lastTouch + $0 }
  }

  private func touch(at instant: Instant) { lastTouch = max(lastTouch ?? instant, instant) }

  private func effect(of instant: Instant, now: Instant) -> Instant {
    max(earliest, outlets.lead.current.effect(ofPress: instant, now: now))
  }

  private func carryOut(_ command: Command, now: Instant) {
    carryOut(GestureEvent(command, at: now, press: now), now: now)
  }

  /// Carries out a preset request. A recall has the same effect as the command of a button.
  public func carryOut(_ request: PresetRequest, at now: Instant) -> PresetReply {
    settled = nil
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
    prepareChange(at: now)
    touch(at: event.instant)
    let effective = effect(of: event.instant, now: now)
    let command = event.command.inSteps(event.steps)
    if let press = event.undoes {
      let isAllowed = metronome.undo(press, for: command, effective: effective, now: now)
      guard isAllowed else { return }
    }
    let reply = metronome.apply(
      command, pressed: event.press, provisional: event.provisional, effective: effective, now: now)
    blinkCode = reply.map { BlinkCode($0, from: effective) }
    newReply = reply ?? newReply
    if reply == .pairing { openPairing(at: now) }
    recordState()
  }

  /// Steers the beats to the source's clock.
  private func follow(_ message: ClockMessage, now: Instant) {
    prepareChange(at: now)
    follower?.metre = metronome.settings.bar.metre
    let received = follower?.receive(message)
    if message.kind == .stop {
      metronome.sourceStopped(now: now)
      recordState()
    }
    guard let observation = received else { return }
    // A box that follows a playing source is in use.
    if observation.isPlaying { touch(at: now) }
    if let state = follower?.state { metronome.show(state, now: now) }
    metronome.follow(observation, effective: effect(of: now, now: now), now: now)
    observer.followed(deviation: observation.spread, resyncs: metronome.resyncs, at: now)
    recordState()
  }

  /// Notices that the source has fallen silent. The beat goes on at its last tempo.
  private func checkSource(at now: Instant) {
    follower?.check(at: now)
    guard let state = follower?.state else { return }
    metronome.show(state, now: now)
    recordState()
  }

  private func use(_ options: SourceOptions?) {
    follower = options.map { ClockFollower(latency: $0.latency) }
    linkDeadline = nil
    metronome.use(options)
  }

  private func followPractice(at now: Instant) {
    guard !isRehearsal, let record = practice.follow(metronome.timeline, currentState(of: &metronome), at: now),
      record.bars > 0
    else { return }
    observer.practised(record, at: now)
  }

  private func recordState() {
    let state = currentState(of: &metronome)
    if state != unreported.last ?? lastReported { unreported.append(state) }
  }

  /// Publishes changes to the outputs, then reports them for the log, then saves them.
  private func publishAndReport(at now: Instant) {
    settled = nil
    publish()
    if !isRehearsal { for state in unreported { observer.changed(to: state, at: now) } }
    lastReported = unreported.last ?? lastReported
    followPractice(at: now)
    unreported = []
    let content = DisplayContent(
      currentState(of: &metronome), preset: metronome.recalled, recalls: metronome.recalls)
    display?.show(content, newReply)
    newReply = nil
    saver?.keep(metronome.savedState)
  }

  /// Sets the MIDI outputs, for a reload.
  func use(_ midi: [MIDIOutputRequest], clockWhenStopped: Bool) {
    midiPlan = MIDIPlan(midi, sendsWhenStopped: clockWhenStopped)
    hasMIDI = hasMIDI || !midi.isEmpty
  }

  private func publish() {
    var hasChanges = false
    if hasMIDI {
      let shown = currentState(of: &metronome)
      midiPlan.idle = MIDIPlan.Fraction(shown.tempo, shown.unit)
      midiPlan.isMuted = shown.isSilent
      midiPlan.gain = shown.volume.gain
      if midiPlan != publishedMIDIPlan {
        publishedMIDIPlan = midiPlan
        outlets.midi.publish(midiPlan)
        hasChanges = true
      }
    }
    if let newest = unreported.last, newest.isSilent != lastReported?.isSilent ?? false {
      outlets.plan.mute(newest.isSilent ? Output.sounding : .inactive)
      hasChanges = true
    }
    // No loop is woken for it: only the audio loop uses it.
    if let newest = unreported.last, newest.volume != lastReported?.volume ?? .full { outlets.plan.use(newest.volume) }
    if metronome.timeline != publishedTimeline {
      publishedTimeline = metronome.timeline
      outlets.timeline.publish(publishedTimeline)
      hasChanges = true
    }
    if blinkCode != publishedBlinkCode {
      publishedBlinkCode = blinkCode
      outlets.blinkCodes.publish(blinkCode)
      hasChanges = true
    }
    // Do not wake the audio loop: it reads changes with its next period, and cannot change committed frames.
    if hasChanges {
      wake(.beats)
      if hasMIDI { wake(.midi) }
    }
  }
}

/// Reads the state without copying the metronome. A getter that is called on a property of a class gets a copy, which takes 8,000
/// instructions.
@inline(never)
private func currentState(of metronome: inout Metronome) -> MetronomeState { metronome.state }

/// Reads the deadline without copying the metronome.
@inline(never)
private func deadline(of metronome: inout Metronome) -> Instant? { metronome.deadline }
