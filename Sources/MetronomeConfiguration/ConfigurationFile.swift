#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The file that a configuration is read from.
enum ConfigurationFile {
  /// The bytes of a file, at most one more than a configuration may have; nil if it does not exist.
  static func contents(_ path: String) throws(Problem) -> [UInt8]? {
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
      throw Problem(what, remedy: "give the path of a YAML file", at: nil)
    }
    return try readAll(descriptor)
  }

  private static func readAll(_ descriptor: Int32) throws(Problem) -> [UInt8] {
    let limit = CheckedText.highestByteCount + 1
    var bytes = [UInt8](repeating: 0, count: limit)
    var count = 0
    while count < limit {
      let got = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress! + count, limit - count) }
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw unreadable(errno) }
      if got == 0 { break }
      count += got
    }
    return Array(bytes[..<count])
  }

  private static func unreadable(_ code: Int32) -> Problem {
    let reason = String(cString: strerror(code))
    return Problem("the file cannot be read: \(reason)", remedy: "check the path and who may read it", at: nil)
  }
}
