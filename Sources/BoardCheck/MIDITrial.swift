import HardwareAbstraction
import MetronomeCore

/// What the pedals and dials on a MIDI port have sent, and the entry of the configuration that uses them.
public struct MIDITrial: Hashable, Sendable {
  private enum Source: Hashable {
    case controller(Int), note(Int), program

    var text: String {
      switch self {
      case .controller(let number): "controller \(number)"
      case .note(let number): "note \(number)"
      case .program: "program changes"
      }
    }
  }

  private enum Kind { case button, dial, latching, program }

  private struct Control: Hashable {
    var source: Source
    var channel: Int
    /// The values of a controller; 1 and 0 for a note that went on and off.
    var values: Set<Int> = []

    var kind: Kind {
      let isReleased = values.contains { $0 < (isNote ? 1 : 64) }
      if case .program = source { return .program }
      // An endless dial sends small steps: 1 and up forward, 127 and down backward, and never 0.
      if !isNote, values.contains(where: (1...16).contains), values.allSatisfy({ (1...16).contains($0) || $0 > 111 }) {
        return .dial
      }
      return isReleased ? .button : .latching
    }

    private var isNote: Bool { if case .note = source { true } else { false } }
  }

  private let device: String
  /// In order of their first messages.
  private var controls: [Control] = []

  /// `device`: the name of the port in the configuration.
  public init(device: String) { self.device = device }

  /// Records a message. Returns a line to show if a control has sent its first message.
  public mutating func record(_ event: MIDIEvent) -> String? {
    switch event {
    case .clock: nil
    case .note(let number, let isOn, let channel): record(.note(number), channel, isOn ? 1 : 0)
    case .control(let number, let value, let channel): record(.controller(number), channel, value)
    case .program(let number, let channel): record(.program, channel, number)
    }
  }

  private mutating func record(_ source: Source, _ channel: Int, _ value: Int) -> String? {
    if let index = controls.firstIndex(where: { $0.source == source && $0.channel == channel }) {
      controls[index].values.insert(value)
      return nil
    }
    controls.append(Control(source: source, channel: channel, values: [value]))
    return "\(shownName(device)): \(source.text), channel \(channel)"
  }

  /// One finding per control.
  public var findings: [Finding] {
    controls.map { control in
      let subject = "\(device) \(control.source.text)"
      let on = "on channel \(control.channel)"
      switch control.kind {
      case .button: return Finding(.trial, subject, .right("\(on), pressed and released"))
      case .dial: return Finding(.trial, subject, .right("\(on), turned"))
      case .program: return Finding(.trial, subject, .right("\(on)"))
      case .latching:
        return Finding(
          .trial, subject,
          .doubtful(
            "\(on), pressed, but never released",
            remedy: "set the pedal to momentary, so that it can be held; or add \"latching: true\" to its entry"))
      }
    }
  }

  /// The entry of `inputs`, with suggestions for each control; nil if nothing was received.
  public var entry: String? {
    guard !controls.isEmpty else { return nil }
    var lines = ["  - midi: \"\(device)\""]
    if Set(controls.map(\.channel)).count == 1 { lines.append("    channel: \(controls[0].channel)") }
    var buttons = [Button.play, .tap, .slower, .faster]
    buttons += Button.allCases.filter { !buttons.contains($0) }
    var (controllers, notes, dials) = ([String](), [String](), [String]())
    var freeDials = Dial.allCases[...]
    var seen: Set<Source> = []
    for control in controls where seen.insert(control.source).inserted {
      switch (control.source, control.kind) {
      case (.controller(let number), .dial):
        if let dial = freeDials.popFirst() { dials.append("\(number): \(dial.rawValue)") }
      case (.controller(let number), _):
        if !buttons.isEmpty { controllers.append("\(number): \(buttons.removeFirst().rawValue)") }
      case (.note(let number), _):
        if !buttons.isEmpty { notes.append("\(number): \(buttons.removeFirst().rawValue)") }
      case (.program, _): continue
      }
    }
    for (key, pairs) in [("cc", controllers), ("note", notes), ("relative", dials)] where !pairs.isEmpty {
      lines.append("    \(key): {\(pairs.joined(separator: ", "))}")
    }
    if seen.contains(.program) { lines.append("    program: recall") }
    let switches = controls.filter { $0.kind == .button || $0.kind == .latching }
    if !switches.isEmpty, switches.allSatisfy({ $0.kind == .latching }) { lines.append("    latching: true") }
    return lines.map { $0 + "\n" }.joined()
  }
}
