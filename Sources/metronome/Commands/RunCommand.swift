import ArgumentParser

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Play on the real board until SIGTERM or SIGINT.",
    discussion: """
      Drives light, pendulum and buzzer through a GPIO chip, clicks through ALSA, and follows the buttons. Without --config \
      it reads \(RunCommand.defaultPath) if that exists. "metronome config" prints what is in force.

      Tempo, signature, mode and presets are kept in the folder that --state or $STATE_DIRECTORY names, which must exist, \
      and restored from there. "metronome presets" changes the presets meanwhile.

      Ends with 0 on SIGTERM, SIGINT and SIGHUP, every output off.
      """)

  static let defaultPath = "/etc/metronome/metronome.yaml"

  @OptionGroup var state: StateOption
  @OptionGroup var configuration: ConfigurationOption

  /// Tells of a failure as it tells of everything else, in the log.
  func run() throws {
    do {
      try play()
    } catch let failure as Failure {
      Log()(.error, failure.message)
      throw ExitCode(failure.code)
    }
  }

  private func play() throws {
    let configuration = try configuration.read(fallback: RunCommand.defaultPath)
    let sounds = try ConfigurationOption.sounds(of: configuration)
    #if LINUX_BOARD
      try Box.run(configuration, sounds: sounds, state: state.pathOrService)
    #else
      _ = sounds
      throw Failure.noHardware(
        "this build has no real board; build it on Linux with libgpiod and ALSA, or play with \"metronome simulate\"")
    #endif
  }
}
