// The metronome on a board of one's own: lines that are text, a finger that presses twice, a clock that is moved on.
import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

final class TextLines: OutputLines {
  let clock: VirtualClock
  init(_ clock: VirtualClock) { self.clock = clock }
  func set(_ levels: OutputLevels) {
    let words = Output.allCases.map { levels.contains(OutputLevels($0)) ? $0.rawValue : "-" }
    print(clock.now.nanoseconds / 1_000_000, "ms:", words.joined(separator: " "))
  }
  func release() { set(.inactive) }
}

final class Finger: ButtonEdges {
  let clock: VirtualClock
  private(set) var edges: [ButtonEdge]
  init(_ clock: VirtualClock, _ edges: [ButtonEdge]) { (self.clock, self.edges) = (clock, edges) }
  func next() -> ButtonEdge? {
    guard let edge = edges.first, edge.instant <= clock.now else { return nil }
    return edges.removeFirst()
  }
  func isDown(_ button: Button) -> Bool { edges.first?.direction == .up }
}

struct TextBoard: Board {
  let clock = VirtualClock()
  let lines: TextLines
  let buttons: Finger
  var inputs: ScriptedInputs? { nil }
  var sound: SimulatedSoundPort? { nil }
  var store: (any StateFolder)? { nil }

  init() {
    lines = TextLines(clock)
    let presses: [Int64] = [99, 2_110]
    buttons = Finger(
      clock,
      presses.flatMap { press in
        [(press, ButtonEdge.Direction.down), (press + 80, .up)].map { time, direction in
          ButtonEdge(.play, direction, at: .zero + .milliseconds(time))
        }
      })
  }
}

let board = TextBoard()
let engine = Engine(board: board, options: EngineOptions(), observer: TraceRecorder(sinks: []))
var (control, beats): (Instant?, Instant?) = (nil, nil)
while let next = [control, beats, board.buttons.edges.first?.instant].compactMap(\.self).min() {
  board.clock.advance(to: next)
  control = engine.control.step(at: next)
  beats = engine.beats.step(at: next)
}
board.lines.release()
