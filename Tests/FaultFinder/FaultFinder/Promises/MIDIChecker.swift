import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// The MIDI outputs send 24 clocks per quarter at the instants that the beats of the trace give, a start ahead of the first beat,
/// and a stop.
final class MIDIChecker: Checker {
  private struct Port {
    /// The clocks of recent beats, on the timeline: later than they were sent by the latency.
    var clocks: [Instant] = []
    /// When a start was sent whose first clock is still to come.
    var start: Instant?
    var session: UInt32 = 0
    /// When the last start was sent, on the timeline; nil: a stop has followed.
    var started: Instant?
    var hasStarted: Bool { started != nil }
    /// Whether a start was sent before a reload that may have replaced the port.
    var startedBeforeReload = false
    /// When a pause of the score stopped the followers last.
    var paused = Instant.never
    /// Whether clocks were lost since the start.
    var hasLost = false
    /// When the port was last full, unplugged or plugged in, or the loop late.
    var trouble = Instant.never
    var opening: UInt32 = 0
  }

  /// Ports are sent up to 20 ms later than the timeline.
  private static let latest = Nanoseconds.milliseconds(25)
  private static let startLead = Nanoseconds.milliseconds(1)...Nanoseconds.milliseconds(3)

  private var ports = [Port](repeating: Port(), count: MIDIPlan.maxPorts)
  /// The beats whose clocks are not yet judged.
  private var beats: [Beat] = []
  /// The length of the beat before them.
  private var lengthBefore = Nanoseconds.zero
  private var session: UInt32 = 0
  private var sessionBegan = Instant.never
  /// When the session, the options or the power last changed.
  private var changed = Instant.never
  /// When the beats last changed.
  private var moved = Instant.never

  override func see(_ event: TraceEvent) {
    switch event.what {
    case .beat(let beat):
      followSession()
      beats.append(beat)
    case .midi(.clock, let port): seeClock(port)
    case .midi(.stop, let port): seeStop(port)
    case .midi(let message, let port): if message[0] == 0xF2 { seeStart(port) }
    case .lostClocks(let count, let port):
      ports[port].hasLost = true
      // A jump of the source or a tap may move the end of the beat to now: its clocks would be sent at once.
      let hasMoved = moved >= scene.now - scene.lead.duration - .seconds(1)
      let isExcused =
        scene.lateness > .zero || isFull(port) || hasMoved || hasTrouble(port, since: scene.now - .seconds(1))
      if !isExcused { scene.breach(.clocksOnTime, "port \(port + 1) has lost \(count) clocks without a fault") }
      ports[port].trouble = scene.now
    case .line, .click, .hit, .button, .state, .skipped, .missed, .underrun, .fault, .audio, .display, .ended, .began:
      break
    }
  }

  override func look(after loop: Simulation.Loop?, _ changes: Scene.Changes) {
    guard let outputs = scene.simulation.board.midi, outputs.count > 0 else { return beats = [] }
    if changes.isSwitched { change() }
    if changes.hasOtherBeats { moved = scene.now }
    followSession()
    for port in 0..<outputs.count {
      let opening = outputs.opening(of: port)
      if opening != ports[port].opening || opening == 0 || isFull(port) { ports[port].trouble = scene.now }
      let isLate = (loop == .midi && scene.lateness > .zero) || scene.simulation.wakeDelay(.midi) > .zero
      if isLate { ports[port].trouble = scene.now }
      ports[port].opening = opening
      if loop == .midi, scene.isOn, !scene.timeline.isPlaying { checkStop(port) }
    }
    while beats.count > 1, beats[1].instant + MIDIChecker.latest < scene.now {
      for port in 0..<outputs.count { judge(port, beats[0], beats[1]) }
      lengthBefore = beats[1].instant - beats[0].instant
      beats.removeFirst()
    }
  }

  override func reconfigured() {
    change()
    // A reload may have replaced the ports.
    for port in ports.indices {
      ports[port].startedBeforeReload = ports[port].startedBeforeReload || ports[port].hasStarted
      (ports[port].started, ports[port].trouble) = (nil, scene.now)
    }
  }

