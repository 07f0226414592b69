/// What the computer is, and how it feels.
public struct ComputerFacts: Hashable, Sendable {
  /// What a processor's clock goes by.
  public struct Governor: Hashable, Sendable {
    public var name: String
    /// How many processors it governs.
    public var count: Int

    public init(name: String, count: Int) {
      self.name = name
      self.count = count
    }
  }

  /// As the device tree has it: `Raspberry Pi 4 Model B Rev 1.4`; nil where there is none.
  public var model: String?
  /// As `6.12.34+rpt-rpi-v8`.
  public var kernel: String
  public var isRealTimeKernel: Bool
  /// Empty where the clock is not governed.
  public var governors: [Governor]
  /// Whether the supply's voltage is too low, by the sensor; nil where there is none.
  public var hasLowVoltage: Bool?
  /// The firmware's word about voltage and heat (`vcgencmd get_throttled`); nil where there is none.
  public var throttled: UInt32?

  public init(
    model: String? = nil, kernel: String, isRealTimeKernel: Bool = false, governors: [Governor] = [],
    hasLowVoltage: Bool? = nil, throttled: UInt32? = nil
  ) {
    self.model = model
    self.kernel = kernel
    self.isRealTimeKernel = isRealTimeKernel
    self.governors = governors
    self.hasLowVoltage = hasLowVoltage
    self.throttled = throttled
  }

  public var isPi: Bool { model?.hasPrefix("Raspberry Pi") ?? false }
}

extension ComputerFacts {
  /// - Parameter firmware: asks the firmware itself, where no file has its word: what `vcgencmd get_throttled` prints.
  public init(_ files: FileTree, firmware: () -> String?) {
    let kernel = files.text("/proc/sys/kernel/osrelease") ?? "?"
    let version = files.text("/proc/sys/kernel/version") ?? ""
    let isRealTime = files.text("/sys/kernel/realtime") == "1" || version.contains("PREEMPT_RT")
    self.init(
      model: files.text("/sys/firmware/devicetree/base/model"), kernel: kernel, isRealTimeKernel: isRealTime,
      governors: ComputerFacts.governors(files), hasLowVoltage: ComputerFacts.lowVoltage(files))
    let word =
      files.paths(matching: "/sys/devices/platform/soc*/*firmware/get_throttled")
      + files.paths(matching: "/sys/devices/platform/*firmware/get_throttled")
    if let text = word.first.flatMap(files.text) ?? (isPi ? firmware() : nil) { throttled = ComputerFacts.bits(text) }
  }

  private static func governors(_ files: FileTree) -> [Governor] {
    var governors: [Governor] = []
    for path in files.paths(matching: "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor") {
      guard let name = files.text(path) else { continue }
      if let index = governors.firstIndex(where: { $0.name == name }) {
        governors[index].count += 1
      } else {
        governors.append(Governor(name: name, count: 1))
      }
    }
    return governors
  }

  private static func lowVoltage(_ files: FileTree) -> Bool? {
    let sensors = files.paths(matching: "/sys/class/hwmon/hwmon*/name").filter { files.text($0) == "rpi_volt" }
    guard let sensor = sensors.first?.dropLast("name".count) else { return nil }
    return files.text(sensor + "in0_lcrit_alarm").map { $0 != "0" }
  }

  /// `50005` in a file, `throttled=0x50005` from the program.
  private static func bits(_ text: String) -> UInt32? {
    let digits = text.split { $0 == "=" || $0.isWhitespace }.last ?? ""
    return UInt32(digits.hasPrefix("0x") ? digits.dropFirst(2) : digits, radix: 16)
  }
}
