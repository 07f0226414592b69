// The metronome on a custom board: it prints its lines as text, and has a button that is pressed twice and a virtual clock.
import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// Prints the time and the active outputs instead of setting lines.
final class TextLines: OutputLines {
  private let clock: VirtualClock

  init(clock: VirtualClock) { self.clock = clock }

  func set(_ levels: LineSet) {
    let words = LineSet(of: .standard).map { levels.contains($0) ? BoxNames.standard[$0] : "-" }
    print(clock.now.nanoseconds / 1_000_000, "ms:", words.joined(separator: " "))
  }

  func release() { set(.inactive) }
}

/// The button *play*, pressed at 99 ms and at 2,110 ms, for 80 ms each.
final class ListedPresses: ButtonEdges {
  private let clock: VirtualClock
  private(set) var edges = [(99, .down), (179, .up), (2_110, .down), (2_190, .up)]
    .map { ButtonEdge(.play, $1, at: .zero + .milliseconds($0)) }

  init(clock: VirtualClock) { self.clock = clock }

  /// The oldest edge that has happened and was not read yet; nil if there is none.
  func next() -> ButtonEdge? {
    guard let edge = edges.first, edge.instant <= clock.now else { return nil }
    return edges.removeFirst()
  }

  /// The level now: the button is down if the next edge is a release.
  func isDown(_ button: Button) -> Bool { edges.first?.direction == .up }
}

/// A board with lines and a button. The other parts are nil, with types from the simulated board.
struct TextBoard: Board {
  let clock: VirtualClock
  let lines: TextLines
  let buttons: ListedPresses
  let inputs: ScriptedInputs? = nil
  let audio: SimulatedAudioPort? = nil
  let midi: SimulatedMIDI? = nil
  let stateFolder: (any StateFolder)? = nil

  init(clock: VirtualClock) {
    self.clock = clock
    lines = TextLines(clock: clock)
    buttons = ListedPresses(clock: clock)
  }
}

let board = TextBoard(clock: VirtualClock())
// Both loops are stepped each time, so waking one needs no code.
let engine = Engine(board: board, options: EngineOptions(), observer: TraceRecorder(sinks: []), waker: Waker { _ in })
var next: Instant? = board.clock.now
while let now = next {
  board.clock.advance(to: now)
  let (control, beats) = (engine.step(.control, at: now), engine.step(.beats, at: now))
  // The clock goes straight to the next deadline or edge. Without either the metronome has stopped.
  next = [control, beats, board.buttons.edges.first?.instant].compactMap(\.self).min()
}
board.lines.release()