  override func switched(isOn: Bool) {
    change()
    ports = ports.map { Port(trouble: scene.now, opening: $0.opening) }
    session = 0
  }

  private func change() {
    changed = scene.now
    (beats, lengthBefore) = ([], .zero)
  }

  private func followSession() {
    guard scene.timeline.session != session else { return }
    session = scene.timeline.session
    sessionBegan = scene.now
    change()
  }

  private func isFull(_ port: Int) -> Bool { scene.simulation.board.midi?.isFull[port] ?? false }

  private func hasTrouble(_ port: Int, since instant: Instant) -> Bool {
    ports[port].trouble >= instant || scene.reconfigured >= instant
  }

  /// The instant of the timeline that the port sends now.
  private func view(_ port: Int) -> Instant { scene.now + scene.options.midi[port].latency }

  // MARK: Messages

  private func seeClock(_ port: Int) {
    guard port < scene.options.midi.count else { return }
    let view = view(port)
    // Of a stopped metronome only the last one is the neighbor of a clock that is judged.
    if !scene.timeline.isPlaying { ports[port].clocks = [] }
    ports[port].clocks.append(view)
    if let start = ports[port].start {
      ports[port].start = nil
      checkStart(port, start, clock: view)
    }
    let first = scene.timeline.beat(scene.timeline.first)?.instant ?? .never
    if !scene.options.clockWhenStopped, !scene.timeline.isPlaying || view < first {
      scene.breach(.clocksStart, "port \(port + 1) has sent a clock while the metronome is stopped")
    }
  }

  private func checkStart(_ port: Int, _ start: Instant, clock view: Instant) {
    guard !hasTrouble(port, since: start - .seconds(1)), scene.lateness == .zero else { return }
    if !MIDIChecker.startLead.contains(view - start) {
      scene.breach(.clocksStart, "port \(port + 1) has sent a start \((view - start).count) ns before a clock")
    }
    let beat = scene.timeline.lastBeat(atOrBefore: view)
    if beat?.instant != view || beat?.position != 0 || beat?.bar ?? -1 < 0 {
      scene.breach(.clocksStart, "the clock after a start of port \(port + 1) does not begin a bar")
    }
  }

  private func seeStart(_ port: Int) {
    guard port < scene.options.midi.count else { return }
    let isSame = ports[port].session == scene.timeline.session
    if ports[port].hasStarted, !isSame, !hasTrouble(port, since: sessionBegan - .seconds(1)) {
      scene.breach(.clocksStart, "port \(port + 1) has sent no stop before another start")
    }
    if isSame, ports[port].hasStarted, !ports[port].hasLost {
      scene.breach(.clocksStart, "port \(port + 1) has sent a second start, although no clock was lost")
    }
    (ports[port].session, ports[port].started, ports[port].hasLost) = (scene.timeline.session, view(port), false)
    ports[port].start = view(port)
  }

  private func seeStop(_ port: Int) {
    ports[port].start = nil
    // A reload has removed the port, and its followers are stopped.
    guard port < scene.options.midi.count else { return }
    // The end of the program stops the followers at once, before the timeline is looked at again.
    let session = scene.simulation.engine.control.timeline.session
    if !ports[port].hasStarted, !ports[port].startedBeforeReload, !hasTrouble(port, since: sessionBegan - .seconds(60))
    {
      scene.breach(.clocksStart, "port \(port + 1) has sent a stop without a start")
    }
    if isPause(at: view(port)) {
      ports[port].paused = view(port)
    } else if ports[port].session == session, ports[port].hasStarted {
      scene.breach(.clocksStart, "port \(port + 1) has sent a stop while the metronome plays")
    }
    (ports[port].started, ports[port].startedBeforeReload) = (nil, false)
  }

  /// Whether the next beat is more than a beat later than the end of the last one, which is now.
  private func isPause(at view: Instant) -> Bool {
    guard scene.timeline.isPlaying, let last = scene.timeline.lastBeat(atOrBefore: view) else { return false }
    let next = scene.timeline.knownBeat(last.index + 1)
    return next.instant - view > view - last.instant
  }

