import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// A simulated metronome that plays notes on MIDI ports.
struct MIDINotesRig {
  let simulation: Simulation
  let trace = RecordedTrace()
  private(set) var options: EngineOptions

  init(_ settings: Settings, countIn: Int = 0, ports: [MIDIOutputRequest]) throws {
    var board = SimulatedBoard.Options()
    board.audio = nil
    board.midi = ports
    options = EngineOptions(settings: settings, rules: Rules(countIn: countIn))
    options.midi = ports
    options.clockWhenStopped = false
    simulation = try Simulation(options, board: board, sinks: [trace])
  }

  func run(until milliseconds: Int64) { simulation.run(until: .zero + .milliseconds(milliseconds)) }

  func at(_ milliseconds: Int64, _ command: Command) {
    run(until: milliseconds)
    simulation.perform(command)
  }

  /// Reloads with other ports.
  mutating func reconfigure(_ ports: [MIDIOutputRequest]) {
    var board = SimulatedBoard.Options()
    board.midi = ports
    options.midi = ports
    simulation.reconfigure(options, board: board, changes: BoardChanges(midi: true))
  }

  /// The messages of a port but clocks, each with its time in microseconds.
  func messages(_ port: Int = 0) -> [String] {
    trace.events.compactMap { event in
      guard case .midi(let message, port) = event.what, message != .clock else { return nil }
      return "\(event.time.count / 1_000) \(message.text)"
    }
  }

  /// The note-ons of a port: time in nanoseconds and bytes.
  func notes(_ port: Int = 0) -> [String] {
    trace.events.compactMap { event in
      guard case .midi(let message, port) = event.what, message[0] & 0xF0 == 0x90 else { return nil }
      return "\(event.time.count) \(message.text)"
    }
  }

  static func settings(_ bpm: String, _ signature: String = "4/4", _ rhythm: String = "") throws -> Settings {
    let signature = try #require(Signature(text: signature))
    return Settings(
      Music(
        tempo: try #require(Tempo(decimal: bpm)), signature: signature,
        rhythm: rhythm.isEmpty ? Rhythm() : try Rhythm(text: rhythm, for: Metre(signature))))
  }

  static func port(
    _ notes: MIDINotes = MIDINotes(), clock: Bool = false, latency: Nanoseconds = .zero, serial: Bool = false
  ) -> MIDIOutputRequest {
    MIDIOutputRequest(serial ? .serial("/dev/a") : .named("a"), latency: latency, sendsClock: clock, notes: notes)
  }
}
