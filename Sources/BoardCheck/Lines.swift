import CLibrary
import HardwareAbstraction
import MetronomeCore

extension BoardFacts {
  /// The consumer name of the lines that a metronome has requested.
  private static let consumer = "metronome"

  var lineFindings: [Finding] {
    guard configuration.wiring != nil else {
      return [Finding](.lines, ["chip": .absent("not checked: the configuration has an error")])
    }
    guard let gpio else {
      return [Finding](.lines, ["chip": .absent("not checked: this build has no hardware support")])
    }
    return [Finding](.lines, ["libgpiod": .right(gpio.version), "chip": chip(gpio)])
      + gpio.lines.map { Finding(.lines, $0.role, verdict($0, gpio)) }
      + [Finding](.lines, ["display.i2c": bus])
  }

  /// The bus of a screen; nil without one.
  private var bus: Verdict? {
    guard let bus = configuration.wiring?.display.bus else { return nil }
    guard let file = devices.i2c.first(where: { $0.path == bus }) else {
      return .wrong(
        "\(bus) does not exist",
        remedy: "sudo raspi-config nonint do_i2c 0; or set display.i2c in \(configurationFile) to a bus that"
          + " ls /dev/i2c-* shows")
    }
    return deviceRight("i2c", "the bus of the screen", [file], isNeeded: true)
  }

  private func chip(_ gpio: GPIOFacts) -> Verdict {
    let found = gpio.chips.map(\.description).joined(separator: ", ")
    let setChip = "set chip: in \(configurationFile) to the"
    switch gpio.failure {
    case nil: return .right(gpio.chosen.map { "\($0), \($0.lineCount) lines" } ?? "no chip is needed")
    case .refused(let error):
      let text = "\(gpio.refusals.first ?? wanted) cannot be opened (\(error.reason(reason)))"
      if error.kind == .denied, isForServiceAlone(devices.gpio) {
        return .absent("not checked: \(text); the service has permission")
      }
      return .wrong(
        text,
        remedy: gpio.refusals.isEmpty
          ? "set the key chip in \(configurationFile) to auto, or to the label that gpiodetect shows"
          : rightsRemedy("gpio", devices.gpio))
    case .missing where gpio.chips.isEmpty:
      return .wrong(
        "this system has no GPIO chip (no /dev/gpiochip*)",
        remedy:
          "run this on the computer that the parts are wired to; on a Raspberry Pi: sudo apt full-upgrade, and reboot")
    case .missing:
      let sought =
        wanted == "auto"
        ? "no chip has a label pinctrl-*, as the chip of a Raspberry Pi's header has"
        : "no chip is named or labelled \(wanted)"
      return .wrong(
        "\(sought); the chips are \(found)", remedy: "\(setChip) label of the chip that the parts are wired to")
    case .incomplete:
      return .wrong(
        "\(gpio.chosen.map(\.description) ?? "the chip") lacks some of the configured lines",
        remedy: "see the lines below, or \(setChip) label of the chip that the parts are wired to (\(found))")
    case .ambiguous:
      return .wrong(
        "several chips match: \(found)", remedy: "\(setChip) name of the chip that the parts are wired to")
    }
  }

  private var wanted: String { if case .named(let text) = configuration.wiring?.chip { text } else { "auto" } }

