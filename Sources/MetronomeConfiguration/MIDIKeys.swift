import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

extension Key {
  static var midiOutputs: Key {
    Key(
      path: "midi.out",
      meaning:
        "the MIDI ports that send clock, start and stop, or notes. The key \"device\" is the card's id or the name of its client, an "
        + "ALSA address such as hw:CARD=UMONE,DEV=0, or the device file of a serial port, such as /dev/ttyAMA0. The key "
        + "\"latency_us\" is the latency from the port to the follower's beat; messages are sent this long before the beat. "
        + "With \"clock: false\" the port sends no clock, start or stop. The key \"notes\" makes it play a note on each hit: "
        + "{} for the default, or with the keys \"channel\" (1 to 16), \"strong\", \"medium\", \"weak\" and \"ghost\" (the note of "
        + "the main voice at this level, 0 to 127, or none), \"voices\" (a list with the note or the four notes of each further "
        + "voice), \"velocity\" (of each level, 1 to 127) and \"length_ms\" (1 to 1000)",
      form: MIDIOutputForm.words,
      access: Access(
        read: { (field, reader) throws(Problem) in try reader.readMIDIOutputs(field) },
        text: { $0.wiring.midi.isEmpty ? "[]" : $0.wiring.midi.map(MIDIOutputForm.text).joined() },
        isSame: { $0.wiring.midi == $1.wiring.midi }))
  }
}

private enum MIDIOutputForm {
  static let words = "a list; one entry per port, which begins with \"- device: NAME\""

  static func text(of output: MIDIOutputRequest) -> String {
    let device = Form<MIDIDevice>.midiDevice.text(output.device) ?? ""
    var text = "\n    - device: \(device)\n      latency_us: \(output.latency.count / 1_000)"
    if !output.sendsClock { text += "\n      clock: false" }
    if let notes = output.notes { text += "\n      notes: \(MIDINotesForm.text(of: notes))" }
    return text
  }
}

extension Form<MIDIDevice> {
  static var midiDevice: Form {
    name(
      "the id of a card, the name of a MIDI client, an ALSA address, or a path in /dev", longest: 4_095,
      read: { MIDIDevice(name: $0) }, name: { $0.name })
  }
}

extension Form<MIDIDevice?> {
  static var midiClock: Form {
    name(
      "none, the id of a card, the name of a MIDI client, an ALSA address, or a path in /dev", longest: 4_095,
      words: ["none": nil], read: { MIDIDevice(name: $0) }, name: { $0?.name })
  }
}

extension ConfigurationReader {
  fileprivate mutating func readMIDIOutputs(_ outputs: Field) throws(Problem) {
    var earlier: [MIDIDevice: Position] = [:]
    let items = try outputs.list(MIDIOutputForm.words)
    readEach(Array(items.prefix(MIDIPlan.maxPorts))) { (item, reader) throws(Problem) in
      guard case .section = item.value.content else {
        throw Problem(
          "an entry of midi.out must be a section", remedy: "begin it with \"- device: NAME\"", at: item.position)
      }
      var device: (MIDIDevice, Position)?
      var output = MIDIOutputRequest(.named(""))
      let names = ["device", "latency_us", "clock", "notes"]
      let isValid = try reader.readFields(of: item, names) { (field, reader) throws(Problem) in
        switch field.key {
        case "device": device = (try field.read(Form<MIDIDevice>.midiDevice), field.value.position)
        case "latency_us": output.latency = try field.read(Form<Nanoseconds>.midiLatency)
        case "clock": output.sendsClock = try field.read(Form<Bool>.truth)
        default: output.notes = try MIDINotesForm.read(field, &reader)
        }
      }
      guard isValid else { return }
      guard let device else {
        throw Problem(
          "a MIDI output has no device", remedy: "add \"device:\" with the id of its card or a path in /dev",
          at: item.position)
      }
      if let first = earlier[device.0] {
        throw Problem(
          "duplicate MIDI output, first used on line \(first.line)", remedy: "remove one of the two entries",
          at: device.1)
      }
      earlier[device.0] = device.1
      guard output.sendsClock || output.notes != nil else {
        throw Problem(
          "a MIDI output has neither clock nor notes", remedy: "add \"notes: {}\", or remove \"clock: false\"",
          at: item.position)
      }
      output.device = device.0
      reader.configuration.wiring.midi.append(output)
    }
    if items.count > MIDIPlan.maxPorts {
      throw Problem(
        "too many MIDI outputs", remedy: "use at most \(MIDIPlan.maxPorts)", at: items[MIDIPlan.maxPorts].position)
    }
  }
}

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
