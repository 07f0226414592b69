import BoardSimulation
import MetronomeCore
import MetronomeEngine

/// A press that becomes another gesture is undone, and only that press: held play continues playing, and no change leaves a
/// gap.
final class UndoChecker: Checker {
  /// A press, or a turn of a dial.
  private struct Touch {
    var button: Button?
    var origin: Origin
    var begin: Instant
    var end: Instant
    /// Whether it is the command `tap` of another program.
    var isTap = false
  }

  /// A hold of play while it plays.
  private struct Hold {
    var touch: Touch
    var isSilent: Bool
    var mayEnd: Bool
  }

  private static let hold = Nanoseconds.milliseconds(500)
  /// Taps move beats, and a loop may be this late to apply them.
  private static let longestTap = Nanoseconds.seconds(40)

  /// The touches, in order of their starts.
  private var touches: [Touch] = []
  /// Whether no fault affects the buttons, and their contacts bounce for less than the lock-out.
  private let isPlain: Bool
  private var place = 0
  private var held: Hold?
  private var state: MetronomeState
  private var session: UInt32?
  private var last: Beat?
  /// The longest beat interval of the tempi that may be active; nil: unknown.
  private var longest: Nanoseconds?

  /// - Parameter lockOut: the shortest lock-out of all configurations.
  init(_ scene: Scene, script: Script, lockOut: Nanoseconds) {
    state = scene.simulation.engine.control.state
    isPlain =
      script.chipActions(from: .zero).isEmpty && !script.mishaps.contains { $0.what.delaysControl }
      && lockOut > .milliseconds(5)
    super.init(scene)
    var open: [ButtonEdge] = []
    func take(_ edge: ButtonEdge) {
      guard edge.direction == .up else { return open.append(edge) }
      guard let index = open.firstIndex(where: { $0.button == edge.button && $0.origin == edge.origin }) else { return }
      let begin = open.remove(at: index).instant
      touches.append(Touch(button: edge.button, origin: edge.origin, begin: begin, end: edge.instant))
    }
    for edge in script.edges(from: .zero) { take(edge) }
    for action in script.inputs(from: .zero) {
      switch action {
      case .edge(let edge): take(edge)
      case .turn(let turn): touches.append(Touch(origin: turn.origin, begin: turn.instant, end: turn.instant))
      case .unplug, .plug, .overflow, .clock: break
      }
    }
    for control in script.controls {
      guard case .command(let words, _) = control.what else { continue }
      let instant = Instant.zero + control.time
      touches.append(Touch(origin: .box, begin: instant, end: instant, isTap: words == "tap"))
    }
    for edge in open {
      touches.append(
        Touch(button: edge.button, origin: edge.origin, begin: edge.instant, end: Instant(nanoseconds: .max / 2)))
    }
    touches.sort { $0.begin < $1.begin }
    longest = interval(of: state)
  }

  override func see(_ event: TraceEvent) {
    switch event.what {
    case .state(let state):
      let interval = interval(of: state)
      longest = longest.flatMap { longest in interval.map { max(longest, $0) } }
    case .beat(let beat): see(beat)
    case .line, .click, .hit, .button, .skipped, .missed, .underrun, .fault, .audio, .display, .ended, .began, .midi,
      .lostClocks:
      break
    }
  }

  override func look(after loop: Simulation.Loop?, _ changes: Scene.Changes) {
    if changes.hasTimeline, !isSimple { longest = nil }
    guard loop == .control, scene.isOn else { return }
    lookAtHold()
    state = scene.simulation.engine.control.state
  }

  override func reconfigured() { held = nil }

  override func switched(isOn: Bool) {
    (session, last, longest, held) = (nil, nil, nil, nil)
    state = scene.simulation.engine.control.state
  }

  /// nil while a score or a MIDI source sets the tempo.
  private func interval(of state: MetronomeState) -> Nanoseconds? {
    guard state.score == nil, !scene.isSteered else { return nil }
    let metre = state.bar.metre
    let divisor = Int64(state.tempo.milliBPM) * Int64(metre.signature.denominator) * (metre.unit.isDotted ? 3 : 1)
    return Nanoseconds(60_000_000_000_000 * Int64(metre.unit.denominator * metre.notesInBeat) / divisor + 1)
  }

  // MARK: Gaps