  private func verdict(_ line: LineFacts, _ gpio: GPIOFacts) -> Verdict {
    let isColor = [OutputLine.green, .blue].contains { BoxNames.standard[$0] == line.role }
    let isDisplay = line.role.hasPrefix("display.")
    let key =
      isDisplay
      ? line.role
      : isColor
        ? "rgb.\(line.role)" : "\(line.isButton ? "buttons" : "outputs").\(line.role.prefix { $0 != "." }).line"
    guard let offset = line.offset, let chip = gpio.chosen else {
      return .wrong(
        "\(gpio.chosen?.description ?? "the chip") has no \(line.id)",
        remedy: "set \(key) in \(configurationFile) to a name that gpioinfo shows, or to an offset of 0 to"
          + " \((gpio.chosen?.lineCount ?? 1) - 1)")
    }
    let place = "\(line.name ?? "a line without a name") (offset \(offset) of \(chip.name))"
    if let twin = gpio.lines.first(where: { $0.offset == offset && $0.role != line.role }) {
      return .wrong(
        "\(place) is also the line of \(twin.role)",
        remedy: "set \(key) in \(configurationFile) to another line")
    }
    if let holder = line.holder { return held(line, by: holder, place, key) }
    if line.isButton { return button(line, place, "buttons.\(line.role)") }
    if isDisplay { return .right("\(place), free") }
    let direction = line.direction == .output ? ", left configured as an output" : ""
    return .right("\(place), free\(direction), active \(line.active.rawValue)")
  }

  private func held(_ line: LineFacts, by holder: String, _ place: String, _ key: String) -> Verdict {
    if holder == BoardFacts.consumer {
      let direction = line.direction.map { ", \($0.rawValue)" } ?? ""
      return .right("\(place), in use by the running metronome\(direction)")
    }
    return .wrong(
      "\(place) is in use by \(holder.isEmpty ? "the kernel" : "\"\(holder)\"")",
      remedy:
        "end the program that uses it, or, if a kernel driver uses it, remove the driver's dtoverlay= or dtparam="
        + " entry from /boot/firmware/config.txt; or wire the part to another GPIO line and set \(key) in"
        + " \(configurationFile)")
  }

  private func button(_ line: LineFacts, _ place: String, _ key: String) -> Verdict {
    switch line.contact {
    case .open, nil: return .right("\(place), free, reads open")
    case .pressed:
      let (level, other, rail) = line.active == .low ? ("low", "high", "ground") : ("high", "low", "3.3 V")
      return .doubtful(
        "\(place) reads pressed now (\(level))",
        remedy:
          "release it; if it is not pressed, look for a short circuit between its wire and \(rail); for a normally"
          + " closed switch set \(key).active in \(configurationFile) to \(other)")
    case .unknown(let errno):
      return .wrong(
        "\(place) cannot be requested as an input (\(reason(errno)))",
        remedy: "wire it to another line and set \(key).line in \(configurationFile)")
    }
  }
}

extension BoardFacts {
  /// The wiring without lines that are missing, in use, or wired twice.
  public func wiringToTry(_ wiring: Wiring) -> Wiring {
    let lines = gpio?.failure == nil ? gpio?.lines ?? [] : []
    let offsets = lines.compactMap(\.offset)
    let good = lines.filter { line in
      line.offset != nil && line.holder == nil && offsets.filter { $0 == line.offset }.count == 1
    }
    let roles = Set(good.map(\.role))
    var wiringToTry = Wiring(
      chip: wiring.chip, outputs: wiring.outputs.filter { roles.contains(wiring.names[$0.key]) },
      buttons: wiring.buttons.filter { roles.contains(wiring.names[$0.key]) })
    wiringToTry.names = wiring.names
    return wiringToTry
  }

  /// The finding in place of all outputs and buttons if the chip cannot be used; nil if it can.
  public var untriedChip: Finding? {
    guard let gpio, gpio.failure != nil else { return nil }
    return Finding(
      .trial, "chip",
      .doubtful(
        "no output or button can be tested: the chip cannot be used; see \"chip\" under \"lines\" above",
        remedy: "fix that problem first"))
  }

  /// The finding for an output or button that cannot be tested although the chip can be used.
  public func untried(_ role: String) -> Finding {
    let isPlaying = gpio?.lines.contains { $0.role == role && $0.holder == BoardFacts.consumer } ?? false
    return Finding(
      .trial, role,
      isPlaying
        ? .doubtful(
          "cannot be tested: the running metronome uses its line",
          remedy: "sudo systemctl stop metronome, or end the other metronome; then repeat the check")
        : .doubtful(
          "cannot be tested: see the finding for its GPIO line, under \"lines\" above",
          remedy: "fix that problem first"))
  }
}

