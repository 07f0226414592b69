import HardwareAbstraction
import MetronomeCore

extension Key {
  static var inputs: Key {
    Key(
      path: "inputs",
      meaning:
        "pedals, keyboards and encoders. The key \"device\" is the name or path of the event device. The key \"keys\" "
        + "maps keys of the device (with their names in evtest) to buttons, such as {KEY_PAGEDOWN: play}. The key "
        + "\"relative\" maps axes of the device to dials (tempo, numerator, denominator, preset, "
        + "volume or subdivision), such as {REL_X: tempo}. With \"grab: true\" the device is grabbed for exclusive use. "
        + "A MIDI controller has the key \"midi\" instead of \"device\": the id of its card, named as in midi.out. Its keys "
        + "\"cc\" and \"note\" map controllers and notes to buttons, such as {64: play}, \"relative\" maps controllers to "
        + "dials, \"encoding\" says how dials send turns (twos-complement, sign-magnitude or offset-64), "
        + "\"program: recall\" recalls presets, and \"channel\" selects a channel from 1 to 16. With "
        + "\"latching: true\" each message is a press, for pedals that send no release",
      form: Inputs.form,
      access: Access(
        read: { (field, reader) throws(Problem) in try reader.readInputs(field) },
        text: { Inputs.text(in: $0.wiring) },
        isSame: { $0.wiring.inputs == $1.wiring.inputs }))
  }
}

private enum Inputs {
  static let form = "a list; one entry per device, which begins with \"- device: NAME\""

  static func text(in wiring: Wiring) -> String {
    wiring.inputs.isEmpty ? "[]" : wiring.inputs.map { text(of: $0, wiring.names) }.joined()
  }

  private static func text(of input: InputRequest, _ names: BoxNames) -> String {
    let keys = input.keys.map { code, button in (code.number, "\(code.name): \(names[button])") }
    let axes = input.relative.map { code, dial in (code.number, "\(code.name): \(dial.rawValue)") }
    if case .midi(let device) = input.device { return midiText(of: input, device, names) }
    var lines = ["\n  - device: \(Form<InputRequest.Device>.input.text(input.device) ?? "")"]
    if !keys.isEmpty { lines.append("    keys: \(section(keys))") }
    if !axes.isEmpty { lines.append("    relative: \(section(axes))") }
    lines.append("    grab: \(input.isGrabbed)")
    return lines.joined(separator: "\n")
  }

  private static func midiText(of input: InputRequest, _ device: MIDIDevice, _ names: BoxNames) -> String {
    var lines = ["\n  - midi: \(Form<MIDIDevice>.midiDevice.text(device) ?? "")"]
    if let channel = input.channel { lines.append("    channel: \(channel)") }
    for (name, first) in [("note", KeyCode.note(0).number), ("cc", KeyCode.controller(0).number)] {
      let keys = input.keys.filter { (first...first + 127).contains($0.key.number) }
      let entries = keys.map { ($0.key.number, "\($0.key.number - first): \(names[$0.value])") }
      if !entries.isEmpty { lines.append("    \(name): \(section(entries))") }
    }
    let first = AxisCode.controller(0).number
    let axes = input.relative.map { ($0.key.number, "\($0.key.number - first): \($0.value.rawValue)") }
    if !axes.isEmpty { lines.append("    relative: \(section(axes))") }
    if input.encoding != .twosComplement { lines.append("    encoding: \(input.encoding.rawValue)") }
    if input.recallsPrograms { lines.append("    program: recall") }
    if input.isLatching { lines.append("    latching: true") }
    return lines.joined(separator: "\n")
  }

  /// Entries in braces, in the order of their numbers.
  private static func section(_ entries: [(number: UInt16, text: String)]) -> String {
    "{" + entries.sorted { $0.number < $1.number }.map(\.text).joined(separator: ", ") + "}"
  }
}

