import ArgumentParser
import MetronomeCore

struct PresetsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "presets",
    abstract: "List and change the presets of a box, whether it plays or not.",
    discussion: """
      The presets are kept in order, as a set list, \(PresetList.capacity) at the most, in the folder that --state or \
      $STATE_DIRECTORY names, or in \(PresetsCommand.defaultPath). A metronome that runs is asked to change them itself, so \
      that nothing is lost of what either does.
      """,
    subcommands: [List.self, Save.self, Recall.self, Delete.self, Rename.self, Move.self])

  static let defaultPath = "/var/lib/metronome"

  /// So that it may stand before the subcommand, too, which then has it from here.
  @OptionGroup var box: PresetsOption

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the presets in order.", discussion: "The one that was recalled last has a star.")

    @Flag(help: "As JSON, for programs.")
    var json = false
    @OptionGroup var box: PresetsOption

    func run() throws {
      let memory = try box.ask(.list)
      try PresetTable(memory).write(asJSON: json)
    }
  }

  struct Save: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Store a tempo and a signature under a name.",
      discussion: """
        What is not said is as the metronome is set. A preset of this name keeps its place, a new one comes last.
        """)

    @Argument(transform: PresetsOption.name) var name: PresetName
    @OptionGroup var music: MusicOptions
    @OptionGroup var box: PresetsOption

    func run() throws { try box.ask(.save(name, music.tempo, music.signature)) }
  }

  struct Recall: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Set tempo and signature as a preset has them.",
      discussion: "One that plays changes with the first beat of the next bar.")

    @Argument(transform: PresetsOption.name) var name: PresetName
    @OptionGroup var box: PresetsOption

    func run() throws { try box.ask(.recall(name)) }
  }

  struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Delete a preset.")

    @Argument(transform: PresetsOption.name) var name: PresetName
    @OptionGroup var box: PresetsOption

    func run() throws { try box.ask(.delete(name)) }
  }

  struct Rename: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Give a preset another name; it keeps its place.")

    @Argument(transform: PresetsOption.name) var name: PresetName
    @Argument(transform: PresetsOption.name) var newName: PresetName
    @OptionGroup var box: PresetsOption

    func run() throws { try box.ask(.rename(name, to: newName)) }
  }

  struct Move: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Put a preset at a place of the list, counted from 1; beyond the end means at the end.")

    @Argument(transform: PresetsOption.name) var name: PresetName
    @Argument var place: Int
    @OptionGroup var box: PresetsOption

    func validate() throws {
      if !PresetRequest.places.contains(place) {
        throw ValidationError("A place is a number from 1, of at most nine digits, not \(place).")
      }
    }

    func run() throws { try box.ask(.move(name, place: place)) }
  }
}

/// The presets as they are listed.
struct PresetTable {
  private let memory: SavedState

  init(_ memory: SavedState) { self.memory = memory }

  func write(asJSON: Bool) throws {
    try OutputFile.print(asJSON ? json : table)
  }

  /// A line each: the place, a star for the one recalled last, what it is set to, the name.
  private var table: String {
    numbered.map { place, preset in
      let star = place == memory.recalled ? "*" : " "
      let columns = [right(String(place), 3), right(preset.tempo.number, 7), left(preset.signature.description, 5)]
      return "\(columns[0])\(star) \(columns[1]) BPM  \(columns[2])  \(preset.name)\n"
    }.joined()
  }

  private var json: String {
    let presets = numbered.map { place, preset in
      "{\"place\":\(place),\"name\":\"\(escaped(preset.name.description))\",\"tempo\":\(preset.tempo.number),"
        + "\"signature\":\"\(preset.signature)\"}"
    }
    let recalled = memory.recalled.map(String.init) ?? "null"
    return "{\"presets\":[\(presets.joined(separator: ","))],\"recalled\":\(recalled)}\n"
  }

  private var numbered: [(Int, Preset)] { memory.presets.presets.enumerated().map { ($0 + 1, $1) } }

  private func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.utf8.count)) + text
  }

  private func left(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.utf8.count))
  }

  /// A name has no characters but these that JSON would have otherwise.
  private func escaped(_ text: String) -> String {
    text.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
  }
}