/// The edges of a button that the user was asked to press once.
public struct ButtonTrial: Hashable, Sendable {
  /// A button is released when its contact has been open for this time.
  public static let rest = Nanoseconds.milliseconds(300)

  private let button: Button
  private let names: BoxNames
  /// Edges within this time of each other belong to one movement, during which the contact bounces.
  private let lockOut: Nanoseconds
  private var edges: [ButtonEdge] = []
  /// Other buttons that had edges meanwhile, in the order of their first edges.
  private var others: [Button] = []

  public init(_ button: Button, lockOut: Nanoseconds, names: BoxNames = .standard) {
    (self.button, self.lockOut, self.names) = (button, lockOut, names)
  }

  /// Records an edge of any button.
  public mutating func record(_ edge: ButtonEdge) {
    if edge.button == button {
      edges.append(edge)
    } else if !others.contains(edge.button) {
      others.append(edge.button)
    }
  }

  /// The instant at which the press is finished if no more edges follow; nil while the button is down or untouched.
  public var end: Instant? {
    guard let last = edges.last, last.direction == .up else { return nil }
    return last.instant + ButtonTrial.rest
  }

  /// The verdict on the button. `key` is its key in the configuration file, such as `buttons.play`.
  public func verdict(_ key: String, waitedFor patience: Nanoseconds, in file: String) -> Verdict {
    guard let first = edges.first, let last = edges.last else { return silence(key, patience, file) }
    guard first.direction == .down else {
      return .doubtful(
        "the first edge was a release",
        remedy: "if it was not held, its contact is normally closed: invert \(key).active in \(file)")
    }
    guard last.direction == .up else {
      return .doubtful(
        "pressed, but not released within \(seconds(patience)) s",
        remedy: "release it; if it stays down, the contact sticks or its wire is shorted")
    }
    let longest = movements.map { $0[$0.count - 1].instant - $0[0].instant }.max() ?? .zero
    let bounce = longest > .zero ? "it bounced for \(milliseconds(longest)) ms" : "it did not bounce"
    let text = "\(presses(movements)), \(edges.count) edges; \(bounce)"
    let figures = [
      "edges": Double(edges.count), "bounce_ms": Double(longest.count / 1_000) / 1_000,
      "held_ms": Double((last.instant - first.instant).count / 1_000) / 1_000,
    ]
    if longest.count * 4 > lockOut.count * 3 {
      return .doubtful(
        text + ", which is nearly as long as debounce_ms allows",
        remedy: "set debounce_ms in \(file) to \(2 * longest.count / 1_000_000 + 1), or use another button",
        figures: figures)
    }
    return .right(text, figures: figures)
  }

  private func silence(_ key: String, _ patience: Nanoseconds, _ file: String) -> Verdict {
    let text = "no edge within \(seconds(patience)) s"
    if let other = others.first.map({ names[$0] }) {
      return .doubtful(
        "\(text); \(other) had edges instead",
        remedy: "if that was this button, swap the two wires, or swap \(key).line and buttons.\(other).line in \(file)")
    }
    return .doubtful(
      text,
      remedy:
        "check the wires from its line to the button and from the button to ground; \(key).line in \(file) names the"
        + " line")
  }

  /// The edges of each movement of the contact; a short press is one movement, down and up.
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
    let count = movements.filter { $0[0].direction == .down }.count
    let held = milliseconds(edges[edges.count - 1].instant - edges[0].instant)
    return count == 1 ? "one press, held for \(held) ms" : "\(count) presses within \(held) ms"
  }

  private func milliseconds(_ span: Nanoseconds) -> String { decimal(thousandths: Int(span.count / 1_000)) }
  private func seconds(_ span: Nanoseconds) -> String { decimal(thousandths: Int(span.count / 1_000_000)) }
}
