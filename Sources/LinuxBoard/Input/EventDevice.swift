import CEvdev
import Glibc
import HardwareAbstraction
import MetronomeCore

/// An open event device. `deinit` closes it.
final class EventDevice {
  /// One item read from a device.
  enum Item {
    case event(input_event, at: Instant)
    /// The kernel's event queue overflowed (SYN_DROPPED). The key states have been resynchronised.
    case loss(at: Instant)
  }

  /// More events than the kernel queues for a device. One call reads all events, unless the stream of events is endless.
  private static let maxEvents = 4_096

  let path: String
  /// The device number, the same for every path to the device.
  let number: dev_t
  private let device: OpaquePointer

  /// - Parameter group: becomes readable when the device is readable; nil for a device that is only inspected.
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

  /// The names of the requested keys and axes that the device lacks.
  func lacks(_ request: InputRequest) -> [String] {
    let keys = request.keys.keys.filter { !has(EV_KEY, $0.number) }.map { EventDevice.name(EV_KEY, $0.number) }
    let axes = request.relative.keys.filter { !has(EV_REL, $0.number) }.map { EventDevice.name(EV_REL, $0.number) }
    return keys.sorted() + axes.sorted()
  }

  /// The name of a key or an axis, or its number if it has no name.
  static func name(_ kind: Int32, _ code: UInt16) -> String {
    libevdev_event_code_get_name(UInt32(kind), UInt32(code)).map { String(cString: $0) } ?? String(code)
  }

  /// How many of the requested keys and axes the device has; nil if its name does not match.
  func worth(to request: InputRequest) -> Int? {
    if case .named(let wanted) = request.device, wanted != String(cString: libevdev_get_name(device)) { return nil }
    return request.keys.count + request.relative.count - lacks(request).count
  }

  /// Reads all queued events. Never blocks; throws when the device was removed.
  func read(_ handle: (Item) -> Void) throws(SystemError) {
    var event = input_event()
    var nanoseconds: Int64 = 0
    for _ in 0..<EventDevice.maxEvents {
      let result = cevdev_next(device, &event, &nanoseconds)
      guard result >= 0 else { throw SystemError("read", errno: -result) }
      switch UInt32(result) {
      case cevdev_none.rawValue: return
      case cevdev_loss.rawValue: handle(.loss(at: Instant(nanoseconds: nanoseconds)))
      default: handle(.event(event, at: Instant(nanoseconds: nanoseconds)))
      }
    }
  }

  /// Whether a key is down according to the events read so far.
  func isDown(_ key: UInt16) -> Bool { libevdev_get_event_value(device, UInt32(EV_KEY), UInt32(key)) != 0 }

  private func has(_ type: Int32, _ code: UInt16) -> Bool {
    libevdev_has_event_code(device, UInt32(type), UInt32(code)) != 0
  }
}

/// Decodes a device's events into presses and turns. Key repeats (value 2) are ignored; an axis's moves in one report are
/// one turn.
package struct EventDecoder {
  private let origin: Origin
  private let buttons: [UInt16: Button]
  private let dials: [UInt16: Dial]
  /// The pressed keys that are mapped to a button.
  private var held: Set<UInt16> = []
  /// The detents by which each dial was turned since the last report.
  private var turned: [Dial: Int] = [:]

  package init(_ request: InputRequest, from origin: Origin) {
    self.origin = origin
    buttons = Dictionary(uniqueKeysWithValues: request.keys.map { ($0.key.number, $0.value) })
    dials = Dictionary(uniqueKeysWithValues: request.relative.map { ($0.key.number, $0.value) })
  }

  /// Whether a button is down according to the events decoded so far.
  package func isDown(_ button: Button) -> Bool { held.contains { buttons[$0] == button } }

  /// Resets the state to the keys that the kernel reports as pressed.
  package mutating func reset(isDown: (UInt16) -> Bool) {
    held = Set(buttons.keys.filter(isDown))
    turned = [:]
  }

  /// Decodes one event and appends the resulting input events. Events must come in the kernel's order.
  package mutating func decode(_ event: input_event, at instant: Instant, appendingTo events: inout [InputEvent]) {
    switch Int32(event.type) {
    case EV_SYN where Int32(event.code) == SYN_REPORT: report(at: instant, to: &events)
    case EV_KEY where event.value != 2: move(event.code, isDown: event.value != 0, at: instant, &events)
    case EV_REL:
      if let dial = dials[event.code] { turned[dial, default: 0] += Int(event.value) }
    default: break
    }
  }

  /// Reports a turn of an axis.
  mutating func turn(_ code: UInt16, by detents: Int, at instant: Instant, _ events: inout [InputEvent]) {
    guard let dial = dials[code] else { return }
    turned[dial, default: 0] += detents
    report(at: instant, to: &events)
  }

  private mutating func report(at instant: Instant, to events: inout [InputEvent]) {
    for dial in Dial.allCases {
      guard let detents = turned[dial], detents != 0 else { continue }
      events.append(.turn(DialTurn(dial, by: detents, at: instant, from: origin)))
    }
    turned = [:]
  }

  /// A key goes down or up.
  mutating func move(_ code: UInt16, isDown: Bool, at instant: Instant, _ events: inout [InputEvent]) {
    guard let button = buttons[code], held.contains(code) != isDown else { return }
    held.remove(code)
    // The button does not change while another key that is mapped to it is pressed.
    let isHeld = self.isDown(button)
    if isDown { held.insert(code) }
    if !isHeld { events.append(.edge(ButtonEdge(button, isDown ? .down : .up, at: instant, from: origin))) }
  }
}

/// A device file in `/dev/input`, with the properties that can be read without opening it.
struct EventFile {
  private static let folder = "/dev/input"

  let path: String
  /// The device number.
  let number: dev_t
  /// The device's name; nil if the system does not report it.
  let name: String?

  /// All event devices, in order of their numbers.
  static func all() -> [EventFile] { paths(matching: folder + "/event*").compactMap(EventFile.init) }

  private init?(_ path: String) {
    guard let number = EventFile.number(of: path) else { return nil }
    self.path = path
    self.number = number
    name = EventFile.firstLine("/sys/class/input" + path.dropFirst(EventFile.folder.count) + "/device/name")
  }

  /// The device number of a file; nil if the file does not exist.
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
    // The name may contain any characters, even line feeds. The kernel added only the final line feed.
    return String(decoding: text.last == UInt8(ascii: "\n") ? text.dropLast() : text, as: UTF8.self)
  }
}
