import CLibrary
import HardwareAbstraction
import MetronomeCore

/// The state folder.
public struct StateFacts: Hashable, Sendable {
  /// The source of the path.
  public enum Origin: Hashable, Sendable {
    /// The user named the path.
    case named
    /// The path that the packaged service uses.
    case standard
  }

  public var path: String
  public var origin = Origin.standard
  public var exists = true
  /// The target of the path if it is a dangling link.
  public var danglingLink: String?
  public var isFolder = true
  /// Why the caller may not write to the folder; nil if the caller may.
  public var obstacle: Refusal?
  public var owner = "metronome"
  /// Free bytes; nil if unknown.
  public var room: UInt64? = 1_000_000_000
  /// Whether the file system has no free inodes.
  public var isOutOfFiles = false
  /// The files in the folder; nil: not inspected.
  public var contents: Contents?

  public enum Contents: Hashable, Sendable {
    /// The caller may not read the contents.
    case unread(errno: Int32?)
    /// The next start renames unusable files to `NAME.damaged`.
    case read(unusable: [UnusableStateFile], rest: Rest)
  }

  public enum Rest: Hashable, Sendable {
    case nothing
    /// The last saved state.
    case newest(presets: Int)
    /// The previous copy of the saved state.
    case older(presets: Int)
  }
}

extension StateFacts {
  public init(_ files: FileTree, path: String, origin: Origin) {
    guard let status = files.status(path) else {
      let link = files.link(path)
      self.init(path: path, origin: origin, exists: false, danglingLink: link, isFolder: false, owner: "", room: nil)
      return
    }
    let room = files.room(path)
    self.init(
      path: path, origin: origin, isFolder: status.isFolder, obstacle: files.obstacle(path, W_OK | X_OK),
      owner: Accounts(files).userName(status.owner), room: room?.bytes,
      isOutOfFiles: room.map { $0.hasFileLimit && $0.files == 0 } ?? false)
  }
}

extension BoardFacts {
  /// Bytes that a save needs with the largest block size, including the previous copy, which is kept during the save.
  private static let roomForState: UInt64 = 262_144

  var stateFindings: [Finding] {
    let isThere = state.exists && state.isFolder
    return [Finding](
      .state,
      [
        "folder": folder, "room": isThere ? state.room.map(room) : nil,
        "memory": isThere ? state.contents.map(memory) : nil,
      ])
  }

  private var folder: Verdict {
    let service = state.origin == .standard ? installedService : nil
    let (path, user) = (state.path, service?.user ?? caller.name)
    let make = "sudo install -d -o \(user) -m 750 \(path)"
    if let link = state.danglingLink {
      return .wrong(
        "\(path) is a link to \(link), which does not exist: no state is saved",
        remedy: "mount the disk of the link's target; or sudo rm \(path), then \(make)")
    }
    guard state.exists else {
      if service != nil { return .right("the service creates \(path) when it starts") }
      let text = "\(path) does not exist: no state is saved"
      guard state.origin == .standard else { return .wrong(text, remedy: make) }
      return .doubtful("\(text) unless --state names a folder", remedy: "\(make), and metronome run --state \(path)")
    }
    guard state.isFolder else {
      return .wrong("\(path) is not a folder", remedy: "sudo mv \(path) \(path).old, then \(make)")
    }
    if state.obstacle == .readOnly {
      return .wrong(
        "\(path) is on a read-only disk: no state is saved",
        remedy: "sudo mount -o remount,rw \"$(findmnt -nT \(path) -o TARGET)\", or turn off the overlay file system"
          + " (raspi-config, Performance)")
    }
    let isUsable = service.map { $0.user == state.owner || $0.user == "root" } ?? (state.obstacle == nil)
    guard isUsable else {
      return .wrong(
        "\(user) may not write to \(path), which belongs to \(state.owner): no state is saved",
        remedy: "sudo chown -R \(user) \(path)")
    }
    return .right("\(path), writable by \(user)")
  }

  private func room(_ bytes: UInt64) -> Verdict {
    let text = bytes >= 1 << 20 ? "\(bytes >> 20) MiB free" : "\(bytes >> 10) KiB free"
    guard bytes < BoardFacts.roomForState || state.isOutOfFiles else { return .right(text) }
    return .wrong(
      "the disk of \(state.path) is full (\(state.isOutOfFiles ? "no free inodes" : text))",
      remedy: "free some space: sudo apt clean, sudo journalctl --vacuum-size=50M; df -h \(state.path) shows the disk")
  }

  private func memory(_ contents: StateFacts.Contents) -> Verdict {
    switch contents {
    case .unread(let errno): return unread(reason(errno))
    case .read(let files, let rest):
      if let error = notForCaller(files) { return unread(error.reason(reason)) }
      return files.isEmpty ? intact(rest) : lost(files, rest)
    }
  }

  private func unread(_ reason: String) -> Verdict {
    .absent("not checked: \(caller.name) may not read the state (\(reason))")
  }

  /// The error if only the installed service may read a file. This is not a fault, because the caller does not need access.
  private func notForCaller(_ files: [UnusableStateFile]) -> HardwareError? {
    guard installedService != nil, !caller.isRoot else { return nil }
    for case .refused(let error) in files.map(\.reason) where error.kind == .denied { return error }
    return nil
  }

  private func intact(_ rest: StateFacts.Rest) -> Verdict {
    switch rest {
    case .nothing: .right("no state is saved yet")
    case .newest(let presets), .older(let presets): .right("intact, \(counted(presets, "preset"))")
    }
  }

  private func lost(_ files: [UnusableStateFile], _ rest: StateFacts.Rest) -> Verdict {
    let problems = files.map { "\($0.name) \($0.reason.text(reason))" }.joined(separator: ", ")
    if let kept = files.first(where: \.isKept) {
      let user = installedService?.user ?? caller.name
      return .wrong(
        "\(problems): the file is kept, and no state is saved until the file is readable",
        remedy: "sudo chown \(user) \(state.path)/\(kept.name), then restart the metronome")
    }
    if let stuck = files.first(where: { $0.newName == nil }) {
      return .wrong(
        "\(problems), and cannot be renamed, because all names for damaged files are in use: no state can be saved",
        remedy: "sudo rm -r \(state.path)/\(stuck.name).damaged*")
    }
    let renamings = files.compactMap { file in file.newName.map { "\(file.name) to \($0)" } }.joined(separator: ", ")
    let start = "the next start renames \(renamings)"
    let restart =
      installedService == nil
      ? "end the metronome, then metronome run --state \(state.path)" : "sudo systemctl restart metronome"
    switch rest {
    case .newest: return .doubtful("\(problems); the newest state is intact, and \(start)", remedy: restart)
    case .older:
      return .doubtful(
        "\(problems); the previous copy is intact, but lacks the last change; \(start)",
        remedy: processes.hasMetronome ? restoration(files) : restart)
    case .nothing:
      return .doubtful(
        "\(problems), and no other copy exists: \(start), and presets and tempo are lost", remedy: restoration(files))
    }
  }

  /// The fix if the state of the running metronome, or of a backup, must be restored.
  private func restoration(_ files: [UnusableStateFile]) -> String {
    let save = "sudo metronome presets --state \(state.path) save NAME"
    if processes.hasMetronome {
      return "run \(save) before the running metronome ends: the metronome still has the state in memory, and this"
        + " makes it save the state"
    }
    let isNewer = files.contains { if case .content(.future) = $0.reason { true } else { false } }
    if isNewer { return "install the newer version again; or, to start afresh, \(save)" }
    return "copy a backup to \(state.path)/state before the metronome starts; or, to start afresh, \(save)"
  }
}
