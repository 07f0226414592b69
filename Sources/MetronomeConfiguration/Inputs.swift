import HardwareAbstraction
import MetronomeCore

extension Key {
  static var inputs: Key {
    Key(
      name: "inputs",
      meaning:
        "pedals, keyboards, encoders, each with the name or path of its event device; below it keys: {KEY_PAGEDOWN: "
        + "play}, each with a button, named as evtest shows them; relative: {REL_X: tempo}, each axis with a dial: tempo, "
        + "numerator, denominator or preset; grab: whether nobody else has what the device sends",
      form: Inputs.form, read: { (field, reader) throws(Problem) in try reader.readInputs(field) },
      text: { $0.wiring.inputs.isEmpty ? "[]" : $0.wiring.inputs.map(Inputs.text).joined() },
      isSame: { $0.wiring.inputs == $1.wiring.inputs })
  }
}

/// The devices of a configuration.
private enum Inputs {
  static let form = "a list: for each device a line \"- device: NAME\", with its keys below"

  static func text(of input: InputRequest) -> String {
    let keys = input.keys.map { code, button in (code.number, "\(code.name): \(button.rawValue)") }
    let axes = input.relative.map { code, dial in (code.number, "\(code.name): \(dial.rawValue)") }
    var lines = ["\n  - device: \(Form<InputRequest.Device>.input.text(input.device) ?? "")"]
    if !keys.isEmpty { lines.append("    keys: \(section(keys))") }
    if !axes.isEmpty { lines.append("    relative: \(section(axes))") }
    lines.append("    grab: \(input.isGrabbed)")
    return lines.joined(separator: "\n")
  }

  /// Entries in brackets, in order of their numbers.
  private static func section(_ entries: [(number: UInt16, text: String)]) -> String {
    "{" + entries.sorted { $0.number < $1.number }.map(\.text).joined(separator: ", ") + "}"
  }
}

extension ConfigurationReader {
  fileprivate mutating func readInputs(_ inputs: Field) throws(Problem) {
    var earlier: [InputRequest.Device: Position] = [:]
    for item in try inputs.list(Inputs.form) {
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
  private func readInput(_ item: Field) throws(Problem) -> (InputRequest, Position) {
    var device: (InputRequest.Device, Position)?
    var keys: [KeyCode: Button] = [:]
    var axes: [AxisCode: Dial] = [:]
    var isGrabbed = false
    for field in try item.fields(["device", "keys", "relative", "grab"]) {
      switch field.key {
      case "device": device = (try field.read(Form<InputRequest.Device>.input), field.valuePosition)
      case "keys": keys = try field.bound("a key and its button, as {KEY_PAGEDOWN: play}", find: KeyCode.find)
      case "relative": axes = try field.bound("an axis and its dial, as {REL_X: tempo}", find: AxisCode.find)
      default: isGrabbed = try field.read(Form<Bool>.truth)
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
  /// What codes of a device are bound to.
  ///
  /// - Parameter find: the code of this name.
  fileprivate func bound<Code: Hashable, Use: RawRepresentable & CaseIterable>(
    _ expected: String, find: (Field) throws(Problem) -> Code
  ) throws(Problem) -> [Code: Use] where Use.RawValue == String {
    var bound: [Code: Use] = [:]
    var earlier: [Code: Field] = [:]
    for field in try entries(expected) {
      let code = try find(field)
      if let other = earlier.updateValue(field, forKey: code) {
        throw Problem(
          "\(field.key) is \(other.key), which is bound on line \(other.position.line) already",
          remedy: "keep one of the two", at: field.position)
      }
      bound[code] = try field.read(Form<Use>.word)
    }
    return bound
  }
}

extension KeyCode {
  /// The key that a field is called after.
  fileprivate static func find(_ field: Field) throws(Problem) -> KeyCode {
    if let code = KeyCode(name: field.key) { return code }
    throw unknown(
      "key", field, among: names, prefixes: ["KEY_", "BTN_"],
      otherwise: "write it as evtest shows it, as KEY_PAGEDOWN or BTN_0, or by its number")
  }
}

extension AxisCode {
  /// The axis that a field is called after.
  fileprivate static func find(_ field: Field) throws(Problem) -> AxisCode {
    if let code = AxisCode(name: field.key) { return code }
    throw unknown(
      "axis", field, among: names, prefixes: ["REL_"], otherwise: "the axes are \(enumeration(names, last: "and"))")
  }
}

private func unknown(
  _ kind: String, _ field: Field, among known: [String], prefixes: [String], otherwise: String
) -> Problem {
  let meant = prefixes.map { $0 + field.key.uppercased() }.first(where: known.contains)
  let nearest = meant ?? nearestKey(to: field.key, among: known)
  return Problem(
    "unknown \(kind) \(quoted(field.key)) of a device",
    remedy: nearest.map { "did you mean \(quoted($0))?" } ?? otherwise,
    at: field.position)
}
