import MetronomeCore

public struct ComputerFacts: Hashable, Sendable {
  public struct Governor: Hashable, Sendable {
    public var name: String
    /// The number of processors with this governor.
    public var count: Int
  }

  /// The model in the device tree, for example `Raspberry Pi 4 Model B Rev 1.4`; nil if there is no device tree.
  public var model: String?
  /// The kernel's release, for example `6.12.34+rpt-rpi-v8`.
  public var kernel: String
  public var isRealTimeKernel = false
  /// The CPU frequency governors; empty if there are no governors.
  public var governors: [Governor] = []
  /// Whether the sensor reports a low supply voltage; nil if there is no sensor.
  public var hasLowVoltage: Bool?
  /// The firmware's bits for voltage and temperature (`vcgencmd get_throttled`); nil if unavailable.
  public var throttled: UInt32?
}

extension ComputerFacts {
  /// Reads the files. `firmware` is called if no file has the firmware's state, and returns the output of
  /// `vcgencmd get_throttled`.
  public init(_ files: FileTree, firmware: () -> String?) {
    model = files.text("/sys/firmware/devicetree/base/model")
    kernel = files.text("/proc/sys/kernel/osrelease") ?? "?"
    let version = files.text("/proc/sys/kernel/version") ?? ""
    isRealTimeKernel = files.text("/sys/kernel/realtime") == "1" || version.contains("PREEMPT_RT")
    for path in files.paths(matching: "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor") {
      guard let name = files.text(path) else { continue }
      if let index = governors.firstIndex(where: { $0.name == name }) {
        governors[index].count += 1
      } else {
        governors.append(Governor(name: name, count: 1))
      }
    }
    if let sensor = files.paths(matching: "/sys/class/hwmon/hwmon*/name").first(where: { files.text($0) == "rpi_volt" })
    {
      hasLowVoltage = files.text(sensor.dropLast("name".count) + "in0_lcrit_alarm").map { $0 != "0" }
    }
    let words =
      files.paths(matching: "/sys/devices/platform/soc*/*firmware/get_throttled")
      + files.paths(matching: "/sys/devices/platform/*firmware/get_throttled")
    let isPi = model?.hasPrefix("Raspberry Pi") ?? false
    throttled = (words.first.flatMap(files.text) ?? (isPi ? firmware() : nil)).flatMap(ComputerFacts.bits)
  }

  /// Parses `50005` from a file or `throttled=0x50005` from the program.
  private static func bits(_ text: String) -> UInt32? {
    let digits = text.split { $0 == "=" || $0.isWhitespace }.last ?? ""
    return UInt32(digits.hasPrefix("0x") ? digits.dropFirst(2) : digits, radix: 16)
  }
}

/// Whether the system clock is synchronised.
public struct ClockFacts: Hashable, Sendable {
  /// As reported by the kernel; nil: unknown.
  public var isSynchronised: Bool?
  /// The time services that are enabled or running, such as `systemd-timesyncd`.
  public var services: [String] = []
}

extension ClockFacts {
  /// Process names, truncated to 15 bytes as in the kernel, and the units that they may belong to.
  private static let known = [
    ("systemd-timesyn", ["systemd-timesyncd"]), ("chronyd", ["chrony", "chronyd"]),
    ("ntpd", ["ntpsec", "ntp", "openntpd"]),
  ]

  public init(_ files: FileTree, _ processes: ProcessFacts, isSynchronised: Bool?) {
    self.isSynchronised = isSynchronised
    services = ClockFacts.known.compactMap { process, units in
      let isRunning = processes.running.contains { $0.name == process }
      return units.first { isRunning || !files.paths(matching: "/etc/systemd/system/*.wants/\($0).service").isEmpty }
    }
  }
}

public struct ProcessFacts: Hashable, Sendable {
  public struct Process: Hashable, Sendable {
    public var number: Int
    /// The name in the kernel, 15 bytes at most.
    public var name: String
  }

  public var running: [Process] = []
  /// The programs with an open playback device, by the sound card's id. Only root sees the programs of other users.
  public var players: [String: [Process]] = [:]

  /// Whether another metronome is running.
  public var hasMetronome: Bool { running.contains { $0.name == "metronome" } }
}

