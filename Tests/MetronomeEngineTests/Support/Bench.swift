import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// A metronome on a simulated board of its own, with its trace.
///
/// Every test makes one; nothing is shared and nothing real is opened.
struct Bench {
  let simulation: Simulation
  let trace = RecordedTrace()

  /// - Parameter sound: whether the board has a sound card.
  init(
    _ settings: Settings = Settings(), sound: Bool = false, pattern: OutputPattern = OutputPattern(),
    script: Script = Script(), faults: FaultPlan = FaultPlan(), format: AudioFormat? = nil,
    recording: (any SoundRecording)? = nil, latencies: OutputLatencies = .none, lead: Lead? = nil, driftPPB: Int64 = 0,
    rules: Rules = Rules(), gestures: GestureTable<Command> = .standard, inputs: [InputRequest] = []
  ) {
    var board = SimulatedBoard.Options()
    if let format { board.audio = format }
    if !sound { board.audio = nil }
    board.faults = faults
    board.inputs = inputs
    board.recording = recording
    board.audioDriftPPB = driftPPB
    do throws(HardwareError) {
      simulation = try Simulation(
        EngineOptions(
          settings: settings, rules: rules, gestures: gestures, pattern: pattern, latencies: latencies), board: board,
        sinks: [trace])
    } catch {
      fatalError("a board without faults at its opening can be had: \(error)")
    }
    if let lead { simulation.engine.lead.hold(lead) }
    simulation.board.buttons.schedule(script.edges(from: .zero))
    simulation.board.inputs?.schedule(script.inputs(from: .zero))
    simulation.board.chip.schedule(script.chipActions(from: .zero))
  }

  /// Runs to a time and ends there.
  @discardableResult
  func ended(after time: Nanoseconds) -> Bench {
    simulation.run(until: .zero + time)
    simulation.finish()
    return self
  }

  /// What happened, of the kinds that are wanted, a line each: the time in a unit, rounded down, and what.
  func lines(per unit: Nanoseconds, _ kinds: Set<Kind> = [.state]) -> [String] {
    trace.events.compactMap { event in
      guard let (kind, text) = Bench.describe(event.what), kinds.contains(kind) else { return nil }
      return "\(event.time.count / unit.count) \(text)"
    }
  }

  enum Kind { case state, beat, line, click, sound, incident }

  private static func describe(_ what: TraceEvent.What) -> (Kind, String)? {
    switch what {
    case .state(let state):
      (
        .state,
        "\(state.isPlaying ? "playing" : "stopped") \(state.tempo) \(state.signature)\(state.isSilent ? " silent" : "")"
      )
    case .beat(let beat): (.beat, "\(beat.level.word) \(beat.parity)")
    case .line(let output, let isActive): (.line, "\(output) \(isActive ? "on" : "off")")
    case .click(let position, let level):
      (.click, "\(level.word) click \(position.whole + (position.fraction >= 0.5 ? 1 : 0))")
    case .audio(let state): (.sound, describe(state))
    case .button: nil
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

  /// The beats that were shown and when.
  var beats: [(time: Nanoseconds, beat: Beat)] {
    trace.events.compactMap { event in
      if case .beat(let beat) = event.what { (event.time, beat) } else { nil }
    }
  }

  /// When an output went on.
  func rises(of output: Output) -> [Nanoseconds] {
    trace.events.compactMap { $0.what == .line(output, isActive: true) ? $0.time : nil }
  }

  /// When clicks began to sound.
  var clicks: [Nanoseconds] {
    trace.events.compactMap { event in
      if case .click = event.what { event.time } else { nil }
    }
  }

  /// Clicks that sound further than a microsecond from any beat.
  var clicksBesideBeats: [Nanoseconds] {
    let beats = beats.map(\.time)
    return clicks.filter { click in !beats.contains { abs((click - $0).count) <= 1_000 } }
  }

  /// What is on after the last event.
  var finalLevels: OutputSet {
    var levels = OutputSet.inactive
    for event in trace.events {
      guard case .line(let output, let isActive) = event.what else { continue }
      if isActive { levels.insert(output) } else { levels.remove(output) }
    }
    return levels
  }
}

/// Compares a trace whole with what is written, a line each, and shows the first difference in place.
func expect(_ actual: [String], _ expected: String, _ location: SourceLocation = #_sourceLocation) {
  let wanted = expected.split(separator: "\n").map { $0.trimmingBlanks }
  guard actual != wanted else { return }
  let same = zip(actual, wanted).prefix { $0 == $1 }.count
  var diff = wanted.prefix(same).suffix(3).map { "  " + $0 }
  diff += wanted.dropFirst(same).prefix(8).map { "- " + $0 }
  diff += actual.dropFirst(same).prefix(8).map { "+ " + $0 }
  Issue.record("expected (-), happened (+):\n\(diff.joined(separator: "\n"))", sourceLocation: location)
}

extension Substring {
  fileprivate var trimmingBlanks: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
