import BoardSimulation
import MetronomeCore
import MetronomeEngine

/// While the metronome follows a MIDI source, the beats are those of the source, as the script gives them. The tempo keys are
/// refused, and the set tempo is kept.
final class FollowingChecker: Checker {
  /// How long, and for how many beats, nothing may have happened before the beats must fit the source.
  private static let patience = Nanoseconds.seconds(10)
  private static let fewestBeats = 40
  private static let tolerance = Nanoseconds.milliseconds(1)

  /// What the source does, in order of time.
  private let script: [(time: Instant, what: ScriptedClock)]
  /// The shortest quarter of the source.
  private let shortest: Nanoseconds
  /// Whether the clocks are regular enough to know the tempo from a few of them.
  private let isRegular: Bool
  private var place = 0
  private var isPlugged = true
  /// nil: messages may have been lost.
  private var isPlaying: Bool? = false
  private var source: SourceOptions?
  private var session: UInt32 = 0
  private var last: Beat?
  /// The time between the last two beats.
  private var interval: Nanoseconds?
  private var state: MetronomeState?
  /// A tempo that was set while a source was followed.
  private var newTempo: Tempo?
  private var followedSince = Instant.ever
  /// When anything last happened that may move the beats.
  private var disturbed = Instant.never
  private var beats = 0

  init(_ scene: Scene, _ script: Script) {
    self.script = script.clocks.map { (.zero + $0.time, $0.what) }
    let flaws = self.script.compactMap { line in
      if case .clocks(let from, let to, _, let flaws) = line.what { (max(from, to), flaws) } else { nil }
    }
    let fastest = Int64(flaws.map(\.0).max() ?? 120_000)
    shortest = Nanoseconds(60_000_000_000_000 / fastest)
    let clock = shortest / 24
    source = scene.options.source
    isRegular = flaws.allSatisfy { $0.1.jitter * 8 <= clock && $0.1.loss == 0 && $0.1.doubling == 0 }
    super.init(scene)
  }

  override func see(_ event: TraceEvent) {
    switch event.what {
    case .state(let state): see(state)
    case .beat(let beat): see(beat)
    case .line, .click, .hit, .button, .skipped, .missed, .underrun, .fault, .audio, .display, .ended, .began, .midi,
      .lostClocks:
      break
    }
  }

  override func look(after loop: Simulation.Loop?, _ changes: Scene.Changes) {
    checkTempo()
    while place < script.count, script[place].time <= scene.now {
      follow(script[place].what)
      place += 1
    }
    if loop == .control, scene.lateness > .zero {
      isPlaying = nil
      disturb()
    }
    // The count of flawed clocks may be wrong at any time.
    if !isRegular { scene.noteJump() }
    guard loop == .control, scene.isOn else { return }
    let control = scene.simulation.engine.control
    if control.state.score == nil, control.savedState.tempo != control.state.tempo {
      scene.breach(.followsSource, "\(control.savedState.tempo) is saved, but \(control.state.tempo) is set")
    }
  }

  override func reconfigured() {
    // Another source has not been heard before.
    if scene.options.source != source { isPlaying = nil }
    source = scene.options.source
    disturb()
  }

  override func switched(isOn: Bool) {
    (session, last, interval, state) = (0, nil, nil, nil)
    isPlaying = false
    disturb()
  }

  private func disturb() {
    scene.noteJump()
    (disturbed, beats) = (scene.now, 0)
  }

  private func follow(_ what: ScriptedClock) {
    disturb()
    switch what {
    case .unplug: isPlugged = false
    case .plug: isPlugged = true
    case .start where isPlugged, .continue where isPlugged: isPlaying = true
    case .stop where isPlugged: isPlaying = false
    case .start, .continue, .stop, .position, .clocks: break
    }
  }

