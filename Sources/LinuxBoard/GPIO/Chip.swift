import CGpiod
import Glibc
import HardwareAbstraction

/// A GPIO chip, opened for inspection.
struct Chip: ~Copyable {
  let summary: GPIOFacts.Chip
  private let handle: OpaquePointer

  /// - Throws: `HardwareError` with operation `openChip` and the kernel's error number.
  init(path: String) throws(HardwareError) {
    var error: Int32 = 0
    guard let handle = cgpiod_chip_open(path, &error) else { throw HardwareError(.openChip, errno: error) }
    self.handle = handle
    summary = GPIOFacts.Chip(
      path: path, name: String(cString: cgpiod_chip_name(handle)), label: String(cString: cgpiod_chip_label(handle)),
      lineCount: Int(cgpiod_chip_line_count(handle)))
  }

  deinit { cgpiod_chip_close(handle) }

  /// The offset of a line; nil if the chip has no such line.
  func offset(of line: LineID) -> UInt32? {
    switch line {
    case .name(let name): UInt32(exactly: cgpiod_chip_find_line(handle, name))
    case .offset(let offset): offset < summary.lineCount ? UInt32(exactly: offset) : nil
    }
  }

  /// The name of a line, or nil if it has none.
  func name(ofLineAt offset: UInt32) -> String? { text { cgpiod_chip_line_name(handle, offset, $0, $1) } }

  /// The consumer of a line, or nil if the line is free. Empty if the kernel does not report its name.
  func holder(ofLineAt offset: UInt32) -> String? { text { cgpiod_chip_line_holder(handle, offset, $0, $1) } }

  /// The direction of a line; nil if the kernel does not report it.
  func direction(ofLineAt offset: UInt32) -> LineFacts.Direction? {
    switch cgpiod_chip_line_is_output(handle, offset) {
    case 0: .input
    case 1: .output
    default: nil
    }
  }

  /// The text that a C function stores; nil unless it returns 1.
  private func text(_ store: (UnsafeMutablePointer<CChar>, Int) -> Int32) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(CGPIOD_NAME_SIZE)) { buffer in
      store(buffer.baseAddress!, buffer.count) > 0 ? String(cString: buffer.baseAddress!) : nil
    }
  }
}

