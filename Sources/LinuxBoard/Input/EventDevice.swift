import CEvdev
import Glibc
import HardwareAbstraction
import MetronomeCore

/// An event device that is open. It is closed when this ends.
final class EventDevice {
  /// What was read of a device.
  enum News {
    case event(input_event, at: Instant)
    /// The kernel had no room for some events. Where the keys are is known again.
    case loss(at: Instant)
  }

  /// More than any kernel keeps for a device: only one that never ends is left for later.
  private static let mostEvents = 4_096

  let path: String
  /// Which device it is, whatever file it was opened by.
  let number: dev_t
  private let device: OpaquePointer

  /// Opens a device.
  ///
  /// - Parameter group: becomes readable when the device is; nil for one that is only looked at.
  init(_ path: String, isGrabbed: Bool, group: DescriptorGroup?) throws(SystemError) {
    var opened: OpaquePointer?
    let result = cevdev_open(path, isGrabbed, &opened)
    guard result >= 0, let opened else { throw SystemError("open", errno: -result) }
    device = opened
    self.path = path
    var status = stat()
    fstat(libevdev_get_fd(opened), &status)
    number = status.st_rdev
    try group?.add(libevdev_get_fd(opened))
  }

  deinit { cevdev_close(device) }

  /// What of a request the device does not have, by name.
  func lacks(_ request: InputRequest) -> [String] {
    let keys = request.keys.keys.filter { !has(EV_KEY, $0.number) }.map { EventDevice.name(EV_KEY, $0.number) }
    let axes = request.relative.keys.filter { !has(EV_REL, $0.number) }.map { EventDevice.name(EV_REL, $0.number) }
    return keys.sorted() + axes.sorted()
  }

  /// What a key or an axis is called; its number where it has no name.
  private static func name(_ kind: Int32, _ code: UInt16) -> String {
    libevdev_event_code_get_name(UInt32(kind), UInt32(code)).map { String(cString: $0) } ?? String(code)
  }

  /// How much of a request the device has; nil if it is another one that is asked for.
  func worth(to request: InputRequest) -> Int? {
    if case .named(let wanted) = request.device, wanted != String(cString: libevdev_get_name(device)) { return nil }
    return request.keys.count + request.relative.count - lacks(request).count
  }

  /// Reads what there is. Never waits.
  ///
  /// - Throws: when the device is gone.
  func read(_ take: (News) -> Void) throws(SystemError) {
    var event = input_event()
    var nanoseconds: Int64 = 0
    for _ in 0..<EventDevice.mostEvents {
      let result = cevdev_next(device, &event, &nanoseconds)
      guard result >= 0 else { throw SystemError("read", errno: -result) }
      switch UInt32(result) {
      case cevdev_none.rawValue: return
      case cevdev_loss.rawValue: take(.loss(at: Instant(nanoseconds: nanoseconds)))
      default: take(.event(event, at: Instant(nanoseconds: nanoseconds)))
      }
    }
  }

  /// Whether a key is down after all that was read.
  func isDown(_ key: UInt16) -> Bool { libevdev_get_event_value(device, UInt32(EV_KEY), UInt32(key)) != 0 }

  private func has(_ type: Int32, _ code: UInt16) -> Bool {
    libevdev_has_event_code(device, UInt32(type), UInt32(code)) != 0
  }
}

/// A file in `/dev/input` by which a device can be read, and what is known of it without opening it.
struct EventFile {
  private static let folder = "/dev/input"

  let path: String
  /// Which device it is.
  let number: dev_t
  /// What the device calls itself; nil where the system does not show it.
  let name: String?

  /// All devices that send events, in order of their numbers.
  static func all() -> [EventFile] { paths(matching: folder + "/event*").compactMap(EventFile.init) }

  private init?(_ path: String) {
    guard let number = EventFile.number(of: path) else { return nil }
    self.path = path
    self.number = number
    name = EventFile.firstLine("/sys/class/input" + path.dropFirst(EventFile.folder.count) + "/device/name")
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