  /// A key that sets the tempo is refused; a preset and a reload still set it.
  private func see(_ new: MetronomeState) {
    defer { state = new }
    if !scene.isFollowing { followedSince = .ever } else { followedSince = min(followedSince, scene.now) }
    guard let old = state, old.tempo != new.tempo || old.bar != new.bar || old.isPlaying != new.isPlaying else {
      return
    }
    disturb()
    let wasFollowing = old.source?.isFollowed ?? false
    guard old.tempo != new.tempo, wasFollowing, old.score == nil, followedSince + .seconds(2) < scene.now else {
      return
    }
    newTempo = new.tempo
  }

  /// Must be called after the event that set the tempo, because a reload announces it before the options change.
  private func checkTempo() {
    guard let tempo = newTempo else { return }
    newTempo = nil
    let presets = scene.simulation.engine.control.savedState.presets
    let isKnown =
      (1...max(presets.count, 1)).contains { presets[place: $0]?.tempo == tempo }
      || scene.simulation.options.settings.tempo == tempo
    if !isKnown { scene.breach(.followsSource, "a key has set \(tempo), although a source is followed") }
  }

  private func see(_ beat: Beat) {
    defer { last = beat }
    guard let last, session == scene.timeline.session, last.index + 1 == beat.index else {
      session = scene.timeline.session
      interval = nil
      return
    }
    let now = beat.instant - last.instant
    defer { interval = now }
    beats += 1
    guard scene.isFollowing, let state, state.score == nil, !state.trainer.contains("ramp") else { return }
    // The metre that plays: another one may wait for its bar line.
    let metre = scene.timeline.bar(ofBeat: last.index)?.metre ?? state.bar.metre
    let quarters = (4 * metre.notesInBeat, metre.signature.denominator)
    if let interval { checkDistance(now, interval, quarters, beat) }
    checkInStep(beat, now, quarters)
  }

  /// Two beats are never nearer than 0.6 of the shorter period. The first clocks may give a tempo that is off by the jitter.
  private func checkDistance(_ now: Nanoseconds, _ before: Nanoseconds, _ quarters: (Int, Int), _ beat: Beat) {
    // A change of the bar takes effect after the lead.
    let hasSettled = disturbed == .never || (beats > 2 && disturbed + scene.lead.duration * 2 < beat.instant)
    guard isRegular, hasSettled else { return }
    let own = shortest * Int64(quarters.0) / Int64(quarters.1)
    let period = min(before, own - own / 8)
    if now.count * 10 < period.count * 6 {
      scene.breach(
        .followsSource, "beat \(beat.index) is \(now.count) ns after the one before, in a period of \(period.count) ns")
    }
  }

  /// After a while without a change, the beats are clocks of the source.
  private func checkInStep(_ beat: Beat, _ now: Nanoseconds, _ quarters: (Int, Int)) {
    guard disturbed + FollowingChecker.patience < last?.instant ?? .never, beats > FollowingChecker.fewestBeats,
      isPlugged, place > 0,
      let line = script.prefix(place).last(where: { if case .clocks = $0.what { true } else { false } }),
      case .clocks(let from, let to, let time, let flaws) = line.what, from == to, flaws.loss == 0,
      flaws.doubling == 0, beat.instant < line.time + time
    else { return }
    let clock = Int128(60_000_000_000_000 / 24)
    let (tempo, half) = (Int128(from), flaws.jitter.count / 2)
    guard flaws.jitter * 8 <= Nanoseconds(Int64(clock / tempo)) else { return }
    let length = Int64(clock * 24 * Int128(quarters.0) / (tempo * Int128(quarters.1)))
    let slack = FollowingChecker.tolerance.count + half
    if abs(now.count - length) > slack + length / 100 {
      scene.breach(.followsSource, "beat \(beat.index) lasts \(now.count) ns, but \(length) ns at the source")
    }
    guard isPlaying == true else { return }
    let latency = scene.options.source?.latency.count ?? 0
    let late = Int128((beat.instant - line.time).count + latency - half) * tempo
    let error = Int64((late - (late + clock / 2) / clock * clock) / tempo)
    if abs(error) > slack {
      scene.breach(.followsSource, "beat \(beat.index) is \(error) ns after the nearest clock of the source")
    }
  }
}