/// The files that match a glob pattern, shorter names first, so that trailing numbers sort numerically.
func paths(matching pattern: String) -> [String] {
  var found = glob_t()
  defer { globfree(&found) }
  guard glob(pattern, 0, nil, &found) == 0 else { return [] }
  let paths = (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
  return paths.sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
}

private func isDevice(_ path: String) -> Bool {
  var status = stat()
  return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR
}

/// Finds the wired chip by its label or lines, because chip numbers differ between kernel versions.
struct ChipSearch {
  private let lines: [WiredLine]
  /// The chips that could be opened, in order of their numbers.
  private(set) var chips: [GPIOFacts.Chip] = []
  /// The device files that could not be opened, and why.
  private(set) var refused: [(path: String, error: HardwareError)] = []

  /// Opens every `/dev/gpiochip*` that is a device. Links are ignored, because Raspberry Pi OS adds links to the same chips.
  init(_ wiring: Wiring) {
    lines = wiring.lines
    for path in paths(matching: "/dev/gpiochip*") where isDevice(path) {
      do throws(HardwareError) {
        let chip = try Chip(path: path)
        chips.append(chip.summary)
      } catch {
        refused.append((path, error))
      }
    }
  }

  /// The device file that the caller may not open, if there is one.
  private var forbidden: String? { refused.first { $0.error.kind == .denied }?.path }

  /// - Throws: `HardwareError` with operation `openChip`.
  func find(_ id: ChipID) throws(HardwareError) -> GPIOFacts.Chip {
    switch id {
    case .auto: try findHeader()
    case .named(let text): try find(text)
    }
  }

  private func findHeader() throws(HardwareError) -> GPIOFacts.Chip {
    let complete = headers.filter { missingLines(on: $0).isEmpty }
    if complete.count == 1 { return complete[0] }
    if complete.count > 1 { throw ambiguous(complete) }
    if let forbidden { throw refusal(forbidden) }
    if let best = nearestHeader {
      throw HardwareError(
        .requestLines, .invalid, errno: ENOENT,
        detail: "\(best) has no \(missingLines(on: best).listed); \(found): use GPIO2 to GPIO27 on the"
          + " header of a Raspberry Pi, or names that `gpioinfo` lists, or set `chip` to the label of another chip")
    }
    throw HardwareError(
      .openChip, errno: ENODEV,
      detail: "no GPIO chip has a label `pinctrl-*`, as the chip of a Raspberry Pi's header has; \(found): \(advice)")
  }

  /// The chips whose label is that of a Raspberry Pi's header.
  private var headers: [GPIOFacts.Chip] { chips.filter { $0.label.hasPrefix("pinctrl-") } }

  /// The header chip with the fewest missing lines; on a tie, the first.
  var nearestHeader: GPIOFacts.Chip? { headers.min { missingLines(on: $0).count < missingLines(on: $1).count } }

  private func find(_ text: String) throws(HardwareError) -> GPIOFacts.Chip {
    if text.hasPrefix("/") { return try open(text) }
    let matches = chips.filter { $0.name == text || $0.label == text }
    if matches.count == 1 { return matches[0] }
    let complete = matches.filter { missingLines(on: $0).isEmpty }
    if complete.count == 1 { return complete[0] }
    if !matches.isEmpty { throw ambiguous(matches) }
    let path = "/dev/" + text
    if access(path, F_OK) == 0 { return try open(path) }
    if let forbidden { throw refusal(forbidden) }
    throw HardwareError(
      .openChip, errno: ENODEV, detail: "no GPIO chip has the name or label \"\(text)\"; \(found): \(advice)")
  }

  private func open(_ path: String) throws(HardwareError) -> GPIOFacts.Chip {
    do throws(HardwareError) {
      let chip = try Chip(path: path)
      return chip.summary
    } catch {
      if error.kind == .denied { throw refusal(path) }
      guard access(path, F_OK) == 0 else {
        throw HardwareError(.openChip, errno: ENOENT, detail: "\(path) does not exist; \(found): \(advice)")
      }
      // A gpiochip file that cannot be opened belongs to a chip that is being added or removed. Any other file never becomes
      // a chip.
      let isChip = path.hasPrefix("/dev/gpiochip")
      throw HardwareError(
        .openChip, isChip ? .gone : .unsupported, errno: isChip ? ENODEV : ENOTTY,
        detail: "\(path) is not a GPIO chip or cannot be opened; \(found): \(advice)")
    }
  }

  private func missingLines(on summary: GPIOFacts.Chip) -> [WiredLine] {
    do throws(HardwareError) {
      let chip = try Chip(path: summary.path)
      return lines.filter { chip.offset(of: $0.id) == nil }
    } catch {
      return lines
    }
  }

  private func ambiguous(_ chips: [GPIOFacts.Chip]) -> HardwareError {
    HardwareError(
      .openChip, .ambiguous, errno: ENOTUNIQ,
      detail: "several chips match (\(chips.map(\.description).joined(separator: ", "))): set `chip` to the name of the"
        + " chip that the parts are wired to")
  }

  private func refusal(_ path: String) -> HardwareError {
    HardwareError(.openChip, errno: EACCES, detail: accessAdvice(path))
  }

  private var advice: String {
    if chips.isEmpty {
      return "run this on the computer that the parts are wired to; metronome simulate plays without any"
    }
    return "set `chip` to the label, name or path of the chip that the parts are wired to"
  }

  /// The list of the present chips, as part of a sentence.
  private var found: String {
    if chips.isEmpty { return "this system has no GPIO chip (no /dev/gpiochip*)" }
    return "the chips are " + chips.map(\.description).joined(separator: ", ")
  }
}
