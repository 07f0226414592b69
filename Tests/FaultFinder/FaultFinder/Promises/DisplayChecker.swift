import BoardSimulation
import ControlSocket
import MetronomeCore
import MetronomeEngine

/// The display shows the newest change, and otherwise the tempo. What it must show is reckoned here from the state, in other words
/// than by the program.
final class DisplayChecker: Checker {
  /// A change is visible after this time.
  private static let limit = Nanoseconds.milliseconds(300)
  /// How long a change may hide the tempo.
  private static let hold = Nanoseconds.milliseconds(2_300)
  /// When a display that was plugged in must show its text again.
  private static let refresh = Nanoseconds.milliseconds(5_300)

  private struct State: Equatable {
    var tempo: Int32
    var signature: String
    var steps: Int
    var isPlaying: Bool
  }

  /// From the start of an unplugging to the latest time at which the text is back.
  private let unplugged: [ClosedRange<Instant>]
  private var state: State?
  private var old: State?
  /// When the state, or anything else that may be shown, changed last.
  private var changed = Instant.zero
  /// Whether only tempo, signature or volume changed then, so that it is known what must be shown.
  private var isPlainChange = false
  private var place: String?
  /// The recalls of presets so far. The display shows each.
  private var recalls: UInt64 = 0
  /// The last reply, which the display shows, too.
  private var signal: BlinkCode?
  /// When the last delay of the loop ended.
  private var late = Instant.never

  init(_ scene: Scene, _ script: Script) {
    var since: Nanoseconds?
    var spans: [ClosedRange<Instant>] = []
    for mishap in script.mishaps {
      if mishap.what == .displayUnplugged { since = since ?? mishap.time }
      if mishap.what == .displayPlugged, let begin = since {
        spans.append((.zero + begin)...(.zero + mishap.time + DisplayChecker.refresh))
        since = nil
      }
    }
    if let since { spans.append((.zero + since)...Instant.ever) }
    unplugged = spans
    super.init(scene)
  }

  override func switched(isOn: Bool) { (state, changed) = (nil, scene.now) }

  override func reconfigured() { (changed, isPlainChange) = (scene.now, false) }

  override func exchanged(_ request: ControlMessage, _ answers: [ControlMessage]) {
    (changed, isPlainChange) = (scene.now, false)
  }

  override func see(_ event: TraceEvent) {
    // A button's command may have a reply.
    if case .button = event.what { (changed, isPlainChange) = (max(changed, scene.now), false) }
  }

  override func look(after loop: Simulation.Loop?, _ changes: Scene.Changes) {
    let display = scene.simulation.board.characters
    if scene.simulation.wakeDelay(.display) > .zero || scene.lateness > .zero { late = scene.now }
    guard scene.isOn, display.isConfigured else { return state = nil }
    judge(display.text.description)
    if scene.signal != signal { (signal, changed, isPlainChange) = (scene.signal, scene.now, false) }
    let control = scene.simulation.engine.control
    if control.recalls != recalls { (recalls, changed, isPlainChange) = (control.recalls, scene.now, false) }
    let now = control.state
    let new = State(
      tempo: now.tempo.milliBPM, signature: "\(now.signature)", steps: now.volume.stepsDown, isPlaying: now.isPlaying)
    let newPlace = now.score.map { "\($0.song) \($0.firstBar)" }
    if new != state || newPlace != place {
      isPlainChange = scene.now > changed && newPlace == place && state != nil
      (old, changed) = (state, scene.now)
    }
    (state, place) = (new, newPlace)
  }

  private var isJudged: Bool {
    scene.now > late + DisplayChecker.refresh && !unplugged.contains { $0.contains(scene.now) }
  }

  private func judge(_ text: String) {
    guard let state, isJudged else { return }
    let age = scene.now - changed
    let tempo = DisplayChecker.right("\((state.tempo + 500) / 1_000)", 4)
    if age > DisplayChecker.hold, state.isPlaying, text != tempo {
      scene.breach(.displayAgrees, "the display shows \"\(text)\" instead of the tempo \"\(tempo)\"")
    }
    guard isPlainChange, let old, age > DisplayChecker.limit, age < .seconds(2) - DisplayChecker.limit else { return }
    var expected = tempo
    if old.signature != state.signature {
      let numbers = state.signature.split(separator: "/").map(String.init)
      expected = DisplayChecker.right(String(numbers[0].split(separator: "+").count > 1 ? "?" : numbers[0]), 2) + ":"
      guard !expected.contains("?") else { return }
      expected += numbers[1] + (numbers[1].count < 2 ? " " : "")
    } else if old.steps != state.steps {
      expected = "U" + DisplayChecker.right("\(24 - state.steps)", 3)
    } else if old.tempo == state.tempo {
      return
    }
    if text != expected {
      scene.breach(.displayAgrees, "the display shows \"\(text)\" instead of the change \"\(expected)\"")
    }
  }

  private static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
