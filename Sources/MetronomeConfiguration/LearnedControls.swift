import CLibrary
import HardwareAbstraction
import MetronomeCore

/// The pedals, keys and knobs whose functions were learned: see `Documentation/Hands.md`. They are kept in the state folder, as a
/// configuration of their own: its `buttons` have the commands that no standard button has, its `inputs` the keys and axes.
public struct LearnedControls: Hashable, Sendable {
  /// The file in the state folder.
  package static let file = "learned.yaml"
  /// The most controls.
  package static let most = 32

  /// What a control does.
  public enum Use: Hashable, Sendable {
    case command(Command)
    case dial(Dial)
  }

  /// A control, and what it does.
  package struct Item: Hashable, Sendable {
    fileprivate let source: InputControl
    package let use: Use

    /// The device and the control as people read them.
    package var device: String { source.device.name }
    package var control: String { source.kind.name }

    /// What the box must listen to. `button` is that of a command.
    fileprivate func request(_ button: Button?) -> InputRequest {
      var request = InputRequest(source.device)
      request.channel = source.channel
      switch (source.kind, use) {
      case (.key(let key, let isLatching), _): (request.keys[key], request.isLatching) = (button, isLatching)
      case (.axis(let axis, let encoding), .dial(let dial)):
        (request.relative[axis], request.encoding) = (dial, encoding)
      case (.axis, .command): preconditionFailure("a command needs a key")
      }
      return request
    }
  }

  /// In the order of devices, channels and numbers.
  package private(set) var items: [Item] = []

  /// None.
  package init() {}

  /// The controls of a file in the state folder; none if it does not exist.
  package init(inFolder folder: String) throws(ConfigurationError) {
    self.init(try Configuration.readIfPresent(path: "\(folder)/\(LearnedControls.file)") ?? .standard)
  }

  /// The controls of the text of a file.
  package init(yaml: [UInt8]) throws(ConfigurationError) {
    self.init(try Configuration(yaml: yaml, file: LearnedControls.file))
  }

  private init(_ configuration: Configuration) {
    for request in configuration.wiring.inputs {
      func append(_ kind: InputControl.Kind, _ use: Use) {
        items.append(Item(source: InputControl(request.device, channel: request.channel, kind), use: use))
      }
      for (key, button) in request.keys {
        guard let command = configuration.gestures[button].short else { continue }
        append(.key(key, isLatching: request.isLatching), .command(command))
      }
      for (axis, dial) in request.relative { append(.axis(axis, request.encoding), .dial(dial)) }
    }
    sort()
  }

  private mutating func sort() {
    func place(_ item: Item) -> (String, Int, UInt16) {
      (item.device, item.source.channel ?? 0, item.source.kind.number)
    }
    items.sort { place($0) < place($1) }
  }

  /// Gives a control a function, in place of its former one.
  ///
  /// - Throws: `ControlsAreFull` if there is no room.
  package mutating func add(_ control: InputControl, for use: Use) throws(ControlsAreFull) {
    var new = self
    new.items.removeAll { $0.source.isSame(as: control) }
    guard new.items.count < LearnedControls.most else { throw ControlsAreFull("32 controls are learned") }
    new.items.append(Item(source: control, use: use))
    new.sort()
    var configuration = Configuration.standard
    guard new.add(to: &configuration).isEmpty else {
      throw ControlsAreFull("the box has sixteen buttons with other functions")
    }
    self = new
  }

  /// Removes the control at a place of ``items``.
  package mutating func removeItem(at place: Int) { items.remove(at: place) }

  /// The text of the file.
  package var yaml: String {
    var configuration = Configuration.standard
    _ = add(to: &configuration)
    let names = configuration.wiring.names
    let buttons = names.buttons.dropFirst(Button.standardNames.count).compactMap { button in
      configuration.gestures[button].short?.words.map { "  \(names[button]): {line: none, short: \"\($0)\"}\n" }
    }
    let inputs = Keys.all.first { $0.name == "inputs" }?.access?.text(configuration) ?? "[]"
    return "# Pedals and knobs that were learned. They are added to those of the configuration.\n"
      + (buttons.isEmpty ? "" : "buttons:\n" + buttons.joined()) + "inputs: \(inputs)\n"
  }

