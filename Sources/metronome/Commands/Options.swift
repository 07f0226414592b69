import ArgumentParser
import CLibrary
import MetronomeConfiguration
import MetronomeCore
import StateFiles

/// `--tempo` and `--signature`, shared by several commands.
struct MusicOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Beats per minute, 1 to 999; for example 120 or 92.5.", valueName: "bpm"),
    transform: MusicOptions.tempo)
  var tempo: Tempo?

  @Option(
    help: ArgumentHelp("Notes per bar and their note value, for example 4/4, 7/8 or 2+2+3/8.", valueName: "signature"),
    transform: MusicOptions.signature)
  var signature: Signature?

  /// Replaces the tempo and the signature of a configuration.
  func apply(to configuration: inout Configuration) {
    configuration.tempo = tempo ?? configuration.tempo
    configuration.signature = signature ?? configuration.signature
  }

  private static func tempo(_ text: String) throws -> Tempo {
    guard let tempo = Tempo(decimal: text) else {
      throw ValidationError(
        "\(quoted(text)) is not a tempo; write 1 to 999 BPM with at most three decimals, for example 120 or 92.5."
      )
    }
    return tempo
  }

  private static func signature(_ text: String) throws -> Signature {
    guard let signature = Signature(text: text) else {
      let notes = NumeratorLimit.none.denominators.map(String.init).joined(separator: ", ")
      throw ValidationError(
        "\(quoted(text)) is not a time signature; write 1 to \(Signature.highestNumerator) beats, a slash and a note "
          + "value (\(notes)), for example 7/8."
      )
    }
    return signature
  }
}

/// `--beat` and `--rhythm`, shared by several commands.
struct RhythmOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Note value that the tempo counts, for example 1/4, 1/8 or dotted 3/8.", valueName: "note"),
    transform: RhythmOptions.beat)
  var beat: BeatUnit?

  @Option(
    help: ArgumentHelp(
      "Pattern, subdivision, swing and other voices, for example \"X.x. sub=2 & 3:4 sound=cowbell\".",
      valueName: "rhythm"))
  var rhythm: String?

  private static func beat(_ text: String) throws -> BeatUnit {
    guard let beat = BeatUnit(text: text) else {
      throw ValidationError(
        "\(quoted(text)) is not a note value; write 1/1, 1/2, 1/4, 1/8, 1/16 or 1/32, or a dotted note such as 3/8.")
    }
    return beat
  }

  /// These arguments, in which the words of a rhythm that nobody quoted are one: of `--rhythm X.x. sub=2`, the last two.
  static func joined(_ arguments: [String]) -> [String] {
    var joined: [String] = []
    var isInRhythm = false
    for argument in arguments {
      let isOption = ["sub=", "swing=", "sound=", "clave=", "@", "&"].contains(where: argument.hasPrefix)
      if isInRhythm, isOption, let last = joined.popLast() {
        joined.append("\(last) \(argument)")
        continue
      }
      isInRhythm = joined.last == "--rhythm" || argument.hasPrefix("--rhythm=")
      joined.append(argument)
    }
    return joined
  }

  /// Replaces the beat and the rhythm of a configuration, whose signature must be the final one.
  func apply(to configuration: inout Configuration) throws {
    configuration.beat = beat ?? configuration.beat
    configuration.rhythm = try rhythm(in: configuration.signature) ?? configuration.rhythm
  }

  /// The rhythm; nil without `--rhythm`. Throws for a pattern in an unknown signature.
  func rhythm(in signature: Signature?) throws -> Rhythm? {
    guard let text = rhythm else { return nil }
    // Every pattern fills bars of one note.
    let metre = Metre(signature ?? Signature(1, over: 1, limit: .none) ?? .initial)
    let rhythm: Rhythm
    do throws(NotationError) { rhythm = try Rhythm(text: text, for: metre) } catch {
      let line = error.line > 1 ? "line \(error.line), " : ""
      throw Failure.usage("--rhythm, \(line)column \(error.column): \(error.text)")
    }
    if signature == nil, rhythm.pattern != nil { throw Failure.usage("--rhythm: a pattern needs --signature") }
    return rhythm
  }
}

