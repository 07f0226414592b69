import Foundation
import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore
import MetronomeEngine
import Testing

/// `metronome calibrate` as a person uses it, on the simulated board: it reads keys and prints configuration lines.
@Suite struct CalibrateTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  @Test func calibrationPrintsTheShiftsOfTheKeys() throws {
    // n selects the buzzer, -- shifts it 2 ms earlier, d selects steps of 0.1 ms, and the up arrow (faster) shifts it 0.1 ms
    // later. The space plays the next combination, which does not change the result, and t ends the calibration.
    let result = try Program.run("calibrate", "--simulated", input: Array("n--d\u{1B}[A t".utf8))
    #expect(result.code == 0)
    #expect(
      result.output == """
        outputs:
          light:
            latency_us: 0
          pendulum:
            latency_us: 0
          buzzer:
            latency_us: 1900

        """)
    #expect(result.errors.contains("play: next combination of outputs"))
    #expect(result.errors.contains("playing light + buzzer; shifting light in steps of 1 ms; light 0, buzzer 0\n"))
  }

  @Test func nextCalibrationStartsFromThePrintedLatencies() throws {
    let before = try folder.file(
      "before.yaml",
      Array("outputs: {light: {latency_us: 5000}, pendulum: {line: none}, buzzer: {latency_us: 700}}".utf8)
    ).path
    let first = try Program.run("calibrate", "--simulated", "--config", before, input: Array("--nd++q".utf8))
    #expect(first.code == 0)
    let read = try Configuration(yaml: Array(first.output.utf8), file: "printed.yaml")
    #expect(read.latencies == OutputLatencies(light: .microseconds(6_500)))
    let printed = try folder.file("printed.yaml", Array((first.output + "  pendulum: {line: none}\n").utf8)).path
    let second = try Program.run("calibrate", "--simulated", "--config", printed)
    #expect(second.output == first.output)
  }

  @Test func endOfInputEndsTheCalibration() throws {
    let result = try Program.run("calibrate", "--simulated", input: Array("-".utf8))
    #expect(result.code == 0)
    #expect(result.output.contains("light:\n    latency_us: 1000\n"))
  }

  /// The input stays open, so the program plays until the signal ends it.
  @Test(arguments: ["TERM", "INT", "HUP"]) func signalPrintsTheLatenciesReachedSoFar(signal: String) throws {
    let line = """
      cd "$1" && mkfifo keys && exec 4<>keys
      "$0" calibrate --simulated <keys 2>log & printf 'n--' >&4
      until grep -q 'buzzer 2 ms earlier' log; do kill -0 $! || exit 1; done
      kill -\(signal) $!; wait $!
      """
    let result = try Program.shell(line, folder.path(""))
    #expect(result.code == 0)
    #expect(result.output.contains("buzzer:\n    latency_us: 2000\n"))
  }

  @Test func linesAreBrokenBetweenWordsInATerminal() async throws {
    let terminal = try PseudoTerminal(["calibrate", "--simulated"], columns: 40, rows: 30, errors: true)
    #expect(await terminal.wait { $0.words.contains("light 0, buzzer 0") })
    let text = String(decoding: terminal.bytes, as: UTF8.self)
    #expect(text.contains("metronome: play: next combination of\r\n           outputs; numerator: next\r\n"), "\(text)")
    terminal.type("q")
    let end = try await terminal.end()
    #expect(end.code == 0 && !terminal.screen.isOverrun)
  }

  @Test func calibrationNeedsTwoOutputs() throws {
    let file = try folder.file("dark.yaml", Array("outputs: {light: {line: none}}".utf8)).path
    let result = try Program.run("calibrate", "--simulated", "--config", file)
    #expect(result.code == 69)
    #expect(result.output == "")
    #expect(result.errors.hasPrefix("metronome: calibration needs at least two of light, buzzer and sound;"))
  }

  @Test func fullDiskIsReported() throws {
    guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
    let result = try Program.shell("\"$0\" calibrate --simulated >/dev/full")
    #expect(result.code == 73)
    #expect(result.errors.hasSuffix("metronome: standard output cannot be written: No space left on device\n"))
  }
}
