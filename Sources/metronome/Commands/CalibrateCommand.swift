import ArgumentParser
import MetronomeConfiguration

struct CalibrateCommand: OptionChecking {
  static let configuration = CommandConfiguration(
    commandName: "calibrate",
    abstract: "Measure by eye and ear how late light, buzzer and click are.",
    discussion: """
      Plays light, buzzer and click once a second: all together, in pairs, and one by one. Shift one of them against \
      the others until they coincide. At the end the command prints the lines for the configuration file.

      Buttons:
      \(CalibrationPrompt.help.joined(separator: "\n"))

      In a terminal, keys do the same. SIGTERM, SIGINT and Control-C end the calibration and print the result so far.
      """)

  @Flag(help: "Use the simulated board, and read keys from standard input, which need not be a terminal.")
  var simulated = false

  @Flag(name: .customLong("sound"), help: "With --simulated: play the clicks on this machine's sound card.")
  var hasAudio = false

  @OptionGroup var configuration: ConfigurationOption

  func validateOptions() throws {
    if hasAudio, !simulated {
      throw ValidationError("--sound needs --simulated; on the real board, audio.device sets the sound card.")
    }
  }

  func run() throws {
    if simulated {
      let configuration = try configuration.read()
      let sounds = try ConfigurationOption.sounds(of: configuration.forCalibration)
      try OutputFile.print(SimulatedCalibration.run(configuration, sounds: sounds, hasAudio: hasAudio))
    } else {
      try Failure.logged(calibrateBoard)
    }
  }

  private func calibrateBoard() throws {
    let configuration = try configuration.readForBox()
    let sounds = try ConfigurationOption.sounds(of: configuration.forCalibration)
    #if LINUX_BOARD
      try OutputFile.print(Box.calibrate(configuration, sounds: sounds))
    #else
      _ = sounds
      throw Failure.noHardware(
        "this build does not support a real board; build it on Linux with libgpiod and ALSA, or use "
          + "\"metronome calibrate --simulated\""
      )
    #endif
  }
}
