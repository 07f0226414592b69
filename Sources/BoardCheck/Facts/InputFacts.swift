import HardwareAbstraction

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
