/// Who asks, and what the system allows them.
public struct CallerFacts: Hashable, Sendable {
  public var name: String
  public var isRoot: Bool
  /// The highest priority of a real-time thread; 99 for whoever may have any.
  public var priorityLimit: Int
  /// Bytes that may be kept in memory; nil: any number.
  public var lockLimit: UInt64?

  public init(name: String, isRoot: Bool = false, priorityLimit: Int = 0, lockLimit: UInt64? = nil) {
    self.name = name
    self.isRoot = isRoot
    self.priorityLimit = priorityLimit
    self.lockLimit = lockLimit
  }
}

extension CallerFacts {
  /// Capabilities by their numbers (linux/capability.h).
  private static let mayLockMemory: UInt64 = 1 << 14
  private static let maySchedule: UInt64 = 1 << 23

  public init(_ files: FileTree) {
    let status = (files.text("/proc/self/status") ?? "").lines.map(String.init)
    func words(_ key: String) -> [Substring] {
      status.first { $0.hasPrefix(key + ":") }.map { $0.words.dropFirst().map(\.self) } ?? []
    }
    let uids = words("Uid")
    let uid = (uids.count > 1 ? UInt32(uids[1]) : nil) ?? 0
    let capabilities = words("CapEff").first.flatMap { UInt64($0, radix: 16) } ?? 0
    let limits = (files.text("/proc/self/limits") ?? "").lines.map(String.init)
    func limit(_ name: String) -> UInt64? {
      let line = limits.first { $0.hasPrefix(name) }
      return line.flatMap { $0.dropFirst(name.count).split(separator: " ").first }.flatMap { UInt64($0) }
    }
    let priority = capabilities & CallerFacts.maySchedule != 0 ? 99 : limit("Max realtime priority") ?? 99
    self.init(
      name: Accounts(files).userName(uid), isRoot: uid == 0, priorityLimit: Int(min(priority, 99)),
      lockLimit: capabilities & CallerFacts.mayLockMemory != 0 ? nil : limit("Max locked memory"))
  }
}
