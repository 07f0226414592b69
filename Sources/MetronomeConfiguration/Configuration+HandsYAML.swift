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
    let gestures = bindings.buttons[button]
    let standard = Bindings.standard.buttons[button]
    entries.append("short: \(gestures?.short?.words ?? "none")")
    // What is bound by default and not here has to be said; what is bound nowhere would be in the way.
    let holds: [(ButtonKey, Command?, Command?)] = [
      (.long, gestures?.long, standard?.long), (.repetition, gestures?.repetition, standard?.repetition),
    ]
    for (key, command, standard) in holds where command != nil || standard != nil {
      entries.append("\(key.rawValue): \(command?.words ?? "none")")
    }
    return "  \(button.rawValue): {\(entries.joined(separator: ", "))}"
  }

  /// The chords that can be pressed, and those of the standard that mean nothing.
  var chords: String {
    let present = presentButtons
    let known = Set(bindings.chords.keys).union(Bindings.standard.chords.keys)
    let lines = known.sorted { $0.name < $1.name }.compactMap { chord -> String? in
      let words = bindings.chords[chord]?.words
      guard words == nil || chord.buttons.allSatisfy(present.contains) else { return nil }
      return "  \(chord.name): \(words ?? "none")"
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

extension Bindings.Chord {
  /// As the file has it: `slower+faster`.
  var name: String { buttons.map(\.rawValue).joined(separator: "+") }
}
