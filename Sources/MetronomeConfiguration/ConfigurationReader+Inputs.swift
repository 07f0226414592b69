import HardwareAbstraction
import MetronomeCore

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
