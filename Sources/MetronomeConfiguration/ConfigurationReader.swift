import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Yams

/// Takes the keys of a document, one after the other as they stand in the file, into a configuration.
struct ConfigurationReader {
  var configuration = Configuration.standard
  /// Where the files that it names are looked for.
  private let folder: String
  /// Read last, because the numerator's limit may stand below it.
  private var signature: Field<RootKey>?
  /// Where the file says on which line an output or a button is.
  private var outputPositions: [Output: Position] = [:]
  var buttonPositions: [Button: Position] = [:]
  /// What the file says of gestures. Bound last, because what a button is no longer for may stand below what it is for.
  var gestures: [Gesture: Bound] = [:]

  private init(folder: String) { self.folder = folder }

  /// Reads the whole document.
  static func read(_ document: Document, folder: String) throws(Problem) -> Configuration {
    var reader = ConfigurationReader(folder: folder)
    try reader.readRoot(document.root)
    try reader.readSignature()
    try reader.checkLines()
    try reader.bindGestures()
    return reader.configuration
  }

  private mutating func readRoot(_ root: Node?) throws(Problem) {
    switch root {
    case nil: return
    case .scalar(let scalar) where scalar.string.isEmpty && scalar.style == .plain: return
    case .mapping(let mapping): try readRoot(fields(of: mapping, in: ""))
    case .scalar(let scalar):
      throw Problem(
        "the file holds \(quoted(scalar.string)), and no keys", remedy: "write \"key: value\", a line each",
        at: scalar.mark.map(Position.init))
    case .sequence(let sequence):
      throw Problem(
        "the file holds a list, and no keys", remedy: "write \"key: value\", a line each, without dashes or brackets",
        at: sequence.mark.map(Position.init))
    case .alias(let alias):
      throw Problem("the file holds an alias", remedy: "write the value itself", at: alias.mark.map(Position.init))
    }
  }

  private mutating func readRoot(_ fields: [Field<RootKey>]) throws(Problem) {
    for field in fields {
      switch field.key {
      case .tempo: configuration.tempo = try field.tempo()
      case .signature: signature = field
      case .numeratorLimit: configuration.numeratorLimit = try field.word()
      case .autoplay: configuration.autoplay = try field.word()
      case .restore: configuration.restores = try field.truth()
      case .countIn: configuration.countIn = try field.count(of: "bars", 0...Rules.mostCountedIn)
      case .autoStop: configuration.autoStop = try field.autoStop()
      case .debounceMilliseconds:
        configuration.lockOut = .milliseconds(Int64(try field.count(of: "milliseconds", 1...100)))
      case .tap: try readTap(field)
      case .chip: configuration.wiring.chip = try field.chip()
      case .outputs:
        for output in try field.fields(Output.self) { try readOutput(output) }
      case .buttons:
        for button in try field.fields(Button.self) { try readButton(button) }
      case .chords: try readChords(field)
      case .inputs: try readInputs(field)
      case .audio: try readAudio(field)
      case .timing: try readTiming(field)
      }
    }
  }

  private mutating func readTap(_ tap: Field<RootKey>) throws(Problem) {
    for field in try tap.fields(TapKey.self) {
      switch field.key {
      case .round: configuration.tap.rounds = try field.truth()
      case .starts: configuration.tap.starts = try field.truth()
      }
    }
  }

  private mutating func readTiming(_ timing: Field<RootKey>) throws(Problem) {
    for field in try timing.fields(TimingKey.self) {
      switch field.key {
      case .spin: configuration.spins = try field.truth()
      }
    }
  }

  private mutating func readOutput(_ output: Field<Output>) throws(Problem) {
    for field in try output.fields(OutputKey.self) {
      switch field.key {
      case .line:
        if let line = try field.line() {
          configuration.wiring.outputs[output.key]?.line = line
          outputPositions[output.key] = field.valuePosition
        } else {
          configuration.wiring.outputs[output.key] = nil
        }
      case .active:
        let active: Polarity = try field.word()
        configuration.wiring.outputs[output.key]?.active = active
      case .firstMilliseconds: configuration.pattern[output.key].share(try field.pulse(of: output.key), from: .strong)
      case .regularMilliseconds: configuration.pattern[output.key].share(try field.pulse(of: output.key), from: .weak)
      case .latencyMicroseconds: configuration.latencies[output.key] = try field.latency()
      }
    }
  }

  private mutating func readAudio(_ audio: Field<RootKey>) throws(Problem) {
    for field in try audio.fields(AudioKey.self) {
      switch field.key {
      case .device: configuration.audio.device = try field.device()
      case .rate: configuration.audio.rate = try field.count(of: "frames a second", 8_000...192_000)
      case .period: configuration.audio.period = try field.count(of: "frames", 16...8_192)
      case .periods: configuration.audio.periods = try field.count(of: "a number of periods", 2...32)
      case .volume: configuration.volume = Double(try field.thousandths(of: "a number", upTo: 1)) / 1_000
      case .latencyMicroseconds: configuration.latencies.audio = try field.latency()
      case .gainDB: configuration.gainDB = try field.decibels()
      case .sounds: try readSounds(field)
      }
    }
    let buffer = configuration.audio.period * configuration.audio.periods
    guard buffer <= configuration.audio.rate else {
      throw Problem(
        "a buffer of \(buffer) frames lasts longer than a second at \(configuration.audio.rate) Hz",
        remedy: "keep period × periods lower: a press waits as long for its beat", at: audio.position)
    }
  }