  private func see(_ beat: Beat) {
    defer { last = beat }
    guard let last, session == scene.timeline.session else { return session = scene.timeline.session }
    // A MIDI source that has just begun moves beats from its first clock on, before the state says that it is there.
    let mayBeMoved = scene.options.source != nil && scene.mayJump
    if let longest, !mayBeMoved, last.index + 1 == beat.index, beat.instant - last.instant > longest {
      scene.breach(
        .noGap,
        "beat \(beat.index) is \((beat.instant - last.instant).count) ns after the previous beat, not \(longest.count) ns"
      )
    }
    let effect = scene.inEffect + .seconds(1)
    guard last.instant > effect else { return }
    guard let end = scene.simulation.engine.control.timeline.lastBeat(atOrBefore: effect) else { return }
    if last.bar > end.bar + 1 { longest = interval(of: scene.simulation.engine.control.state) }
  }

  /// Whether all active tempi are announced. If one of two simultaneous presses is undone, the tempo that the other one changed
  /// before that is not announced.
  private var isSimple: Bool {
    guard scene.lateness < .milliseconds(80) else { return false }
    let table = scene.options.gestures
    let begin = scene.now - UndoChecker.hold * 2 - .milliseconds(300)
    let recent = touches.filter { $0.begin <= scene.now && scene.now - UndoChecker.longestTap <= $0.end }
    guard !recent.contains(where: { touch in touch.isTap || table.commands(with: touch.button).contains(.tap) }) else {
      return false
    }
    let now = recent.filter { $0.end >= begin }
    guard now.count == 2, let one = now[0].button, let other = now[1].button else { return now.count < 2 }
    return ButtonPair(one, other).map { table[.chord($0)] != nil } ?? false
  }

  // MARK: Holds

  /// Must be called with the state before the step.
  private func lookAtHold() {
    while place < touches.count, touches[place].begin <= scene.now {
      let touch = touches[place]
      place += 1
      guard held == nil, state.isPlaying, scene.now < touch.begin + .milliseconds(20), isHeldPlay(touch) else {
        continue
      }
      // A score that a reload has loaded replaces the settings at a stop, which can then not be undone.
      let mayEnd =
        state.mayEnd || scene.options.score != nil || scene.options.source?.hasTransport ?? false || scene.isLinked
      held = Hold(touch: touch, isSilent: state.isSilent, mayEnd: mayEnd)
    }
    guard let held, scene.now >= held.touch.begin + UndoChecker.hold + .milliseconds(50) else { return }
    self.held = nil
    guard scene.now < held.touch.begin + UndoChecker.hold + .milliseconds(200) else { return }
    let after = scene.simulation.engine.control.state
    // A score and the timer end by themselves.
    if !after.isPlaying, held.mayEnd { return }
    guard !after.isPlaying || after.isSilent == held.isSilent else { return }
    scene.breach(.undoneAlone, "play is held since \(held.touch.begin.nanoseconds), but the state is \(after)")
  }

  private func isHeldPlay(_ touch: Touch) -> Bool {
    let table = scene.options.gestures
    guard isPlain, scene.options.rules.autoStop == nil, let button = touch.button, touch.origin == .box,
      scene.wiring.buttons[button] != nil,
      table[button].short == .togglePlaying, table[button].actsAtEdge, table[button].long == .toggleSilence,
      touch.end >= touch.begin + UndoChecker.hold + .milliseconds(60)
    else { return false }
    let begin = touch.begin - .seconds(1)
    let end = touch.begin + UndoChecker.hold + .milliseconds(200)
    let others = touches.filter { $0.end >= begin && $0.begin <= end }
    return others.count <= 4
      && others.allSatisfy { other in
        if other.button == button { return other.origin == touch.origin && other.begin == touch.begin }
        guard let second = other.button, let pair = ButtonPair(button, second), table[.chord(pair)] == nil else {
          return false
        }
        return table.commands(with: second).allSatisfy(\.leavesPlaying)
      }
  }
}

extension GestureTable {
  /// The commands of a button, alone or in chords.
  func commands(with button: Button?) -> [Command] {
    guard let button else { return [] }
    let binding = self[button]
    let chords = Button.standard.compactMap { ButtonPair(button, $0) }.compactMap { self[.chord($0)] }
    return [binding.short, binding.long, binding.repeated].compactMap(\.self) + chords
  }
}

extension Mishap {
  fileprivate var delaysControl: Bool { if case .late(.control, _) = self { true } else { false } }
}

extension Command {
  fileprivate var leavesPlaying: Bool {
    switch self {
    case .togglePlaying, .start, .stop, .tap, .toggleSilence: false
    default: true
    }
  }
}
