import CLibrary

/// The files of a machine, read only: the system's own, or a folder that stands for one.
public struct FileTree: Sendable {
  /// More than any file that is asked for.
  private static let limit = 65_536

  /// What a file is for whoever asks.
  public struct Status: Hashable, Sendable {
    public var owner: UInt32
    public var group: UInt32
    /// The permissions alone.
    public var mode: UInt32
    public var isFolder: Bool
  }

  private let root: String

  /// - Parameter root: the folder that `/` stands for; empty: the machine's own.
  public init(root: String = "") { self.root = root }

  /// What a file says, without what ends it: line feeds, and the zero that device trees have. nil if it cannot be read.
  public func text(_ path: String) -> String? {
    let descriptor = open(root + path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: FileTree.limit)
    var count = 0
    while count < bytes.count {
      let more = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress! + count, $0.count - count) }
      if more < 0 { return nil }
      if more == 0 { break }
      count += more
    }
    while count > 0, bytes[count - 1] == 0 || bytes[count - 1] == UInt8(ascii: "\n") { count -= 1 }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  public func exists(_ path: String) -> Bool { status(path) != nil }

  /// Of what a link leads to. nil if there is nothing, or it may not be looked at.
  public func status(_ path: String) -> Status? {
    var status = stat()
    guard stat(root + path, &status) == 0 else { return nil }
    return Status(
      owner: status.st_uid, group: status.st_gid, mode: UInt32(status.st_mode) & 0o7777,
      isFolder: status.st_mode & S_IFMT == S_IFDIR)
  }

  /// What stands in the way of reading and writing a file, for whoever asks: an error number, 0 for nothing.
  public func obstacle(_ path: String, _ mode: Int32 = R_OK | W_OK) -> Int32 {
    faccessat(AT_FDCWD, root + path, mode, AT_EACCESS) == 0 ? 0 : errno
  }

  /// The bytes and the files that there is room for on a file's disk.
  public func room(_ path: String) -> (bytes: UInt64, files: UInt64, hasFileLimit: Bool)? {
    var status = statvfs()
    guard statvfs(root + path, &status) == 0 else { return nil }
    return (UInt64(status.f_bavail) * UInt64(status.f_frsize), UInt64(status.f_favail), status.f_files > 0)
  }

  /// What a link says.
  public func link(_ path: String) -> String? {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = bytes.withUnsafeMutableBytes { buffer in
      readlink(root + path, buffer.baseAddress!.assumingMemoryBound(to: CChar.self), buffer.count)
    }
    return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
  }

  /// The files that match a pattern of the shell, shorter names first, so that numbers at their ends are in order.
  public func paths(matching pattern: String) -> [String] {
    var found = glob_t()
    defer { globfree(&found) }
    guard glob(root + pattern, 0, nil, &found) == 0 else { return [] }
    let paths = (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
    return paths.map { String($0.dropFirst(root.count)) }.sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
  }
}

extension String {
  /// The last part of a path.
  var lastPathPart: String { split(separator: "/").last.map(String.init) ?? self }

  /// Its lines, without empty ones.
  var lines: [Substring] { split(separator: "\n") }

  /// Its words.
  var words: [Substring] { split { $0 == " " || $0 == "\t" } }
}

extension FileTree {
  static func access(writes: Bool) -> Int32 { writes ? R_OK | W_OK : R_OK }
}
extension FileTree {
  /// What stands in the way of making files in a folder.
  func obstacleToFolder(_ path: String) -> Int32 { obstacle(path, W_OK | X_OK) }
}
