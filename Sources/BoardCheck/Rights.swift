import HardwareAbstraction

/// The calling user and its privileges.
public struct CallerFacts: Hashable, Sendable {
  public var name: String
  public var isRoot = false
  /// The highest real-time priority that the caller may set; 99: all are allowed.
  public var priorityLimit = 0
  /// Bytes that may be locked in memory (RLIMIT_MEMLOCK); nil: unlimited.
  public var lockLimit: UInt64?
}

extension CallerFacts {
  /// The bits of two capabilities, from linux/capability.h.
  private static let mayLockMemory: UInt64 = 1 << 14
  private static let maySchedule: UInt64 = 1 << 23

  public init(_ files: FileTree) {
    /// The words after a key in a file of `/proc/self`.
    func words(_ file: String, _ key: String) -> [Substring] {
      let line = (files.text("/proc/self/\(file)") ?? "").lines.first { $0.hasPrefix(key) }
      return line.map { $0.dropFirst(key.count).words } ?? []
    }
    func limit(_ name: String) -> UInt64? { words("limits", name).first.flatMap { UInt64($0) } }
    // The first number is the real user id, the second number the effective user id.
    let uid = words("status", "Uid:").dropFirst().first.flatMap { UInt32($0) } ?? 0
    let capabilities = words("status", "CapEff:").first.flatMap { UInt64($0, radix: 16) } ?? 0
    name = Accounts(files).userName(uid)
    isRoot = uid == 0
    let maySchedule = capabilities & CallerFacts.maySchedule != 0
    priorityLimit = maySchedule ? 99 : Int(min(limit("Max realtime priority") ?? 99, 99))
    lockLimit = capabilities & CallerFacts.mayLockMemory != 0 ? nil : limit("Max locked memory")
  }
}

/// Device files by kind, with their permissions.
public struct DeviceFacts: Hashable, Sendable {
  public struct File: Hashable, Sendable {
    public var path: String
    public var owner = "root"
    public var group: String
    /// The permission bits, for example `0o660`.
    public var mode: UInt32 = 0o660
    /// Whether the caller may use the file.
    public var isUsable: Bool
  }

  public var gpio: [File] = []
  public var audio: [File] = []
  public var input: [File] = []
  /// I²C buses.
  public var i2c: [File] = []
  /// `/dev/cpu_dma_latency`; nil if the kernel does not have it.
  public var latency: File?
}

extension DeviceFacts {
  public init(_ files: FileTree) {
    let accounts = Accounts(files)
    func all(_ pattern: String, writes: Bool = true) -> [File] {
      files.paths(matching: pattern).compactMap { path in
        guard let status = files.status(path), !status.isFolder else { return nil }
        return File(
          path: path, owner: accounts.userName(status.owner), group: accounts.groupName(status.group),
          mode: status.mode, isUsable: files.obstacle(path, FileTree.access(writes: writes)) == nil)
      }
    }
    gpio = all("/dev/gpiochip[0-9]*")
    audio = all("/dev/snd/controlC*") + all("/dev/snd/pcmC*p")
    input = all("/dev/input/event*", writes: false)
    i2c = all("/dev/i2c-[0-9]*")
    latency = all("/dev/cpu_dma_latency").first
  }
}

extension DeviceFacts.File {
  func isUsable(by service: ServiceFacts, writes: Bool = true) -> Bool {
    let wanted: UInt32 = writes ? 6 : 4
    if service.user == "root" { return true }
    let bits = service.user == owner ? mode >> 6 : service.groups.contains(group) ? mode >> 3 : mode
    return bits & wanted == wanted
  }

  /// Whether a member of the file's group has access.
  var hasUsefulGroup: Bool { group != "root" && mode & 0o060 == 0o060 }
}

extension BoardFacts {
  /// The priority of the beat thread.
  private static let priority = 80
  /// The memory to lock, in bytes: more than the program ever uses.
  private static let memory: UInt64 = 256 << 20

  var rightsFindings: [Finding] {
    let service = installedService
    return [Finding](
      .rights,
      [
        "real-time": callersLimit(
          caller.priorityLimit >= BoardFacts.priority, "use real-time priority",
          "may not use real-time priority \(BoardFacts.priority): beats may be late when the machine is busy",
          "rtprio \(BoardFacts.priority)"),
        "memlock": callersLimit(
          caller.lockLimit ?? .max >= BoardFacts.memory, "lock memory",
          "may lock only \((caller.lockLimit ?? 0) / 1_024) KiB of memory: beats may be late when memory is low",
          "memlock unlimited"),
        "real-time of the service": service.map {
          limit(
            of: $0, $0.priorityLimit >= BoardFacts.priority, "use real-time priority", "priority \($0.priorityLimit)",
            "LimitRTPRIO=\(BoardFacts.priority)")
        },
        "memlock of the service": service.map {
          limit(
            of: $0, $0.lockLimit ?? .max >= BoardFacts.memory, "lock memory",
            "\(($0.lockLimit ?? 0) / 1_024) KiB of locked memory", "LimitMEMLOCK=infinity")
        },
        "gpio": deviceRight("gpio", "the GPIO chips", devices.gpio, isNeeded: true),
        "audio": deviceRight("audio", "the sound cards", devices.audio, isNeeded: audioIsWanted),
        "input": deviceRight("input", "pedals and encoders", devices.input, isNeeded: !inputs.isEmpty),
        "wake-up": wakeupRight,
      ])
  }

