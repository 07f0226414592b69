// The metronome on a board of one's own: lines that are text, a finger that presses twice, a clock that is moved on.
import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

final class TextBoard: Board, OutputLines, ButtonEdges {
  let clock = VirtualClock()
  var edges = [(99, .down), (179, .up), (2_110, .down), (2_190, .up)]
    .map { ButtonEdge(.play, $1, at: .zero + .milliseconds($0)) }
  var lines: TextBoard { self }
  var buttons: TextBoard { self }
  var inputs: ScriptedInputs? { nil }
  var sound: SimulatedSoundPort? { nil }
  var store: (any StateFolder)? { nil }
  func set(_ levels: OutputSet) {
    let words = Output.lines.map { levels.contains($0) ? $0.rawValue : "-" }
    print(clock.now.nanoseconds / 1_000_000, "ms:", words.joined(separator: " "))
  }
  func release() { set(.inactive) }
  func next() -> ButtonEdge? { edges.first.flatMap { $0.instant <= clock.now ? edges.removeFirst() : nil } }
  func isDown(_ button: Button) -> Bool { edges.first?.direction == .up }
}

let board = TextBoard()
let engine = Engine(board: board, options: EngineOptions(), observer: TraceRecorder(sinks: [])) { _ in }
var (control, beats): (Instant?, Instant?) = (nil, nil)
while let next = [control, beats, board.edges.first?.instant].compactMap(\.self).min() {
  board.clock.advance(to: next)
  (control, beats) = (engine.step(.control, at: next), engine.step(.beats, at: next))
}
board.release()
