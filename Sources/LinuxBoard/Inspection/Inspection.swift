import CALSA
import CGpiod
import CLinux
import Glibc
import HardwareAbstraction
import MetronomeCore

/// Inspects the chips and lines that the box is wired to, and briefly requests the free button lines.
public enum GPIOInspection {
  /// Long enough for a pull-up to charge metres of cable: the time constant of 50 kΩ and 1 nF is 50 µs.
  private static let settling = Nanoseconds.milliseconds(2)

  public static func look(_ wiring: Wiring) -> GPIOFacts {
    let search = ChipSearch(wiring)
    var facts = GPIOFacts(
      version: LinuxBoard.gpiodVersion, chips: search.chips, refusals: search.refused.map(\.path))
    guard !wiring.lines.isEmpty else { return facts }
    do throws(HardwareError) {
      facts.chosen = try search.find(wiring.chip)
    } catch {
      facts.chosen = wiring.chip == .auto ? search.nearestHeader : nil
      facts.failure = failure(error, facts.chosen)
    }
    guard let chosen = facts.chosen else { return facts }
    do throws(HardwareError) {
      facts.lines = try lines(wiring, on: chosen)
    } catch {
      facts.failure = .refused(error)
    }
    return facts
  }

  private static func failure(_ error: HardwareError, _ chosen: GPIOFacts.Chip?) -> GPIOFacts.Failure {
    switch error.kind {
    case .gone, .invalid: chosen == nil ? .missing : .incomplete
    case .ambiguous: .ambiguous
    default: .refused(error)
    }
  }

  private static func lines(_ wiring: Wiring, on summary: GPIOFacts.Chip) throws(HardwareError) -> [LineFacts] {
    let chip = try Chip(path: summary.path)
    var lines: [LineFacts] = []
    for output in wiring.outputLines {
      guard let wire = wiring.outputs[output] else { continue }
      let line = LineFacts(role: wiring.names[output], isButton: false, id: wire.line, active: wire.active)
      lines.append(inspected(line, on: chip))
    }
    for button in wiring.names.buttons {
      guard let wire = wiring.buttons[button] else { continue }
      var line = inspected(
        LineFacts(role: wiring.names[button], isButton: true, id: wire.line, active: wire.active), on: chip)
      if line.offset != nil, line.holder == nil { line.contact = contact(button, wire, on: summary) }
      lines.append(line)
    }
    for line in wiring.displayLines {
      lines.append(inspected(LineFacts(role: line.role, isButton: false, id: line.id, active: .low), on: chip))
    }
    return lines
  }

  private static func inspected(_ line: LineFacts, on chip: borrowing Chip) -> LineFacts {
    var line = line
    guard let offset = chip.offset(of: line.id) else { return line }
    line.offset = Int(offset)
    line.name = chip.name(ofLineAt: offset)
    line.holder = chip.holder(ofLineAt: offset)
    line.direction = chip.direction(ofLineAt: offset)
    return line
  }

  /// Requests a button's line, reads it and releases it.
  private static func contact(_ button: Button, _ wire: ButtonWiring, on chip: GPIOFacts.Chip) -> LineFacts.Contact {
    let wiring = Wiring(chip: .auto, outputs: [:], buttons: [button: wire])
    do throws(HardwareError) {
      let buttons = GPIOButtons(bell: nil)
      try buttons.attach(wiring, try ResolvedLines(wiring, on: chip))
      defer { buttons.detach() }
      _ = Doorbell().wait(until: LinuxClock().now + settling)
      return try buttons.isDown(button) ? .pressed : .open
    } catch {
      return .unknown(errno: error.errno)
    }
  }
}

/// Inspects the sound cards, and plays silence on the requested card.
public enum AudioInspection {
  /// The timeout for a card that hangs.
  private static let patience = Nanoseconds.seconds(3)
  /// The time between position readings: shorter than the 1 ms steps of many cards, and varied to avoid aliasing with
  /// the steps.
  private static func interval(_ number: Int64) -> Nanoseconds { .microseconds(150 + number * 61 % 200) }

  /// Inspects the sound cards, and measures the clock of the requested card for `length`.
  public static func look(_ request: AudioRequest, measuring length: Nanoseconds) -> AudioFacts {
    calsa_silence_messages()
    let cards = AudioFacts.Card.all()
    guard request.device != .none else { return AudioFacts(cards: cards, outcome: .notWanted) }
    return AudioFacts(cards: cards, outcome: outcome(request, length))
  }

  private static func outcome(_ request: AudioRequest, _ length: Nanoseconds) -> AudioFacts.Outcome {
    let attempt: OpeningAttempt.Outcome?
    do throws(HardwareError) {
      attempt = try OpeningAttempt.outcome(of: request, within: patience)
    } catch {
      return .refused(error)
    }
    guard let (result, notices) = attempt else { return .hangs }
    switch result {
    case .failure(let error): return .refused(error)
    case .success(let output):
      defer { output.release() }
      var opened = AudioFacts.Opened(name: output.name, format: output.format, notices: notices)
      do throws(HardwareError) {
        try measure(output, for: length) { opened.readings.append($0) }
      } catch {
        opened.errno = error.errno
      }
      return .opened(opened)
    }
  }

  /// Plays silence and reads the playback position.
  private static func measure(
    _ output: ALSAOutput, for length: Nanoseconds, _ record: (AudioFacts.FrameTime) -> Void
  ) throws(HardwareError) {
    let clock = LinuxClock()
    let bell = Doorbell()
    let format = output.format
    let silence = UnsafeMutableRawBufferPointer.allocate(
      byteCount: format.periodFrames * format.bytesPerFrame, alignment: 16)
    defer { silence.deallocate() }
    silence.initializeMemory(as: UInt8.self, repeating: 0)
    let end = clock.now + length
    var number: Int64 = 0
    while clock.now < end {
      let status = try output.status()
      let pair = clock.pair
      let age = pair.monotonic - status.instant
      record(AudioFacts.FrameTime(instant: pair.raw - age, frame: status.frame - status.delay))
      if status.available >= format.periodFrames { _ = try output.write(UnsafeRawBufferPointer(silence)) }
      _ = bell.wait(until: clock.now + interval(number))
      number += 1
    }
  }
}

extension LinuxClock {
  /// Whether the kernel reports the wall clock as synchronised; nil: unknown. If it is true, the rate of every clock except
  /// the raw clock is synchronised too.
  public static var isSynchronised: Bool? {
    let result = clinux_clock_is_synchronised()
    return result < 0 ? nil : result != 0
  }
}
