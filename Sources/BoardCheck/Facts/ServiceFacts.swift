/// The service as its manager sees it.
public struct ServiceFacts: Hashable, Sendable {
  /// The unit's name.
  public static let unit = "metronome.service"
  /// What is asked of the manager: `systemctl show --property=…`.
  public static let properties = [
    "LoadState", "ActiveState", "SubState", "UnitFileState", "Result", "ExecMainStatus", "MainPID", "StatusText",
    "User",
    "SupplementaryGroups", "LimitRTPRIO", "LimitMEMLOCK",
  ]

  /// `loaded`, `not-found`, `masked`; `bad-setting` and `error` of a unit that the manager refuses.
  public var load: String
  /// `active`, `activating`, `inactive`, `failed`.
  public var activity: String
  /// The nearer of it: `running`, `start`; `auto-restart` between an end and the next start.
  public var phase: String
  /// `enabled`, `disabled`, `masked`, `static`.
  public var enablement: String
  /// Why it failed: `exit-code`, `watchdog`, `signal`.
  public var result: String
  public var exitCode: String
  /// What it says of itself.
  public var status: String
  public var user: String
  /// Those of the user, and those that the unit adds.
  public var groups: Set<String>
  public var priorityLimit: Int
  /// Bytes; nil: any number.
  public var lockLimit: UInt64?

  public init(
    load: String = "loaded", activity: String = "active", phase: String = "running", enablement: String = "enabled",
    result: String = "success",
    exitCode: String = "0", status: String = "", user: String = "metronome", groups: Set<String> = [],
    priorityLimit: Int = 80, lockLimit: UInt64? = nil
  ) {
    self.load = load
    self.activity = activity
    self.phase = phase
    self.enablement = enablement
    self.result = result
    self.exitCode = exitCode
    self.status = status
    self.user = user
    self.groups = groups
    self.priorityLimit = priorityLimit
    self.lockLimit = lockLimit
  }

  public var isInstalled: Bool { load != "not-found" }
  public var isRunning: Bool { activity == "active" || activity == "activating" || activity == "reloading" }
}

extension ServiceFacts {
  /// - Parameters:
  ///   - text: what `systemctl show` printed, a property a line.
  ///   - files: where users and groups are.
  public init(_ text: String, _ files: FileTree) {
    var values: [String: String] = [:]
    for line in text.lines {
      guard let mark = line.firstIndex(of: "=") else { continue }
      values[String(line[..<mark])] = String(line[line.index(after: mark)...])
    }
    func value(_ key: String) -> String { values[key] ?? "" }
    let user = value("User").isEmpty ? "root" : value("User")
    let added = value("SupplementaryGroups").words.map(String.init)
    self.init(
      load: value("LoadState"), activity: value("ActiveState"), phase: value("SubState"),
      enablement: value("UnitFileState"),
      result: value("Result"), exitCode: value("ExecMainStatus"), status: value("StatusText"), user: user,
      groups: Accounts(files).groups(of: user).union(added),
      priorityLimit: user == "root" ? 99 : Int(value("LimitRTPRIO")) ?? 99,
      lockLimit: user == "root" ? nil : UInt64(value("LimitMEMLOCK")))
  }

  /// Whether there is a manager to be asked.
  public static func isManaged(_ files: FileTree) -> Bool { files.exists("/run/systemd/system") }
}
