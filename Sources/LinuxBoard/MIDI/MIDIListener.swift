import CALSA
import Glibc
import MetronomeCore

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
      // The id of a card means its first port.
      let isFirst = found.first { $0.card == port.card } == port
      let name = isFirst ? port.card : "hw:CARD=\(port.card),DEV=\(port.device)"
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
