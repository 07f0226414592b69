import CALSA
import CGpiod
import CLinux
import Glibc
import HardwareAbstraction
import MetronomeCore

/// Looks at the chips and lines that a box is wired to.
///
/// Outputs are only looked at. Buttons that nobody holds are asked for as inputs, with the bias that they have when playing,
/// for a moment.
public enum GPIOInspection {
  /// Ample for a pull-up to charge metres of cable: 50 kΩ and 1 nF make 50 µs.
  private static let settling = Nanoseconds.milliseconds(2)

  public static func look(_ wiring: Wiring) -> GPIOFacts {
    let list = ChipList()
    var facts = GPIOFacts(
      version: LinuxBoard.gpiodVersion, chips: list.chips.map(\.facts),
      refusals: list.refused.map { GPIOFacts.Refusal(path: $0.path, errno: $0.error.errno) })
    guard !wiring.lines.isEmpty else { return facts }
    var chosen: ChipSummary?
    do throws(HardwareError) {
      chosen = try ChipSearch(wiring).find(wiring.chip)
    } catch {
      chosen = nearest(wiring, list)
      facts.failure = failure(error, chosen)
    }
    guard let chosen else { return facts }
    facts.chosen = chosen.facts
    do throws(HardwareError) {
      facts.lines = try lines(wiring, on: chosen)
    } catch {
      facts.failure = .refused(error)
    }
    return facts
  }

  /// A chip to tell the lines of though it is not complete: labelled as that of a Raspberry Pi is, with most of the lines.
  private static func nearest(_ wiring: Wiring, _ list: ChipList) -> ChipSummary? {
    guard wiring.chip == .auto else { return nil }
    let headers = list.chips.filter { $0.label.hasPrefix("pinctrl-") }
    return headers.max { lineCount(wiring, on: $0) < lineCount(wiring, on: $1) }
  }

  /// How many of the lines a chip has.
  private static func lineCount(_ wiring: Wiring, on summary: ChipSummary) -> Int {
    do throws(HardwareError) {
      let chip = try Chip(path: summary.path)
      return wiring.lines.filter { chip.offset(of: $0.id) != nil }.count
    } catch {
      return 0
    }
  }

  private static func failure(_ error: HardwareError, _ chosen: ChipSummary?) -> GPIOFacts.Failure {
    switch error.kind {
    case .gone, .invalid: chosen == nil ? .missing : .incomplete
    case .ambiguous: .ambiguous
    default: .refused(error)
    }
  }

  private static func lines(_ wiring: Wiring, on summary: ChipSummary) throws(HardwareError) -> [LineFacts] {
    let chip = try Chip(path: summary.path)
    var lines: [LineFacts] = []
    for output in Output.lines {
      guard let wire = wiring.outputs[output] else { continue }
      let line = LineFacts(role: output.rawValue, isButton: false, id: wire.line, active: wire.active)
      lines.append(seen(line, on: chip))
    }
    for button in Button.allCases {
      guard let wire = wiring.buttons[button] else { continue }
      var line = LineFacts(role: button.rawValue, isButton: true, id: wire.line, active: wire.active)
      line = seen(line, on: chip)
      if line.offset != nil, line.holder == nil { line.contact = contact(button, wire, on: summary) }
      lines.append(line)
    }
    return lines
  }

  private static func seen(_ line: LineFacts, on chip: borrowing Chip) -> LineFacts {
    var line = line
    guard let offset = chip.offset(of: line.id) else { return line }
    line.offset = Int(offset)
    line.name = chip.name(ofLineAt: offset)
    line.holder = chip.holder(ofLineAt: offset)
    line.direction = chip.direction(ofLineAt: offset)
    return line
  }

