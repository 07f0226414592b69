import HardwareAbstraction

extension BoardFacts {
  /// What the kernel calls a metronome that holds lines.
  private static let consumer = "metronome"

  var lineFindings: [Finding] {
    guard configuration.wiring != nil else {
      return [.absent(.lines, "chip", "not looked at: the configuration does not say which lines")]
    }
    guard let gpio else { return [.absent(.lines, "chip", "not looked at: this build has no real board")] }
    let version = Finding.right(.lines, "libgpiod", gpio.version)
    return [version, chip(gpio)] + gpio.lines.map { line(of: $0, gpio) }
  }

  // MARK: The chip

  private func chip(_ gpio: GPIOFacts) -> Finding {
    guard let failure = gpio.failure else {
      return .right(.lines, "chip", gpio.chosen.map { "\($0), \($0.lineCount) lines" } ?? "none needed")
    }
    let found = gpio.chips.map(\.description).joined(separator: ", ")
    let isNone = gpio.chips.isEmpty
    switch failure {
    case .refused(let error):
      let path = gpio.refusals.first?.path ?? wanted
      let text = "\(path) cannot be opened (\(reason(error.errno)))"
      if error.kind == .denied, isForServiceAlone(devices.gpio) {
        return .absent(.lines, "chip", "not looked at: \(text), but the service may")
      }
      return .wrong(
        .lines, "chip", text,
        remedy: gpio.refusals.isEmpty
          ? "set chip: in \(configurationFile) to auto, or to the label that gpiodetect shows"
          : rightsRemedy("gpio", devices.gpio))
    case .missing where isNone:
      return .wrong(
        .lines, "chip", "this system has no GPIO chip (no /dev/gpiochip*)",
        remedy: "run this on the computer that is wired; on a Raspberry Pi: sudo apt full-upgrade, and restart")
    case .missing:
      let sought =
        wanted == "auto" ? "none is labelled pinctrl-*, as that of a Raspberry Pi is" : "there is no \(wanted)"
      return .wrong(
        .lines, "chip", "\(sought); there are \(found)",
        remedy: "set chip: in \(configurationFile) to the label of the one that is wired")
    case .incomplete:
      return .wrong(
        .lines, "chip", "\(gpio.chosen.map(\.description) ?? "it") has not all the lines",
        remedy:
          "see the lines below; or set chip: in \(configurationFile) to the label of the one that is wired (\(found))")
    case .ambiguous:
      return .wrong(
        .lines, "chip", "several chips would do: \(found)",
        remedy: "set chip: in \(configurationFile) to the name of the one that is wired")
    }
  }

  private var wanted: String {
    switch configuration.wiring?.chip {
    case .named(let text): text
    case .auto, nil: "auto"
    }
  }

  // MARK: The lines

  private func line(of line: LineFacts, _ gpio: GPIOFacts) -> Finding {
    let role = line.role
    let key = "\(line.isButton ? "buttons" : "outputs").\(role)"
    guard let offset = line.offset, let chip = gpio.chosen else {
      return .wrong(
        .lines, role, "\(gpio.chosen?.description ?? "the chip") has no \(line.id)",
        remedy: "set \(key).line in \(configurationFile) to a name that gpioinfo shows, or to an offset of 0 to"
          + " \((gpio.chosen?.lineCount ?? 1) - 1)")
    }
    let place = "\(line.name ?? "a line without a name") (offset \(offset) of \(chip.name))"
    if let twin = gpio.lines.first(where: { $0.offset == offset && $0.role != role }) {
      return .wrong(
        .lines, role, "\(place) is the \(twin.role)'s line, too",
        remedy: "give each a line of its own: \(key).line in \(configurationFile)")
    }
    if let holder = line.holder { return held(line, by: holder, place, key) }
    guard line.isButton else {
      let direction = line.direction == .output ? ", still an output" : ""
      return .right(.lines, role, "\(place), free\(direction), active \(line.active.rawValue)")
    }
    return button(line, place, key)
  }

  private func held(_ line: LineFacts, by holder: String, _ place: String, _ key: String) -> Finding {
    if holder == BoardFacts.consumer {
      let direction = line.direction.map { ", \($0.rawValue)" } ?? ""
      return .right(.lines, line.role, "\(place), in use by the running metronome\(direction)")
    }
    let who = holder.isEmpty ? "the kernel" : "\"\(holder)\""
    return .wrong(
      .lines, line.role, "\(place) is in use by \(who)",
      remedy:
        "end what holds it (a program, or a dtoverlay= or dtparam= line in /boot/firmware/config.txt), or wire it to"
        + " another line and say so: \(key).line in \(configurationFile)")
  }

  private func button(_ line: LineFacts, _ place: String, _ key: String) -> Finding {
    switch line.contact {
    case .open, nil: return .right(.lines, line.role, "\(place), free, reads open")
    case .pressed:
      let level = line.active == .low ? "low" : "high"
      let other = line.active == .low ? "high" : "low"
      return .doubtful(
        .lines, line.role, "\(place) reads pressed now (\(level))",
        remedy:
          "let go of it; if nobody holds it, look for a short between its wire and \(level == "low" ? "ground" : "3.3 V"),"
          + " or a switch that rests closed: for that \(key).active: \(other) in \(configurationFile)")
    case .unknown(let errno):
      return .wrong(
        .lines, line.role, "\(place) is not handed out as an input (\(reason(errno)))",
        remedy: "wire it to another line and say so: \(key).line in \(configurationFile)")
    }
  }
}
