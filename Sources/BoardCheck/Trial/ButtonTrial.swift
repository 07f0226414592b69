import HardwareAbstraction
import MetronomeCore

/// What a button did that somebody was asked to press once.
public struct ButtonTrial: Hashable, Sendable {
  /// A contact that has been open for so long has been let go.
  public static let rest = Nanoseconds.milliseconds(300)

  private let button: Button
  /// Edges that follow each other within this time belong to one movement: the contact bounces.
  private let lockOut: Nanoseconds
  private var edges: [ButtonEdge] = []
  /// Other buttons that moved meanwhile, in that order.
  private var others: [Button] = []

  public init(_ button: Button, lockOut: Nanoseconds) {
    self.button = button
    self.lockOut = lockOut
  }

  /// Takes an edge, of whichever button.
  public mutating func take(_ edge: ButtonEdge) {
    if edge.button == button {
      edges.append(edge)
    } else if !others.contains(edge.button) {
      others.append(edge.button)
    }
  }

  /// From when on it has been pressed and let go, if no more edges come; nil while it has not.
  public var end: Instant? {
    guard let last = edges.last, last.direction == .up else { return nil }
    return last.instant + ButtonTrial.rest
  }

  /// - Parameters:
  ///   - key: where the configuration has the button, as `buttons.play`.
  ///   - patience: for how long it was waited for.
  ///   - file: where the configuration is.
  public func finding(_ key: String, waitedFor patience: Nanoseconds, in file: String) -> Finding {
    guard let first = edges.first, let last = edges.last else { return silence(key, patience, file) }
    guard first.direction == .down else {
      return .doubtful(
        .trial, button.rawValue, "its first edge was that of letting go",
        remedy: "if it was not held, it rests closed: set \(key).active the other way round in \(file)")
    }
    guard last.direction == .up else {
      return .doubtful(
        .trial, button.rawValue, "pressed, and not let go again within \(seconds(patience)) s",
        remedy: "let go of it; if it stays down, the contact sticks or its wire is shorted")
    }
    let movements = self.movements
    let longest = movements.map { $0[$0.count - 1].instant - $0[0].instant }.max() ?? .zero
    let bounce = longest > .zero ? "it bounced for \(milliseconds(longest)) ms" : "it did not bounce"
    let text = "\(presses(movements)), \(edges.count) edges; \(bounce)"
    let figures = [
      Finding.Figure("edges", edges.count), Finding.Figure("bounce_ms", thousandths: Int(longest.count / 1_000)),
      Finding.Figure("held_ms", thousandths: Int((last.instant - first.instant).count / 1_000)),
    ]
    if longest.count * 4 > lockOut.count * 3 {
      return .doubtful(
        .trial, button.rawValue, text + ", which is nearly as long as debounce_ms allows",
        remedy: "set debounce_ms in \(file) to \(2 * longest.count / 1_000_000 + 1), or take another button",
        figures: figures)
    }
    return .right(.trial, button.rawValue, text, figures: figures)
  }

  private func silence(_ key: String, _ patience: Nanoseconds, _ file: String) -> Finding {
    let text = "no edge within \(seconds(patience)) s"
    if let other = others.first {
      return .doubtful(
        .trial, button.rawValue, "\(text); \(other.rawValue) moved instead",
        remedy:
          "if that was this button, exchange the two wires, or \(key).line and buttons.\(other.rawValue).line in \(file)"
      )
    }
    return .doubtful(
      .trial, button.rawValue, text,
      remedy:
        "look after the wire from its line to the button, and from the button to ground; \(key).line in \(file) says"
        + " which line")
  }

  /// The edges of each movement of the contact.
  private var movements: [[ButtonEdge]] {
    edges.reduce(into: []) { movements, edge in
      if let last = movements.last?.last, edge.instant - last.instant <= lockOut {
        movements[movements.count - 1].append(edge)
      } else {
        movements.append([edge])
      }
    }
  }

  private func presses(_ movements: [[ButtonEdge]]) -> String {
    // A short press is one movement, down and up.
    let count = movements.filter { $0[0].direction == .down }.count
    let held = milliseconds(edges[edges.count - 1].instant - edges[0].instant)
    return count == 1 ? "one press, held for \(held) ms" : "\(count) presses within \(held) ms"
  }

  private func milliseconds(_ span: Nanoseconds) -> String { decimal(thousandths: Int(span.count / 1_000)) }
  private func seconds(_ span: Nanoseconds) -> String { decimal(thousandths: Int(span.count / 1_000_000)) }
}

extension BoardFacts {
  /// What of a wiring can be tried: without the lines that are not there, in use, or wired to twice.
  public func wiringToTry(_ wiring: Wiring) -> Wiring {
    let lines = gpio?.failure == nil ? gpio?.lines ?? [] : []
    let offsets = lines.compactMap(\.offset)
    let good = lines.filter { line in
      line.offset != nil && line.holder == nil && offsets.filter { $0 == line.offset }.count == 1
    }
    let roles = Set(good.map(\.role))
    return Wiring(
      chip: wiring.chip, outputs: wiring.outputs.filter { roles.contains($0.key.rawValue) },
      buttons: wiring.buttons.filter { roles.contains($0.key.rawValue) })
  }

  /// What to say of what cannot be tried.
  public func untried(_ role: String) -> Finding {
    let isPlaying = gpio?.lines.contains { $0.role == role && $0.holder == "metronome" } ?? false
    return .doubtful(
      .trial, role, "cannot be tried: \(isPlaying ? "the running metronome has its line" : "see its line above")",
      remedy: isPlaying
        ? "sudo systemctl stop metronome, or end the other metronome; then again" : "mend its line first")
  }

  /// Whether the card that is asked for let itself be opened.
  public var hasCard: Bool {
    if case .opened = sound?.outcome { return true }
    return false
  }

  /// Where the configuration is to be changed.
  public var fileToChange: String { configurationFile }
}
