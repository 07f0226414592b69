import HardwareAbstraction

/// All that was seen of a box. What findings are made of, and nothing else: the same facts, the same findings.
public struct BoardFacts: Hashable, Sendable {
  public var configuration: ConfigurationFacts
  public var computer: ComputerFacts
  public var caller: CallerFacts
  public var devices: DeviceFacts
  public var processes: ProcessFacts
  public var clock: ClockFacts
  public var state: StateFacts
  public var inputs: [InputFacts]
  /// nil where no manager runs.
  public var service: ServiceFacts?
  /// nil where this build knows no chips, or the configuration does not say which lines.
  public var gpio: GPIOFacts?
  /// nil likewise.
  public var sound: SoundFacts?

  public init(
    configuration: ConfigurationFacts, computer: ComputerFacts, caller: CallerFacts, devices: DeviceFacts,
    processes: ProcessFacts, clock: ClockFacts, state: StateFacts, inputs: [InputFacts] = [],
    service: ServiceFacts? = nil, gpio: GPIOFacts? = nil, sound: SoundFacts? = nil
  ) {
    self.configuration = configuration
    self.computer = computer
    self.caller = caller
    self.devices = devices
    self.processes = processes
    self.clock = clock
    self.state = state
    self.inputs = inputs
    self.service = service
    self.gpio = gpio
    self.sound = sound
  }

  /// The service, if it is there.
  var installedService: ServiceFacts? { service.flatMap { $0.isInstalled ? $0 : nil } }

  /// Where the configuration is to be changed.
  var configurationFile: String { configuration.path ?? "/etc/metronome/metronome.yaml" }
}

/// A pedal, keyboard or encoder that the configuration names.
public struct InputFacts: Hashable, Sendable {
  /// As configured.
  public var name: String
  /// The event device that it is now; nil if it is not there.
  public var path: String?
  public var isReadable: Bool

  public init(name: String, path: String? = nil, isReadable: Bool = true) {
    self.name = name
    self.path = path
    self.isReadable = isReadable
  }
}

extension InputFacts {
  public init(_ files: FileTree, _ request: InputRequest) {
    switch request.device {
    case .path(let path):
      name = path
      self.path = files.exists(path) ? path : nil
    case .named(let wanted):
      name = wanted
      let device = files.paths(matching: "/sys/class/input/event*/device/name").first { files.text($0) == wanted }
      path = device.map { "/dev/input/\($0.split(separator: "/")[3])" }
    }
    isReadable = path.map { files.obstacle($0, FileTree.access(writes: false)) == 0 } ?? false
  }
}

/// Device files of a kind, and who may use them.
public struct DeviceFacts: Hashable, Sendable {
  public struct File: Hashable, Sendable {
    public var path: String
    public var owner: String
    public var group: String
    /// As `0o660`.
    public var mode: UInt32
    /// Whether whoever asks may.
    public var isUsable: Bool

    public init(path: String, owner: String = "root", group: String, mode: UInt32 = 0o660, isUsable: Bool) {
      self.path = path
      self.owner = owner
      self.group = group
      self.mode = mode
      self.isUsable = isUsable
    }
  }

  public var gpio: [File]
  public var sound: [File]
  public var input: [File]
  /// `/dev/cpu_dma_latency`; nil where the kernel has none.
  public var latency: File?

  public init(gpio: [File] = [], sound: [File] = [], input: [File] = [], latency: File? = nil) {
    self.gpio = gpio
    self.sound = sound
    self.input = input
    self.latency = latency
  }
}

extension DeviceFacts {
  public init(_ files: FileTree) {
    let accounts = Accounts(files)
    func all(_ pattern: String, writes: Bool = true) -> [File] {
      files.paths(matching: pattern).compactMap { path in
        guard let status = files.status(path), !status.isFolder else { return nil }
        return File(
          path: path, owner: accounts.userName(status.owner), group: accounts.groupName(status.group),
          mode: status.mode, isUsable: files.obstacle(path, FileTree.access(writes: writes)) == 0)
      }
    }
    self.init(
      gpio: all("/dev/gpiochip[0-9]*"), sound: all("/dev/snd/controlC*") + all("/dev/snd/pcmC*p"),
      input: all("/dev/input/event*", writes: false), latency: all("/dev/cpu_dma_latency").first)
  }
}

extension DeviceFacts.File {
  /// Whether a user may use it who is in these groups.
  ///
  /// - Parameter writes: whether reading alone does.
  func isUsable(by user: String, in groups: Set<String>, writes: Bool = true) -> Bool {
    let wanted: UInt32 = writes ? 6 : 4
    if user == "root" { return true }
    let bits = user == owner ? mode >> 6 : groups.contains(group) ? mode >> 3 : mode
    return bits & wanted == wanted
  }

  /// Whether being in its group is enough.
  var hasUsefulGroup: Bool { group != "root" && mode & 0o060 == 0o060 }
}

/// Whether the system's clock is kept true.
public struct ClockFacts: Hashable, Sendable {
  /// By the kernel's word; nil where it has none.
  public var isSynchronised: Bool?
  /// What is to keep it so, enabled or running, as `systemd-timesyncd`.
  public var services: [String]

  public init(isSynchronised: Bool?, services: [String] = []) {
    self.isSynchronised = isSynchronised
    self.services = services
  }
}

extension ClockFacts {
  /// Units, and what their processes are called, in 15 bytes.
  private static let known = [
    ("systemd-timesyncd", "systemd-timesyn"), ("chrony", "chronyd"), ("chronyd", "chronyd"), ("ntpsec", "ntpd"),
    ("ntp", "ntpd"), ("openntpd", "ntpd"),
  ]

  public init(_ files: FileTree, _ processes: ProcessFacts, isSynchronised: Bool?) {
    var services: [String] = []
    for (unit, process) in ClockFacts.known {
      let isEnabled = !files.paths(matching: "/etc/systemd/system/*.wants/\(unit).service").isEmpty
      let isRunning = processes.running.contains { $0.name == process }
      let isNamed = services.contains { $0 == unit || ClockFacts.process(of: $0) == process }
      if isEnabled || isRunning, !isNamed { services.append(unit) }
    }
    self.init(isSynchronised: isSynchronised, services: services)
  }

  private static func process(of unit: String) -> String? { known.first { $0.0 == unit }?.1 }
}

/// What the configuration says, or what is wrong with it.
public struct ConfigurationFacts: Hashable, Sendable {
  public enum Outcome: Hashable, Sendable {
    /// - volume: of the clicks, 0 to 1.
    case good(Wiring, AudioRequest, volume: Double = 0.8)
    /// - problem: with file, line and column.
    case bad(problem: String, remedy: String)
  }

  /// The file it was read from; nil: the built-in one.
  public var path: String?
  public var outcome: Outcome

  public init(path: String? = nil, outcome: Outcome = .good(.standard, AudioRequest())) {
    self.path = path
    self.outcome = outcome
  }

  public var wiring: Wiring? {
    guard case .good(let wiring, _, _) = outcome else { return nil }
    return wiring
  }

  public var audio: AudioRequest? {
    guard case .good(_, let audio, _) = outcome else { return nil }
    return audio
  }

  public var volume: Double? {
    guard case .good(_, _, let volume) = outcome else { return nil }
    return volume
  }
}
