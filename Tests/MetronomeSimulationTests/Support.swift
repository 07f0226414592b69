import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeSimulation

/// The run of a box with a script, and its trace.
struct Run {
  let life: BoxLife
  let trace = RecordedTrace()
  let json: [String]

  init(
    _ script: String, for length: Nanoseconds, configuration: String? = nil, files: [String: String] = [:],
    seed: UInt64? = nil
  ) throws {
    let text = Array(script.utf8)
    var plan = try SimulationPlan(
      configuration: configuration, script: Script(readableLinesOf: text), files: files, seed: seed)
    plan.script = try Script(text: text, file: "script", names: plan.configuration.wiring.names)
    var bytes: [UInt8] = []
    life = BoxLife(plan, sinks: [trace, JSONLinesTrace { bytes += $0 }])
    life.simulation.run(until: .zero + length)
    life.simulation.finish()
    json = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// When beats were shown, in milliseconds.
  var beats: [Int64] {
    trace.events.compactMap { if case .beat = $0.what { $0.time.count / 1_000_000 } else { nil } }
  }

  /// The ends and starts of the metronome, with their times in milliseconds.
  var ends: [String] {
    trace.events.compactMap { event in
      switch event.what {
      case .ended(let ending): "\(event.time.count / 1_000_000) \(ending)"
      case .began: "\(event.time.count / 1_000_000) begins"
      default: nil
      }
    }
  }

  /// The states, with their times in milliseconds.
  var states: [String] {
    trace.events.compactMap { event in
      guard case .state(let state) = event.what else { return nil }
      return "\(event.time.count / 1_000_000) \(state.isPlaying ? "playing" : "stopped") \(state.tempo)"
    }
  }

  /// The audio states, with their times in milliseconds.
  var sounds: [String] {
    trace.events.compactMap { event in
      guard case .audio(let state) = event.what else { return nil }
      let text =
        switch state {
        case .off: "off"
        case .waiting(_, let absence): "waiting: \(absence.cause)"
        case .locking: "locking"
        case .locked: "locked"
        }
      return "\(event.time.count / 1_000_000) \(text)"
    }
  }

  func faults(_ operation: HardwareError.Operation) -> [String] {
    trace.events.compactMap { event in
      guard case .fault(let error) = event.what, error.operation == operation else { return nil }
      return "\(event.time.count / 1_000_000) \(error.errno ?? 0)"
    }
  }
}
