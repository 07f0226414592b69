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
