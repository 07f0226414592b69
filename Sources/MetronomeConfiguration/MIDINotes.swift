import HardwareAbstraction
import MetronomeCore

/// The key `notes` of a MIDI output.
enum MIDINotesForm {
  private static let note = Form<UInt8?>(
    words: "a note from 0 to 127, or none",
    read: { scalar, _ in
      if scalar.text == "none" { return .some(nil) }
      guard let number = wholeNumber(scalar.text), number <= 127 else { return nil }
      return UInt8(number)
    }, text: { $0.map(String.init) ?? "none" })

  private static let levels = Level.sounding.map(\.rawValue)
  private static let voiceList = "a list with the note of each further voice, such as [56, {strong: 75, weak: none}]"

  static func read(_ notes: Field, _ reader: inout ConfigurationReader) throws(Problem) -> MIDINotes {
    var read = MIDINotes()
    let names = ["channel"] + levels + ["voices", "velocity", "length_ms"]
    try reader.readFields(of: notes, names) { (field, reader) throws(Problem) in
      switch field.key {
      case "channel": read.channel = try field.read(Form<Int>.number("a channel", 1...16))
      case "voices": try readVoices(field, into: &read, &reader)
      case "velocity":
        try reader.readFields(of: field, levels) { (velocity, _) throws(Problem) in
          guard let level = Level(rawValue: velocity.key) else { return }
          read.velocities[level] = UInt8(try velocity.read(Form<Int>.number("a velocity", 1...127)))
        }
      case "length_ms": read.length = try field.read(Form<Nanoseconds>.milliseconds(1...1_000))
      default: if let level = Level(rawValue: field.key) { read[0, level] = try field.read(note) }
      }
    }
    return read
  }

  private static func readVoices(
    _ field: Field, into notes: inout MIDINotes, _ reader: inout ConfigurationReader
  ) throws(Problem) {
    let items = try field.list(voiceList)
    let most = MIDINotes.maxVoices - 1
    var voice = 0
    reader.readEach(Array(items.prefix(most))) { (item, reader) throws(Problem) in
      voice += 1
      if case .section = item.value.content {
        try reader.readFields(of: item, levels) { (entry, _) throws(Problem) in
          if let level = Level(rawValue: entry.key) { notes[voice, level] = try entry.read(note) }
        }
      } else {
        let key = try item.read(note)
        for level in Level.sounding { notes[voice, level] = key }
      }
    }
    if items.count > most {
      throw Problem(
        "too many voices", remedy: "write the notes of at most \(most) further voices", at: items[most].position)
    }
  }

  /// All keys in braces.
  static func text(of notes: MIDINotes) -> String {
    let voices = (1..<MIDINotes.maxVoices).map { voice in
      let keys = Level.sounding.map { notes[voice, $0] }
      return Set(keys).count == 1 ? note.text(keys[0]) ?? "" : "{\(text(ofVoice: voice, notes))}"
    }
    let velocities = Level.sounding.map { "\($0.rawValue): \(notes.velocities[$0])" }
    let parts = [
      "channel: \(notes.channel)", text(ofVoice: 0, notes), "voices: [\(voices.joined(separator: ", "))]",
      "velocity: {\(velocities.joined(separator: ", "))}", "length_ms: \(notes.length.count / 1_000_000)",
    ]
    return "{\(parts.joined(separator: ", "))}"
  }

  private static func text(ofVoice voice: Int, _ notes: MIDINotes) -> String {
    Level.sounding.map { "\($0.rawValue): \(note.text(notes[voice, $0]) ?? "")" }.joined(separator: ", ")
  }
}
