import HardwareAbstraction
import MetronomeCore

/// The part of ``Configuration/yaml`` that says what hands do.
extension Configuration {
  func text(of button: Button) -> String {
    var entries: [String] = []
    if let wiring = wiring.buttons[button] {
      entries += [
        "line: \(text(of: wiring.line))", "active: \(wiring.active.rawValue)", "bias: \(wiring.bias.rawValue)",
      ]
    } else {
      entries += ["line: none"]
    }
    entries.append("short: \(gestures[.short(button)]?.words ?? "none")")
    // What is bound by default and not here has to be said; what is bound nowhere would be in the way.
    let holds: [(ButtonKey, Gesture)] = [(.long, .long(button)), (.repetition, .repeated(button))]
    let standard = GestureTable<Command>.standard
    for (key, gesture) in holds where gestures[gesture] != nil || standard[gesture] != nil {
      entries.append("\(key.rawValue): \(gestures[gesture]?.words ?? "none")")
    }
    return "  \(button.rawValue): {\(entries.joined(separator: ", "))}"
  }

  /// The chords that can be pressed, and those of the standard that mean nothing.
  var chords: String {
    let present = presentButtons
    let known = Set(gestures.pairs).union(GestureTable<Command>.standard.pairs)
    let lines = known.sorted { $0.name < $1.name }.compactMap { pair -> String? in
      let words = gestures[.chord(pair)]?.words
      guard words == nil || present.contains(pair.first) && present.contains(pair.second) else { return nil }
      return "  \(pair.name): \(words ?? "none")"
    }
    return lines.isEmpty ? " {}" : lines.map { "\n" + $0 }.joined()
  }

  var inputs: String {
    wiring.inputs.isEmpty ? " []" : wiring.inputs.map { "\n" + text(of: $0) }.joined()
  }

  private func text(of input: InputRequest) -> String {
    let name =
      switch input.device {
      case .named(let name), .path(let name): name
      }
    let keys = input.keys.compactMap { code, button in code.name.map { (code.number, "\($0): \(button.rawValue)") } }
    let axes = input.relative.compactMap { code, dial in code.name.map { (code.number, "\($0): \(dial.rawValue)") } }
    var lines = ["  - device: \(written(name))"]
    if !keys.isEmpty { lines.append("    keys: \(section(keys))") }
    if !axes.isEmpty { lines.append("    relative: \(section(axes))") }
    lines.append("    grab: \(input.isGrabbed)")
    return lines.joined(separator: "\n")
  }

  /// Entries in brackets, in order of their numbers.
  private func section(_ entries: [(number: UInt16, text: String)]) -> String {
    "{" + entries.sorted { $0.number < $1.number }.map(\.text).joined(separator: ", ") + "}"
  }
}

extension GestureTable<Command> {
  /// The buttons that do something together.
  fileprivate var pairs: [ButtonPair] {
    gestures.compactMap { gesture in
      switch gesture {
      case .chord(let pair): pair
      case .short, .long, .repeated: nil
      }
    }
  }
}

extension ButtonPair {
  /// As the file has it: `slower+faster`.
  fileprivate var name: String { "\(first.rawValue)+\(second.rawValue)" }
}
