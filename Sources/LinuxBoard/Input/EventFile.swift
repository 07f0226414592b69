import Glibc

/// A file in `/dev/input` by which a device can be read, and what is known of it without opening it.
struct EventFile {
  private static let folder = "/dev/input"

  let path: String
  /// Which device it is.
  let number: dev_t
  /// What the device calls itself; nil where the system does not show it.
  let name: String?
  /// Where the system shows it, if it does.
  private let shown: String

  /// All devices that send events, in order of their numbers.
  static func all() -> [EventFile] { paths(matching: folder + "/event*").compactMap(EventFile.init) }

  private init?(_ path: String) {
    guard let number = EventFile.number(of: path) else { return nil }
    self.path = path
    self.number = number
    shown = "/sys/class/input" + path.dropFirst(EventFile.folder.count) + "/device"
    name = EventFile.firstLine(shown + "/name")
  }

  /// What the device is. Opened for it, and closed again, which may take milliseconds, only where the system does not
  /// show it.
  func traits() throws(SystemError) -> DeviceTraits {
    if let name, let keys = codes("key"), let axes = codes("rel") {
      return DeviceTraits(name: name, keys: keys, axes: axes)
    }
    return try EventDevice(path, isGrabbed: false, group: nil).traits
  }

  private func codes(_ type: String) -> CodeSet? {
    EventFile.firstLine(shown + "/capabilities/" + type).flatMap { CodeSet($0) }
  }

  /// Which device a file is; nil if there is none.
  static func number(of path: String) -> dev_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_rdev : nil
  }

  private static func firstLine(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 512)
    let count = read(descriptor, &bytes, bytes.count)
    guard count > 0 else { return nil }
    let text = bytes[..<count]
    // The name itself may hold anything; the line's end is the kernel's.
    return String(decoding: text.last == UInt8(ascii: "\n") ? text.dropLast() : text, as: UTF8.self)
  }
}
