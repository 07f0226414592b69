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

  private enum Kind: Hashable {
    case button, latching, program
    case dial(TurnEncoding)
    /// A dial whose encoding shows when it is turned in the other direction.
    case halfTurned
    /// A dial, or a knob that sends its position.
    case unclear
    /// An expression pedal, or a knob that sends its position.
    case position
  }

  private struct Control: Hashable {
    /// A turn in one message is at most this far. So the 128 values are four groups, of which an encoding has two.
    private static let fastest = 31
    /// Turns that are too slow for a knob that sends its position and passes from one group to another.
    private static let slow = 3
    /// The values of a pedal with two positions, some of which send the force.
    private static let mostOfPedal = 8

    var source: Source
    var channel: Int
    /// The values of a controller; 1 and 0 for a note that went on and off.
    private(set) var values: Set<Int> = []
    private var last: Int?
    /// Whether a value came twice in a row: a knob that sends its position sends changes only.
    private var repeats = false

    init(_ source: Source, channel: Int) { (self.source, self.channel) = (source, channel) }

    mutating func record(_ value: Int) {
      values.insert(value)
      repeats = repeats || value == last
      last = value
    }

    var kind: Kind {
      switch source {
      case .program: return .program
      case .note: return values.contains(0) ? .button : .latching
      case .controller: break
      }
      let encodings = TurnEncoding.allCases.filter(fits)
      // A pedal without a release sends 127, and maybe other high values.
      if encodings.isEmpty || values.allSatisfy({ $0 > 127 - Control.fastest }) {
        guard values.contains(where: { $0 < 64 }) else { return .latching }
        return values.count > Control.mostOfPedal ? .position : .button
      }
      guard let encoding = encodings.first(where: isTurnedBothWays) else { return repeats ? .halfTurned : .unclear }
      let isSlow = values.allSatisfy { abs(encoding.detents($0)) <= Control.slow }
      // A position near 64 may also change by two at once.
      return repeats || isSlow && encoding != .offset64 ? .dial(encoding) : .unclear
    }

    /// Whether each value is a turn that hands can make.
    private func fits(_ encoding: TurnEncoding) -> Bool {
      values.allSatisfy { (1...Control.fastest).contains(abs(encoding.detents($0))) }
    }

    private func isTurnedBothWays(_ encoding: TurnEncoding) -> Bool {
      Set(values.map { encoding.detents($0).signum() }).count == 2
    }
  }

  private let device: String
  /// In order of their first messages.
  private var controls: [Control] = []

  /// `device`: the name of the port in the configuration.
  public init(device: String) { self.device = device }

  /// Records a message. Returns a line to show if a control has sent its first message, or if the encoding of a dial is known now.
  public mutating func record(_ event: MIDIEvent) -> String? {
    switch event {
    case .clock: nil
    case .note(let number, let isOn, let channel): record(.note(number), channel, isOn ? 1 : 0)
    case .control(let number, let value, let channel): record(.controller(number), channel, value)
    case .program(let number, let channel): record(.program, channel, number)
    }
  }

  private mutating func record(_ source: Source, _ channel: Int, _ value: Int) -> String? {
    let known = controls.firstIndex { $0.source == source && $0.channel == channel }
    if known == nil { controls.append(Control(source, channel: channel)) }
    let index = known ?? controls.count - 1
    let before = controls[index].kind
    controls[index].record(value)
    let line = "\(shownName(device)): \(source.text), channel \(channel)"
    if case .dial(let encoding) = controls[index].kind, controls[index].kind != before {
      return "\(line): a dial, \(encoding.rawValue)"
    }
    return known == nil ? line : nil
  }

  /// The encoding of the first dial that has one. An entry has one for all its dials.
  private var encoding: TurnEncoding? {
    for control in controls { if case .dial(let encoding) = control.kind { return encoding } }
    return nil
  }

  /// The first controller that was turned in both directions, with its encoding; nil: none.
  var dial: (number: Int, channel: Int, encoding: TurnEncoding)? {
    for control in controls {
      guard case .controller(let number) = control.source, case .dial(let encoding) = control.kind else { continue }
      return (number, control.channel, encoding)
    }
    return nil
  }

  /// One finding per control.
  public var findings: [Finding] {
    controls.map { control in
      Finding(.trial, "\(device) \(control.source.text)", verdict(control.kind, "on channel \(control.channel)"))
    }
  }

  private func verdict(_ kind: Kind, _ on: String) -> Verdict {
    switch kind {
    case .button: .right("\(on), pressed and released")
    case .program: .right(on)
    case .position:
      .doubtful(
        "\(on), sends its position, and is pressed from 64 on",
        remedy: "if it is a knob, set it to relative in the controller, so that it is a dial")
    case .latching:
      .doubtful(
        "\(on), pressed, but never released",
        remedy:
          "set the pedal to momentary, so that it can be held; or add \"latching: true\" to its entry; a dial must "
          + "be turned in both directions")
    case .dial(let own):
      own == encoding
        ? .right("\(on), turned, \(own.rawValue)")
        : .doubtful(
          "\(on), turned, \(own.rawValue), unlike other dials",
          remedy: "set all dials of the controller to one encoding")
    case .halfTurned:
      .doubtful(
        "\(on), turned in one direction only",
        remedy: "turn it in both directions, some detents each, so that its encoding is known")
    case .unclear:
      .doubtful(
        "\(on), moved, but not like a dial",
        remedy:
          "turn it slowly, some detents in both directions; a knob that sends its position must be set to relative")
    }
  }

  /// The entry of `inputs`, with suggestions for each control; nil if there is none.
  public var entry: String? {
    var lines = ["  - midi: \"\(device)\""]
    if let first = controls.first, controls.allSatisfy({ $0.channel == first.channel }) {
      lines.append("    channel: \(first.channel)")
    }
    var buttons = [Button.play, .tap, .slower, .faster]
    buttons += Button.standard.filter { !buttons.contains($0) }
    var (controllers, notes, dials) = ([String](), [String](), [String]())
    var freeDials = Dial.allCases[...]
    var seen: Set<Source> = []
    for control in controls where seen.insert(control.source).inserted {
      switch (control.source, control.kind) {
      case (.program, _), (_, .unclear): continue
      case (.controller(let number), .dial), (.controller(let number), .halfTurned):
        if case .dial(let own) = control.kind, own != encoding { continue }
        if let dial = freeDials.popFirst() { dials.append("\(number): \(dial.rawValue)") }
      case (.controller(let number), _):
        if !buttons.isEmpty { controllers.append("\(number): \(buttons.removeFirst())") }
      case (.note(let number), _):
        if !buttons.isEmpty { notes.append("\(number): \(buttons.removeFirst())") }
      }
    }
    for (key, pairs) in [("cc", controllers), ("note", notes), ("relative", dials)] where !pairs.isEmpty {
      lines.append("    \(key): {\(pairs.joined(separator: ", "))}")
    }
    if !dials.isEmpty {
      lines.append(
        "    " + (encoding.map { "encoding: \($0.rawValue)" } ?? "# encoding: unknown until a dial is turned both ways")
      )
    }
    guard !controllers.isEmpty || !notes.isEmpty || !dials.isEmpty || seen.contains(.program) else { return nil }
    if seen.contains(.program) { lines.append("    program: recall") }
    let switches = controls.filter { [.button, .position, .latching].contains($0.kind) }
    if !switches.isEmpty, switches.allSatisfy({ $0.kind == .latching }) { lines.append("    latching: true") }
    return lines.map { $0 + "\n" }.joined()
  }
}
