import ArgumentParser
import BoardCheck
import CLibrary
import ControlSocket
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import StateFiles

struct PresetsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "presets",
    abstract: "List and change the presets of a box, also while it plays.",
    discussion: """
      The presets form an ordered list of at most \(PresetList.capacity), like a set list. A preset has a tempo, a \
      signature and a rhythm, or names a place in a score. The presets are stored in the \
      folder that --state or $STATE_DIRECTORY names, or in \(PresetsCommand.defaultPath). If a metronome runs, this \
      command sends it the change, so that no change is lost.
      """,
    subcommands: [List.self, Save.self, Recall.self, Delete.self, Rename.self, Move.self])

  static let defaultPath = "/var/lib/metronome"

  /// Declared here, too, so that it may precede the subcommand, which then reads it from here.
  @OptionGroup var box: PresetsOption

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the presets in order.",
      discussion: """
        A star marks the preset that was recalled last. The place in a score that a preset names is in parentheses, \
        with the practice speed.
        """)

    @Flag(help: "Print JSON.")
    var json = false
    @OptionGroup var box: PresetsOption

    func run() throws {
      let table = PresetTable(savedState: try box.ask(.list))
      try OutputFile.print(json ? BoardCheck.json(table) + "\n" : table.text)
    }
  }

  struct Save: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Store a tempo, a signature and a rhythm, or a place in a score, under a name.",
      discussion: """
        Without --tempo, --signature, --beat or --rhythm the current setting of the metronome is stored; while a score \
        is loaded, its current song, section and speed. A pattern in \
        --rhythm needs --signature, and must fill its bars; a current pattern that does not is left out. An existing \
        preset of this name is replaced and keeps its place; a new preset is added at the end of the list.
        """)

    @Argument(transform: PresetsOption.name) var name: PresetName
    @OptionGroup var music: MusicOptions
    @OptionGroup var options: RhythmOptions
    @OptionGroup var box: PresetsOption

    func run() throws {
      try box.ask(.save(name, music.tempo, music.signature, options.beat, try options.rhythm(in: music.signature)))
    }
  }

  struct Recall: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Set the metronome to a preset's tempo, signature and rhythm, or go to its place in a score.",
      discussion: """
        While playing, the change takes effect with the first beat of the next bar. A preset that names a place in a \
        score can only be recalled while this score is loaded; while a score is loaded, no other preset can be recalled.
        """)

    @Argument(transform: PresetsOption.existingName) var name: PresetName
    @OptionGroup var box: PresetsOption

    func run() throws { try box.ask(.recall(name)) }
  }

  struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Delete a preset.")

    @Argument(transform: PresetsOption.existingName) var name: PresetName
    @OptionGroup var box: PresetsOption

    func run() throws { try box.ask(.delete(name)) }
  }

  struct Rename: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Rename a preset; it keeps its place in the list.")

    @Argument(transform: PresetsOption.existingName) var name: PresetName
    @Argument(transform: PresetsOption.name) var newName: PresetName
    @OptionGroup var box: PresetsOption

    func run() throws { try box.ask(.rename(name, to: newName)) }
  }

  struct Move: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Move a preset to a place in the list, counted from 1; a place beyond the end means the last place.")

    @Argument(transform: PresetsOption.existingName) var name: PresetName
    @Argument var place: Int
    @OptionGroup var box: PresetsOption

    func validate() throws {
      if !PresetRequest.places.contains(place) {
        throw ValidationError("The place must be from 1 to \(PresetRequest.places.upperBound), not \(place).")
      }
    }

    func run() throws { try box.ask(.move(name, place: place)) }
  }
}

/// The options that select the metronome, shared by all subcommands.
struct PresetsOption: ParsableArguments {
  @Option(
    name: .customLong("state"),
    help: ArgumentHelp(
      "State folder of the metronome: the folder that the metronome's --state option names; default: $STATE_DIRECTORY, "
        + "or \(PresetsCommand.defaultPath).", valueName: "folder"), completion: .directory)
  var path: String?
  @OptionGroup var configuration: ConfigurationOption

  func validate() throws { try StateOption.check(path) }

  /// Carries out a request. Returns the saved state that results.
  @discardableResult
  func ask(_ request: PresetRequest) throws -> SavedState {
    let path = path ?? StateOption.service ?? PresetsCommand.defaultPath
    let reply = try PresetClient(path: path, configuration: configuration).ask(request)
    if let error = reply.error { throw error.failure(reply.savedState.presets) }
    if request != .list, case .refused(let cause) = reply.saving {
      printNotice(
        "the change is not saved yet (\(cause.text(reason))); "
          + "it is lost if the metronome is switched off before it is saved")
    }
    return reply.savedState
  }

  /// Parses the name of a new or renamed preset.
  static func name(_ text: String) throws -> PresetName { try checked(PresetName(text), text) }

