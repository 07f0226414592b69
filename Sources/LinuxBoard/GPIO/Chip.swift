import CGpiod
import Glibc
import HardwareAbstraction

/// A GPIO chip, open to be looked at.
struct Chip: ~Copyable {
  let summary: ChipSummary
  private let handle: OpaquePointer

  /// - Throws: `HardwareError` with operation `openChip` and the kernel's error number.
  init(path: String) throws(HardwareError) {
    var error: Int32 = 0
    guard let handle = cgpiod_chip_open(path, &error) else { throw HardwareError(.openChip, errno: error) }
    self.handle = handle
    summary = ChipSummary(
      path: path, name: String(cString: cgpiod_chip_name(handle)), label: String(cString: cgpiod_chip_label(handle)),
      lineCount: Int(cgpiod_chip_line_count(handle)))
  }

  deinit { cgpiod_chip_close(handle) }

  /// The offset of a line, or nil if the chip has none of that name or as many lines.
  func offset(of line: LineID) -> UInt32? {
    switch line {
    case .name(let name): UInt32(exactly: cgpiod_chip_find_line(handle, name))
    case .offset(let offset): offset < summary.lineCount ? UInt32(exactly: offset) : nil
    }
  }

  /// The name of a line, or nil if it has none.
  func name(ofLineAt offset: UInt32) -> String? {
    var name = ""
    let result = withText(&name) { cgpiod_chip_line_name(handle, offset, $0, $1) }
    return result < 0 || name.isEmpty ? nil : name
  }

  /// Who holds a line, or nil if nobody does. Empty if the kernel does not say.
  func holder(ofLineAt offset: UInt32) -> String? {
    var holder = ""
    let result = withText(&holder) { cgpiod_chip_line_holder(handle, offset, $0, $1) }
    return result > 0 ? holder : nil
  }

  /// 1 if a line is an output, 0 if it is an input, negative if the kernel does not say.
  func lineDirection(_ offset: UInt32) -> Int32 { cgpiod_chip_line_is_output(handle, offset) }

  /// Lets a C function store a text.
  private func withText(_ text: inout String, _ store: (UnsafeMutablePointer<CChar>, Int) -> Int32) -> Int32 {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(CGPIOD_NAME_SIZE)) { buffer in
      let result = store(buffer.baseAddress!, buffer.count)
      if result >= 0 { text = String(cString: buffer.baseAddress!) }
      return result
    }
  }
}

/// What a chip says of itself.
struct ChipSummary: Hashable {
  var path: String
  /// As `gpiochip0`. It may be another after the next boot.
  var name: String
  /// As `pinctrl-bcm2711`.
  var label: String
  var lineCount: Int
}

extension ChipSummary: CustomStringConvertible {
  var description: String { "\(name) [\(label)]" }
}

/// The GPIO chips that the system shows.
struct ChipList {
  /// Those that could be opened, in order of their numbers.
  private(set) var chips: [ChipSummary] = []
  /// The device files that could not, and why.
  private(set) var refused: [(path: String, error: HardwareError)] = []

  /// Looks at every `/dev/gpiochip*` that is a device: Raspberry Pi OS adds links by other names to the same chips.
  init() {
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
  var forbidden: String? { refused.first { $0.error.kind == .denied }?.path }
}

/// The files that match a pattern of the shell, shorter names first, so that numbers at their ends are in order.
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

/// Finds the chip that the box is wired to.
///
/// Numbers of chips change from one kernel to the next; labels and the names of lines do not.
struct ChipSearch {
  private static let headerLabelPrefix = "pinctrl-"

  private let lines: [WiredLine]
  private let list = ChipList()

  init(_ wiring: Wiring) { lines = wiring.lines }

  /// - Throws: `HardwareError` with operation `openChip`.
  func find(_ id: ChipID) throws(HardwareError) -> ChipSummary {
    switch id {
    case .auto: try findHeader()
    case .named(let text): try find(text)
    }
  }

  private func findHeader() throws(HardwareError) -> ChipSummary {
    let headers = list.chips.filter { $0.label.hasPrefix(ChipSearch.headerLabelPrefix) }
    let complete = headers.filter { missingLines(on: $0).isEmpty }
    if complete.count == 1 { return complete[0] }
    if complete.count > 1 { throw ambiguous(complete) }
    if let forbidden = list.forbidden { throw refusal(forbidden) }
    if let best = headers.min(by: { missingLines(on: $0).count < missingLines(on: $1).count }) {
      throw HardwareError(
        .requestLines, .invalid, errno: ENOENT,
        detail: "\(best) has no \(missingLines(on: best).listed); \(found). Is the box wired to another chip? Then set"
          + " `chip` to its label; or set these lines to what the chip calls them (`gpioinfo` lists them)")
    }
    throw HardwareError(
      .openChip, errno: ENODEV,
      detail: "no GPIO chip here is labelled `pinctrl-*`, as that of a Raspberry Pi is; \(found). \(advice)")
  }

  private func find(_ text: String) throws(HardwareError) -> ChipSummary {
    if text.hasPrefix("/") { return try open(text) }
    let matches = list.chips.filter { $0.name == text || $0.label == text }
    if matches.count == 1 { return matches[0] }
    let complete = matches.filter { missingLines(on: $0).isEmpty }
    if complete.count == 1 { return complete[0] }
    if !matches.isEmpty { throw ambiguous(matches) }
    let path = "/dev/" + text
    if access(path, F_OK) == 0 { return try open(path) }
    if let forbidden = list.forbidden { throw refusal(forbidden) }
    throw HardwareError(
      .openChip, errno: ENODEV, detail: "no GPIO chip here has the name or label \"\(text)\"; \(found). \(advice)")
  }

  private func open(_ path: String) throws(HardwareError) -> ChipSummary {
    do throws(HardwareError) {
      let chip = try Chip(path: path)
      return chip.summary
    } catch {
      if error.kind == .denied { throw refusal(path) }
      guard access(path, F_OK) == 0 else {
        throw HardwareError(.openChip, errno: ENOENT, detail: "there is no \(path); \(found). \(advice)")
      }
      // A chip's file that cannot be opened is one that is coming or going; of another file nothing will come.
      let isChip = path.hasPrefix("/dev/gpiochip")
      throw HardwareError(
        .openChip, isChip ? .gone : .unsupported, errno: isChip ? ENODEV : ENOTTY,
        detail: "\(path) is no GPIO chip that can be opened; \(found). \(advice)")
    }
  }

  private func missingLines(on summary: ChipSummary) -> [WiredLine] {
    do throws(HardwareError) {
      let chip = try Chip(path: summary.path)
      return lines.filter { chip.offset(of: $0.id) == nil }
    } catch {
      return lines
    }
  }

  private func ambiguous(_ chips: [ChipSummary]) -> HardwareError {
    HardwareError(
      .openChip, .ambiguous, errno: ENOTUNIQ,
      detail: "\(chips.map(\.description).joined(separator: " and ")) would all do: set `chip` to the name of the one"
        + " that is wired")
  }

  private func refusal(_ path: String) -> HardwareError {
    HardwareError(.openChip, errno: EACCES, detail: accessAdvice(path))
  }

  private var advice: String {
    list.chips.isEmpty
      ? "Is this the computer that is wired?"
      : "Set `chip` to the label, the name or the path of the one that is wired"
  }

  /// The chips there are, as part of a sentence.
  private var found: String {
    if list.chips.isEmpty { return "this system has none at all (no /dev/gpiochip*)" }
    return "the chips here are " + list.chips.map(\.description).joined(separator: ", ")
  }
}
