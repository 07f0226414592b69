import ArgumentParser
import MetronomeCore

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
  func ask(_ request: PresetRequest) throws -> Memory {
    let desk = PresetDesk(path: path ?? StateOption.service ?? PresetsCommand.defaultPath) {
      let configuration = try configuration.read(fallback: RunCommand.defaultPath)
      let memory = Memory(tempo: configuration.tempo, signature: configuration.signature)
      return PresetDesk.Beginning(memory: memory, restores: configuration.restores)
    }
    let reply = try desk.ask(request)
    if let error = reply.error { throw error.failure(reply.memory.presets) }
    if request != .list, case .refused(let errno) = reply.saving {
      standardError(
        "metronome: done, but not saved yet (\(reason(errno))): it is lost if the metronome is switched off before it can be\n"
      )
    }
    return reply.memory
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
