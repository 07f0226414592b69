import BoardSimulation
import Foundation

/// Reads the bytes of a script.
enum ScriptFile {
  /// More than any script has, and little enough to be read at once: 16 MiB.
  private static let highestSize = 16 << 20

  /// - Parameter path: a file, or `-` for standard input.
  static func read(_ path: String, name: String) throws(ScriptError) -> [UInt8] {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw unreadable(name, errno) }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Foundation.read(descriptor, &piece, piece.count)
      if count == 0 { return bytes }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw unreadable(name, errno) }
      bytes += piece[..<count]
      guard bytes.count <= highestSize else {
        throw ScriptError(file: name, line: nil, problem: "the script is longer than 16 MiB")
      }
    }
  }

  private static func unreadable(_ name: String, _ errno: Int32) -> ScriptError {
    ScriptError(file: name, line: nil, problem: "cannot be read: \(reason(errno))")
  }
}