  private mutating func readSounds(_ sounds: Field<AudioKey>) throws(Problem) {
    for field in try sounds.fields(SoundKey.self) {
      let file = ClickFile(try field.name("the path of a WAV file", longest: 4_095).text, folder: folder)
      switch field.key {
      case .first: configuration.clickFiles.share(file, from: .strong)
      case .regular: configuration.clickFiles.share(file, from: .weak)
      }
    }
  }

  private mutating func readSignature() throws(Problem) {
    guard let signature else { return }
    configuration.signature = try signature.signature(limit: configuration.numeratorLimit)
  }

  private func checkLines() throws(Problem) {
    var clash = LineClash()
    for (output, wiring) in configuration.wiring.outputs.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      clash.add(.init(path: "outputs.\(output.rawValue)", line: wiring.line, position: outputPositions[output]))
    }
    for (button, wiring) in configuration.wiring.buttons.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      clash.add(.init(path: "buttons.\(button.rawValue)", line: wiring.line, position: buttonPositions[button]))
    }
    try clash.check()
  }
}

extension Output: SectionKey {
  /// The sound card's section is one of its own.
  static var names: [String] { lines.map(\.rawValue) }
}
extension Button: SectionKey {}

extension ConfigurationReader {
  mutating func readInputs(_ inputs: Field<RootKey>) throws(Problem) {
    var earlier: [InputRequest.Device: Position] = [:]
    for item in try inputs.list("a list: for each device a line \"- device: NAME\", with its keys below") {
      let (request, position) = try readInput(item)
      if let first = earlier.updateValue(position, forKey: request.device) {
        throw Problem(
          "this device is here for the second time, after line \(first.line)",
          remedy: "put all its keys in one place; if there are two of one name, give their paths in /dev/input/by-path",
          at: position)
      }
      configuration.wiring.inputs.append(request)
    }
  }

  /// - Returns: the device, and where the file names it.
  private func readInput(_ item: Field<RootKey>) throws(Problem) -> (InputRequest, Position) {
    var device: (InputRequest.Device, Position)?
    var keys: [KeyCode: Button] = [:]
    var axes: [AxisCode: Dial] = [:]
    var isGrabbed = false
    for field in try item.fields(InputKey.self) {
      switch field.key {
      case .device: device = (try field.inputDevice(), field.valuePosition)
      case .keys:
        keys = try field.bound("a key and its button, as {KEY_PAGEDOWN: play}", find: KeyCode.find)
      case .relative:
        axes = try field.bound("an axis and its dial, as {REL_X: tempo}", find: AxisCode.find)
      case .grab: isGrabbed = try field.truth()
      }
    }
    guard let device else {
      throw Problem(
        "a device of inputs has no name", remedy: "add \"device:\" with its name or its path in /dev/input",
        at: item.position)
    }
    guard !keys.isEmpty || !axes.isEmpty else {
      throw Problem(
        "a device of inputs has nothing to do",
        remedy: "add keys, as {KEY_PAGEDOWN: play}, or relative, as {REL_X: tempo}",
        at: item.position)
    }
    return (InputRequest(device.0, keys: keys, relative: axes, isGrabbed: isGrabbed), device.1)
  }
}

extension Field {
  /// A device's name, or the path of its file.
  fileprivate func inputDevice() throws(Problem) -> InputRequest.Device {
    let scalar = try name("a device's name, or its path in /dev/input", longest: 4_095)
    return scalar.text.hasPrefix("/") ? .path(scalar.text) : .named(scalar.text)
  }

  /// What codes of a device are bound to.
  ///
  /// - Parameter find: the code of this name.
  fileprivate func bound<Code: Hashable, Use: RawRepresentable & CaseIterable>(
    _ expected: String, find: (Field<String>) throws(Problem) -> Code
  ) throws(Problem) -> [Code: Use] where Use.RawValue == String {
    var bound: [Code: Use] = [:]
    var earlier: [Code: Field<String>] = [:]
    for field in try entries(expected) {
      let code = try find(field)
      if let other = earlier.updateValue(field, forKey: code) {
        throw Problem(
          "\(field.key) is \(other.key), which is bound on line \(other.position.line) already",
          remedy: "keep one of the two", at: field.position)
      }
      bound[code] = try field.word()
    }
    return bound
  }
}

extension KeyCode {
  /// The key that a field is called after.
  fileprivate static func find(_ field: Field<String>) throws(Problem) -> KeyCode {
    if let code = KeyCode(name: field.key) { return code }
    throw unknown(
      "key", field, among: names, prefixes: ["KEY_", "BTN_"],
      otherwise: "write it as evtest shows it, as KEY_PAGEDOWN or BTN_0")
  }
}

extension AxisCode {
  /// The axis that a field is called after.
  fileprivate static func find(_ field: Field<String>) throws(Problem) -> AxisCode {
    if let code = AxisCode(name: field.key) { return code }
    throw unknown(
      "axis", field, among: names, prefixes: ["REL_"], otherwise: "the axes are \(enumeration(names, last: "and"))")
  }
}

private func unknown(
  _ kind: String, _ field: Field<String>, among known: [String], prefixes: [String], otherwise: String
) -> Problem {
  let meant = prefixes.map { $0 + field.key.uppercased() }.first(where: known.contains)
  let nearest = meant ?? nearestKey(to: field.key, among: known)
  return Problem(
    "unknown \(kind) \(quoted(field.key)) of a device",
    remedy: nearest.map { "did you mean \(quoted($0))?" } ?? otherwise,
    at: field.position)
}