  /// Parses the name of an existing preset, which an earlier version may have stored.
  static func existingName(_ text: String) throws -> PresetName { try checked(PresetName(stored: text), text) }

  private static func checked(_ name: PresetName?, _ text: String) throws -> PresetName {
    if let name { return name }
    throw ValidationError(
      "\(quoted(text)) is not a preset name; a name is one line of at most \(PresetName.longest) bytes of visible "
        + "UTF-8, does not begin or end with a space or another blank character, and does not begin with a combining "
        + "character.")
  }
}

extension PresetError {
  fileprivate func failure(_ presets: PresetList) -> Failure {
    switch self {
    case .noSuchPreset(let name):
      let names = presets.presets.map { quoted($0.name.description) }.joined(separator: ", ")
      return .missingFile(
        "no preset \(quoted(name.description)); "
          + (names.isEmpty ? "there are no presets yet" : "the presets are \(names)"))
    case .nameIsTaken(let name): return .cannotBeMade("a preset \(quoted(name.description)) already exists")
    case .isFull: return .cannotBeMade("the list is full (\(PresetList.capacity) presets); delete one first")
    case .isInRamp:
      return .cannotBeMade(
        "in a ramp no preset can be recalled, or saved without a tempo; metronome send ramp none ends it")
    case .isOutsideSession(let name):
      return .cannotBeMade(
        "the tempo of preset \(quoted(name.description)) is outside the 20 to 999 quarters per minute of a Link session"
      )
    case .isElsewhere(let name):
      let text = "preset \(quoted(name.description))"
      guard let place = presets[name]?.place else {
        return .cannotBeMade("\(text) names no place in a score, but a score is loaded")
      }
      return .cannotBeMade(
        "\(text) names song \(place.song + 1) of the score \(shownName(place.score)), which is not loaded or has no such "
          + "song")
    }
  }
}

/// Sends requests to the metronome that uses a folder. If no metronome runs, carries them out on its files.
struct PresetClient {
  /// Attempts, one every 20 ms, while the folder is locked but no metronome listens: a metronome starts or ends, or another
  /// command runs.
  private static let attempts = 500
  /// The attempts in a read-only folder, where no metronome can listen.
  private static let attemptsWithoutSocket = 50

  let path: String
  /// Determines the initial state of a metronome that has not saved a state yet.
  let configuration: ConfigurationOption

  func ask(_ request: PresetRequest) throws -> PresetReply {
    let folder: FileFolder
    do throws(HardwareError) { folder = try FileFolder(path) } catch {
      throw Failure.missingFile(
        "\(shownName(path)) cannot be opened (\(error.reason(reason))); --state selects the state folder of the metronome"
      )
    }
    for _ in 0..<(folder.isReadOnly ? PresetClient.attemptsWithoutSocket : PresetClient.attempts) {
      do throws(ControlFailure) {
        return try settled(ask(request, in: folder), of: request, in: folder)
      } catch .nobody {
        // If the file system does not support locks, it must suffice that no metronome listens.
        if (try? folder.lock()) ?? true { return try carryOut(request, in: folder) }
        usleep(20_000)
      } catch .silence {
        throw Failure.noAnswer("the metronome that uses \(shownName(path)) does not answer; nothing was changed")
      } catch .refused(let errno) {
        throw Failure.noAnswer(
          "the metronome that uses \(shownName(path)) cannot be reached (\(reason(errno))); run this command as root or"
            + " as a member of the folder's group")
      } catch .otherVersion {
        throw Failure.noAnswer("the metronome that uses \(shownName(path)) has another version; restart it")
      }
    }
    throw Failure.noAnswer(
      folder.isReadOnly
        ? "the metronome that uses \(shownName(path)) cannot be reached: the folder is read-only"
        : "\(shownName(path)) is in use by a program that cannot be reached")
  }

  /// Waits up to 200 ms for a change to be saved, so that a failure can be reported.
  private func settled(
    _ reply: PresetReply, of request: PresetRequest, in folder: FileFolder
  ) throws(ControlFailure) -> PresetReply {
    var reply = reply
    for _ in 0..<10 where request != .list && reply.error == nil && reply.saving == .pending {
      usleep(20_000)
      guard let saving = try? ask(.list, in: folder).saving else { break }
      reply.saving = saving
    }
    return reply
  }

  /// Sends a request to the metronome that listens in a folder, and reads the list that results.
  private func ask(_ request: PresetRequest, in folder: FileFolder) throws(ControlFailure) -> PresetReply {
    #if os(Linux)
      let address: ControlAddress
      do throws(SocketError) { address = try ControlAddress(in: folder.path) } catch {
        throw .refused(errno: error.errno)
      }
      let connection = try ControlConnection(to: address)
      let answers = try connection.ask(request.message)
      let list = request == .list ? answers : try connection.ask(PresetRequest.list.message)
      guard let answer = answers.last, let reply = PresetReply(answer, to: request, list) else {
        throw .otherVersion("unknown")
      }
      return reply
    #else
      throw .nobody
    #endif
  }

