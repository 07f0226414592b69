import CLibrary

extension BoardFacts {
  /// Bytes that a save needs, with the good copy that is kept meanwhile, and blocks of the largest size.
  private static let roomForState: UInt64 = 262_144

  // MARK: Inputs

  var inputFindings: [Finding] {
    inputs.map { input in
      guard let path = input.path else {
        return .doubtful(
          .inputs, input.name, "is not plugged in",
          remedy: "plug it in or switch it on; cat /proc/bus/input/devices shows what each device calls itself")
      }
      guard input.isReadable else {
        let text = "\(path) may not be read by \(caller.name)"
        if isForServiceAlone(devices.input, writes: false) {
          return .absent(.inputs, input.name, "not looked at: \(text), but by the service")
        }
        return .wrong(.inputs, input.name, text, remedy: rightsRemedy("input", devices.input))
      }
      return .right(.inputs, input.name, path)
    }
  }

  // MARK: State

  var stateFindings: [Finding] { [folder, room, memoryFinding].compactMap(\.self) }

  private var folder: Finding {
    let service = state.origin == .standard ? installedService : nil
    let user = service?.user ?? caller.name
    let make = "sudo install -d -o \(user) -m 750 \(state.path)"
    if let link = state.danglingLink {
      return .wrong(
        .state, "folder", "\(state.path) is a link to \(link), which is not there: nothing is remembered",
        remedy: "mount the disk that it leads to; or sudo rm \(state.path), then \(make)")
    }
    guard state.exists else {
      if service != nil { return .right(.state, "folder", "\(state.path) is made when the service starts") }
      if state.origin == .standard {
        return .doubtful(
          .state, "folder", "there is no \(state.path): nothing is remembered unless --state names a folder",
          remedy: "\(make), and metronome run --state \(state.path)")
      }
      return .wrong(.state, "folder", "there is no \(state.path): nothing is remembered", remedy: make)
    }
    guard state.isFolder else {
      return .wrong(
        .state, "folder", "\(state.path) is no folder",
        remedy: "sudo mv \(state.path) \(state.path).old, then \(make)")
    }
    if state.obstacle == EROFS {
      return .wrong(
        .state, "folder", "\(state.path) lies on a disk that cannot be written to: nothing is remembered",
        remedy:
          "sudo mount -o remount,rw \"$(findmnt -nT \(state.path) -o TARGET)\", or turn off the overlay file system"
          + " (raspi-config, Performance)")
    }
    let isUsable = service.map { $0.user == state.owner || $0.user == "root" } ?? (state.obstacle == 0)
    guard isUsable else {
      return .wrong(
        .state, "folder", "\(user) may not write to \(state.path), which is \(state.owner)'s: nothing is remembered",
        remedy: "sudo chown -R \(user) \(state.path)")
    }
    return .right(.state, "folder", "\(state.path), which \(user) may write to")
  }

  private var room: Finding? {
    guard state.exists, state.isFolder, let room = state.room else { return nil }
    let text = room >= 1 << 20 ? "\(room >> 20) MiB free" : "\(room >> 10) KiB free"
    guard room < BoardFacts.roomForState || state.isOutOfFiles else { return .right(.state, "room", text) }
    return .wrong(
      .state, "room", "the disk of \(state.path) is full (\(state.isOutOfFiles ? "no file more" : text))",
      remedy: "make room: sudo apt clean, sudo journalctl --vacuum-size=50M; df -h \(state.path) shows the disk")
  }

  // MARK: Service

  var serviceFindings: [Finding] {
    guard let service else {
      return [.absent(.service, "metronome", "no systemd runs here")]
    }
    switch service.load {
    case "not-found": return [.absent(.service, "metronome", "not installed; the package brings it")]
    case "masked": return [masked]
    case "bad-setting", "error": return [refusedUnit(service)]
    default: break
    }
    var findings: [Finding] = []
    switch service.enablement {
    case "enabled", "enabled-runtime", "static", "linked", "generated", "indirect", "alias":
      findings.append(.right(.service, "at boot", service.enablement))
    case "masked", "masked-runtime": return [masked]
    default:
      findings.append(
        .doubtful(
          .service, "at boot", "not started with the machine (\(service.enablement))",
          remedy: "sudo systemctl enable metronome"))
    }
    return findings + [activity(service)]
  }

  private var masked: Finding {
    .wrong(
      .service, "metronome", "masked: it cannot be started",
      remedy: "sudo systemctl unmask metronome, then"
        + " sudo systemctl enable --now metronome")
  }

  private func refusedUnit(_ service: ServiceFacts) -> Finding {
    .wrong(
      .service, "metronome", "its unit or a drop-in of it cannot be used (\(service.load)): it cannot be started",
      remedy:
        "systemctl status metronome says what is wrong; sudo systemctl edit metronome mends it, or sudo systemctl revert"
        + " metronome takes all changes back; then sudo systemctl restart metronome")
  }

  private func activity(_ service: ServiceFacts) -> Finding {
    let said = service.status.isEmpty ? "" : ": \(service.status)"
    switch service.activity {
    case "activating" where service.phase.hasPrefix("auto-restart"):
      return .wrong(
        .service, "metronome",
        "ends and is started again and again (\(service.result), exit code \(service.exitCode))\(said)",
        remedy: "journalctl -u metronome -b -n 50 says why")
    case "active", "reloading": return .right(.service, "metronome", "running\(said)")
    case "activating":
      return .doubtful(
        .service, "metronome", "waits\(said)",
        remedy: "mend what is wrong above; it goes on by itself then. systemctl status metronome tells more")
    case "failed":
      return .wrong(
        .service, "metronome", "failed (\(service.result), exit code \(service.exitCode))\(said)",
        remedy: "journalctl -u metronome -b -n 20 says why; then sudo systemctl restart metronome")
    default:
      return .doubtful(
        .service, "metronome", "not running (\(service.activity))", remedy: "sudo systemctl start metronome")
    }
  }
}

/// What the system says about an error number.
func reason(_ errno: Int32) -> String { String(cString: strerror(errno)) }

/// What the system says where a right is missing.
let accessDenied = EACCES
