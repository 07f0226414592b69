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
