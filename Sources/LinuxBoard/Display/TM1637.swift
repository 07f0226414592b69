import CGpiod
import CLibrary
import HardwareAbstraction
import MetronomeCore
import Synchronization

/// The two open-drain lines of a TM1637. A line is pulled low, or it is released and the module's resistor makes it high.
package protocol TM1637Lines {
  /// Errors are remembered by the implementation.
  func pull(_ line: TM1637Line, low: Bool)
  func isHigh(_ line: TM1637Line) -> Bool
  /// Waits until a released line is high, and the chip has seen the change.
  func settle()
}

package enum TM1637Line: UInt32 {
  case clock, data
}

/// The serial protocol of a TM1637, after its data sheet (Titan Micro Electronics, TM1637, version 2.4, "Interface interpretation").
/// The first bit of a byte is the lowest. Data changes while the clock is low, except for start and stop: data falls or rises
/// while the clock is high. After each byte the chip pulls data low for a ninth clock.
package struct TM1637Protocol<Lines: TM1637Lines> {
  private let lines: Lines

  package init(_ lines: Lines) { self.lines = lines }

  /// Sends a text, and switches the display on.
  ///
  /// - Parameter brightness: 0 to 8; 0 counts as 1.
  /// - Returns: whether the chip acknowledged every byte.
  package func send(_ text: DisplayText, brightness: Int) -> Bool {
    let digits = (0..<4).map { text.segments(at: $0) | ($0 == 1 && text.hasColon ? 0x80 : 0) }
    let answers = [send([0x40]), send([0xC0] + digits), send([0x88 | UInt8(max(brightness, 1) - 1)])]
    return !answers.contains(false)
  }

  /// Switches the display off; it keeps its text.
  package func switchOff() { _ = send([0x80]) }

  private func send(_ bytes: [UInt8]) -> Bool {
    change(.data, low: true)
    var isAcknowledged = true
    for byte in bytes where !send(byte) { isAcknowledged = false }
    change(.clock, low: true)
    change(.data, low: true)
    change(.clock, low: false)
    change(.data, low: false)
    return isAcknowledged
  }

  private func send(_ byte: UInt8) -> Bool {
    for bit in 0..<8 {
      change(.clock, low: true)
      change(.data, low: byte >> UInt8(bit) & 1 == 0)
      change(.clock, low: false)
    }
    change(.clock, low: true)
    change(.data, low: false)
    change(.clock, low: false)
    return !lines.isHigh(.data)
  }

  private func change(_ line: TM1637Line, low: Bool) {
    lines.pull(line, low: low)
    lines.settle()
  }
}

extension DisplayText {
  /// The segments of a character, a to g from the lowest bit on. A character that they cannot show is a space.
  func segments(at place: Int) -> UInt8 {
    switch Character(UnicodeScalar(self[place])) {
    case "0": 0x3F
    case "1": 0x06
    case "2": 0x5B
    case "3": 0x4F
    case "4": 0x66
    case "5", "S": 0x6D
    case "6": 0x7D
    case "7": 0x07
    case "8": 0x7F
    case "9": 0x6F
    case "A": 0x77
    case "E": 0x79
    case "F": 0x71
    case "P": 0x73
    case "U": 0x3E
    case "a": 0x5F
    case "b": 0x7C
    case "d": 0x5E
    case "i": 0x10
    case "n": 0x54
    case "o": 0x5C
    case "r": 0x50
    case "t": 0x78
    case "u": 0x1C
    case "-": 0x40
    default: 0
    }
  }
}

/// Drives a TM1637 on two lines of the GPIO chip.
final class TM1637: DisplayDriver, TM1637Lines {
  /// Far below the 500 kHz that the chip accepts.
  private static let pause = Nanoseconds.microseconds(5)
  /// Modules with capacitors on their lines, of up to 10 nF with 10 kΩ, need up to this time until a released line is high.
  private static let slowestRise = Nanoseconds.microseconds(300)
  /// From this time on the thread sleeps instead of spinning.
  private static let shortestSleep = Nanoseconds.microseconds(20)
  /// The time for both lines to become high after the request.
  private static let slowestStart = Nanoseconds.milliseconds(1)
  /// The names of the lines in messages, the clock first.
  private static let roles = ["display.clock", "display.data"]

