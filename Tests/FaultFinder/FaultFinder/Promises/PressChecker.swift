import BeatReckoning
import BoardSimulation
import ControlSocket
import MetronomeConfiguration
import MetronomeCore
import MetronomeEngine

/// Every tidy press takes effect, and the beats that follow are the expected ones. What presses change in a score is not
/// modelled.
final class PressChecker: Checker {
  private let hands: TidyHands
  /// The index of the next press to take effect.
  private var place = 0
  private var model: PressedState
  /// The announced states that are not yet explained.
  private var announced: [MetronomeState] = []
  /// Commands of other programs that were carried out in this step.
  private var commands: [(words: String, instant: Instant)] = []
  /// The beats expected from the states explained so far.
  private var reckoning: Reckoning?
  private var earliest = Instant.zero
  private var lastTouch = Instant.zero
  private var begun = Instant.zero
  /// The expected state is unknown: edges may have been lost.
  private var isLost = false
  /// Whether a source set the tempo before the current step.
  private var wasFollowing = false
  /// Whether a rhythm of this life has had a pattern.
  private var hasPatterns = false

  init(_ scene: Scene, hands: TidyHands) {
    self.hands = hands
    model = PressedState(scene.simulation.engine.control, limit: scene.options.settings.limit)
    super.init(scene)
    begin()
  }

  override func see(_ event: TraceEvent) {
    switch event.what {
    case .state(let state): note(state)
    case .beat(let beat): check(beat)
    case .line, .click, .hit, .button, .skipped, .missed, .underrun, .fault, .audio, .display, .ended, .began, .midi,
      .lostClocks:
      break
    }
  }

  override func exchanged(_ request: ControlMessage, _ answers: [ControlMessage]) {
    guard request.word == "do", let words = request["command"], answers.first?.word == "done" else { return }
    let at = request["at"].flatMap { Int64($0) }
    commands.append((words, at.map { Instant(nanoseconds: $0) } ?? scene.now))
  }

  override func look(after loop: Simulation.Loop?, _ changes: Scene.Changes) {
    defer { if loop == .control { commands = [] } }
    if announced.contains(where: { $0.score != nil }) { lose() }
    guard !isLost, scene.isOn else { return announced.removeAll() }
    guard loop == .control || loop == nil else { return }
    defer { wasFollowing = scene.isFollowing }
    // A press and its bounces may exceed the kernel's edge buffer.
    if loop == .control, scene.lateness > .milliseconds(80) {
      lose()
      return announced.removeAll()
    }
    // While the control loop is stalled no press takes effect.
    if loop == .control {
      answer(scene.options)
      for (words, instant) in commands where !isLost { carryOut(words, given: instant) }
    }
    if !isLost, !announced.isEmpty { explain() }
  }

  /// The source is not part of the model. ``FollowingChecker`` judges the beats at its tempo.
  private func note(_ announcement: MetronomeState) {
    if scene.isSteered { reckoning = nil }
    // The model has no session, which sets the tempo.
    if scene.isLinked { lose() }
    var state = announcement
    state.source = nil
    hasPatterns = hasPatterns || state.bar.rhythm.pattern != nil
    if state != announced.last ?? model.state { announced.append(state) }
  }

  private func lose() {
    isLost = true
    reckoning = nil
  }

  override func reconfigured() {
    guard !isLost, scene.isOn else { return }
    guard scene.options.score == nil, scene.options.settings.trainer == scene.oldOptions.settings.trainer,
      scene.options.source?.hasTransport != true
    else { return lose() }
    answer(scene.oldOptions)
    let before = model.state
    model.follow(scene.options, scene.oldOptions)
    if scene.options.projections.latencies != scene.oldOptions.projections.latencies
      || scene.options.midi != scene.oldOptions.midi
    {
      earliest = max(earliest, scene.now + scene.lead.duration)
    }
    scene.lookAtLead()
    let hasChanged = model.state.tempo != before.tempo || model.state.signature != before.signature
    let hasOtherRhythm = scene.options.settings.rhythm != scene.oldOptions.settings.rhythm
    let hasOtherStop = scene.options.rules.autoStop != scene.oldOptions.rules.autoStop
    if hasChanged || hasOtherRhythm || hasOtherStop { lastTouch = scene.now }
    guard hasChanged else { return }
    take(before, "the reload")
    if model.state.isPlaying { turn(effect(of: scene.now)) }
  }

  override func switched(isOn: Bool) {
    reckoning = nil
    guard isOn else { return }
    while place < hands.presses.count, hands.presses[place].up <= scene.now { place += 1 }
    // A button that is held at the start is pressed again, even if its press had taken effect before.
    if hands.presses.contains(where: { $0.down <= scene.now && scene.now <= $0.up + .milliseconds(10) }) {
      isLost = true
    }
    begin()
  }

  /// The metronome has started: stopped, or playing at once.
  private func begin() {
    announced = []
    earliest = .zero
    lastTouch = scene.now
    begun = scene.now
    let control = scene.simulation.engine.control
    model = PressedState(control, limit: scene.options.settings.limit)
    model.practice = PressedState.Practice(scene.options.settings.trainer)
    wasFollowing = false
    // The model has no source that starts and stops the beat.
    if model.state.score != nil || scene.options.source?.hasTransport == true { return lose() }
    if model.state.isPlaying { start(at: scene.now + scene.simulation.engine.lead.current.duration) }
  }

  /// Explains the presses that must have taken effect by now.
  private func answer(_ options: EngineOptions) {
    while place < hands.presses.count {
      let press = hands.presses[place]
      guard press.down <= scene.now else { return }
      lastTouch = max(lastTouch, press.down)
      guard scene.wiring.buttons[press.button] != nil else {
        place += 1
        continue
      }
      let binding = options.gestures[press.button]
      let instant = binding.actsAtEdge || binding.short == nil ? press.down : press.up
      guard instant <= scene.now else { return }
      place += 1
      if let command = binding.short { handleSignal(command, options, at: instant) }
      guard !isLost else { return }
    }
  }

