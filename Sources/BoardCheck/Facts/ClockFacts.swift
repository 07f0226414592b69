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
