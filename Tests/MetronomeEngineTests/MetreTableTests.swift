import BoardSimulation
import MetronomeCore
import MetronomeEngine
import Testing

/// The metres of a beginner's book, each set up with the buttons alone.
@Suite struct MetreTableTests {
  /// A metre, and the presses that lead to it from 4/4. Each press is `n` numerator, `d` denominator, `a` next accents or `s`
  /// next subdivision; `-` holds the numerator for one step back. The hits are those of the first bar.
  struct Case: Sendable {
    var presses: String
    var bar: String
    var unit = "1/4"
    /// As in a pattern: `X` strong, `Y` medium, `x` weak, `o` ghost.
    var hits: String
  }

  private static let cases = [
    Case(presses: "--", bar: "2/4", hits: "Xx"), Case(presses: "-", bar: "3/4", hits: "Xxx"),
    Case(presses: "", bar: "4/4", hits: "Xxxx"), Case(presses: "a", bar: "2+2/4", hits: "XxYx"),
    Case(presses: "n", bar: "5/4", hits: "Xxxxx"), Case(presses: "naa", bar: "3+2/4", hits: "XxxYx"),
    Case(presses: "nnda", bar: "6/8", unit: "3/8", hits: "XooYoo"),
    Case(presses: "nnnda", bar: "2+2+3/8", hits: "XxYxYxx"),
    Case(presses: "nnnnnda", bar: "9/8", unit: "3/8", hits: "XooYooYoo"),
    Case(presses: "nnnnnnnnda", bar: "12/8", unit: "3/8", hits: "XooYooYooYoo"),
    Case(presses: "s", bar: "4/4 sub=2", hits: "Xoxoxoxo"),
    Case(presses: "sssss", bar: "4/4 sub=2 swing=2:1", hits: "Xoxoxoxo"),
  ]

  /// One press a second from the first second on, then play.
  private func script(_ presses: String) -> Script {
    var script = Script()
    for (number, press) in presses.enumerated() {
      let time = Nanoseconds.seconds(Int64(1 + number))
      switch press {
      case "n": script.press(.numerator, at: time)
      case "-": script.press(.numerator, at: time, for: .milliseconds(600))
      case "d": script.press(.denominator, at: time)
      case "a", "s":
        script.press(.numerator, at: time, for: .milliseconds(100))
        script.press(press == "a" ? .tap : .denominator, at: time + .milliseconds(30), for: .milliseconds(100))
      default: Issue.record("no press \(press)")
      }
    }
    script.press(.play, at: .seconds(Int64(1 + presses.count)))
    return script
  }

  @Test(arguments: cases) func metreIsSetUpWithButtonsAlone(metre: Case) throws {
    let bench = Bench(script: script(metre.presses)).ended(after: .seconds(Int64(9 + metre.presses.count)))
    let state = bench.simulation.engine.control.state
    #expect(state.barText == metre.bar && state.unit.description == metre.unit && state.tempo == .initial)
    let beats = Int64(state.bar.metre.beatsInBar)
    let first = bench.trace.events.compactMap { event -> Level? in
      guard case .hit(let hit) = event.what, hit.position < Position(beats) else { return nil }
      return hit.level
    }
    let letters: [Level: Character] = [.strong: "X", .medium: "Y", .weak: "x", .ghost: "o"]
    #expect(String(first.compactMap { letters[$0] }) == metre.hits)
  }

  /// The presses of the default chords leave tempo, taps and beats as they are.
  @Test func chordsWithTapDoNotTap() {
    var script = script("")
    for (button, time) in [(Button.numerator, 3_000), (.denominator, 4_000), (.numerator, 5_000)] as [(Button, Int64)] {
      script.press(.tap, at: .milliseconds(time), for: .milliseconds(100))
      script.press(button, at: .milliseconds(time + 40), for: .milliseconds(100))
    }
    let bench = Bench(script: script).ended(after: .seconds(8))
    let state = bench.simulation.engine.control.state
    #expect(state.tempo == .initial && state.barText == "4/4 xxxx sub=2 swing=2:1")
    let times = bench.beats.map { $0.time.count / 1_000_000 }
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == 500 })
  }

  @Test func savedRhythmIsRestored() throws {
    let disk = SimulatedDisk()
    let signature = try #require(Signature(text: "2+2+3/8"))
    let saved = SavedState(
      Music(
        signature: signature, unit: try #require(BeatUnit(text: "1/8")),
        rhythm: try Rhythm(text: "sub=2 & 3:7", for: Metre(signature))))
    try StateArchive(disk).save(saved)
    var board = SimulatedBoard.Options()
    board.stateFolder = disk
    for restores in [true, false] {
      let rhythm = try Rhythm(text: "X.xo", for: Metre(.initial))
      let options = EngineOptions(settings: Settings(Music(rhythm: rhythm)), restores: restores)
      let restored = try Simulation(options, board: board, sinks: []).engine.control.savedState
      #expect(restored == (restores ? saved : SavedState(Music(rhythm: options.settings.rhythm))))
    }
  }
}
