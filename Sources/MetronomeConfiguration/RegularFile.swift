#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that is read whole.
enum RegularFile {
  /// The bytes of a file, at most one more than a limit; nil if it does not exist.
  ///
  /// - Parameter kind: what it should be, for messages.
  static func contents(_ path: String, limit: Int, kind: String) throws(Problem) -> [UInt8]? {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw Problem("this is no name of a file", remedy: "check the path", at: nil)
    }
    // Without waiting, because a pipe that nobody writes to would keep even the opening waiting for ever.
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw unreadable(errno)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw unreadable(errno) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      let what = status.st_mode & S_IFMT == S_IFDIR ? "this is a directory" : "this is a device or a pipe"
      throw Problem(what, remedy: "give the path of \(kind)", at: nil)
    }
    return try readAll(descriptor, limit: limit + 1)
  }

  private static func readAll(_ descriptor: Int32, limit: Int) throws(Problem) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count < limit {
      let got = read(descriptor, &piece, min(piece.count, limit - bytes.count))
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw unreadable(errno) }
      if got == 0 { break }
      bytes += piece[..<got]
    }
    return bytes
  }

  private static func unreadable(_ code: Int32) -> Problem {
    let reason = String(cString: strerror(code))
    return Problem("the file cannot be read: \(reason)", remedy: "check the path and who may read it", at: nil)
  }
}
