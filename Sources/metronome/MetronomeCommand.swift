import ArgumentParser
import Foundation

@main
struct MetronomeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metronome",
    abstract: "A metronome in a box: light, pendulum, buzzer and click on one exact timeline.",
    discussion: """
      "run" plays on the real board: GPIO lines, buttons and a sound card. "simulate" is the box without the box: in a \
      terminal to be played with keys, or as fast as the machine goes with a script in and traces out. "render" writes a \
      click track to a file, "presets" lists and changes what a box has stored, "calibrate" finds out how late light, \
      buzzer and click are, "check" tells what is wrong with a box and what mends it, "bench" measures how exact the beat is, "wiring" shows which pin is which, \
      "off" switches off what a metronome that was killed has left on.

      Exit codes: 0 all went well, 64 usage, 65 a bad script, 66 a preset that is not there or a folder that cannot be \
      opened, 69 hardware that cannot be had or a metronome that runs and cannot be asked, 73 what cannot be written or stored, 78 a bad configuration.
      """,
    version: "metronome \(version)",
    subcommands: [
      RunCommand.self, SimulateCommand.self, PresetsCommand.self, CalibrateCommand.self, RenderCommand.self,
      ConfigCommand.self, CheckCommand.self, BenchCommand.self, WiringCommand.self, OffCommand.self,
    ])

  static let version = "0.1.0"

  static func main() {
    fillStandardDescriptors()
    // Nobody reads, or the file may not grow: then writing fails, and the exit code says so.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch let failure as Failure {
      standardError("metronome: \(failure.message)\n")
      Foundation.exit(failure.code)
    } catch {
      exit(withError: error)
    }
  }
}
