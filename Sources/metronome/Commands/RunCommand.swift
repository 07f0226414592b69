import ArgumentParser
import MetronomeConfiguration
import Synchronization

#if LINUX_BOARD
  import LinuxBoard
#endif

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Play on the real board until SIGTERM or SIGINT.",
    discussion: """
      Drives light, pendulum and buzzer through a GPIO chip, clicks through ALSA, and follows the buttons. Without --config \
      it reads \(RunCommand.defaultPath) if that exists. "metronome config" prints what is in force.

      Tempo, signature, mode and presets are kept in the folder that --state or $STATE_DIRECTORY names, which must exist, \
      and restored from there. "metronome presets" changes the presets meanwhile.

      A GPIO chip that is not there, and a sound card that is named and not there, are waited for; what is there plays \
      meanwhile. So is what goes away while it plays. A line that the chip does not have ends it with 69 at once.

      SIGHUP reads the configuration again: what is in order takes effect while the beat goes on, tempo and signature only \
      if the file says others than before; what is not leaves the old one in force, and the log says why.

      SIGUSR1 has what the loops have done written to the log, in numbers: one line, "figures" and an object of JSON. The beat \
      goes on.

      Ends with 0 on SIGTERM and SIGINT, and on SIGHUP when the terminal that it was started from has gone, every output off.
      """)

  static let defaultPath = "/etc/metronome/metronome.yaml"

  @Flag(
    inversion: .prefixedNo,
    help: ArgumentHelp(
      "Wait also for GPIO lines in use and for missing rights, as at boot; with --no-wait not even for a GPIO chip or a "
        + "named sound card that is not there."))
  var wait: Bool?

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
    let file = KnownFile(configuration.path)
    let reading = try file.read()
    #if LINUX_BOARD
      try Box.run(reading, again: file.read, state: state.pathOrService, patience: patience)
    #else
      _ = reading
      throw Failure.noHardware(
        "this build has no real board; build it on Linux with libgpiod and ALSA, or play with \"metronome simulate\"")
    #endif
  }

  /// The file of the configuration. Once the one of the default path has been read it must be there.
  private final class KnownFile: Sendable {
    private let path: Mutex<String?>

    init(_ path: String?) { self.path = Mutex(path) }

    @Sendable func read() throws -> Reading {
      let known = path.withLock { $0 }
      let configuration = try ConfigurationOption.readIfPresent(known, fallback: RunCommand.defaultPath)
      if configuration != nil, known == nil { path.withLock { $0 = RunCommand.defaultPath } }
      return Reading(configuration ?? .standard, try ConfigurationOption.sounds(of: configuration ?? .standard))
    }
  }

  #if LINUX_BOARD
    private var patience: WaitPolicy {
      switch wait {
      case nil: .forWhatIsMissing
      case true?: .forAll
      case false?: .none
      }
    }
  #endif
}
