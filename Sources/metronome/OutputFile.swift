import Foundation

/// A file that is written from its beginning, or standard output.
final class OutputFile {
  /// What a file is besides its names.
  struct Identity: Hashable {
    var device: UInt64
    var inode: UInt64
  }

  /// As it was given, for messages.
  let path: String
  /// nil for what is no file on a disk: pipes, terminals, `/dev/null`.
  let identity: Identity?
  private let descriptor: Int32
  /// The first error; from then on nothing is written.
  private var failure: Failure?

  /// Standard output.
  init() {
    path = "standard output"
    descriptor = STDOUT_FILENO
    identity = OutputFile.identity(of: STDOUT_FILENO)
  }

  /// A file, made if there is none. What it holds is left alone until ``empty()``.
  init(path: String) throws {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
    if descriptor < 0 { throw Failure.cannotWrite(path, errno: errno) }
    identity = OutputFile.identity(of: descriptor)
  }

  /// Writes a text to standard output.
  static func print(_ text: String) throws {
    var text = text
    let output = OutputFile()
    text.withUTF8 { output.write(UnsafeRawBufferPointer($0)) }
    try output.check()
  }

  deinit { if descriptor != STDOUT_FILENO { close(descriptor) } }

  /// Takes out what the file held. Of standard output that is for whoever opened it to do.
  func empty() {
    guard descriptor != STDOUT_FILENO, identity != nil else { return }
    if ftruncate(descriptor, 0) != 0 { failure = Failure.cannotWrite(path, errno: errno) }
  }

  func write(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes
    while !rest.isEmpty, failure == nil {
      let count = Foundation.write(descriptor, rest.baseAddress, rest.count)
      if count >= 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      } else if errno != EINTR {
        failure = Failure.cannotWrite(path, errno: errno)
      }
    }
  }

  /// Tells of the first error there was.
  func check() throws { if let failure { throw failure } }

  /// nil also when there is no such file.
  static func identity(ofFileAt path: String) -> Identity? {
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return identity(of: descriptor)
  }

  private static func identity(of descriptor: Int32) -> Identity? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Identity(device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(status.st_ino))
  }
}
