import BoardSimulation
import ControlSocket
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import MetronomeSimulation

/// Checks all promises during a simulation: as a sink of its trace, and after each step.
final class Court: TraceSink {
  /// Facts about a life that are known in advance.
  struct Facts {
    var script: Script
    /// The shortest and the longest lock-out of all configurations.
    var lockOuts: ClosedRange<Nanoseconds>
    /// Whether the rates of card and clock never change.
    var isEven: Bool
    /// The largest deviation of the card from its nominal rate, in parts per billion (10⁻⁹).
    var driftPPB: Int64
    /// The instants of faults of the sound, and of reloads.
    var troubles: [Instant]
  }

  private var scene: Scene?
  private var checkers: [Checker] = []
  private(set) var events = 0
  private(set) var beats: BeatChecker?
  private(set) var clicks: ClickChecker?
  private(set) var pace: PaceChecker?

  var breaches: [Breach] { scene?.breaches ?? [] }
  var boots: Int { scene?.boots ?? 0 }

  /// Called right after the simulation was created, before any other event.
  func attend(_ simulation: Simulation, _ wiring: Wiring, _ facts: Facts, tape: Tape?) {
    let scene = Scene(simulation, wiring: wiring)
    self.scene = scene
    let beats = BeatChecker(scene)
    let clicks = ClickChecker(scene, facts)
    let pace = PaceChecker(scene)
    (self.beats, self.clicks, self.pace) = (beats, clicks, pace)
    checkers = [
      beats, StretchChecker(scene), CommitChecker(scene), DarknessChecker(scene), LineChecker(scene), clicks,
      SilenceChecker(scene),
      ReleaseChecker(scene, script: facts.script, lockOut: facts.lockOuts.upperBound),
      UndoChecker(scene, script: facts.script, lockOut: facts.lockOuts.lowerBound), StateChecker(scene),
      WatchdogChecker(scene), FigureChecker(scene), pace, ReportChecker(scene), LeadChecker(scene),
      MIDIChecker(scene), FollowingChecker(scene, facts.script), SessionChecker(scene), CommandChecker(scene),
      TimerChecker(scene), DisplayChecker(scene, facts.script),
    ]
    if let source = SourceChecker(scene, facts.script) { checkers.append(source) }
    if let tape { checkers.append(TapeChecker(scene, tape)) }
    if let hands = TidyHands(facts.script, lockOuts: facts.lockOuts) {
      checkers.append(PressChecker(scene, hands: hands))
    }
    look(after: nil)
    simulation.stepped = { [unowned self] in look(after: $0) }
  }

  /// Called right after ``attend(_:_:_:tape:)``.
  func attend(_ programs: OtherPrograms) {
    programs.answering = { [unowned self] in for checker in checkers { checker.answering($0) } }
    programs.exchanged = { [unowned self] in for checker in checkers { checker.exchanged($0, $1) } }
    programs.wished = { [unowned self] in for checker in checkers { checker.wished($0) } }
  }

  /// Called when a reload changes the wiring.
  func follow(_ wiring: Wiring) { scene?.wiring = wiring }

  func receive(_ event: TraceEvent) {
    events += 1
    guard let scene else { return }
    if scene.hasSwitched { followSwitch(scene) }
    if case .state(let state) = event.what { scene.note(state) }
    notifyCheckers(of: event)
  }

  /// Releases the simulation, which holds this object as a sink.
  func dismiss() {
    (scene, checkers) = (nil, [])
    (beats, clicks, pace) = (nil, nil, nil)
  }

  /// Reports a false event to the checkers.
  func receive(_ forgery: Forgery) {
    guard let scene, let last = beats?.last else { return }
    if case .command(let words) = forgery {
      let request = ControlMessage("do", ["command": words])
      for checker in checkers { checker.answering(request) }
      for checker in checkers { checker.exchanged(request, [ControlMessage("done")]) }
    }
    if let what = forgery.what(after: last) { receive(TraceEvent(scene.now - .zero, what)) }
    look(after: .beats)
    look(after: .control)
  }

  func finish(at end: Nanoseconds) { for checker in checkers { checker.end() } }

  private func notifyCheckers(of event: TraceEvent) { for checker in checkers { checker.see(event) } }

  private func look(after loop: Simulation.Loop?) {
    guard let scene else { return }
    if scene.hasSwitched { followSwitch(scene) }
    if loop == nil, scene.lookAtOptions() { for checker in checkers { checker.reconfigured() } }
    let changes = scene.look()
    for checker in checkers { checker.look(after: loop, changes) }
    scene.lookAtLead()
  }

  private func followSwitch(_ scene: Scene) {
    let wasOn = scene.isOn
    scene.look()
    if wasOn { for checker in checkers { checker.switched(isOn: false) } }
    guard scene.isOn else { return }
    scene.lookAtLead()
    _ = scene.lookAtOptions()
    for checker in checkers { checker.switched(isOn: true) }
  }
}

extension Forgery {
  /// nil: it is not an event of the trace.
  fileprivate func what(after last: Beat) -> TraceEvent.What? {
    switch self {
    case .beat(let time, let number):
      let position = (last.position + Int(number)) % 4
      let bar = last.bar + (position < last.position ? 1 : 0)
      return .beat(Beat(index: last.index + number, instant: last.instant + time, bar: bar, position: position))
    case .line(let output, let isActive): return .line(output, isActive: isActive)
    case .click(let level): return .click(FramePosition(whole: 0, fraction: 0), level)
    case .state: return .state(MetronomeState(isPlaying: true, Music(tempo: Tempo(bpm: 77)!, signature: .initial)))
    case .missed: return .missed(clicks: 1)
    case .command: return nil
    }
  }
}
