import Glibc
import HardwareAbstraction
import MetronomeCore

/// The wiring, as offsets on one chip.
struct ResolvedLines {
  /// What the kernel calls us towards others.
  private static let consumer = "metronome"

  let chip: ChipSummary
  /// The offset of each wired line, in the order of ``Wiring/lines``.
  private let lines: [(wired: WiredLine, offset: UInt32)]

  /// Looks the lines up.
  ///
  /// - Throws: `HardwareError` with operation `requestLines` for a line that is not there, or there twice.
  init(_ wiring: Wiring, on summary: ChipSummary) throws(HardwareError) {
    chip = summary
    let open = try Chip(path: summary.path)
    var lines: [(wired: WiredLine, offset: UInt32)] = []
    for wired in wiring.lines {
      guard let offset = open.offset(of: wired.id) else { throw ResolvedLines.missing(wired, on: summary) }
      if let other = lines.first(where: { $0.offset == offset })?.wired {
        throw HardwareError(
          .requestLines, errno: EINVAL,
          detail: "\(other) and \(wired) are one and the same line of \(summary): give each a line of its own")
      }
      lines.append((wired, offset))
    }
    self.lines = lines
  }

  func offset(of output: Output) -> UInt32 { offset(ofRole: output.rawValue) }

  func offset(of button: Button) -> UInt32 { offset(ofRole: button.rawValue) }

  /// What to tell a person when the kernel refused some lines. Whoever asks holds none of them any more.
  func refusal(of refused: [WiredLine], errno: Int32) -> HardwareError {
    if errno == EACCES || errno == EPERM {
      return HardwareError(.requestLines, errno: errno, detail: accessAdvice(chip.path))
    }
    guard errno == EBUSY else {
      return HardwareError(
        .requestLines, errno: errno, detail: "\(chip) refuses to hand out \(refused.listed)")
    }
    return HardwareError(.requestLines, errno: errno, detail: "\(chip): \(explain(held(of: refused)))")
  }

  /// Whether it is a metronome that holds those of some lines that are held.
  func areHeldByMetronome(_ lines: [WiredLine]) -> Bool {
    held(of: lines).allSatisfy { $0.holder == ResolvedLines.consumer }
  }

  private func explain(_ held: [(line: String, holder: String)]) -> String {
    let lines = held.map { "\($0.line) is in use by " + ($0.holder.isEmpty ? "the kernel" : "\"\($0.holder)\"") }
    let sentence = lines.joined(separator: "; ")
    if held.isEmpty { return "a line was in use a moment ago and no longer is: start again" }
    if held.allSatisfy({ $0.holder == ResolvedLines.consumer }) { return sentence + ": end the other metronome first" }
    return sentence + ": end what holds \(held.count == 1 ? "it" : "them"), or wire the box to other lines"
  }

  private func held(of refused: [WiredLine]) -> [(line: String, holder: String)] {
    do throws(HardwareError) {
      let open = try Chip(path: chip.path)
      return lines.compactMap { line in
        guard refused.contains(line.wired), let holder = open.holder(ofLineAt: line.offset) else { return nil }
        let name = open.name(ofLineAt: line.offset) ?? "line \(line.offset)"
        return ("\(name) (\(line.wired.role), offset \(line.offset))", holder)
      }
    } catch {
      return []
    }
  }

  private func offset(ofRole role: String) -> UInt32 {
    guard let line = lines.first(where: { $0.wired.role == role }) else {
      preconditionFailure("\(role) is not wired")
    }
    return line.offset
  }

  private static func missing(_ line: WiredLine, on chip: ChipSummary) -> HardwareError {
    let reason =
      switch line.id {
      case .name(let name): "no line is called \(name), which the \(line.role) is to be on: `gpioinfo` lists the names"
      case .offset: "the \(line.role) cannot be on \(line.id): the lines are 0 to \(chip.lineCount - 1)"
      }
    return HardwareError(.requestLines, errno: ENOENT, detail: "on \(chip) \(reason)")
  }
}
