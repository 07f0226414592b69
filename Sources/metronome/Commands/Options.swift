import ArgumentParser
import CLibrary
import MetronomeConfiguration
import MetronomeCore

/// `--tempo` and `--signature`, alike for every command that has them.
struct MusicOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Quarter notes per minute, 1 to 999, as 120 or 92.5.", valueName: "bpm"),
    transform: MusicOptions.tempo)
  var tempo: Tempo?

  @Option(
    help: ArgumentHelp("Beats in a bar over the note of a beat, as 4/4 or 7/8.", valueName: "signature"),
    transform: MusicOptions.signature)
  var signature: Signature?

  private static func tempo(_ text: String) throws -> Tempo {
    guard let tempo = Tempo(decimal: text) else {
      throw ValidationError(
        "\(quoted(text)) is no tempo; write beats per minute from 1 to 999 with at most three decimals, as 120 or 92.5."
      )
    }
    return tempo
  }

  private static func signature(_ text: String) throws -> Signature {
    guard let signature = Signature(text: text) else {
      let notes = NumeratorLimit.none.denominators.map(String.init).joined(separator: ", ")
      throw ValidationError(
        "\(quoted(text)) is no signature; write 1 to \(Signature.highestNumerator) beats over one of the notes \(notes), as 7/8."
      )
    }
    return signature
  }
}

/// `--config`, alike for every command that has it.
struct ConfigurationOption: ParsableArguments {
  @Option(
    name: .customLong("config"), help: ArgumentHelp("Read the configuration from this YAML file.", valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"]))
  var path: String?

  /// The configuration of the file named, or of `fallback` if that exists, or the built-in one.
  func read(fallback: String? = nil) throws -> Configuration {
    try readIfPresent(fallback: fallback) ?? .standard
  }

  /// The same; nil when no file is named and `fallback` does not exist.
  func readIfPresent(fallback: String?) throws -> Configuration? {
    try ConfigurationOption.readIfPresent(path, fallback: fallback)
  }

  static func readIfPresent(_ path: String?, fallback: String?) throws -> Configuration? {
    do throws(ConfigurationError) {
      if let path { return try Configuration.read(path: path) }
      return try fallback.flatMap { path throws(ConfigurationError) in try Configuration.readIfPresent(path: path) }
    } catch {
      throw Failure.badConfiguration(error)
    }
  }

  /// Where ``read(fallback:)`` reads, for a person.
  func source(fallback: String) -> String {
    if let path { return shownName(path) }
    return access(fallback, F_OK) == 0 ? fallback : "the built-in configuration"
  }

  /// The sounds of the clicks, read from the files that a configuration names: before anything is opened.
  static func sounds(of configuration: Configuration) throws -> ClickSounds {
    do throws(ConfigurationError) {
      return try configuration.readSounds()
    } catch {
      throw Failure.badConfiguration(error)
    }
  }
}

/// `--state`, alike for every command that has it.
struct StateOption: ParsableArguments {
  @Option(
    name: .customLong("state"),
    help: ArgumentHelp("Remember tempo, signature, mode and presets in this folder.", valueName: "folder"),
    completion: .directory)
  var path: String?

  func validate() throws { try StateOption.check(path) }

  static func check(_ path: String?) throws {
    if path?.isEmpty == true { throw ValidationError("--state needs the name of a folder.") }
  }

  /// The folder named, or the one that systemd has made for the service; nil: none.
  var pathOrService: String? { path ?? StateOption.service }

  /// The folder that systemd has made for the service, the first if there are more; nil: none.
  static var service: String? {
    Environment.all["STATE_DIRECTORY"]?.split(separator: ":").first.map(String.init)
  }
}

/// Whose presets, alike for every command about them.
struct PresetsOption: ParsableArguments {
  @Option(
    name: .customLong("state"),
    help: ArgumentHelp(
      "The folder in which the metronome remembers, as its own --state names it; without this $STATE_DIRECTORY, or "
        + "\(PresetsCommand.defaultPath).", valueName: "folder"), completion: .directory)
  var path: String?
  @OptionGroup var configuration: ConfigurationOption

  func validate() throws { try StateOption.check(path) }

  /// Has a request carried out.
  ///
  /// - Returns: what is remembered then.
  @discardableResult
  func ask(_ request: PresetRequest) throws -> SavedState {
    let desk = PresetDesk(path: path ?? StateOption.service ?? PresetsCommand.defaultPath) {
      let configuration = try configuration.read(fallback: RunCommand.defaultPath)
      let memory = SavedState(tempo: configuration.tempo, signature: configuration.signature)
      return PresetDesk.Beginning(memory: memory, restores: configuration.restores)
    }
    let reply = try desk.ask(request)
    if let error = reply.error { throw error.failure(reply.savedState.presets) }
    if request != .list, case .refused(let errno) = reply.saving {
      standardError(
        "metronome: done, but not saved yet (\(reason(errno))): it is lost if the metronome is switched off before it can be\n"
      )
    }
    return reply.savedState
  }

  static func name(_ text: String) throws -> PresetName {
    guard let name = PresetName(text) else {
      throw ValidationError(
        "\(quoted(text)) is no name for a preset; write one line of at most \(PresetName.longest) bytes that can be seen, "
          + "without a space before or after it, and with a character of its own at its beginning.")
    }
    return name
  }
}

extension PresetError {
  /// For a person who sees what there is besides.
  fileprivate func failure(_ presets: PresetList) -> Failure {
    switch self {
    case .noSuchPreset(let name):
      let names = presets.presets.map { quoted($0.name.description) }.joined(separator: ", ")
      return .notThere(
        "there is no preset \(quoted(name.description))"
          + (names.isEmpty ? "; there are none yet" : "; there are \(names)"))
    case .nameIsTaken(let name): return .cannotBeMade("there is a preset \(quoted(name.description)) already")
    case .isFull: return .cannotBeMade("there are \(PresetList.capacity) presets already; delete one first")
    }
  }
}
