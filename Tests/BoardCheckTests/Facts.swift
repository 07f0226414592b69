import HardwareAbstraction
import MetronomeCore

@testable import BoardCheck

/// A box without faults. Each test changes one fact.
enum Box {
  static let chip = GPIOFacts.Chip(path: "/dev/gpiochip0", name: "gpiochip0", label: "pinctrl-bcm2711", lineCount: 58)
  static let format = AudioFormat(
    rate: 48_000, channels: 2, sampleFormat: .s16, periodFrames: 256, bufferFrames: 1_024)

  static var facts: BoardFacts {
    BoardFacts(
      configuration: ConfigurationFacts(path: "/etc/metronome/metronome.yaml"),
      computer: ComputerFacts(
        model: "Raspberry Pi 4 Model B Rev 1.4", kernel: "6.12.34+rpt-rpi-v8",
        governors: [ComputerFacts.Governor(name: "performance", count: 4)], hasLowVoltage: false, throttled: 0),
      caller: CallerFacts(name: "pi", priorityLimit: 95), devices: devices, processes: ProcessFacts(),
      clock: ClockFacts(isSynchronised: true, services: ["systemd-timesyncd"]),
      state: StateFacts(path: "/var/lib/metronome"),
      service: ServiceFacts(status: "120 BPM 4/4 stopped", groups: ["metronome", "gpio", "audio", "input"]),
      gpio: gpio, audio: AudioFacts(cards: [AudioFacts.Card(id: "Headphones")], outcome: .opened(card)))
  }

  /// Without a service.
  static var bare: BoardFacts {
    var facts = facts
    facts.service = nil
    return facts
  }

  static var devices: DeviceFacts {
    func file(_ path: String, _ group: String) -> DeviceFacts.File {
      DeviceFacts.File(path: path, group: group, isUsable: true)
    }
    return DeviceFacts(
      gpio: [file("/dev/gpiochip0", "gpio")], audio: [file("/dev/snd/controlC0", "audio")],
      input: [file("/dev/input/event0", "input")], latency: file("/dev/cpu_dma_latency", "gpio"))
  }

  static var gpio: GPIOFacts {
    let wiring = Wiring.standard
    var lines: [LineFacts] = []
    for output in wiring.outputLines {
      guard let wire = wiring.outputs[output] else { continue }
      lines.append(line(wiring.names[output], wire.line, .high, isButton: false))
    }
    for button in Button.standard {
      guard let wire = wiring.buttons[button] else { continue }
      lines.append(line(wiring.names[button], wire.line, .low, isButton: true))
    }
    return GPIOFacts(version: "2.2.1", chips: [chip], chosen: chip, lines: lines)
  }

  private static func line(_ role: String, _ id: LineID, _ active: Polarity, isButton: Bool) -> LineFacts {
    LineFacts(
      role: role, isButton: isButton, id: id, active: active, offset: Int(id.description.dropFirst(4)),
      name: id.description, direction: .input, contact: isButton ? .open : nil)
  }

  static var card: AudioFacts.Opened {
    AudioFacts.Opened(name: "hw:CARD=Headphones", format: format, readings: readings(ppm: 12.5, step: 1))
  }

  /// Five seconds of readings, at irregular intervals, of a card that is `ppm` fast and advances in steps of `step` frames.
  static func readings(ppm: Double, step: Int64) -> [AudioFacts.FrameTime] {
    var time: Int64 = 0
    return (0..<20_000 as Range<Int64>).map { number in
      time += 150 + number * 61 % 200
      let frame = Int64(Double(time) * 0.048 * (1 + ppm / 1e6))
      return AudioFacts.FrameTime(instant: .zero + .microseconds(time), frame: frame / step * step)
    }
  }
}

extension BoardFacts {
  /// The same with a change.
  func with(_ change: (inout BoardFacts) -> Void) -> BoardFacts {
    var facts = self
    change(&facts)
    return facts
  }

  /// The findings that are doubtful or wrong, as lines: `wrong lines light: … → …`.
  var complaints: [String] {
    findings.filter { $0.verdict.state == .doubtful || $0.verdict.state == .wrong }.map {
      "\($0.verdict.state) \($0.area) \($0.subject): \($0.verdict.text) → \($0.verdict.remedy ?? "nothing")"
    }
  }

  /// The verdicts on a subject, as text.
  func text(_ area: Finding.Area, _ subject: String) -> [String] {
    findings.filter { $0.area == area && $0.subject == subject }.map { "\($0.verdict.state): \($0.verdict.text)" }
  }
}