/// `--config`, shared by several commands.
struct ConfigurationOption: ParsableArguments {
  @Option(
    name: .customLong("config"), help: ArgumentHelp("YAML configuration file; - is standard input.", valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"]))
  var path: String?

  func validate() throws {
    if path?.isEmpty == true { throw ValidationError("--config needs a file name.") }
  }

  func read() throws -> Configuration { try ConfigurationOption.read(path, fallback: nil) ?? .standard }

  /// Reads the named file, otherwise the box's file if it exists, otherwise returns the built-in configuration.
  func readForBox() throws -> Configuration { try ConfigurationOption.read(path) ?? .standard }

  /// - Returns: nil if no file is named and `fallback` does not exist.
  static func read(_ path: String?, fallback: String? = Paths.configuration) throws -> Configuration? {
    do throws(ConfigurationError) {
      if let path { return try Configuration.read(named: path) }
      return try fallback.flatMap { path throws(ConfigurationError) in try Configuration.readIfPresent(path: path) }
    } catch {
      throw Failure.badConfiguration(error)
    }
  }

  /// The source from which ``readForBox()`` reads, for messages.
  var sourceForBox: String {
    if let path { return path == "-" ? "standard input" : shownName(path) }
    return access(Paths.configuration, F_OK) == 0 ? Paths.configuration : "the built-in configuration"
  }

  /// Reads the files that a configuration names. Called before anything is opened. `state` is the folder of `--state`, in
  /// which a stored score is looked up by its name.
  static func load(_ configuration: Configuration, state: String? = nil) throws -> LoadedConfiguration {
    var configuration = configuration
    configuration.scoreFile = configuration.scoreFile.map { StateOption.stored($0, in: state) }
    do throws(ConfigurationError) { return try LoadedConfiguration(configuration) } catch {
      guard error.file == configuration.scoreFile?.path else { throw Failure.badConfiguration(error) }
      throw error.isMissing || error.isUnreadable ? Failure.missingFile("\(error)") : Failure.badScore("\(error)")
    }
  }

  /// Reads the sounds of the clicks from the files that a configuration names. Called before anything is opened.
  static func sounds(of configuration: Configuration) throws -> ClickSounds {
    do throws(ConfigurationError) { return try configuration.readSounds() } catch {
      throw Failure.badConfiguration(error)
    }
  }
}

/// `--score`, shared by several commands.
struct PlayedScoreOption: ParsableArguments {
  @Option(
    name: .customLong("score"),
    help: ArgumentHelp(
      "Score in place of the configuration's tempo, signature and rhythm: a file, or the name of a stored score.",
      valueName: "score"), completion: .file(extensions: ["txt"]))
  var path: String?

  func validate() throws {
    if path?.isEmpty == true { throw ValidationError("--score needs a file or a name.") }
  }

  /// Replaces the score of a configuration.
  func apply(to configuration: inout Configuration) {
    if let path { configuration.scoreFile = ConfiguredFile(path) }
  }
}

/// `--state`, shared by several commands.
struct StateOption: ParsableArguments {
  @Option(
    name: .customLong("state"),
    help: ArgumentHelp(
      "Save tempo, signature, rhythm, mode, volume and presets in this folder, and restore them from it.",
      valueName: "folder"),
    completion: .directory)
  var path: String?

  func validate() throws { try StateOption.check(path) }

  static func check(_ path: String?) throws {
    if path?.isEmpty == true { throw ValidationError("--state needs a folder name.") }
  }

  /// The stored score of this name, if it exists; otherwise the file. If there is no file, but this user may not read the stored
  /// scores, the result is the stored score: the error then says that the permission is missing, not that there is no such score.
  static func stored(_ score: ConfiguredFile, in own: String?) -> ConfiguredFile {
    guard let name = ScoreName(score.name) else { return score }
    let state = own ?? Paths.service("STATE_DIRECTORY") ?? Paths.state
    let path = "\(state)/\(ScoreFolder.name)/\(ScoreFolder.file(name))"
    if OutputFile.identity(ofFileAt: path) != nil { return ConfiguredFile(path) }
    let isForbidden = access(path, R_OK) != 0 && errno == EACCES
    return isForbidden && access(score.path, F_OK) != 0 ? ConfiguredFile(path) : score
  }
}

/// `--state` of a simulated metronome.
struct SimulatedStateOption: ParsableArguments {
  @Option(
    name: .customLong("state"),
    help: ArgumentHelp(
      "Save tempo, signature, rhythm, mode, volume and presets in this folder, and restore them from it; none: save "
        + "nothing. Default in a terminal without --script: your own state folder.", valueName: "folder"),
    completion: .directory)
  var path: String?

  func validate() throws { try StateOption.check(path) }

  /// The named folder; nil if there is none.
  var named: String? { path == "none" ? nil : path }
}

/// Refuses a file name that does not end in `.wav`, because only WAV is written. A device or a pipe may have any name.
func checkWAVName(_ path: String) throws {
  var status = stat()
  let isFile = stat(path, &status) != 0 || [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
  guard isFile, !path.lowercased().hasSuffix(".wav") else { return }
  throw ValidationError("\(shownName(path)): only WAV files can be written; the name must end in .wav.")
}

/// Parses the duration of `--for`.
func duration(_ text: String) throws -> Nanoseconds {
  guard let duration = Nanoseconds(text: text), duration > .zero else {
    throw ValidationError("\(quoted(text)) is not a duration; write \(Nanoseconds.textForm). It must be more than 0.")
  }
  return duration
}
