import Glibc
import HardwareAbstraction
import MetronomeCore

/// How it stands with the lines of the box.
public enum LinesState: Hashable, Sendable {
  /// They are held, on this chip, as `gpiochip0 [pinctrl-bcm2711]`; nil: the box is wired to none.
  case held(chip: String?)
  /// They are waited for, because of this.
  case waiting(HardwareError)
}

/// Sees to it that the box has its lines: takes them, gives them back when their chip is gone, and tries again until it is
/// there.
///
/// A step machine: ``step(at:)`` does what is due and says when it wants to be called next. Control thread only.
final class LineKeeper {
  /// Between attempts while nothing is heard of.
  private static let rest = Nanoseconds.seconds(2)

  let outputs: GPIOOutputs
  let buttons: GPIOButtons
  private(set) var state = LinesState.held(chip: nil)

  private var wiring: Wiring
  private let group: DescriptorGroup
  private let watch: FileWatch
  private let bell: EventDescriptor
  /// The one whose lines were had last.
  private var chip: ChipSummary?
  private var hasOutputs = false
  private var hasButtons = false
  private var nextAttempt = Instant.zero
  /// Whether the box has once had its lines, or was given others while it played: then nothing ends it any more.
  private var isSettled = false

  /// Holds no lines yet.
  init(_ wiring: Wiring) throws(SystemError) {
    self.wiring = wiring
    group = try DescriptorGroup()
    watch = try FileWatch()
    bell = try EventDescriptor()
    outputs = GPIOOutputs(bell: bell)
    buttons = GPIOButtons(bell: bell)
    try group.add(watch.descriptor)
    try group.add(bell.descriptor)
    // A chip's file is made, and gets its rights a moment later.
    watch.add("/dev", Int(IN_CREATE) | Int(IN_ATTRIB) | Int(IN_MOVED_TO) | Int(IN_DELETE))
  }

  /// To be polled for reading: readable when ``step(at:)`` is to be called.
  var descriptor: Int32 { group.descriptor }

  /// The outputs that can be set.
  var workingOutputs: Set<Output> { hasOutputs && !outputs.isLost ? Set(wiring.outputs.keys) : [] }

  /// Tries for the first time.
  ///
  /// - Throws: what is not waited for.
  func open(_ patience: WaitPolicy) throws(HardwareError) { try attempt(patience) }

  /// Does what is due.
  ///
  /// - Returns: when to call again though nothing is heard of; nil: not before.
  /// - Throws: what no waiting mends: the first chip has come, and has no such line.
  func step(at now: Instant) throws(HardwareError) -> Instant? {
    let hasNews = watch.takeNews()
    bell.clear()
    if outputs.isLost || buttons.isLost || hasNews && isChipGone { lose() }
    guard case .waiting = state else { return nil }
    if hasNews || now >= nextAttempt {
      nextAttempt = now + LineKeeper.rest
      try attempt(.forAll)
    }
    if case .waiting = state { return nextAttempt }
    return nil
  }

  /// Takes other lines: gives back what differs, and asks for what is new, or waits for it. The same lines stay untouched.
  ///
  /// - Throws: what no waiting mends. All is then as it was.
  func rewire(_ new: Wiring) throws(HardwareError) {
    let isOtherChip = new.chip != wiring.chip
    let hasOtherOutputs = isOtherChip || new.outputs != wiring.outputs
    let hasOtherButtons = isOtherChip || new.buttons != wiring.buttons
    guard hasOtherOutputs || hasOtherButtons else { return }
    try LineKeeper.checkPossible(new)
    if hasOtherOutputs { letOutputsGo() }
    if hasOtherButtons { letButtonsGo() }
    wiring = new
    isSettled = true
    // What was waited for until now says nothing of these.
    state = .held(chip: nil)
    nextAttempt = .zero
    try attempt(.forAll)
  }

  func release() {
    outputs.release()
    buttons.detach()
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
      try take()
    } catch {
      guard isSettled || patience.covers(error) else { throw error }
      // That a chip is gone says more than that there is none.
      if case .waiting(let before) = state, before.obstacle == .missing, error.obstacle == .missing { return }
      state = .waiting(error)
    }
  }

  private func take() throws(HardwareError) {
    guard !wiring.lines.isEmpty else {
      state = .held(chip: nil)
      return
    }
    let found = try ChipSearch(wiring).find(wiring.chip)
    let lines = try ResolvedLines(wiring, on: found)
    let asked = (hasOutputs ? [] : wiring.outputLines) + (hasButtons ? [] : wiring.buttonLines)
    do throws(HardwareError) {
      // The buttons first: where they are refused no light is to flash.
      if !hasButtons { try buttons.attach(wiring, lines) }
      if !hasOutputs { try outputs.attach(wiring, lines) }
    } catch {
      if !hasButtons { buttons.detach() }
      throw lines.refusal(of: asked, error)
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

  private func lose() {
    letOutputsGo()
    letButtonsGo()
    if case .held = state {
      let name = chip?.description ?? "the GPIO chip"
      state = .waiting(HardwareError(.openChip, errno: ENODEV, detail: "\(name) is gone"))
    }
    nextAttempt = .zero
  }

  private func letOutputsGo() {
    outputs.detach()
    hasOutputs = false
  }

  private func letButtonsGo() {
    buttons.detach()
    hasButtons = false
  }
}

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
          .requestLines, .invalid, errno: EINVAL,
          detail: "\(other) and \(wired) are one and the same line of \(summary): give each a line of its own")
      }
      lines.append((wired, offset))
    }
    self.lines = lines
  }

  func offset(of output: Output) -> UInt32 { offset(ofRole: output.rawValue) }

  func offset(of button: Button) -> UInt32 { offset(ofRole: button.rawValue) }

  /// What to tell a person when the kernel refused some lines. Whoever asks holds none of them any more.
  func refusal(of refused: [WiredLine], _ error: HardwareError) -> HardwareError {
    var error = error
    switch error.kind {
    case .denied: error.detail = accessAdvice(chip.path)
    case .busy: error.detail = "\(chip): \(explain(held(of: refused)))"
    default: error.detail = "\(chip) refuses to hand out \(refused.listed)"
    }
    return error
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
    return HardwareError(.requestLines, .invalid, errno: ENOENT, detail: "on \(chip) \(reason)")
  }
}

/// A line that something hangs on.
struct WiredLine: Hashable {
  /// What hangs on it, by the name that the configuration gives it.
  var role: String
  var id: LineID
}

extension WiredLine: CustomStringConvertible {
  var description: String { "\(id) (\(role))" }
}

extension Wiring {
  /// All lines: the outputs first, then the buttons.
  var lines: [WiredLine] { outputLines + buttonLines }

  /// In the order in which outputs are declared.
  var outputLines: [WiredLine] {
    Output.lines.compactMap { output in outputs[output].map { WiredLine(role: output.rawValue, id: $0.line) } }
  }

  /// In the order in which buttons are declared.
  var buttonLines: [WiredLine] {
    Button.allCases.compactMap { button in buttons[button].map { WiredLine(role: button.rawValue, id: $0.line) } }
  }
}

extension [WiredLine] {
  /// As in a sentence: `GPIO17 (light), GPIO27 (pendulum)`.
  var listed: String { map(\.description).joined(separator: ", ") }
}