  var audioIsWanted: Bool { configuration.audio.map { $0.device != .none } ?? true }

  private func callersLimit(_ isMet: Bool, _ right: String, _ lack: String, _ line: String) -> Verdict {
    if isMet { return .right("\(caller.name) may \(right)") }
    guard installedService == nil else {
      return .right("\(caller.name) may not \(right); the limits of the service are checked below")
    }
    return .doubtful(
      "\(caller.name) \(lack)",
      remedy: "run as root, or: echo '\(caller.name) - \(line)' | sudo tee -a /etc/security/limits.d/metronome.conf;"
        + " then log in again")
  }

  private func limit(
    of service: ServiceFacts, _ isMet: Bool, _ right: String, _ limit: String, _ line: String
  ) -> Verdict {
    if isMet { return .right("\(service.user) may \(right)") }
    return .doubtful(
      "the unit allows only \(limit)",
      remedy: "sudo systemctl edit metronome: add \(line) below [Service]; then sudo systemctl restart metronome")
  }

  /// `group` is the group that the distribution's udev rule gives to such files.
  func deviceRight(_ group: String, _ what: String, _ files: [DeviceFacts.File], isNeeded: Bool) -> Verdict {
    guard isNeeded else { return .absent("not needed: the configuration does not use \(what)") }
    guard let first = files.first else { return .absent("there are no device files for \(what)") }
    let service = installedService
    if let service, let refused = files.first(where: { !$0.isUsable(by: service, writes: group != "input") }) {
      return .wrong(
        "\(service.user), the user of the service, may not use \(refused.path)",
        remedy: remedy(refused, for: service.user, group) + "; then sudo systemctl restart metronome")
    }
    guard let refused = files.first(where: { !$0.isUsable }) else {
      return .right("\(caller.name) may use \(what) (group \(first.group))")
    }
    guard service == nil else {
      return .doubtful(
        "the service may use \(what), but \(caller.name) may not, so they are not checked",
        remedy: "sudo metronome check")
    }
    return .wrong(
      "\(caller.name) may not use \(refused.path) (group \(refused.group))",
      remedy: remedy(refused, for: caller.name, group) + ", and log in again")
  }

  private func remedy(_ file: DeviceFacts.File, for user: String, _ group: String) -> String {
    if file.hasUsefulGroup { return "sudo usermod -aG \(file.group) \(user)" }
    let subsystem = ["audio": "sound", "i2c": "i2c-dev"][group] ?? group
    return "echo 'SUBSYSTEM==\"\(subsystem)\", GROUP=\"\(group)\", MODE=\"0660\"' |"
      + " sudo tee /etc/udev/rules.d/60-metronome-\(group).rules; then sudo udevadm trigger; then sudo usermod -aG"
      + " \(group) \(user)"
  }

  private var wakeupRight: Verdict {
    guard let file = devices.latency else { return .absent("this kernel has no /dev/cpu_dma_latency") }
    let user = installedService?.user ?? caller.name
    let isUsable = installedService.map { file.isUsable(by: $0) } ?? file.isUsable
    if isUsable { return .right("\(user) may keep the processor out of deep idle states") }
    return .doubtful(
      "\(user) may not use \(file.path): beats may be late by the processor's wake-up time",
      remedy: file.hasUsefulGroup
        ? "sudo usermod -aG \(file.group) \(user), and log in again; or run as root"
        : "echo 'KERNEL==\"cpu_dma_latency\", GROUP=\"audio\", MODE=\"0660\"' | sudo tee"
          + " /etc/udev/rules.d/60-metronome-latency.rules; then sudo usermod -aG audio \(user); then restart the"
          + " machine; or run as root")
  }

  /// Whether the service may use all files and only the caller may not. Then the box has no fault.
  func isForServiceAlone(_ files: [DeviceFacts.File], writes: Bool = true) -> Bool {
    guard let service = installedService, files.contains(where: { !$0.isUsable }) else { return false }
    return files.allSatisfy { $0.isUsable(by: service, writes: writes) }
  }

  /// The fix for files that cannot be used. If the caller has no access to them, the fix refers to the finding on `subject`.
  func rightsRemedy(_ subject: String, _ files: [DeviceFacts.File]) -> String {
    if files.contains(where: { !$0.isUsable }) { return "apply the fix for \"\(subject)\" under rights above" }
    return caller.isRoot ? "restart the machine; dmesg shows the kernel's messages" : "sudo metronome check"
  }

  func unusable(_ text: String, _ subject: String, _ files: [DeviceFacts.File], writes: Bool = true) -> Verdict {
    if isForServiceAlone(files, writes: writes) { return .absent("not checked: \(text); the service has permission") }
    return .wrong(text, remedy: rightsRemedy(subject, files))
  }
}
