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

/// What runs, as far as it concerns the box.
public struct ProcessFacts: Hashable, Sendable {
  public struct Process: Hashable, Sendable {
    public var number: Int
    /// As the kernel has it, 15 bytes at the most.
    public var name: String

    public init(number: Int, name: String) {
      self.number = number
      self.name = name
    }
  }

  public var running: [Process]
  /// Those that have a sound card's device that plays open, by the card's id. Of other users' only root is told.
  public var players: [String: [Process]]

  public init(running: [Process] = [], players: [String: [Process]] = [:]) {
    self.running = running
    self.players = players
  }

  /// Whether a metronome runs besides the one that asks.
  public var hasMetronome: Bool { running.contains { $0.name == "metronome" } }
}

extension ProcessFacts {
  /// - Parameter own: the number of the process that asks, which is left out.
  public init(_ files: FileTree, own: Int) {
    var running: [Process] = []
    for path in files.paths(matching: "/proc/[0-9]*/comm") {
      let number = Int(path.split(separator: "/")[1]) ?? 0
      if number != own, let name = files.text(path) { running.append(Process(number: number, name: name)) }
    }
    self.init(running: running, players: ProcessFacts.players(files, running))
  }

  private static func players(_ files: FileTree, _ running: [Process]) -> [String: [Process]] {
    var players: [String: [Process]] = [:]
    for path in files.paths(matching: "/proc/asound/card[0-9]*/id") {
      guard let id = files.text(path), let card = path.split(separator: "/").dropLast().last else { continue }
      let number = card.dropFirst("card".count)
      // The kernel names whoever opened it, by a thread that may have ended since.
      let owners = files.paths(matching: "/proc/asound/card\(number)/pcm*p/sub*/status").compactMap { status in
        (files.text(status) ?? "").lines.first { $0.hasPrefix("owner_pid") }.flatMap {
          Int($0.split(separator: " ").last ?? "")
        }
      }
      guard !owners.isEmpty else { continue }
      let holders = running.filter { process in
        owners.contains(process.number) || files.holds(process.number, "/dev/snd/pcmC\(number)D")
      }
      players[id] = holders
    }
    return players
  }
}

extension FileTree {
  /// Whether a process has a device file open that plays and whose path begins so.
  fileprivate func holds(_ process: Int, _ device: String) -> Bool {
    paths(matching: "/proc/\(process)/fd/*").contains { path in
      link(path).map { $0.hasPrefix(device) && $0.hasSuffix("p") } ?? false
    }
  }
}

/// Who asks, and what the system allows them.
public struct CallerFacts: Hashable, Sendable {
  public var name: String
  public var isRoot: Bool
  /// The highest priority of a real-time thread; 99 for whoever may have any.
  public var priorityLimit: Int
  /// Bytes that may be kept in memory; nil: any number.
  public var lockLimit: UInt64?

  public init(name: String, isRoot: Bool = false, priorityLimit: Int = 0, lockLimit: UInt64? = nil) {
    self.name = name
    self.isRoot = isRoot
    self.priorityLimit = priorityLimit
    self.lockLimit = lockLimit
  }
}

extension CallerFacts {
  /// Capabilities by their numbers (linux/capability.h).
  private static let mayLockMemory: UInt64 = 1 << 14
  private static let maySchedule: UInt64 = 1 << 23

  public init(_ files: FileTree) {
    let status = (files.text("/proc/self/status") ?? "").lines.map(String.init)
    func words(_ key: String) -> [Substring] {
      status.first { $0.hasPrefix(key + ":") }.map { $0.words.dropFirst().map(\.self) } ?? []
    }
    let uids = words("Uid")
    let uid = (uids.count > 1 ? UInt32(uids[1]) : nil) ?? 0
    let capabilities = words("CapEff").first.flatMap { UInt64($0, radix: 16) } ?? 0
    let limits = (files.text("/proc/self/limits") ?? "").lines.map(String.init)
    func limit(_ name: String) -> UInt64? {
      let line = limits.first { $0.hasPrefix(name) }
      return line.flatMap { $0.dropFirst(name.count).split(separator: " ").first }.flatMap { UInt64($0) }
    }
    let priority = capabilities & CallerFacts.maySchedule != 0 ? 99 : limit("Max realtime priority") ?? 99
    self.init(
      name: Accounts(files).userName(uid), isRoot: uid == 0, priorityLimit: Int(min(priority, 99)),
      lockLimit: capabilities & CallerFacts.mayLockMemory != 0 ? nil : limit("Max locked memory"))
  }
}

/// The names of users and groups, and who is in which.
struct Accounts {
  private let users: [[Substring]]
  private let groups: [[Substring]]

  init(_ files: FileTree) {
    func entries(_ path: String) -> [[Substring]] {
      (files.text(path) ?? "").lines.map { $0.split(separator: ":", omittingEmptySubsequences: false) }
    }
    users = entries("/etc/passwd").filter { $0.count >= 4 }
    groups = entries("/etc/group").filter { $0.count >= 4 }
  }

  /// A user's name, or its number if it has none.
  func userName(_ id: UInt32) -> String { users.first { $0[2] == "\(id)" }.map { String($0[0]) } ?? "\(id)" }

  func groupName(_ id: UInt32) -> String { groups.first { $0[2] == "\(id)" }.map { String($0[0]) } ?? "\(id)" }

  func userNumber(_ name: String) -> UInt32? {
    UInt32(name) ?? users.first { $0[0] == name }.flatMap { UInt32($0[2]) }
  }

  /// The groups that a user is in, by name.
  func groups(of user: String) -> Set<String> {
    let primary = users.first { $0[0] == user }.flatMap { UInt32($0[3]) }.map(groupName)
    let others = groups.filter { $0[3].split(separator: ",").contains(Substring(user)) }.map { String($0[0]) }
    return Set(others + [primary].compactMap(\.self))
  }
}