  /// The name of a line that was low before anything drove it; nil: both were high.
  private let stuck: String?
  /// The first error number, positive.
  private var failure: Int32?
  /// How long a released line needs until it is high; nil: not measured yet.
  private var rise: Nanoseconds?
  private var isReleased = false
  private let handle: OpaquePointer
  private let clock = LinuxClock()

  /// Requests the lines, released.
  init(_ wiring: Wiring) throws(HardwareError) {
    let lines = try ResolvedLines(wiring, on: try ChipSearch(wiring).find(wiring.chip))
    var error: Int32 = 0
    let offsets = TM1637.roles.map(lines.offset(ofRole:))
    guard let handle = cgpiod_wires_request(lines.chip.path, offsets, UInt32(offsets.count), &error) else {
      throw lines.refusal(of: wiring.displayLines, HardwareError(.requestLines, errno: error))
    }
    self.handle = handle
    let end = clock.now + TM1637.slowestStart
    var low: Int?
    repeat {
      low = TM1637.roles.indices.first { cgpiod_wires_level(handle, UInt32($0)) == 0 }
    } while low != nil && clock.now < end
    stuck = low.map { TM1637.roles[$0] }
  }

  func pull(_ line: TM1637Line, low: Bool) {
    note(cgpiod_wires_pull(handle, line.rawValue, low))
    isReleased = !low
    guard line == .clock, !low, rise == nil else { return }
    // The first rise of the clock. A line that never reads high is stuck, or its chip cannot read the level of an output.
    let begin = clock.now
    var time = Nanoseconds.zero
    while !isHigh(.clock), time < TM1637.slowestRise { time = clock.now - begin }
    rise = time < TM1637.slowestRise ? time : .zero
  }

  func isHigh(_ line: TM1637Line) -> Bool { note(cgpiod_wires_level(handle, line.rawValue)) != 0 }

  /// After a release it waits half as long again as the measured rise took. A short wait is active: sleeping would take ten times as
  /// long, and the thread has no real-time priority, so it delays no other loop.
  func settle() {
    let rise = isReleased ? rise ?? .zero : .zero
    let pause = TM1637.pause + rise + rise / 2
    if pause >= TM1637.shortestSleep {
      usleep(UInt32(pause.count / 1_000))
    } else {
      let end = clock.now + pause
      while clock.now < end {}
    }
  }

  func show(_ frame: DisplayFrame, _ wiring: DisplayWiring) throws(HardwareError) {
    guard case .text(let text) = frame else { return }
    let isAcknowledged = TM1637Protocol(self).send(text, brightness: wiring.brightness)
    if let failure {
      throw HardwareError(
        .writeDisplay, errno: failure, detail: "its lines cannot be set (\(reason(failure)))")
    }
    if let stuck {
      throw HardwareError(
        .writeDisplay, .other,
        detail: "\(stuck) is low although nothing drives it: check the display's plug and supply, and its wires for a"
          + " short circuit")
    }
    if !isAcknowledged {
      throw HardwareError(
        .writeDisplay, .gone, detail: "it does not answer: check its plug, and that clock and data are not swapped")
    }
  }

  func switchOff() { TM1637Protocol(self).switchOff() }

  func close() { cgpiod_wires_release(handle) }

  /// Keeps the first error of the calls.
  @discardableResult
  private func note(_ result: Int32) -> Int32 {
    if result < 0, failure == nil { failure = -result }
    return result
  }
}

extension Wiring {
  /// The lines of a display on GPIO lines.
  var displayLines: [WiredLine] {
    guard let clock = display.clock, let data = display.data else { return [] }
    return [WiredLine(role: "display.clock", id: clock), WiredLine(role: "display.data", id: data)]
  }
}
