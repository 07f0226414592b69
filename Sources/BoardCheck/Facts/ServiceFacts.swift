import MetronomeCore

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

/// The folder in which the metronome remembers.
public struct StateFacts: Hashable, Sendable {
  /// Who named it.
  public enum Origin: Hashable, Sendable {
    case named
    /// Where the package's service has it.
    case standard
  }

  public var path: String
  public var origin: Origin
  public var exists: Bool
  /// What the path says if it is a link that leads to nothing.
  public var danglingLink: String?
  public var isFolder: Bool
  /// What keeps whoever asks from writing to it: an error number, 0 for nothing.
  public var obstacle: Int32
  public var owner: String
  /// Bytes; nil if it cannot be told.
  public var room: UInt64?
  /// Whether the disk can hold no more files, however small.
  public var isOutOfFiles: Bool
  /// What is remembered there; nil if that was not looked at.
  public var contents: Contents?

  public init(
    path: String, origin: Origin = .standard, exists: Bool = true, danglingLink: String? = nil, isFolder: Bool = true,
    obstacle: Int32 = 0, owner: String = "metronome", room: UInt64? = 1_000_000_000, isOutOfFiles: Bool = false,
    contents: Contents? = nil
  ) {
    self.path = path
    self.origin = origin
    self.exists = exists
    self.danglingLink = danglingLink
    self.isFolder = isFolder
    self.obstacle = obstacle
    self.owner = owner
    self.room = room
    self.isOutOfFiles = isOutOfFiles
    self.contents = contents
  }
}

extension StateFacts {
  public init(_ files: FileTree, path: String, origin: Origin) {
    guard let status = files.status(path) else {
      self.init(
        path: path, origin: origin, exists: false, danglingLink: files.link(path), isFolder: false, owner: "", room: nil
      )
      return
    }
    let room = files.room(path)
    self.init(
      path: path, origin: origin, exists: true, isFolder: status.isFolder, obstacle: files.obstacleToFolder(path),
      owner: Accounts(files).userName(status.owner), room: room?.bytes,
      isOutOfFiles: room.map { $0.hasFileLimit && $0.files == 0 } ?? false)
  }
}

extension StateFacts {
  /// What was found of a metronome's memory in its folder.
  public enum Contents: Hashable, Sendable {
    /// Whoever asks may not read it.
    case unread(errno: Int32)
    case read(losses: [Loss], rest: Rest)
  }

  /// A file that is no good.
  public struct Loss: Hashable, Sendable {
    public enum Trouble: Hashable, Sendable {
      case content(StateFileError)
      /// It cannot be read.
      case refused(errno: Int32)
    }

    public var name: String
    public var trouble: Trouble
    /// Under which name the next start sets it aside; nil: all that are for that are taken, and nothing can be saved.
    public var newName: String?

    public init(name: String, trouble: Trouble, newName: String?) {
      self.name = name
      self.trouble = trouble
      self.newName = newName
    }
  }

  /// What is good.
  public enum Rest: Hashable, Sendable {
    case nothing
    /// What was saved last.
    case newest(presets: Int)
    /// What was saved before that.
    case older(presets: Int)
  }
}
