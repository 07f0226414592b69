/// The service, as reported by systemd.
public struct ServiceFacts: Hashable, Sendable {
  /// The load state: `loaded`, `not-found`, `masked`; `bad-setting` or `error` if systemd rejects the unit.
  public var load = "loaded"
  /// The active state: `active`, `activating`, `inactive`, `failed`.
  public var activity = "active"
  /// systemd's sub-state: `running`, `start`, or `auto-restart` between an exit and the next start.
  public var phase = "running"
  /// The state of the unit file: `enabled`, `disabled`, `masked`, `static`.
  public var enablement = "enabled"
  /// The reason for a failure: `exit-code`, `watchdog`, `signal`.
  public var result = "success"
  public var exitCode = "0"
  /// The status text that the program sent (`STATUS=` of sd_notify).
  public var status = ""
  public var user = "metronome"
  /// The groups of the user, and the groups that the unit adds.
  public var groups: Set<String> = []
  public var priorityLimit = 80
  /// Bytes that may be locked in memory; nil: unlimited.
  public var lockLimit: UInt64?

  var isInstalled: Bool { load != "not-found" }
}

extension ServiceFacts {
  /// Queries systemd. Returns nil if systemd does not run or does not answer.
  init?(_ files: FileTree) {
    guard ServiceFacts.isManaged(files) else { return nil }
    let properties =
      "LoadState,ActiveState,SubState,UnitFileState,Result,ExecMainStatus,StatusText,User,SupplementaryGroups"
      + ",LimitRTPRIO,LimitMEMLOCK"
    guard let text = OtherProgram.output(of: "systemctl", "show", "metronome.service", "--property=\(properties)")
    else { return nil }
    self.init(text, files)
  }

  /// - Parameter text: the output of `systemctl show`, one property per line.
  init(_ text: String, _ files: FileTree) {
    func value(_ key: String) -> String {
      text.lines.last { $0.hasPrefix(key + "=") }.map { String($0.dropFirst(key.count + 1)) } ?? ""
    }
    load = value("LoadState")
    activity = value("ActiveState")
    phase = value("SubState")
    enablement = value("UnitFileState")
    result = value("Result")
    exitCode = value("ExecMainStatus")
    status = value("StatusText")
    user = value("User").isEmpty ? "root" : value("User")
    groups = Accounts(files).groups(of: user).union(value("SupplementaryGroups").words.map(String.init))
    priorityLimit = user == "root" ? 99 : Int(value("LimitRTPRIO")) ?? 99
    lockLimit = user == "root" ? nil : UInt64(value("LimitMEMLOCK"))
  }

  static func isManaged(_ files: FileTree) -> Bool { files.exists("/run/systemd/system") }
}

extension BoardFacts {
  var serviceFindings: [Finding] {
    guard let service else { return [Finding](.service, ["metronome": .absent("systemd is not running")]) }
    let obstacle = obstacle(service)
    return [Finding](
      .service, ["at boot": obstacle == nil ? boot(service) : nil, "metronome": obstacle ?? activity(service)])
  }

  /// Why the service cannot be started; nil if it can.
  private func obstacle(_ service: ServiceFacts) -> Verdict? {
    switch (service.load, service.enablement) {
    case ("not-found", _): .absent("not installed; the package contains it")
    case ("bad-setting", _), ("error", _):
      .wrong(
        "systemd rejects its unit or a drop-in (\(service.load)): it cannot be started",
        remedy:
          "systemctl status metronome shows the error; fix it with sudo systemctl edit metronome, or undo all"
          + " changes with sudo systemctl revert metronome; then sudo systemctl restart metronome")
    case ("masked", _), (_, "masked"), (_, "masked-runtime"):
      .wrong(
        "masked: it cannot be started",
        remedy: "sudo systemctl unmask metronome, then sudo systemctl enable --now metronome")
    default: nil
    }
  }

  private func boot(_ service: ServiceFacts) -> Verdict {
    switch service.enablement {
    case "enabled", "enabled-runtime", "static", "linked", "generated", "indirect", "alias": .right(service.enablement)
    default:
      .doubtful("not started at boot (\(service.enablement))", remedy: "sudo systemctl enable metronome")
    }
  }

  private func activity(_ service: ServiceFacts) -> Verdict {
    let status = service.status.isEmpty ? "" : ": \(service.status)"
    let end = "(\(service.result), exit code \(service.exitCode))\(status)"
    switch service.activity {
    case "activating" where service.phase.hasPrefix("auto-restart"):
      return .wrong(
        "exits and is restarted again and again \(end)", remedy: "journalctl -u metronome -b -n 50 shows the reason")
    case "active", "reloading": return .right("running\(status)")
    case "activating":
      return .doubtful(
        "starting\(status)",
        remedy: "fix the problems above; then it continues by itself; systemctl status metronome shows more")
    case "failed":
      return .wrong(
        "failed \(end)",
        remedy: "journalctl -u metronome -b -n 20 shows the reason; then sudo systemctl restart metronome")
    default: return .doubtful("not running (\(service.activity))", remedy: "sudo systemctl start metronome")
    }
  }
}
