extension BoardFacts {
  /// The bits of the firmware's word. What was so since the start stands 16 further up.
  private enum Throttled {
    static let lowVoltage: UInt32 = 1 << 0
    static let capped: UInt32 = 1 << 1
    static let slowed: UInt32 = 1 << 2
    static let hot: UInt32 = 1 << 3
    static let since: UInt32 = 16
  }

  var computerFindings: [Finding] { [model, kernel, governor, voltage, heat] }

  private var model: Finding {
    guard let model = computer.model, !model.isEmpty else {
      return .absent(.computer, "model", "not a Raspberry Pi (no device tree)")
    }
    return .right(.computer, "model", model)
  }

  private var kernel: Finding {
    let kind = computer.isRealTimeKernel ? "a real-time kernel" : "an ordinary kernel, which will do"
    return .right(.computer, "kernel", "\(computer.kernel), \(kind)")
  }

  private var governor: Finding {
    let slow = computer.governors.filter { ["powersave", "ondemand", "conservative"].contains($0.name) }
    guard !computer.governors.isEmpty else {
      return .absent(.computer, "governor", "the processors' clock is not governed here")
    }
    let names = computer.governors.map { "\($0.name) (\(counted($0.count, "processor")))" }.joined(separator: ", ")
    guard !slow.isEmpty else { return .right(.computer, "governor", names) }
    return .doubtful(
      .computer, "governor", "\(names): wakes up slowly, so that beats may be late by some ten microseconds",
      remedy: "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor; for good:"
        + " cpufreq.default_governor=performance in /boot/firmware/cmdline.txt")
  }

  private var voltage: Finding {
    let word = computer.throttled ?? 0
    let remedy =
      "use the power supply made for this model (5.1 V) and a short, thick cable; feed lamps, buzzer and amplifier"
      + " from a supply of their own"
    if computer.hasLowVoltage == true || word & Throttled.lowVoltage != 0 {
      return .wrong(.computer, "voltage", "the supply's voltage is too low at this moment", remedy: remedy)
    }
    if word & Throttled.lowVoltage << Throttled.since != 0 {
      return .doubtful(.computer, "voltage", "the supply's voltage has been too low since the start", remedy: remedy)
    }
    guard computer.hasLowVoltage != nil || computer.throttled != nil else {
      return .absent(.computer, "voltage", "no sensor of the supply's voltage")
    }
    return .right(.computer, "voltage", "high enough")
  }

  private var heat: Finding {
    guard let word = computer.throttled else {
      return .absent(.computer, "throttling", "no firmware that would tell")
    }
    let now = Throttled.capped | Throttled.slowed | Throttled.hot
    let hex = "0x" + String(word, radix: 16)
    let remedy = "give the box air or a heat sink, or a stronger supply; vcgencmd measure_temp shows the heat"
    if word & now != 0 {
      return .doubtful(
        .computer, "throttling", "the processor is being slowed down for heat or voltage (\(hex))", remedy: remedy)
    }
    if word & (now << Throttled.since) != 0 {
      return .doubtful(
        .computer, "throttling", "the processor has been slowed down since the start (\(hex))", remedy: remedy)
    }
    return .right(.computer, "throttling", "none")
  }

  var clockFindings: [Finding] {
    guard let isSynchronised = clock.isSynchronised else {
      return [.absent(.computer, "clock", "the kernel does not say whether it is kept true")]
    }
    if isSynchronised { return [.right(.computer, "clock", "synchronised")] }
    guard let service = clock.services.first else {
      return [
        .right(.computer, "clock", "not synchronised, and nothing here is to do that: tempo is as true as the crystal")
      ]
    }
    return [
      .doubtful(
        .computer, "clock", "not synchronised, though \(service) is to do that",
        remedy: "connect the network; then sudo systemctl restart \(service) and timedatectl show how it goes")
    ]
  }
}

/// `1 processor`, `4 processors`.
func counted(_ count: Int, _ word: String) -> String { "\(count) \(word)\(count == 1 ? "" : "s")" }
