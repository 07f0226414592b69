import CLinux
import Glibc
import HardwareAbstraction

/// An event device that is open. It is closed when this ends.
final class EventDevice {
  /// As many events as the kernel keeps for a device with one key and one axis.
  private static let chunk = 64
  /// After so many chunks the other devices are read, too.
  private static let mostChunks = 16

  let path: String
  /// Which device it is, whatever file it was opened by.
  let number: dev_t
  private let descriptor: Int32

  /// Opens a device.
  ///
  /// - Parameter group: becomes readable when the device is; nil for one that is only looked at.
  init(_ path: String, isGrabbed: Bool, group: DescriptorGroup?) throws(SystemError) {
    let result = clinux_input_open(path, isGrabbed)
    guard result >= 0 else { throw SystemError("open", errno: -result) }
    descriptor = result
    self.path = path
    var status = stat()
    fstat(result, &status)
    number = status.st_rdev
    try group?.add(result)
  }

  deinit { close(descriptor) }

  /// What it is, by its own word.
  var traits: DeviceTraits { DeviceTraits(name: name, keys: codes(ofType: EV_KEY), axes: codes(ofType: EV_REL)) }

  private var name: String {
    var bytes = [CChar](repeating: 0, count: 256)
    let count = max(0, clinux_input_name(descriptor, &bytes, bytes.count))
    return String(decoding: bytes[..<Int(count)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Reads what there is, up to a bound. Never waits.
  ///
  /// - Returns: whether all was read.
  /// - Throws: when the device is gone.
  func read(_ take: (clinux_input_event) -> Void) throws(SystemError) -> Bool {
    var events = [clinux_input_event](repeating: clinux_input_event(), count: EventDevice.chunk)
    for _ in 0..<EventDevice.mostChunks {
      let count = clinux_input_read(descriptor, &events, events.count)
      guard count >= 0 else { throw SystemError("read", errno: -count) }
      for event in events[..<Int(count)] { take(event) }
      if count == 0 { return true }
    }
    return false
  }

  /// The keys that are down. What the device told of keys and was not read is thrown away by the kernel.
  var keysDown: CodeSet {
    var set = CodeSet()
    _ = clinux_input_keys_down(descriptor, &set.bits, set.bits.count)
    return set
  }

  private func codes(ofType type: Int32) -> CodeSet {
    var set = CodeSet()
    _ = clinux_input_codes(descriptor, UInt32(type), &set.bits, set.bits.count)
    return set
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

/// What a device is: what it calls itself, and what it has.
struct DeviceTraits {
  let name: String
  let keys: CodeSet
  let axes: CodeSet

  /// What of a request the device does not have, by name.
  func lacks(_ request: InputRequest) -> [String] {
    let missingKeys = request.keys.keys.filter { !keys.contains($0.number) }.map(\.description)
    let missingAxes = request.relative.keys.filter { !axes.contains($0.number) }.map(\.description)
    return missingKeys.sorted() + missingAxes.sorted()
  }

  /// How much of a request the device has; nil if it is another one that is asked for.
  func worth(to request: InputRequest) -> Int? {
    if case .named(let wanted) = request.device, wanted != name { return nil }
    return request.keys.count + request.relative.count - lacks(request).count
  }
}

/// Codes of keys or axes, a bit for each as the kernel hands them out.
package struct CodeSet {
  var bits = [UInt8](repeating: 0, count: Int(KEY_MAX) / 8 + 1)

  init() {}

  /// - Parameters:
  ///   - text: how sysfs shows a device's codes: words in hexadecimal, the highest first, those above it left out.
  ///   - wordBits: of how many bits the kernel's words are for this program.
  /// - Returns: nil for anything else.
  package init?(_ text: String, wordBits: Int = UInt.bitWidth) {
    let words = text.split(separator: " ")
    guard !words.isEmpty else { return nil }
    for (place, word) in words.reversed().enumerated() {
      guard let value = UInt64(word, radix: 16) else { return nil }
      for index in 0..<wordBits / 8 where place * wordBits / 8 + index < bits.count {
        bits[place * wordBits / 8 + index] = UInt8(truncatingIfNeeded: value >> UInt64(index * 8))
      }
    }
  }

  package func contains(_ code: UInt16) -> Bool {
    let byte = Int(code / 8)
    return byte < bits.count && bits[byte] & (1 << (code % 8)) != 0
  }
}