  /// Must be called after a step of the loop, while the metronome is stopped.
  private func checkStop(_ port: Int) {
    guard ports[port].hasStarted else { return }
    ports[port].started = nil
    if !hasTrouble(port, since: scene.now) { scene.breach(.clocksStart, "port \(port + 1) has sent no stop") }
  }

  // MARK: Clocks

  private func judge(_ port: Int, _ beat: Beat, _ next: Beat) {
    let begin = beat.instant - MIDIChecker.latest
    let early = ports[port].clocks.prefix { $0 < beat.instant }.count
    let before = early > 0 ? ports[port].clocks[early - 1] : nil
    ports[port].clocks.removeFirst(early)
    // Clocks in a pause are those of a stopped metronome. Followers that were not started before it are not stopped.
    let isStopped = ports[port].paused > beat.instant && ports[port].paused < next.instant
    let runs = ports[port].started.map { $0 < beat.instant } ?? false
    let pause = isStopped ? ports[port].paused : runs ? nil : scene.timeline.pause(beforeBeat: next.index)
    let end = pause ?? next.instant
    let clocks = Array(ports[port].clocks.prefix { $0 < end })
    guard next.index == beat.index + 1, changed < begin, !hasTrouble(port, since: begin),
      let metre = scene.timeline.bar(ofBeat: beat.index)?.metre
    else { return }
    let count = 96 * metre.notesInBeat / metre.signature.denominator
    if clocks.count != count {
      scene.breach(
        .clocksOnTime, "port \(port + 1) has sent \(clocks.count) clocks from beat \(beat.index) on, not \(count)")
    }
    // A source that jumps may move the bar line so near that the start waits for the next one.
    let mayWait = scene.isSteered && scene.mayJump
    // Between clocks that are closer there is no room for a start.
    let hasRoom = before.map { beat.instant - $0 >= MIDIChecker.startLead.lowerBound } ?? true
    if beat.position == 0, beat.bar >= 0, !ports[port].hasStarted, !mayWait, hasRoom,
      beat.instant > sessionBegan + .milliseconds(100),
      !hasTrouble(port, since: sessionBegan)
    {
      scene.breach(.clocksStart, "port \(port + 1) has sent no start before beat \(beat.index)")
    }
    let length = (end - beat.instant).count
    if isEven(since: beat) { checkInstants(of: clocks, port, beat, length, Int64(count)) }
    // While a score leads, taps move its beats.
    let hasScore = scene.simulation.engine.control.state.score != nil
    guard isEven(since: beat) || (scene.isSteered && !scene.mayJump && !hasScore) else { return }
    let shorter = min(length, lengthBefore.count) / Int64(count)
    let all = (before.map { [$0] } ?? []) + clocks
    for (clock, after) in zip(all, all.dropFirst()) where (after - clock).count * 2 < shorter - 2 {
      scene.breach(
        .clocksOnTime, "port \(port + 1) has sent two clocks \((after - clock).count) ns apart in beat \(beat.index)")
    }
  }

  /// Whether the tempo has not changed for longer than the lead, and is the same within a beat.
  private func isEven(since beat: Beat) -> Bool {
    let state = scene.simulation.engine.control.state
    // A reload may have shortened the lead.
    let effect = max(moved + scene.lead.duration, scene.inEffect)
    return effect + .seconds(1) < beat.instant && state.score == nil && !scene.isSteered
      && !state.trainer.contains("ramp")
  }

  /// Clock k is at the k-th part of the beat, whose ends are rounded down to a nanosecond.
  private func checkInstants(
    of clocks: [Instant], _ port: Int, _ beat: Beat, _ length: Int64, _ count: Int64
  ) {
    for (number, clock) in clocks.enumerated() {
      let due = beat.instant + Nanoseconds(length * Int64(number) / count)
      guard abs((clock - due).count) > 1 else { continue }
      return scene.breach(
        .clocksOnTime,
        "clock \(number) of beat \(beat.index) on port \(port + 1) is \((clock - due).count) ns after its instant")
    }
  }
}
