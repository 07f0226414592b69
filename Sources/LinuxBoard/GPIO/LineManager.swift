import Glibc
import HardwareAbstraction
import MetronomeCore

public enum LinesState: Hashable, Sendable {
  /// The lines are held on this chip, for example `gpiochip0 [pinctrl-bcm2711]`; nil: no line is wired.
  case held(chip: String?)
  /// The lines are not available, for this reason. The board waits for them.
  case waiting(HardwareError)
}

/// Requests the lines, releases them when their chip is removed, and retries until the chip returns. Control thread only.
final class LineManager {
  /// The time between attempts while no file event arrives.
  private static let rest = Nanoseconds.seconds(2)

  let outputs: GPIOOutputs
  let buttons: GPIOButtons
  /// Requests its lines itself.
  let display: LinuxDisplay
  private(set) var state = LinesState.held(chip: nil)

  private(set) var wiring: Wiring
  private let group: DescriptorGroup
  private let watch: FileWatch
  private let bell: EventDescriptor
  /// The chip whose lines were held last.
  private var chip: GPIOFacts.Chip?
  private var hasOutputs = false
  private var hasButtons = false
  private var nextAttempt = Instant.zero
  /// Whether the lines were held at least once, or were rewired. From then on no failure ends the program.
  private var isSettled = false

  /// Creates the manager. It does not request any lines yet.
  init(_ wiring: Wiring) throws(SystemError) {
    self.wiring = wiring
    group = try DescriptorGroup()
    watch = try FileWatch()
    bell = try EventDescriptor()
    outputs = GPIOOutputs(bell: bell)
    buttons = GPIOButtons(bell: bell)
    display = LinuxDisplay(wiring)
    try group.add(watch.descriptor)
    try group.add(bell.descriptor)
    // The system creates a chip's file and sets its permissions a moment later.
    watch.add("/dev", Int(IN_CREATE) | Int(IN_ATTRIB) | Int(IN_MOVED_TO) | Int(IN_DELETE))
  }

  /// Readable when ``step(at:)`` must be called.
  var descriptor: Int32 { group.descriptor }

  /// The lines of the outputs that can be set.
  var workingOutputs: LineSet { hasOutputs && !outputs.isLost ? wiring.outputLines : .inactive }

  /// Makes the first attempt to request the lines. Throws an error if `patience` does not allow waiting after it.
  func open(_ patience: WaitPolicy) throws(HardwareError) { try attempt(patience) }

  /// Releases the lines of a removed chip, and retries to request missing lines when that is due.
  ///
  /// - Returns: when to call again even if ``descriptor`` is not readable; nil: only when it is readable.
  /// - Throws: when the first chip has appeared and lacks a wired line.
  func step(at now: Instant) throws(HardwareError) -> Instant? {
    let hasEvents = watch.drainEvents()
    bell.clear()
    if outputs.isLost || buttons.isLost || hasEvents && isChipGone { loseChip() }
    guard case .waiting = state else { return nil }
    if hasEvents || now >= nextAttempt {
      nextAttempt = now + LineManager.rest
      try attempt(.forAll)
    }
    if case .waiting = state { return nextAttempt }
    return nil
  }

  /// Releases the lines that changed and requests the new lines, or waits for them. An error that waiting cannot fix is
  /// thrown before anything changes.
  func rewire(_ new: Wiring) throws(HardwareError) {
    let changes = BoardChanges(from: wiring, AudioRequest(), to: new, AudioRequest())
    guard changes.outputs || changes.buttons || changes.display else { return }
    try LineManager.checkPossible(new)
    if changes.display { display.suspend() }
    defer { display.use(new) }
    if changes.outputs { releaseOutputs() }
    if changes.buttons { releaseButtons() }
    wiring = new
    isSettled = true
    state = .held(chip: nil)
    nextAttempt = .zero
    try attempt(.forAll)
  }

  func release() {
    outputs.release()
    buttons.detach()
    display.release()
    hasOutputs = false
    hasButtons = false
  }

  private static func checkPossible(_ wiring: Wiring) throws(HardwareError) {
    guard !wiring.lines.isEmpty else { return }
    do throws(HardwareError) {
      let chip = try ChipSearch(wiring).find(wiring.chip)
      _ = try ResolvedLines(wiring, on: chip)
    } catch {
      guard WaitPolicy.forAll.covers(error) else { throw error }
    }
  }

  private func attempt(_ patience: WaitPolicy) throws(HardwareError) {
    do throws(HardwareError) {
      try requestLines()
    } catch {
      guard isSettled || patience.covers(error) else { throw error }
      // Keep the error that names the removed chip. It is more precise than "no chip".
      if case .waiting(let before) = state, before.obstacle == .missing, error.obstacle == .missing { return }
      state = .waiting(error)
    }
  }

