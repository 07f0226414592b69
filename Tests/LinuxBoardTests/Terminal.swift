import Glibc
import Testing

/// A pseudo-terminal that stands for a serial port. Its slave has a path that stays when it is plugged in again, as a link of udev does.
final class Terminal {
  let path: String
  private let folder: String
  private var master: Int32 = -1

  init() throws {
    var template = Array("/tmp/serial-XXXXXX".utf8CString)
    folder = try #require(mkdtemp(&template).map { String(cString: $0) })
    path = folder + "/port"
    try plug()
  }

  deinit {
    unplug()
    rmdir(folder)
  }

  func plug() throws {
    var slave: Int32 = -1
    var name = [CChar](repeating: 0, count: 64)
    try #require(openpty(&master, &slave, &name, nil, nil) == 0)
    close(slave)
    let file = name.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    try #require(symlink(file, path) == 0)
  }

  func unplug() {
    guard master >= 0 else { return }
    unlink(path)
    hangUp()
  }

  /// The other end goes away, and the path stays.
  func hangUp() {
    close(master)
    master = -1
  }

  func send(_ bytes: UInt8...) {
    let count = write(master, bytes, bytes.count)
    precondition(count == bytes.count, "a terminal accepts a few bytes")
  }

  /// Waits for this number of bytes.
  func receive(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      var next = [UInt8](repeating: 0, count: count - bytes.count)
      let length = read(master, &next, next.count)
      guard length > 0 else { break }
      bytes += next.prefix(length)
    }
    return bytes
  }
}