extension ProcessFacts {
  /// Reads the files. `own` is the PID of the calling process, which is omitted.
  public init(_ files: FileTree, own: Int) {
    for path in files.paths(matching: "/proc/[0-9]*/comm") {
      let number = Int(path.split(separator: "/")[1]) ?? 0
      if number != own, let name = files.text(path) { running.append(Process(number: number, name: name)) }
    }
    for path in files.paths(matching: "/proc/asound/card[0-9]*/id") {
      guard let id = files.text(path), let card = path.split(separator: "/").dropLast().last else { continue }
      let number = card.dropFirst("card".count)
      // `owner_pid` is the thread that opened the device; it may have ended in the meantime.
      let owners = files.paths(matching: "/proc/asound/card\(number)/pcm*p/sub*/status").compactMap { status in
        (files.text(status) ?? "").lines.first { $0.hasPrefix("owner_pid") }.flatMap { Int($0.words.last ?? "") }
      }
      guard !owners.isEmpty else { continue }
      players[id] = running.filter { owners.contains($0.number) || files.holds($0.number, "/dev/snd/pcmC\(number)D") }
    }
  }
}

extension FileTree {
  /// Whether a process has a playback device open whose path begins with `device`.
  fileprivate func holds(_ process: Int, _ device: String) -> Bool {
    paths(matching: "/proc/\(process)/fd/*").contains { path in
      link(path).map { $0.hasPrefix(device) && $0.hasSuffix("p") } ?? false
    }
  }
}

extension BoardFacts {
  /// The bits of `get_throttled` for the present state. The same bits, shifted left by 16, are for the time since boot.
  private enum Throttled {
    static let lowVoltage: UInt32 = 1 << 0
    /// The CPU frequency is capped, the CPU is throttled, or the CPU has reached its temperature limit.
    static let slowed: UInt32 = 1 << 1 | 1 << 2 | 1 << 3
    static let since: UInt32 = 16
  }

  var computerFindings: [Finding] {
    let model = computer.model.flatMap { $0.isEmpty ? nil : Verdict.right($0) }
    let kernel = computer.isRealTimeKernel ? "a real-time kernel" : "an ordinary kernel, which is sufficient"
    return [Finding](
      .computer,
      [
        "model": model ?? .absent("not a Raspberry Pi (no device tree)"),
        "kernel": .right("\(computer.kernel), \(kernel)"),
        "governor": governor, "voltage": voltage, "throttling": throttling, "clock": systemClock,
      ])
  }

  private var governor: Verdict {
    guard !computer.governors.isEmpty else { return .absent("this kernel has no CPU frequency governor") }
    let names = computer.governors.map { "\($0.name) (\(counted($0.count, "processor")))" }.joined(separator: ", ")
    let isSlow = computer.governors.contains { ["powersave", "ondemand", "conservative"].contains($0.name) }
    guard isSlow else { return .right(names) }
    return .doubtful(
      "\(names): the processor wakes up slowly, so beats may be about ten microseconds late",
      remedy: "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor; permanently: add"
        + " cpufreq.default_governor=performance to /boot/firmware/cmdline.txt")
  }

  private var voltage: Verdict {
    let word = computer.throttled ?? 0
    let remedy =
      "use the power supply made for this model (5.1 V) and a short, thick cable; use a separate supply for"
      + " lamps, buzzer and amplifier"
    if computer.hasLowVoltage == true || word & Throttled.lowVoltage != 0 {
      return .wrong("the supply voltage is too low now", remedy: remedy)
    }
    if word & Throttled.lowVoltage << Throttled.since != 0 {
      return .doubtful("the supply voltage was too low at some time since boot", remedy: remedy)
    }
    let isKnown = computer.hasLowVoltage != nil || computer.throttled != nil
    return isKnown ? .right("high enough") : .absent("no sensor for the supply voltage")
  }

  private var throttling: Verdict {
    guard let word = computer.throttled else { return .absent("the firmware does not report throttling") }
    let isSlowed = word & Throttled.slowed != 0
    guard isSlowed || word & Throttled.slowed << Throttled.since != 0 else { return .right("none") }
    let what = isSlowed ? "is throttled because of heat or low voltage" : "was throttled at some time since boot"
    return .doubtful(
      "the processor \(what) (0x\(String(word, radix: 16)))",
      remedy: "improve the cooling, or use a stronger supply; vcgencmd measure_temp shows the temperature")
  }

  private var systemClock: Verdict {
    guard let isSynchronised = clock.isSynchronised else {
      return .absent("the kernel does not report whether the clock is synchronised")
    }
    if isSynchronised { return .right("synchronised") }
    guard let service = clock.services.first else {
      return .right("not synchronised, and no time service is enabled: the tempo is as accurate as the crystal")
    }
    return .doubtful(
      "not yet synchronised by \(service)",
      remedy: "connect the network, run sudo systemctl restart \(service), and check with timedatectl")
  }
}
