import HardwareAbstraction

extension BoardFacts {
  /// That of the beat thread.
  private static let priority = 80
  /// Bytes: more than the program ever has.
  private static let memory: UInt64 = 256 << 20

  var rightsFindings: [Finding] {
    [schedulingRight, memoryRight] + serviceRights + [
      deviceRight("gpio", "the GPIO chips", devices.gpio, isNeeded: true, fallback: "gpio"),
      deviceRight("audio", "the sound cards", devices.sound, isNeeded: audioIsWanted, fallback: "audio"),
      deviceRight("input", "pedals and encoders", devices.input, isNeeded: !inputs.isEmpty, fallback: "input"),
    ] + [wakeupRight]
  }

  var audioIsWanted: Bool { configuration.audio.map { $0.device != .none } ?? true }

  // MARK: Scheduling and memory, of whoever asks

  private var schedulingRight: Finding {
    if caller.priorityLimit >= BoardFacts.priority {
      return .right(.rights, "real-time", "\(caller.name) may have real-time priority")
    }
    if installedService != nil {
      return .right(
        .rights, "real-time", "\(caller.name) may not have real-time priority; the service is asked about below")
    }
    return .doubtful(
      .rights, "real-time",
      "\(caller.name) may have no real-time priority of \(BoardFacts.priority): beats may be late when the machine is busy",
      remedy: "run as root, or: \(limitsLine("rtprio \(BoardFacts.priority)")), and log in again")
  }

  private var memoryRight: Finding {
    if caller.lockLimit.map({ $0 >= BoardFacts.memory }) ?? true {
      return .right(.rights, "memlock", "\(caller.name) may lock memory")
    }
    if installedService != nil {
      return .right(.rights, "memlock", "\(caller.name) may not lock memory; the service is asked about below")
    }
    return .doubtful(
      .rights, "memlock",
      "\(caller.name) may lock only \((caller.lockLimit ?? 0) / 1_024) KiB of memory: beats may be late when memory is short",
      remedy: "run as root, or: \(limitsLine("memlock unlimited")), and log in again")
  }

  private func limitsLine(_ limit: String) -> String {
    "echo '\(caller.name) - \(limit)' | sudo tee -a /etc/security/limits.d/metronome.conf"
  }

  // MARK: The service's

  private var serviceRights: [Finding] {
    guard let service = installedService else { return [] }
    let user = service.user
    var findings: [Finding] = []
    if service.priorityLimit >= BoardFacts.priority {
      findings.append(.right(.rights, "real-time of the service", "\(user) may have it"))
    } else {
      findings.append(
        .doubtful(
          .rights, "real-time of the service", "the unit allows only the priority \(service.priorityLimit)",
          remedy: edit("LimitRTPRIO=\(BoardFacts.priority)")))
    }
    if service.lockLimit.map({ $0 >= BoardFacts.memory }) ?? true {
      findings.append(.right(.rights, "memlock of the service", "\(user) may lock memory"))
    } else {
      findings.append(
        .doubtful(
          .rights, "memlock of the service", "the unit allows only \((service.lockLimit ?? 0) / 1_024) KiB",
          remedy: edit("LimitMEMLOCK=infinity")))
    }
    return findings
  }

  private func edit(_ line: String) -> String {
    "sudo systemctl edit metronome: below [Service] the line \(line); then sudo systemctl restart metronome"
  }

  // MARK: Device files

  /// - Parameter fallback: the group that the rule of a distribution gives such files to.
  private func deviceRight(
    _ subject: String, _ what: String, _ files: [DeviceFacts.File], isNeeded: Bool, fallback: String
  ) -> Finding {
    guard isNeeded else { return .absent(.rights, subject, "not needed: the configuration has no use for \(what)") }
    guard let first = files.first else { return .absent(.rights, subject, "there are no device files of \(what)") }
    let writes = subject != "input"
    if let service = installedService {
      let refused = files.first { !$0.isUsable(by: service.user, in: service.groups, writes: writes) }
      if let refused {
        return .wrong(
          .rights, subject, "\(service.user), as which the service runs, may not use \(refused.path)",
          remedy: remedy(refused, for: service.user, fallback) + "; then sudo systemctl restart metronome")
      }
    }
    guard let refused = files.first(where: { !$0.isUsable }) else {
      return .right(.rights, subject, "\(caller.name) may use \(what) (group \(first.group))")
    }
    if installedService != nil {
      return .doubtful(
        .rights, subject, "the service may use \(what); \(caller.name) may not, and cannot look at them",
        remedy: "sudo metronome check")
    }
    return .wrong(
      .rights, subject, "\(caller.name) may not use \(refused.path) (group \(refused.group))",
      remedy: remedy(refused, for: caller.name, fallback) + ", and log in again")
  }

  /// Whether the service may use them all, and whoever asks may not: then nothing is wrong with the box.
  func isForServiceAlone(_ files: [DeviceFacts.File], writes: Bool = true) -> Bool {
    guard let service = installedService, files.contains(where: { !$0.isUsable }) else { return false }
    return files.allSatisfy { $0.isUsable(by: service.user, in: service.groups, writes: writes) }
  }

  /// Leads to the finding about the right to use these files, if there is something to mend.
  func rightsRemedy(_ subject: String, _ files: [DeviceFacts.File]) -> String {
    if files.contains(where: { !$0.isUsable }) { return "do what \"\(subject)\" says above, under rights" }
    return caller.isRoot ? "restart the machine; dmesg tells what the kernel thinks of it" : "sudo metronome check"
  }

  private func remedy(_ file: DeviceFacts.File, for user: String, _ group: String) -> String {
    if file.hasUsefulGroup { return "sudo usermod -aG \(file.group) \(user)" }
    let subsystem = group == "audio" ? "sound" : group
    return "echo 'SUBSYSTEM==\"\(subsystem)\", GROUP=\"\(group)\", MODE=\"0660\"' |"
      + " sudo tee /etc/udev/rules.d/60-metronome-\(group).rules, sudo udevadm trigger, sudo usermod -aG \(group) \(user)"
  }

  private var wakeupRight: Finding {
    guard let file = devices.latency else {
      return .absent(.rights, "wake-up", "this kernel has no /dev/cpu_dma_latency")
    }
    let user = installedService?.user ?? caller.name
    let isUsable =
      installedService.map { file.isUsable(by: $0.user, in: $0.groups) } ?? file.isUsable
    if isUsable { return .right(.rights, "wake-up", "\(user) may keep the processor from sleeping deeply") }
    return .doubtful(
      .rights, "wake-up", "\(user) may not use \(file.path): beats may be late by what waking up takes",
      remedy: file.hasUsefulGroup
        ? "sudo usermod -aG \(file.group) \(user), and log in again; or run as root"
        : "echo 'KERNEL==\"cpu_dma_latency\", GROUP=\"audio\", MODE=\"0660\"' | sudo tee"
          + " /etc/udev/rules.d/60-metronome-latency.rules, sudo usermod -aG audio \(user), and restart the machine; or run"
          + " as root")
  }
}