  private func carryOut(_ request: PresetRequest, in folder: FileFolder) throws -> PresetReply {
    let configuration = try configuration.readForBox()
    let initial = SavedState(
      tempo: configuration.tempo, signature: configuration.signature, unit: configuration.beat,
      rhythm: configuration.rhythm)
    let presets = ArchivedPresets(StateArchive(folder), initial: initial, restores: configuration.restores)
    let result = Result { () throws(HardwareError) in try presets.carryOut(request) }
    let findings = presets.findings
    if let failure = unreadable(findings, request) { throw failure }
    if let notice = findings.notice(isPlaying: false, reason: reason) {
      let text = "\(shownName(path)): \(notice)"
      // The notice contains the reason for which nothing was saved.
      if findings.refusal != nil { throw Failure.cannotBeMade(text) }
      printNotice(text)
    }
    do throws(HardwareError) { return try result.get() } catch {
      throw Failure.cannotWrite(path, error.reason(reason))
    }
  }

  /// The failure if this user may not read a file of the state, or if no list can be read; otherwise nil.
  private func unreadable(_ findings: StateFindings, _ request: PresetRequest) -> Failure? {
    let files = findings.unusable.filter { if case .refused = $0.reason { true } else { false } }
    let isList = request == .list
    guard let file = files.first(where: \.isKept) ?? (isList && findings.savedState == nil ? files.first : nil) else {
      return nil
    }
    // The list is in the newest file.
    if isList, findings.isWhole { return nil }
    let text = "\(shownName(path))/\(file.name) \(file.reason.text(reason))"
    let remedy = file.isKept ? "run this command as a user who may read it, such as root" : "check the file"
    return isList ? .missingFile("\(text); \(remedy)") : .cannotBeMade("\(text), so nothing was changed; \(remedy)")
  }
}

struct PresetTable {
  let savedState: SavedState

  /// One line for each preset: the place, a star for the last recalled preset, tempo, signature and name. A beat other than the
  /// quarter, and a rhythm, follow in parentheses. A preset that names a place in a score has only that place in parentheses:
  /// its tempo and signature have no effect.
  var text: String {
    let width = numbered.filter { $1.place == nil }.map { $1.signature.description.utf8.count }.max() ?? 0
    return numbered.map { place, preset in
      let star = place == savedState.recalled ? "*" : " "
      let isInScore = preset.place != nil
      let tempo = right(isInScore ? "" : "\(preset.tempo.number) BPM", 11)
      let signature = left(isInScore ? "" : preset.signature.description, max(5, width))
      return "\(right(String(place), 3))\(star) \(tempo)  \(signature)  \(preset.name)\(remark(preset))\n"
    }.joined()
  }

  private func remark(_ preset: Preset) -> String {
    if let place = preset.place { return "  (\(place.text))" }
    let beat = preset.unit == .quarter ? "" : "beat \(preset.unit)"
    let parts = [beat, preset.rhythm.text].filter { !$0.isEmpty }
    return parts.isEmpty ? "" : "  (\(parts.joined(separator: ", ")))"
  }

  private var numbered: [(Int, Preset)] { savedState.presets.presets.enumerated().map { ($0 + 1, $1) } }

  private func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.utf8.count)) + text
  }

  private func left(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.utf8.count))
  }
}

extension PresetTable: Encodable {
  private struct Row: Encodable {
    var place: Int
    var name: String
    var tempo: Double
    var signature: String
    /// nil for a quarter.
    var beat: String?
    /// nil for the metre's own rhythm.
    var rhythm: String?
    var score: ScorePlace?
  }

  /// The place in a score; song and bar are counted from 1.
  private struct ScorePlace: Encodable {
    var name: String
    var song: Int
    var bar: Int64
    /// In per cent.
    var speed: Double

    init(_ place: SavedPlace) {
      (name, song, bar, speed) = (place.score, place.song + 1, place.bar + 1, Double(place.speed ?? 1_000) / 10)
    }
  }

  private enum Key: CodingKey { case presets, recalled }

  func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Key.self)
    let rows = numbered.map { place, preset in
      Row(
        place: place, name: preset.name.description, tempo: Double(preset.tempo.milliBPM) / 1_000,
        signature: preset.signature.description, beat: preset.unit == .quarter ? nil : preset.unit.description,
        rhythm: preset.rhythm == Rhythm() ? nil : preset.rhythm.text, score: preset.place.map { ScorePlace($0) })
    }
    try object.encode(rows, forKey: .presets)
    try object.encode(savedState.recalled, forKey: .recalled)
  }
}
