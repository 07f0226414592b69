import ArgumentParser
import CLibrary
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
      Controls light, pendulum and buzzer through a GPIO chip, plays clicks through ALSA, and reads the buttons. \
      Without --config it reads \(Paths.configuration) if that exists. "metronome config" prints the configuration.

      Tempo, signature, rhythm, mode, volume and presets are saved in the folder that --state or $STATE_DIRECTORY \
      names, and \
      restored at the start. The folder must exist. "metronome presets" changes the presets, also while the metronome \
      plays.

      The metronome waits for a missing GPIO chip, and for a missing sound card that the configuration names; the \
      other parts play meanwhile. If the chip or the card is unplugged during playback, the metronome waits for it in \
      the same way. If the chip lacks a configured line, the program exits with 69 at once.

      SIGHUP reloads the configuration. A valid file takes effect without interrupting the beat; tempo and signature \
      change only if their values in the file have changed. An invalid file changes nothing, and the log gives the \
      reason.

      SIGUSR1 writes the statistics of the loops to the log, as one line: the word "figures" and a JSON object. The \
      beat continues.

      SIGTERM and SIGINT switch every output off and end the program with 0. SIGHUP has the same effect if it was sent \
      because the terminal in which the program was started was closed.
      """)

  @Flag(
    inversion: .prefixedNo,
    help: ArgumentHelp(
      "--wait: also wait for GPIO lines that are in use and for missing permissions, as the service does. --no-wait: "
        + "do not wait, not even for a missing GPIO chip or a missing named sound card."))
  var wait: Bool?

  @OptionGroup var score: PlayedScoreOption
  @OptionGroup var state: StateOption
  @OptionGroup var configuration: ConfigurationOption

  func validate() throws {
    if configuration.path == "-" { throw ValidationError("--config - cannot be reloaded on SIGHUP; name a file.") }
  }

  func run() throws { try Failure.logged(play) }

  private func play() throws {
    let file = KnownFile(configuration.path, score, state)
    let loaded = try file.read()
    #if LINUX_BOARD
      try Box.run(loaded, again: file.read, state: state.path ?? Paths.service("STATE_DIRECTORY"), patience: patience)
    #else
      _ = loaded
      throw Failure.noHardware(
        "this build does not support a real board; build it on Linux with libgpiod and ALSA, or use "
          + "\"metronome simulate\"")
    #endif
  }

  /// The configuration file. Once the file of the default path has been read, it must exist at each reload.
  private final class KnownFile: Sendable {
    private let path: Mutex<String?>
    private let score: PlayedScoreOption
    private let state: String?

    init(_ path: String?, _ score: PlayedScoreOption, _ state: StateOption) {
      self.path = Mutex(path)
      self.score = score
      self.state = state.path
    }

    @Sendable func read() throws -> LoadedConfiguration {
      let known = path.withLock { $0 }
      let configuration = try ConfigurationOption.read(known)
      if configuration != nil, known == nil { path.withLock { $0 = Paths.configuration } }
      var loaded = configuration ?? .standard
      score.apply(to: &loaded)
      let folder = state ?? Paths.service("STATE_DIRECTORY")
      let warnings = folder.map { LearnedControls.add(fromFolder: $0, to: &loaded) } ?? []
      var result = try ConfigurationOption.load(loaded, state: state)
      result.warnings = warnings
      return result
    }
  }

  #if LINUX_BOARD
    private var patience: WaitPolicy {
      switch wait {
      case nil: .forMissingHardware
      case true?: .forAll
      case false?: .none
      }
    }
  #endif
}
