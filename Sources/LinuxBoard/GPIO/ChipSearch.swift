import Glibc
import HardwareAbstraction

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
        .requestLines, errno: ENOENT,
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
      if error.errno == EACCES || error.errno == EPERM { throw refusal(path) }
      guard access(path, F_OK) == 0 else {
        throw HardwareError(.openChip, errno: ENOENT, detail: "there is no \(path); \(found). \(advice)")
      }
      // A chip's file that cannot be opened is one that is coming or going; of another file nothing will come.
      throw HardwareError(
        .openChip, errno: path.hasPrefix("/dev/gpiochip") ? ENODEV : ENOTTY,
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
      .openChip, errno: ENOTUNIQ,
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
