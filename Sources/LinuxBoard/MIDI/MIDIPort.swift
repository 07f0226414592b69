import CALSA
import CLibrary
import Glibc
import HardwareAbstraction
import MetronomeCore

/// A MIDI port of a sound card, as the kernel lists it.
struct MIDIPort: Hashable {
  /// The device file: `/dev/snd/midiC1D0`.
  var path: String
  /// The id of the card: `UMONE`.
  var card: String
  var device: Int
  /// The name of the port, which is that of the sequencer's client, then the id and the name of its card.
  var names: [String]

  /// All ports, in order of card and device.
  static func all() -> [MIDIPort] {
    var ports: [MIDIPort] = []
    var number: Int32 = -1
    while snd_card_next(&number) == 0, number >= 0 { ports += onCard(number) }
    return ports
  }

  private static func onCard(_ number: Int32) -> [MIDIPort] {
    var control: OpaquePointer?
    guard snd_ctl_open(&control, "hw:\(number)", SND_CTL_NONBLOCK) == 0 else { return [] }
    defer { snd_ctl_close(control) }
    var (card, port): (OpaquePointer?, OpaquePointer?)
    guard snd_ctl_card_info_malloc(&card) == 0, snd_rawmidi_info_malloc(&port) == 0 else { return [] }
    defer {
      snd_ctl_card_info_free(card)
      snd_rawmidi_info_free(port)
    }
    guard snd_ctl_card_info(control, card) == 0 else { return [] }
    let id = String(cString: snd_ctl_card_info_get_id(card))
    var ports: [MIDIPort] = []
    var device: Int32 = -1
    while snd_ctl_rawmidi_next_device(control, &device) == 0, device >= 0 {
      snd_rawmidi_info_set_device(port, UInt32(device))
      snd_rawmidi_info_set_subdevice(port, 0)
      var names = [id, String(cString: snd_ctl_card_info_get_name(card))]
      if snd_ctl_rawmidi_info(control, port) == 0 {
        names.insert(String(cString: snd_rawmidi_info_get_name(port)), at: 0)
      }
      ports.append(
        MIDIPort(path: "/dev/snd/midiC\(number)D\(device)", card: id, device: Int(device), names: names))
    }
    return ports
  }

  /// Whether a configuration means this port. A name means the first port of its card or client.
  func matches(_ wanted: MIDIDevice) -> Bool {
    switch wanted {
    case .named(let name): names.contains(name)
    case .address(let address): MIDIPort.parts(of: address).map { $0 == card && $1 == device } ?? false
    case .serial: false
    }
  }

  /// The port as a configuration names it. The id of a card means its first port.
  func device(among ports: [MIDIPort]) -> MIDIDevice {
    let isFirst = ports.first { $0.card == card } == self
    return MIDIDevice(name: isFirst ? card : "hw:CARD=\(card),DEV=\(device)")
  }

  /// The card and device of `hw:CARD=UMONE,DEV=0` or `hw:UMONE,0`; nil if it is not such an address.
  static func parts(of address: String) -> (card: String, device: Int)? {
    guard address.hasPrefix("hw:") else { return nil }
    let words = address.dropFirst(3).split(separator: ",").map { word in
      word.split(separator: "=", maxSplits: 1).last.map(String.init) ?? ""
    }
    guard let card = words.first, words.count <= 2 else { return nil }
    guard words.count == 2 else { return (card, 0) }
    return Int(words[1]).map { (card, $0) }
  }
}

/// The state of a configured MIDI port, as last reported.
enum PortState: Hashable {
  case unknown
  case waiting
  case refused(path: String, errno: Int32)
  case open(path: String)

  /// The state after an attempt to open a device file. `errno`: 0 if it is open.
  init(_ path: String, errno: Int32) {
    self =
      switch errno {
      case 0: .open(path: path)
      case ENOENT, ENODEV, ENXIO: .waiting
      default: .refused(path: path, errno: errno)
      }
  }

  /// What the user reads of a "MIDI input" or "MIDI output"; nil: nothing.
  func notice(_ kind: String, _ device: MIDIDevice, among ports: [MIDIPort]) -> String? {
    let port = "the \(kind) \(device.text)"
    switch self {
    case .unknown: return nil
    case .waiting:
      if case .serial = device {
        return "waiting for \(port): there is no such device file; see Documentation/MIDI.md for its settings"
      }
      let names = ports.map { "\"\($0.names.first ?? $0.card)\" (\($0.card),\($0.device))" }
      let others =
        names.isEmpty ? "no MIDI port is connected" : "the connected ports are \(names.joined(separator: ", "))"
      return "waiting for \(port); \(others)"
    case .refused(let path, EACCES), .refused(let path, EPERM): return "\(port): \(accessAdvice(path))"
    case .refused(_, EBUSY), .refused(_, EAGAIN): return "\(port) is used by another program; waiting for it"
    case .refused(let path, ENOTTY): return "\(port): \(shownName(path)) is not a serial port"
    case .refused(let path, let errno):
      return "\(port): \(shownName(path)) cannot be opened: \(reason(errno))"
    case .open(let path): return "\(port) is connected as \(shownName(path))"
    }
  }
}

extension MIDIDevice {
  /// The device, as shown in messages.
  var text: String {
    switch self {
    case .named(let name): "\"\(shownName(name))\""
    case .address(let text), .serial(let text): shownName(text)
    }
  }
}

/// Listens to all MIDI ports of sound cards, to show what a pedal sends. One thread.
public final class MIDIListener {
  private struct Port {
    let name: String
    let handle: OpaquePointer
    let descriptor: Int32
    var parser = MIDIParser()
  }

  private var ports: [Port] = []
  /// The ports that another program uses, or that may not be opened.
  public private(set) var unopened: [String] = []

  /// Opens all ports that receive.
  public init() {
    let found = MIDIPort.all()
    for port in found {
      let name = port.device(among: found).name
      var handle: OpaquePointer?
      let result = snd_rawmidi_open(&handle, nil, "hw:CARD=\(port.card),DEV=\(port.device)", SND_RAWMIDI_NONBLOCK)
      guard result >= 0, let handle else {
        // A port that only sends has no input.
        if ![-ENOENT, -ENODEV, -ENXIO].contains(result) { unopened.append(name) }
        continue
      }
      var entry = pollfd()
      guard snd_rawmidi_poll_descriptors(handle, &entry, 1) == 1 else {
        snd_rawmidi_close(handle)
        continue
      }
      ports.append(Port(name: name, handle: handle, descriptor: entry.fd))
    }
  }

  deinit { for port in ports { snd_rawmidi_close(port.handle) } }

  /// Their names, as the configuration may contain them.
  public var names: [String] { ports.map(\.name) }

  public var descriptors: [Int32] { ports.map(\.descriptor) }

  /// The messages that have arrived, with the name of their port. A port that is unplugged is closed.
  public func read() -> [(port: String, event: MIDIEvent)] {
    var events: [(port: String, event: MIDIEvent)] = []
    var bytes = [UInt8](repeating: 0, count: 256)
    for index in ports.indices.reversed() {
      var count = snd_rawmidi_read(ports[index].handle, &bytes, bytes.count)
      while count > 0 {
        for byte in bytes.prefix(count) {
          if let event = ports[index].parser.receive(byte) { events.append((ports[index].name, event)) }
        }
        count = snd_rawmidi_read(ports[index].handle, &bytes, bytes.count)
      }
      if ![0, -Int(EAGAIN), -Int(EINTR)].contains(count) { snd_rawmidi_close(ports.remove(at: index).handle) }
    }
    return events
  }
}