  /// Where a button is. The line is its own again afterwards.
  private static func contact(_ button: Button, _ wire: ButtonWiring, on chip: ChipSummary) -> LineFacts.Contact {
    let alone = Wiring(chip: .auto, outputs: [:], buttons: [button: wire])
    do throws(HardwareError) {
      let buttons = GPIOButtons(bell: nil)
      try buttons.attach(alone, try ResolvedLines(alone, on: chip))
      defer { buttons.detach() }
      _ = Doorbell().wait(until: LinuxClock().now + settling)
      return try buttons.isDown(button) ? .pressed : .open
    } catch {
      return .unknown(errno: error.errno)
    }
  }
}

extension ChipSummary {
  var facts: GPIOFacts.Chip { GPIOFacts.Chip(path: path, name: name, label: label, lineCount: lineCount) }
}

extension Chip {
  /// Which way a line goes; nil if the kernel does not say.
  func direction(ofLineAt offset: UInt32) -> LineFacts.Direction? {
    switch lineDirection(offset) {
    case 0: .input
    case 1: .output
    default: nil
    }
  }
}

/// Looks at the sound cards, and plays silence on the one that is asked for.
public enum SoundInspection {
  /// For a card that hangs.
  private static let patience = Nanoseconds.seconds(3)
  /// How often its position is read: often enough to see the steps it goes by, which for many cards last a millisecond, and
  /// never in step with them.
  private static func interval(_ number: Int64) -> Nanoseconds { .microseconds(150 + number * 61 % 200) }

  /// - Parameter length: for how long the card's clock is measured.
  public static func look(_ request: AudioRequest, measuring length: Nanoseconds) -> SoundFacts {
    calsa_silence_messages()
    let cards = SoundCard.all().map { card in
      SoundFacts.Card(id: card.id, isScreen: card.isScreen, device: card.playbackDevice.map(Int.init))
    }
    guard request.device != .none else { return SoundFacts(cards: cards, outcome: .notWanted) }
    return SoundFacts(cards: cards, outcome: outcome(request, length))
  }

  private static func outcome(_ request: AudioRequest, _ length: Nanoseconds) -> SoundFacts.Outcome {
    let attempt: OpeningAttempt
    do throws(SystemError) {
      attempt = try OpeningAttempt(request)
    } catch {
      return .refused(HardwareError(.openAudio, errno: error.errno, detail: error.call))
    }
    guard let (result, notices) = attempt.outcome(within: patience) else { return .hangs }
    switch result {
    case .failure(let error): return .refused(error)
    case .success(let output):
      defer { output.release() }
      var opened = SoundFacts.Opened(name: output.name, format: output.format, notices: notices)
      do throws(HardwareError) {
        try measure(output, for: length) { opened.readings.append($0) }
      } catch {
        opened.errno = error.errno
      }
      return .opened(opened)
    }
  }

  /// Plays silence, and reads where the card is.
  private static func measure(
    _ output: ALSAOutput, for length: Nanoseconds, _ take: (SoundFacts.Reading) -> Void
  ) throws(HardwareError) {
    let clock = LinuxClock()
    let bell = Doorbell()
    let format = output.format
    let silence = [UInt8](repeating: 0, count: format.periodFrames * format.bytesPerFrame)
    let end = clock.now + length
    var number: Int64 = 0
    while clock.now < end {
      let status = try output.status()
      let pair = clock.pair
      let age = pair.monotonic - status.instant
      take(SoundFacts.Reading(instant: pair.raw - age, frame: status.frame - status.delay))
      if status.available >= format.periodFrames { try write(silence, to: output) }
      _ = bell.wait(until: clock.now + interval(number))
      number += 1
    }
  }

  private static func write(_ bytes: [UInt8], to output: ALSAOutput) throws(HardwareError) {
    var failure: HardwareError?
    bytes.withUnsafeBytes { buffer in
      do throws(HardwareError) { _ = try output.write(buffer) } catch { failure = error }
    }
    if let failure { throw failure }
  }
}

extension LinuxClock {
  /// Whether the kernel holds the wall clock, and with it the seconds of every clock but the raw one, for synchronised; nil if
  /// it does not say.
  public static var isSynchronised: Bool? {
    let result = clinux_clock_is_synchronised()
    return result < 0 ? nil : result != 0
  }
}
