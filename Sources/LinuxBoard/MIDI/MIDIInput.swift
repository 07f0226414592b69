import CALSA
import CLinux
import Glibc
import HardwareAbstraction
import MetronomeCore

/// A MIDI input port, of a controller, of the clock that the metronome follows, or of both. It may appear later, disappear, and
/// return. Control thread.
///
/// The kernel stamps the bytes of a sound card's port (Linux 5.14, alsa-lib 1.2.6 or later), so that a late thread costs nothing. The
/// bytes of a serial port are stamped by a ``SerialReader``, whose thread exists only while the port is open.
final class MIDIInput {
  private let device: MIDIDevice
  private let group: DescriptorGroup
  private let notice: (String) -> Void
  private let clock = LinuxClock()
  private var port: OpaquePointer?
  private var serial: (descriptor: Int32, reader: SerialReader)?
  /// The bytes of the serial port that were lost, as last seen.
  private var overflows: UInt64 = 0
  private var parser = MIDIParser()
  private var state = PortState.unknown

  /// The part of a port that a request describes.
  private struct Controller {
    let request: InputRequest
    let origin: Origin
    var decoder: EventDecoder
  }

  private var controllers: [Controller] = []
  let hasClock: Bool

  private init(
    _ device: MIDIDevice, hasClock: Bool, group: DescriptorGroup, notice: @escaping (String) -> Void
  ) {
    (self.device, self.hasClock, self.group, self.notice) = (device, hasClock, group, notice)
  }

  /// The ports that requests name, each once, because a port can be opened only once. The first request has origin 1.
  static func all(
    _ requests: [InputRequest], clock: MIDIDevice?, group: DescriptorGroup, notice: @escaping (String) -> Void
  ) -> [MIDIInput] {
    var ports: [MIDIInput] = []
    if let clock { ports.append(MIDIInput(clock, hasClock: true, group: group, notice: notice)) }
    for (index, request) in requests.enumerated() {
      guard case .midi(let device) = request.device else { continue }
      let port = ports.first { $0.device == device } ?? MIDIInput(device, hasClock: false, group: group, notice: notice)
      if !ports.contains(where: { $0 === port }) { ports.append(port) }
      let origin = Origin(number: index + 1)
      port.controllers.append(
        Controller(request: request, origin: origin, decoder: EventDecoder(request, from: origin)))
    }
    return ports
  }

  /// The ports that are present and that none of `ports` uses, which report to `touched`.
  static func others(
    than ports: [MIDIInput], group: DescriptorGroup, touched: @escaping (InputTouch) -> Void
  ) -> [MIDIInput] {
    let present = MIDIPort.all()
    let used = ports.compactMap { input in present.first { $0.matches(input.device) } }
    return present.filter { !used.contains($0) }.map { port in
      let input = MIDIInput(port.device(among: present), hasClock: false, group: group, notice: { _ in })
      input.touched = touched
      input.seek()
      return input
    }
  }

  /// Receives the messages other than the clock while the box learns; nil: the controllers do.
  var touched: ((InputTouch) -> Void)?

  func isDown(_ button: Button, at origin: Origin) -> Bool {
    controllers.contains { $0.origin == origin && $0.decoder.isDown(button) }
  }

  deinit { close() }

  /// The device file of a serial port.
  var serialPath: String? { if case .serial(let path) = device { path } else { nil } }

  var isOpen: Bool { port != nil || serial != nil }

  /// Whether another program uses the port, or this one may not open it yet.
  var isRefused: Bool { if case .refused = state { true } else { false } }