  /// Adds the controls of the file in a state folder to those of a configuration. Returns lines for the log.
  package static func add(fromFolder folder: String, to configuration: inout Configuration) -> [String] {
    do throws(ConfigurationError) {
      return try LearnedControls(inFolder: folder).add(to: &configuration).map {
        "\($0.control) of \($0.device) was learned, but the box has sixteen buttons with other functions"
      }
    } catch {
      return ["what was learned of pedals and knobs is not used: \(error)"]
    }
  }

  /// Adds the controls to those of a configuration. A learned function of a key replaces the configured one.
  ///
  /// - Returns: the controls for which there is no room.
  package func add(to configuration: inout Configuration) -> [Item] {
    items.filter { item in
      var button: Button?
      if case .command(let command) = item.use {
        button = configuration.wiring.names.button(for: command, &configuration.gestures)
        if button == nil { return true }
      }
      configuration.wiring.add(item.request(button))
      return false
    }
  }
}

/// Why no further control can be learned.
package struct ControlsAreFull: Error, Hashable, Sendable {
  package let text: String

  fileprivate init(_ what: String) { text = "\(what), and there is no room for more; remove one first" }
}

extension BoxNames {
  /// The first button whose short press is this command, or a new one; nil: there is no room.
  fileprivate mutating func button(for command: Command, _ gestures: inout GestureTable) -> Button? {
    if let button = buttons.first(where: { gestures[$0].short == command }) { return button }
    let numbers = (1...Button.room).lazy.map { "learned_\($0)" }
    guard let name = numbers.first(where: { button(named: $0) == nil && output(named: $0) == nil }) else { return nil }
    append(button: name)
    guard let button = button(named: name) else { return nil }
    gestures.bind(.short(button), to: command)
    return button
  }
}

extension Wiring {
  /// Adds the keys and axes of a request, in place of those that other requests have for the same device and channel.
  fileprivate mutating func add(_ request: InputRequest) {
    for index in inputs.indices where inputs[index].overlaps(request.device, request.channel) {
      for key in request.keys.keys { inputs[index].keys[key] = nil }
      for axis in request.relative.keys { inputs[index].relative[axis] = nil }
    }
    inputs.removeAll { $0.device == request.device && $0.isEmpty }
    guard let index = inputs.firstIndex(where: { $0.identity == request.identity }) else {
      return inputs.append(request)
    }
    inputs[index].keys.merge(request.keys) { $1 }
    inputs[index].relative.merge(request.relative) { $1 }
  }
}

extension InputRequest {
  fileprivate var isEmpty: Bool { keys.isEmpty && relative.isEmpty && !recallsPrograms }

  /// Whether a message of a device, on a channel of a MIDI port, can mean this request.
  fileprivate func overlaps(_ device: Device, _ channel: Int?) -> Bool {
    self.device == device && (self.channel == channel || self.channel == nil || channel == nil)
  }

  /// What no other entry may share.
  struct Identity: Hashable {
    var device: Device
    var channel: Int?
    var isLatching = false
    var encoding = TurnEncoding.twosComplement
  }

  /// A MIDI port may have several entries, because the pedals and dials of one controller may differ.
  var identity: Identity {
    Identity(device: device, channel: channel, isLatching: isLatching, encoding: encoding)
  }
}

extension InputRequest.Device {
  /// The name of the device, its path, or that of its MIDI port.
  package var name: String {
    switch self {
    case .named(let name), .path(let name): name
    case .midi(let device): device.name
    }
  }
}

extension InputControl {
  /// Whether this is the same key or axis, on a channel that may be the same.
  fileprivate func isSame(as other: InputControl) -> Bool {
    device == other.device && kind.number == other.kind.number
      && (channel == other.channel || channel == nil || other.channel == nil)
  }
}

extension InputControl.Kind {
  fileprivate var number: UInt16 {
    switch self {
    case .key(let key, _): key.number
    case .axis(let axis, _): axis.number
    }
  }

  /// Such as `KEY_PAGEDOWN`, `controller 64`, `note 60` or `REL_X`.
  package var name: String {
    let (number, name) =
      switch self {
      case .key(let key, _): (key.number, key.name)
      case .axis(let axis, _): (axis.number, axis.name)
      }
    return switch number {
    case KeyCode.note(0).number..<KeyCode.controller(0).number: "note \(number - KeyCode.note(0).number)"
    case KeyCode.controller(0).number...: "controller \(number - KeyCode.controller(0).number)"
    default: name
    }
  }
}