extension ConfigurationReader {
  fileprivate mutating func readInputs(_ inputs: Field) throws(Problem) {
    var earlier: [InputRequest.Identity: Position] = [:]
    readEach(try inputs.list(Inputs.form)) { (item, reader) throws(Problem) in
      guard let (request, position) = try reader.readInput(item) else { return }
      if let first = earlier[request.identity] {
        throw Problem(
          "duplicate device, first used on line \(first.line)",
          remedy: "merge the two entries; if two devices have this name, use their paths in /dev/input/by-path",
          at: position)
      }
      earlier[request.identity] = position
      reader.configuration.wiring.inputs.append(request)
    }
  }

  /// - Returns: the device, and the position of its name in the file; nil if its keys have problems, which are collected.
  private mutating func readInput(_ item: Field) throws(Problem) -> (InputRequest, Position)? {
    guard case .section = item.value.content else {
      throw Problem(
        "an entry of inputs must be a section", remedy: "begin it with \"- device: NAME\"", at: item.position)
    }
    if try item.entries(Inputs.form).contains(where: { $0.key == "midi" }) { return try readMIDIInput(item) }
    var device: (InputRequest.Device, Position)?
    var keys: [KeyCode: Button] = [:]
    var axes: [AxisCode: Dial] = [:]
    var isGrabbed = false
    let isValid = try readFields(of: item, ["device", "keys", "relative", "grab"]) { (field, reader) throws(Problem) in
      switch field.key {
      case "device": device = (try field.read(Form<InputRequest.Device>.input), field.value.position)
      case "keys":
        let form = "keys with their buttons, such as {KEY_PAGEDOWN: play}"
        keys = try reader.bound(field, form, reader.button, find: KeyCode.init(name:)) {
          $0.unknown(
            "key", among: KeyCode.names, prefixes: ["KEY_", "BTN_"],
            otherwise: "write its name in evtest, such as KEY_PAGEDOWN or BTN_0, or its number")
        }
      case "relative":
        let form = "axes with their dials, such as {REL_X: tempo}"
        axes = try reader.bound(field, form, .word, find: AxisCode.init(name:)) {
          $0.unknown(
            "axis", among: AxisCode.names, prefixes: ["REL_"],
            otherwise: "the axes are \(enumeration(AxisCode.names, last: "and"))")
        }
      default: isGrabbed = try field.read(Form<Bool>.truth)
      }
    }
    guard isValid else { return nil }
    guard let device else {
      throw Problem(
        "an input device has no name", remedy: "add \"device:\" with its name or its path in /dev/input",
        at: item.position)
    }
    guard !keys.isEmpty || !axes.isEmpty else {
      throw Problem(
        "an input device has neither keys nor axes",
        remedy: "add keys, such as {KEY_PAGEDOWN: play}, or relative, such as {REL_X: tempo}", at: item.position)
    }
    return (InputRequest(device.0, keys: keys, relative: axes, isGrabbed: isGrabbed), device.1)
  }
}