  private func carryOut(_ words: String, given instant: Instant) {
    guard let command = try? Command(words: words) else { return lose() }
    lastTouch = max(lastTouch, scene.now)
    handleSignal(command, scene.options, at: instant)
  }

  private func handleSignal(_ command: Command, _ options: EngineOptions, at instant: Instant) {
    lastTouch = max(lastTouch, instant)
    if command.setsTempo {
      // If the source appears or disappears in the same step as the press, their order is unknown.
      guard wasFollowing == scene.isFollowing else { return lose() }
      if wasFollowing { return }
    }
    let before = model.state
    switch model.handleSignal(command, options.rules) {
    case .nothing: take(before, "\(command)")
    case .start:
      take(before, "\(command)")
      start(at: effect(of: instant), countIn: options.rules.countIn)
    case .stop:
      take(before, "\(command)")
      reckoning = nil
    case .change:
      take(before, "\(command)")
      turn(effect(of: instant))
    case .changeAtBarLine:
      take(before, "\(command)")
      guard before.tempo != model.state.tempo || before.bar != model.state.bar else { return }
      turnAtBarLine(after: effect(of: instant))
    case .gap:
      take(before, "\(command)")
      turnAtBarLine(after: effect(of: instant))
    case .tap: followTap()
    case .unknown: lose()
    }
  }

  /// The effect of taps is not predicted: the announced state, and the beats, are accepted until the next start. Taps may move the beats
  /// and keep the tempo.
  private func followTap() {
    if scene.published == scene.now { reckoning = nil }
    guard let state = announced.first else { return }
    announced.removeFirst()
    model.state = state
    reckoning = nil
  }

  private func start(at first: Instant, countIn: Int? = nil) {
    guard !scene.isSteered else { return reckoning = nil }
    reckoning = Reckoning(
      first: first, tempo: model.state.tempo, bar: model.state.bar,
      countIn: countIn ?? scene.options.rules.countIn)
  }

  private func turn(_ effect: Instant) {
    guard !waits else { return reckoning = nil }
    reckoning?.change(to: model.state.tempo, model.state.bar, at: effect)
  }

  private func turnAtBarLine(after effect: Instant) {
    guard !waits else { return reckoning = nil }
    reckoning?.changeAtBarLine(to: model.state.tempo, model.state.bar, after: effect)
  }

  /// Whether a change waits for room in the timeline: when it is made, and with which other changes, is not predicted.
  private var waits: Bool {
    scene.published != scene.now && !scene.timeline.hasRoom(for: model.state.bar.rhythm, at: scene.now)
  }

  private func effect(of instant: Instant) -> Instant {
    max(earliest, scene.lead.effect(ofPress: instant, now: scene.now))
  }

  /// Consumes the announcement that a change of the state requires.
  private func take(_ before: MetronomeState, _ cause: String) {
    guard model.state != before else { return }
    guard announced.first == model.state else {
      isLost = true
      return scene.breach(
        .everyPress, "\(cause) gives \(model.state), but \(announced.first.map { "\($0)" } ?? "nothing") was announced"
      )
    }
    announced.removeFirst()
  }

  /// Explains states that no press caused: an automatic stop, or a fresh start.
  private func explain() {
    let states = announced
    announced = []
    var stopped = model.state
    stopped.isPlaying = false
    for state in states where state != model.state {
      let rest = scene.options.rules.autoStop
      if scene.now == begun, state.isPlaying, !model.state.isPlaying {
        model.state = state
        start(at: scene.now + scene.simulation.engine.lead.current.duration)
      } else if state == stopped, let rest, scene.now - lastTouch >= rest - .milliseconds(500) {
        model.state = state
        reckoning = nil
      } else {
        isLost = true
        return scene.breach(.everyPress, "the state changed from \(model.state) to \(state) without a cause")
      }
    }
  }

  private func check(_ shown: Beat) {
    guard var reckoning, !isLost else { return }
    var beat = shown
    var expected: Beat?
    while reckoning.nextIndex <= beat.index { expected = reckoning.next() }
    self.reckoning = reckoning
    // The silence of a beat is judged by ``SilenceChecker``.
    beat.isSilent = false
    hasPatterns = hasPatterns || scene.options.settings.rhythm.pattern != nil || model.rhythm.pattern != nil
    // The model has no patterns. The levels of beats are judged by their pulses and clicks.
    if hasPatterns, let level = expected?.level { beat.level = level }
    guard let expected, expected != beat else { return }
    self.reckoning = nil
    let promise: Promise = expected.instant == beat.instant ? .inItsBar : .phaseKept
    scene.breach(promise, "beat \(beat.index) is \(beat.text), but must be \(expected.text)")
  }
}

extension Command {
  /// Whether a source that sets the tempo makes the metronome refuse the command.
  fileprivate var setsTempo: Bool {
    switch self {
    case .setTempo, .stepTempo, .resetTempo, .tap, .toggleRamp, .setRamp(.some): true
    default: false
    }
  }
}

extension Beat {
  fileprivate var text: String { "at \(instant.nanoseconds), bar \(bar), place \(position)" }
}

extension PressedState {
  init(_ control: ControlLoop<SimulatedBoard, TraceRecorder>, limit: NumeratorLimit) {
    let memory = control.savedState
    var state = control.state
    state.source = nil
    self.init(
      state: state, rhythm: memory.rhythm, limit: limit, presets: memory.presets, recalled: memory.recalled)
  }
}
