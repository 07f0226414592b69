import ArgumentParser
import BoardCheck
import CLibrary
import ControlSocket
import MetronomeCore

struct PresetsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "presets",
    abstract: "List and change the presets of a box, also while it plays.",
    discussion: """
      The presets form an ordered list of at most \(PresetList.capacity), like a set list. A preset has a tempo, a \
      signature and a rhythm, or names a place in a score. The presets are stored in the \
      folder that --state or $STATE_DIRECTORY names, or in \(Paths.state). If a metronome runs, this \
      command sends it the change, so that no change is lost.
      """,
    subcommands: [List.self, Save.self, Recall.self, Delete.self, Rename.self, Move.self])

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
      try box.ask(
        .save(
          name,
          MusicChange(
            tempo: music.tempo, signature: music.signature, unit: options.beat,
            rhythm: try options.rhythm(in: music.signature))))
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
        + "or \(Paths.state).", valueName: "folder"), completion: .directory)
  var path: String?
  @OptionGroup var configuration: ConfigurationOption

  func validate() throws { try StateOption.check(path) }

  /// Carries out a request. Returns the saved state that results.
  @discardableResult
  func ask(_ request: PresetRequest) throws -> SavedState {
    let path = path ?? Paths.service("STATE_DIRECTORY") ?? Paths.state
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
  static func name(_ text: String) throws -> PresetName {
    try checked(PresetName(text), text, PresetName.fault(of: text))
  }

  /// Parses the name of an existing preset, which an earlier version may have stored.
  static func existingName(_ text: String) throws -> PresetName {
    try checked(PresetName(stored: text), text, PresetName.fault(ofStored: text))
  }

  private static func checked(_ name: PresetName?, _ text: String, _ fault: String?) throws -> PresetName {
    if let name { return name }
    throw ValidationError(
      "\(quoted(text)) is not a preset name: \(fault ?? "it is empty"). A name is one line of at most "
        + "\(PresetName.longest) bytes of visible UTF-8, does not begin or end with a space or another blank character, and does "
        + "not begin with a combining character.")
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
    case .nameIsTaken, .isFull, .isOutsideSession: return .cannotBeMade(text)
    case .isInRamp:
      return .cannotBeMade(
        "in a ramp no preset can be recalled, or saved without a tempo; metronome send ramp none ends it")
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
