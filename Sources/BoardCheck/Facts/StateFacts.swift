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
