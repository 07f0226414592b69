import BoardSimulation
import ControlSocket
import MetronomeCore
import MetronomeEngine

/// The state does not change by a button that is no longer held.
final class ReleaseChecker: Checker {
  /// A contact that was closed, or a dial that was turned.
  private struct Touch {
    var begin: Instant
    var end: Instant
  }

  /// How often a held button's level is read.
  private static let look = Nanoseconds.milliseconds(100)

  /// The touches, in order of their starts.
  private var touches: [Touch] = []
  private var place = 0
  private var lastEnd = Instant(nanoseconds: .min / 2)
  private let lockOut: Nanoseconds
  /// Unreadable buttons are retried every second, after each unplugging of their chip.
  private let rest: Nanoseconds
  private var cause = Instant.zero
  private var last: MetronomeState
  /// Whether the last state was one in a Link session.
  private var wasLinked = false
  private var news: [MetronomeState] = []
  /// The speeds of all places that presets had.
  private var recallableSpeeds: Set<Int> = []

  /// - Parameter lockOut: the longest lock-out of all configurations.
  init(_ scene: Scene, script: Script, lockOut: Nanoseconds) {
    self.lockOut = lockOut
    rest = .seconds(1) * Int64(script.chipActions(from: .zero).count)
    last = scene.simulation.engine.control.state
    last.source = nil
    super.init(scene)
    var open: [ButtonEdge] = []
    func take(_ edge: ButtonEdge) {
      switch edge.direction {
      case .down: open.append(edge)
      case .up:
        guard let index = open.firstIndex(where: { $0.button == edge.button && $0.origin == edge.origin }) else {
          return
        }
        touches.append(Touch(begin: open.remove(at: index).instant, end: edge.instant))
      }
    }
    for edge in script.edges(from: .zero) { take(edge) }
    for action in script.inputs(from: .zero) {
      switch action {
      case .edge(let edge): take(edge)
      case .turn(let turn): touches.append(Touch(begin: turn.instant, end: turn.instant))
      case .unplug, .plug, .overflow, .clock: break
      }
    }
    for control in script.controls where !control.what.isOfSession {
      touches.append(Touch(begin: .zero + control.time, end: .zero + control.time))
    }
    for edge in open { touches.append(Touch(begin: edge.instant, end: Instant(nanoseconds: .max / 2))) }
    touches.sort { $0.begin < $1.begin }
  }

  override func see(_ event: TraceEvent) {
    switch event.what {
    case .state(let state): news.append(state)
    case .button: noteRecallable()
    default: break
    }
  }

  /// A press may recall a place, and another one store something else there before its bar line.
  private func noteRecallable() {
    let presets = scene.simulation.engine.control.savedState.presets.presets
    recallableSpeeds.formUnion(presets.compactMap { $0.place?.speed })
  }

  override func look(after loop: Simulation.Loop?, _ changes: Scene.Changes) {
    guard !news.isEmpty else { return }
    followTouches()
    noteRecallable()
    for state in news { check(state) }
    news = []
  }

  private func followTouches() {
    while place < touches.count, touches[place].begin <= scene.now {
      lastEnd = max(lastEnd, touches[place].end)
      place += 1
    }
  }

  /// The metronome asks for a tempo only after a touch: joining a session does not change its tempo.
  override func wished(_ wish: ControlMessage) {
    followTouches()
    guard wish["tempo"] != nil, lastEnd + grace < scene.now else { return }
    scene.breach(.followsSession, "\(wish), but no input was touched after \(lastEnd.nanoseconds)")
  }

  private var grace: Nanoseconds { lockOut + ReleaseChecker.look + rest + .milliseconds(10) + scene.lateness }

  private func check(_ announced: MetronomeState) {
    var state = announced
    // A source appears, disappears, starts and stops playback without a press.
    state.source = nil
    let isLinked = announced.source?.kind == "link"
    defer { (last, wasLinked) = (state, isLinked) }
    var sourced = last
    if scene.options.source?.hasTransport ?? false { sourced.isPlaying = state.isPlaying }
    // A session also starts and stops playback, and sets the tempo.
    if isLinked || wasLinked { (sourced.isPlaying, sourced.tempo) = (state.isPlaying, state.tempo) }
    guard state != sourced else { return }
    let mayBeStopped = scene.options.source?.hasTransport == true || isLinked || wasLinked
    let mayStop = scene.options.rules.autoStop != nil || last.mayEnd || mayBeStopped
    let isStop = last.isPlaying && !state.isPlaying && state.isSilent == last.isSilent && mayStop
    guard !isStop, !state.continues(last), !isRecalled(state), scene.now > cause, lastEnd + grace < scene.now else {
      return
    }
    scene.breach(.released, "the state became \(state), but no input was touched after \(lastEnd.nanoseconds)")
  }

  override func reconfigured() { cause = scene.now }

  /// Whether a place that a preset recalled begins at its bar line, at its own speed.
  private func isRecalled(_ state: MetronomeState) -> Bool {
    guard let speed = state.score?.speed else { return false }
    var old = last
    old.score?.speed = speed
    return state.continues(old) && recallableSpeeds.contains(speed)
  }

  override func switched(isOn: Bool) {
    cause = scene.now
    last = scene.simulation.engine.control.state
    last.source = nil
    wasLinked = false
  }
}

extension MetronomeState {
  /// Whether playback may end by itself: a score is over, or the timer has run out.
  var mayEnd: Bool { score != nil || trainer.contains("timer") }
}
