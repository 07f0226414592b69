import Foundation

/// A file that is written from its beginning, or standard output.
final class OutputFile {
  private let path: String
  private let descriptor: Int32
  /// The first error; from then on nothing is written.
  private var failure: Failure?

  /// Standard output.
  init() {
    path = "standard output"
    descriptor = STDOUT_FILENO
  }

  /// A file, made or emptied.
  init(path: String) throws {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    if descriptor < 0 { throw Failure.cannotWrite(path, errno: errno) }
  }

  deinit { if descriptor != STDOUT_FILENO { close(descriptor) } }

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
}