  private func requestLines() throws(HardwareError) {
    guard !wiring.lines.isEmpty else {
      state = .held(chip: nil)
      return
    }
    let found = try ChipSearch(wiring).find(wiring.chip)
    let lines = try ResolvedLines(wiring, on: found)
    let requested = (hasOutputs ? [] : wiring.wiredOutputs) + (hasButtons ? [] : wiring.buttonLines)
    do throws(HardwareError) {
      // Buttons first, so that no light flashes if the buttons are refused.
      if !hasButtons { try buttons.attach(wiring, lines) }
      if !hasOutputs { try outputs.attach(wiring, lines) }
    } catch {
      if !hasButtons { buttons.detach() }
      throw lines.refusal(of: requested, error)
    }
    hasOutputs = true
    hasButtons = true
    isSettled = true
    chip = found
    state = .held(chip: found.description)
  }

  private var isChipGone: Bool {
    guard case .held = state, let chip else { return false }
    return access(chip.path, F_OK) != 0
  }

  private func loseChip() {
    releaseOutputs()
    releaseButtons()
    if case .held = state {
      let name = chip?.description ?? "the GPIO chip"
      state = .waiting(HardwareError(.openChip, errno: ENODEV, detail: "\(name) was removed"))
    }
    nextAttempt = .zero
  }

  private func releaseOutputs() {
    outputs.detach()
    hasOutputs = false
  }

  private func releaseButtons() {
    buttons.detach()
    hasButtons = false
  }
}

/// The wiring, as line offsets of one chip.
struct ResolvedLines {
  /// The consumer name that the kernel shows to other programs.
  private static let consumer = "metronome"

  let chip: GPIOFacts.Chip
  /// The offset of each wired line, in the order of ``Wiring/lines``.
  private let lines: [(wired: WiredLine, offset: UInt32)]

  /// - Throws: `HardwareError` with operation `requestLines` for a line that is missing or wired twice.
  init(_ wiring: Wiring, on summary: GPIOFacts.Chip) throws(HardwareError) {
    chip = summary
    let open = try Chip(path: summary.path)
    var lines: [(wired: WiredLine, offset: UInt32)] = []
    for wired in wiring.lines {
      guard let offset = open.offset(of: wired.id) else { throw ResolvedLines.missing(wired, on: summary) }
      if let other = lines.first(where: { $0.offset == offset })?.wired {
        throw HardwareError(
          .requestLines, .invalid, errno: EINVAL,
          detail: "\(other) and \(wired) are the same line of \(summary): set one of them to another line")
      }
      lines.append((wired, offset))
    }
    self.lines = lines
  }

  /// The error to report when the kernel refused some lines. The caller must have released all of them.
  func refusal(of refused: [WiredLine], _ error: HardwareError) -> HardwareError {
    var error = error
    switch error.kind {
    case .denied: error.detail = accessAdvice(chip.path)
    case .busy: error.detail = "\(chip): \(explain(held(of: refused)))"
    default: error.detail = "\(chip) refuses the request for \(refused.listed)"
    }
    return error
  }

  /// Whether a metronome holds all busy lines among these lines.
  func areHeldByMetronome(_ lines: [WiredLine]) -> Bool {
    held(of: lines).allSatisfy { $0.holder == ResolvedLines.consumer }
  }

  private func explain(_ held: [(line: String, holder: String)]) -> String {
    let lines = held.map { "\($0.line) is in use by " + ($0.holder.isEmpty ? "the kernel" : "\"\($0.holder)\"") }
    let sentence = lines.joined(separator: "; ")
    if held.isEmpty { return "a line was in use, but is free now: restart the metronome" }
    if held.allSatisfy({ $0.holder == ResolvedLines.consumer }) { return sentence + ": end the other metronome first" }
    return sentence + ": free \(held.count == 1 ? "it" : "them"), or wire the box to other lines"
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

  func offset(ofRole role: String) -> UInt32 {
    guard let line = lines.first(where: { $0.wired.role == role }) else { preconditionFailure("\(role) is not wired") }
    return line.offset
  }

  private static func missing(_ line: WiredLine, on chip: GPIOFacts.Chip) -> HardwareError {
    let text =
      switch line.id {
      case .name(let name): "line named \(name) for \(line.role): `gpioinfo` lists the names"
      case .offset: "\(line.id) for \(line.role): the lines are 0 to \(chip.lineCount - 1)"
      }
    return HardwareError(.requestLines, .invalid, errno: ENOENT, detail: "\(chip) has no \(text)")
  }
}

struct WiredLine: Hashable, CustomStringConvertible {
  /// The output, button or line of the display, by its name in the configuration.
  var role: String
  var id: LineID

  var description: String { "\(id) (\(role))" }
}

extension Wiring {
  /// All lines: first the outputs, then the buttons, then the display.
  var lines: [WiredLine] { wiredOutputs + buttonLines + displayLines }

  /// The outputs' lines, in the order of ``LineSet``.
  var wiredOutputs: [WiredLine] {
    outputLines.compactMap { line in outputs[line].map { WiredLine(role: names[line], id: $0.line) } }
  }

  /// The buttons' lines, in the order of the buttons' places.
  var buttonLines: [WiredLine] {
    names.buttons.compactMap { button in buttons[button].map { WiredLine(role: names[button], id: $0.line) } }
  }
}

extension [WiredLine] {
  /// The lines as part of a sentence: `GPIO17 (light), GPIO27 (pendulum)`.
  var listed: String { map(\.description).joined(separator: ", ") }
}
