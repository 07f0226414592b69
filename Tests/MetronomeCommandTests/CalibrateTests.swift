import Foundation
import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore
import MetronomeEngine
import Testing

/// The calibration as a person meets it, on the simulated board: keys in, lines for the configuration out.
@Suite struct CalibrateTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  @Test func whatIsPrintedIsWhatTheKeysDid() throws {
    // The buzzer by 2 ms, and by 0.1 ms back; then what plays next, which changes nothing; the arrow is "faster".
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
    #expect(result.errors.contains("play: what plays next"))
    #expect(result.errors.contains("light + buzzer; shifting the light by 1 ms; light 0, buzzer 0\n"))
  }

  @Test func whatIsPrintedReadsBackAsIsAndIsTheStartOfTheNextTime() throws {
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

  @Test func theEndOfTheInputIsTheEnd() throws {
    let result = try Program.run("calibrate", "--simulated", input: Array("-".utf8))
    #expect(result.code == 0)
    #expect(result.output.contains("light:\n    latency_us: 1000\n"))
  }

  /// The program plays on with an input that stays open, until it is told to end.
  @Test(arguments: ["TERM", "INT", "HUP"]) func aSignalPrintsWhatWasReached(signal: String) throws {
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

  @Test func oneOutputAloneIsNothingToCalibrate() throws {
    let file = try folder.file("dark.yaml", Array("outputs: {light: {line: none}}".utf8)).path
    let result = try Program.run("calibrate", "--simulated", "--config", file)
    #expect(result.code == 69)
    #expect(result.output == "")
    #expect(result.errors.hasPrefix("metronome: there are not two of light, buzzer and sound to be shifted"))
  }

  @Test func aFullDiskIsSaid() throws {
    guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
    let result = try Program.shell("\"$0\" calibrate --simulated >/dev/full")
    #expect(result.code == 73)
    #expect(result.errors.hasSuffix("metronome: standard output cannot be written: No space left on device\n"))
  }
}