extension ConfigurationReader {
  /// An entry that begins with `- midi: NAME`.
  private mutating func readMIDIInput(_ item: Field) throws(Problem) -> (InputRequest, Position)? {
    var device: (MIDIDevice, Position)?
    var request = InputRequest(.named(""))
    let names = ["midi", "channel", "cc", "note", "relative", "encoding", "program", "latching"]
    let isValid = try readFields(of: item, names) { (field, reader) throws(Problem) in
      switch field.key {
      case "midi": device = (try field.read(Form<MIDIDevice>.midiDevice), field.value.position)
      case "channel": request.channel = try field.read(Form<Int>.number("a channel", 1...16))
      case "cc":
        let form = "controllers with their buttons, such as {64: play}"
        let bound = try reader.bound(field, form, reader.button) {
          MIDINumber(text: $0).map { KeyCode.controller($0.number) }
        } unknown: {
          $0.unknownMIDI("controller")
        }
        request.keys.merge(bound) { $1 }
      case "note":
        let bound = try reader.bound(field, "notes with their buttons, such as {60: play}", reader.button) {
          MIDINumber(text: $0).map { KeyCode.note($0.number) }
        } unknown: {
          $0.unknownMIDI("note")
        }
        request.keys.merge(bound) { $1 }
      case "relative":
        request.relative = try reader.bound(field, "controllers with their dials, such as {16: tempo}", .word) {
          MIDINumber(text: $0).map { AxisCode.controller($0.number) }
        } unknown: {
          $0.unknownMIDI("controller")
        }
      case "encoding": request.encoding = try field.read(Form<TurnEncoding>.word)
      case "latching": request.isLatching = try field.read(Form<Bool>.truth)
      default: request.recallsPrograms = try field.read(Form<ProgramUse>.word) == .recall
      }
    }
    guard isValid else { return nil }
    guard let device else {
      throw Problem("a MIDI controller has no name", remedy: "add \"midi:\" with the id of its card", at: item.position)
    }
    guard !request.keys.isEmpty || !request.relative.isEmpty || request.recallsPrograms else {
      throw Problem(
        "a MIDI controller has no use",
        remedy: "add cc or note, such as {64: play}, relative, such as {16: tempo}, or program: recall",
        at: item.position)
    }
    request.device = .midi(device.0)
    return (request, device.1)
  }
}

/// What a program change of a MIDI controller does.
private enum ProgramUse: String, CaseIterable, Hashable, Sendable {
  case none, recall
}

/// A number of a note or controller: 0 to 127.
private struct MIDINumber {
  let number: Int

  init?(text: String) {
    guard let number = wholeNumber(text), (0...127).contains(number) else { return nil }
    self.number = number
  }
}

extension ConfigurationReader {
  /// A button of the box, by its name.
  fileprivate var button: Form<Button> {
    let names = configuration.wiring.names
    return Form(
      words: enumeration(names.buttonNames),
      read: { (scalar, _) throws(WrongValue) in
        if let button = names.button(named: scalar.text) { return button }
        guard (try? Command(words: scalar.text)) != nil else { return nil }
        throw WrongValue(
          remedy: "write the name of a button; for a command that no button has add one, such as "
            + "\"buttons: {skip: {line: none, short: \(scalar.text)}}\", and write skip here")
      }, text: { names[$0] })
  }

  /// The buttons or dials that the codes of a device are bound to. The problems of the entries are collected.
  fileprivate mutating func bound<Code: Hashable, Use>(
    _ section: Field, _ expected: String, _ form: Form<Use>, find: (String) -> Code?, unknown: (Field) -> Problem
  ) throws(Problem) -> [Code: Use] {
    var bound: [Code: Use] = [:]
    var earlier: [Code: Field] = [:]
    readEach(try section.entries(expected)) { (field, _) throws(Problem) in
      guard let code = find(field.key) else { throw unknown(field) }
      if let other = earlier[code] {
        throw Problem(
          "\(field.key) is the same as \(other.key), which is already bound on line \(other.position.line)",
          remedy: "remove one of them", at: field.position)
      }
      earlier[code] = field
      bound[code] = try field.read(form)
    }
    return bound
  }
}

extension Field {
  fileprivate func unknownMIDI(_ kind: String) -> Problem {
    Problem("unknown \(kind) \(quoted(key)) of a MIDI controller", remedy: "write a number from 0 to 127", at: position)
  }

  fileprivate func unknown(_ kind: String, among known: [String], prefixes: [String], otherwise: String) -> Problem {
    let what = "unknown \(kind) \(quoted(key)) of an input device"
    if let word = key.split(separator: " ").first, word.count < key.count, known.contains(String(word)) {
      return Problem(what, remedy: "write a colon after \(quoted(word))", at: position)
    }
    let meant = prefixes.map { $0 + key.uppercased() }.first(where: known.contains)
    let nearest = meant ?? nearestKey(to: key, among: known)
    return Problem(what, remedy: nearest.map { "did you mean \(quoted($0))?" } ?? otherwise, at: position)
  }
}
