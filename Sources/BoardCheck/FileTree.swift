import CLibrary

/// Read-only access to the files of a machine, below the real root or below a folder that replaces it.
public struct FileTree: Sendable {
  /// More bytes than any file read here has.
  private static let limit = 65_536

  public struct Status: Hashable, Sendable {
    public var owner: UInt32
    public var group: UInt32
    /// The permission bits only.
    public var mode: UInt32
    public var isFolder: Bool
  }

  private let root: String

  /// - Parameter root: the folder used as `/`; empty: the real root.
  public init(root: String = "") { self.root = root }

  /// A file's text without trailing line feeds and NULs (device-tree files end with a NUL). nil if the file cannot be read.
  public func text(_ path: String) -> String? {
    let descriptor = open(root + path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard let bytes = readBytes(from: descriptor, atMost: FileTree.limit) else { return nil }
    var count = bytes.count
    while count > 0, bytes[count - 1] == 0 || bytes[count - 1] == UInt8(ascii: "\n") { count -= 1 }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  public func exists(_ path: String) -> Bool { status(path) != nil }

  /// A file's status; follows symbolic links. nil if the file does not exist or access is denied.
  public func status(_ path: String) -> Status? {
    var status = stat()
    guard stat(root + path, &status) == 0 else { return nil }
    return Status(
      owner: status.st_uid, group: status.st_gid, mode: UInt32(status.st_mode) & 0o7777,
      isFolder: status.st_mode & S_IFMT == S_IFDIR)
  }

  static func access(writes: Bool) -> Int32 { writes ? R_OK | W_OK : R_OK }

  /// Why the caller may not access a file in this mode; nil if the caller may.
  public func obstacle(_ path: String, _ mode: Int32 = R_OK | W_OK) -> Refusal? {
    faccessat(AT_FDCWD, root + path, mode, AT_EACCESS) == 0 ? nil : .last
  }

  /// File systems in a program or on a network may report any number of blocks.
  static func bytes(_ blocks: UInt64, of size: UInt64) -> UInt64 {
    let (bytes, isTooLarge) = blocks.multipliedReportingOverflow(by: size)
    return isTooLarge ? .max : bytes
  }

  /// Free bytes and free inodes of the file system that holds a file.
  public func room(_ path: String) -> (bytes: UInt64, files: UInt64, hasFileLimit: Bool)? {
    var status = statvfs()
    guard statvfs(root + path, &status) == 0 else { return nil }
    let bytes = FileTree.bytes(UInt64(status.f_bavail), of: UInt64(status.f_frsize))
    return (bytes, UInt64(status.f_favail), status.f_files > 0)
  }

  public func link(_ path: String) -> String? {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = bytes.withUnsafeMutableBytes { buffer in
      readlink(root + path, buffer.baseAddress!.assumingMemoryBound(to: CChar.self), buffer.count)
    }
    return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
  }

  /// The files that match a glob pattern, shorter names first, so that trailing numbers sort numerically.
  public func paths(matching pattern: String) -> [String] {
    var found = glob_t()
    defer { globfree(&found) }
    guard glob(root + pattern, 0, nil, &found) == 0 else { return [] }
    let paths = (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
    return paths.map { String($0.dropFirst(root.count)) }.sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
  }
}

extension StringProtocol {
  /// The lines, without empty lines.
  var lines: [SubSequence] { split(separator: "\n") }

  /// The words, which spaces and tabs separate.
  var words: [SubSequence] { split { $0 == " " || $0 == "\t" } }
}

/// The users, the groups and their members.
struct Accounts {
  private let users: [[Substring]]
  private let groups: [[Substring]]

  init(_ files: FileTree) {
    func entries(_ path: String) -> [[Substring]] {
      (files.text(path) ?? "").lines.map { $0.split(separator: ":", omittingEmptySubsequences: false) }
    }
    users = entries("/etc/passwd").filter { $0.count >= 4 }
    groups = entries("/etc/group").filter { $0.count >= 4 }
  }

  /// The name of a user; the number if the user has no name.
  func userName(_ id: UInt32) -> String { Accounts.name("\(id)", users) }

  func groupName(_ id: UInt32) -> String { Accounts.name("\(id)", groups) }

  private static func name(_ id: String, _ entries: [[Substring]]) -> String {
    entries.first { $0[2] == id }.map { String($0[0]) } ?? id
  }

  func groups(of user: String) -> Set<String> {
    let primary = users.first { $0[0] == user }.flatMap { UInt32($0[3]) }.map(groupName)
    let others = groups.filter { $0[3].split(separator: ",").contains(Substring(user)) }.map { String($0[0]) }
    return Set(others + [primary].compactMap(\.self))
  }
}
