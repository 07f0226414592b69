import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// A metronome on its own simulated board, with a trace.
///
/// Every test creates its own; nothing is shared, and no real hardware is opened.
struct Bench {
  let simulation: Simulation
  let trace = RecordedTrace()

  /// - Parameter audio: whether the board has a sound card.
  init(
    _ settings: Settings = Settings(), audio: Bool = false, pattern: OutputPattern = OutputPattern(),
    script: Script = Script(), faults: FaultPlan = FaultPlan(), format: AudioFormat? = nil,
    recording: (any AudioRecording)? = nil, latencies: OutputLatencies = .none, lead: Lead? = nil, driftPPB: Int64 = 0,
    rules: Rules = Rules(), gestures: GestureTable = .standard, inputs: [InputRequest] = [],
    sounds: ClickSounds = ClickSounds(), score: SetList? = nil
  ) {
    var board = SimulatedBoard.Options()
    if let format { board.audio = format }
    if !audio { board.audio = nil }
    board.faults = faults
    board.inputs = inputs
    board.recording = recording
    board.faults.drift(driftPPB, from: .zero)
    var options = EngineOptions(
      settings: settings, rules: rules, gestures: gestures, pattern: pattern, sounds: sounds, latencies: latencies)
    options.score = score
    do throws(HardwareError) {
      simulation = try Simulation(options, board: board, sinks: [trace])
    } catch {
      fatalError("opening the simulated board failed: \(error)")
    }
    if let lead { simulation.engine.lead.hold(lead) }
    simulation.board.buttons.schedule(script.edges(from: .zero))
    simulation.board.inputs?.schedule(script.inputs(from: .zero))
    simulation.board.chip.schedule(script.chipActions(from: .zero))
  }

  /// Runs until a time and ends the simulation.
  @discardableResult
  func ended(after time: Nanoseconds) -> Bench {
    simulation.run(until: .zero + time)
    simulation.finish()
    return self
  }

  /// The events of the given kinds, one per line: the time in `unit`, rounded down, and the event.
  func lines(per unit: Nanoseconds, _ kinds: Set<Kind> = [.state]) -> [String] {
    trace.events.compactMap { event in
      guard let (kind, text) = Bench.describe(event.what), kinds.contains(kind) else { return nil }
      return "\(event.time.count / unit.count) \(text)"
    }
  }

  enum Kind { case state, beat, line, click, audio, incident }

  private static func describe(_ what: TraceEvent.What) -> (Kind, String)? {
    switch what {
    case .state(let state):
      (
        .state,
        "\(state.isPlaying ? "playing" : "stopped") \(state.tempo) \(state.signature)\(state.isSilent ? " silent" : "")"
      )
    case .beat(let beat): (.beat, "\(beat.level.word) \(beat.parity)")
    case .line(let output, let isActive): (.line, "\(output) \(isActive ? "on" : "off")")
    case .click(let position, let level, _):
      (.click, "\(level.word) click \(position.whole + (position.fraction >= 0.5 ? 1 : 0))")
    case .audio(let state): (.audio, describe(state))
    case .button, .hit, .midi, .display: nil
    case .lostClocks(let count, _): (.incident, "lost \(count) clocks")
    case .skipped(let beats): (.incident, "skipped \(beats)")
    case .missed(let clicks): (.incident, "missed \(clicks)")
    case .underrun(let frames): (.incident, "underrun \(frames)")
    case .fault(let error): (.incident, "\(error.operation) failed")
    case .ended(let ending): (.incident, "ended by \(ending)")
    case .began: (.incident, "began")
    }
  }

  private static func describe(_ state: AudioState) -> String {
    switch state {
    case .off: "off"
    case .waiting(_, let absence): "waiting \(absence.cause)"
    case .locking: "locking"
    case .locked: "locked"
    }
  }

  /// The shown beats and their times.
  var beats: [(time: Nanoseconds, beat: Beat)] {
    trace.events.compactMap { event in
      if case .beat(let beat) = event.what { (event.time, beat) } else { nil }
    }
  }

  /// The times at which an output switched on.
  func rises(of output: OutputLine) -> [Nanoseconds] {
    trace.events.compactMap { $0.what == .line(output, isActive: true) ? $0.time : nil }
  }

  /// The times at which clicks started.
  var clicks: [Nanoseconds] {
    trace.events.compactMap { event in
      if case .click = event.what { event.time } else { nil }
    }
  }

  /// Clicks more than a microsecond away from any beat.
  var clicksBesideBeats: [Nanoseconds] {
    let beats = beats.map(\.time)
    return clicks.filter { click in !beats.contains { abs((click - $0).count) <= 1_000 } }
  }

  /// The outputs that are on after the last event.
  var finalLevels: LineSet {
    var levels = LineSet.inactive
    for event in trace.events {
      guard case .line(let output, let isActive) = event.what else { continue }
      if isActive { levels.insert(output) } else { levels.remove(output) }
    }
    return levels
  }
}

/// Compares a whole trace with the expected lines, and reports the first difference at the caller's line.
func expect(_ actual: [String], _ expected: String, _ location: SourceLocation = #_sourceLocation) {
  let wanted = expected.split(separator: "\n").map { $0.trimmingBlanks }
  guard actual != wanted else { return }
  let same = zip(actual, wanted).prefix { $0 == $1 }.count
  var diff = wanted.prefix(same).suffix(3).map { "  " + $0 }
  diff += wanted.dropFirst(same).prefix(8).map { "- " + $0 }
  diff += actual.dropFirst(same).prefix(8).map { "+ " + $0 }
  Issue.record("expected (-), actual (+):\n\(diff.joined(separator: "\n"))", sourceLocation: location)
}

extension Substring {
  fileprivate var trimmingBlanks: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