  /// Reads the messages that have arrived. Returns whether the port was lost.
  func read(appendingTo events: inout [InputEvent]) -> Bool {
    guard isOpen else { return false }
    let isThere = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1_024) { bytes in
      port.map { readStamped($0, bytes, &events) } ?? readSerial(&events)
    }
    guard !isThere else { return false }
    close()
    interrupt(&events)
    state = .waiting
    notice("the MIDI input \(device.text) was removed; waiting for it")
    return true
  }

  private func readStamped(
    _ port: OpaquePointer, _ bytes: UnsafeMutableBufferPointer<UInt8>, _ events: inout [InputEvent]
  ) -> Bool {
    while true {
      var time = timespec()
      let count = snd_rawmidi_tread(port, &time, bytes.baseAddress, bytes.count)
      guard count > 0 else { return count == 0 || count == -Int(EAGAIN) || count == -Int(EINTR) }
      for byte in bytes.prefix(count) { receive(byte, at: Instant(time), &events) }
    }
  }

  private func readSerial(_ events: inout [InputEvent]) -> Bool {
    guard let reader = serial?.reader else { return false }
    let isThere = reader.read { receive($0.byte, at: $0.instant, &events) }
    let overflows = reader.overflows
    if overflows != self.overflows {
      // The lost bytes may have released a pedal, or ended a message.
      parser = MIDIParser()
      interrupt(&events)
      if self.overflows == 0 {
        notice("the MIDI input \(device.text) lost bytes, because the program did not read them in time")
      }
      self.overflows = overflows
    }
    return isThere
  }

  /// Reports that no button of the controllers is known to be down.
  func interrupt(_ events: inout [InputEvent]) {
    for index in controllers.indices {
      controllers[index].decoder.reset { _ in false }
      events.append(.interrupted(controllers[index].origin, at: clock.now))
    }
  }

  private func receive(_ byte: UInt8, at instant: Instant, _ events: inout [InputEvent]) {
    guard let event = parser.receive(byte) else { return }
    if case .clock(let kind) = event {
      if hasClock { events.append(.clock(ClockMessage(kind, at: instant))) }
      return
    }
    if let touched { return touched(.midi(event, on: device)) }
    for (index, controller) in controllers.enumerated() {
      for move in controller.request.moves(of: event) {
        switch move {
        case .key(let key, let isDown):
          controllers[index].decoder.move(key.number, isDown: isDown, at: instant, &events)
        case .axis(let axis, let detents):
          controllers[index].decoder.turn(axis.number, by: detents, at: instant, &events)
        case .program(let number): events.append(.program(number, controller.origin, at: instant))
        }
      }
    }
  }

  /// Opens the port if it is there.
  func seek() {
    guard !isOpen else { return }
    let present = MIDIPort.all()
    var new = PortState.waiting
    if case .serial(let file) = device {
      new = PortState(file, errno: -openSerial(file))
    } else if let found = present.first(where: { $0.matches(device) }) {
      new = PortState(found.path, errno: -open("hw:CARD=\(found.card),DEV=\(found.device)"))
    }
    parser = MIDIParser()
    guard new != state else { return }
    state = new
    new.notice("MIDI input", device, among: present).map(notice)
  }

  private func openSerial(_ file: String) -> Int32 {
    var actual: UInt32 = 0
    let descriptor = clinux_open_serial(file, O_RDONLY, OpenMIDIPort.baud, &actual)
    guard descriptor >= 0 else { return descriptor }
    clinux_set_low_latency(descriptor)
    do throws(SystemError) {
      let reader = try SerialReader(descriptor)
      (serial, overflows) = ((descriptor, reader), 0)
      try group.add(reader.descriptor)
      return 0
    } catch {
      if serial == nil { Glibc.close(descriptor) } else { close() }
      return -error.errno
    }
  }

  private func open(_ address: String) -> Int32 {
    var port: OpaquePointer?
    var result = snd_rawmidi_open(&port, nil, address, SND_RAWMIDI_NONBLOCK)
    guard result >= 0, let port else { return result }
    self.port = port
    result = MIDIInput.requestStamps(port)
    var entry = pollfd()
    if result >= 0, snd_rawmidi_poll_descriptors(port, &entry, 1) == 1 {
      do throws(SystemError) { try group.add(entry.fd) } catch { result = -error.errno }
    }
    if result < 0 { close() }
    return min(result, 0)
  }

  private static func requestStamps(_ port: OpaquePointer) -> Int32 {
    var parameters: OpaquePointer?
    guard snd_rawmidi_params_malloc(&parameters) == 0 else { return -ENOMEM }
    defer { snd_rawmidi_params_free(parameters) }
    // Frames of 32 bytes, each with a stamp and up to 16 bytes.
    let results = [
      snd_rawmidi_params_current(port, parameters),
      snd_rawmidi_params_set_buffer_size(port, parameters, 32 * 512),
      snd_rawmidi_params_set_read_mode(port, parameters, SND_RAWMIDI_READ_TSTAMP),
      snd_rawmidi_params_set_clock_type(port, parameters, SND_RAWMIDI_CLOCK_MONOTONIC),
      snd_rawmidi_params(port, parameters),
    ]
    return results.first { $0 < 0 } ?? 0
  }

  /// Closes the port, and ends its thread. Idempotent.
  func close() {
    if let port { snd_rawmidi_close(port) }
    if let serial {
      serial.reader.stop()
      Glibc.close(serial.descriptor)
    }
    (port, serial) = (nil, nil)
  }
}
