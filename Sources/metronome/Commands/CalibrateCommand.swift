import ArgumentParser
import MetronomeConfiguration

struct CalibrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calibrate",
    abstract: "Find out by eye and ear how late light, buzzer and click are.",
    discussion: """
      Plays them on every second, together, by twos and one by one, and lets one be shifted against the others until they \
      coincide. Then it prints the lines for the configuration.

      \(CalibrationDesk.help.joined(separator: "\n"))

      Keys do the same in a terminal. SIGTERM and SIGINT, or Control-C, print what was reached.
      """)

  @Flag(
    help: ArgumentHelp(
      "Use the simulated board, in this terminal; where standard input is none, its bytes are the keys."))
  var simulated = false

  @Flag(name: .customLong("sound"), help: "With --simulated: let the clicks sound on this machine's sound card.")
  var hasSound = false

  @OptionGroup var configuration: ConfigurationOption

  func validate() throws {
    if hasSound, !simulated { throw ValidationError("--sound needs --simulated: the real board has its own sound.") }
  }

  func run() throws {
    if simulated {
      let configuration = try configuration.read()
      let sounds = try ConfigurationOption.sounds(of: configuration)
      try OutputFile.print(SimulatedCalibration.run(configuration, sounds: sounds, hasSound: hasSound))
      return
    }
    do {
      try calibrateBoard()
    } catch let failure as Failure {
      Log()(.error, failure.message)
      throw ExitCode(failure.code)
    }
  }

  private func calibrateBoard() throws {
    let configuration = try configuration.read(fallback: RunCommand.defaultPath)
    let sounds = try ConfigurationOption.sounds(of: configuration)
    #if LINUX_BOARD
      try OutputFile.print(Box.calibrate(configuration, sounds: sounds))
    #else
      _ = sounds
      throw Failure.noHardware(
        "this build has no real board; build it on Linux with libgpiod and ALSA, or try \"metronome calibrate --simulated\""
      )
    #endif
  }
}
