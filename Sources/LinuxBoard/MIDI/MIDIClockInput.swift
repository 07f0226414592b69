import CALSA
import CLinux
import Glibc
import HardwareAbstraction
import MetronomeCore

/// The input port that receives a MIDI clock. It may appear later, disappear, and return. Control thread.
///
/// The kernel stamps the bytes of a sound card's port (Linux 5.14, alsa-lib 1.2.6 or later), so that a late thread costs nothing. The
/// bytes of a serial port are stamped when they are read, minus the 320 µs that a byte takes at 31,250 baud.
final class MIDIClockInput {
  private static let byteTime = Nanoseconds.microseconds(320)
  private static let baud: UInt32 = 31_250

  /// The state, as last reported.
  private enum State: Hashable {
    case unknown, waiting, open
    case refused(errno: Int32)
  }

  private let device: MIDIDevice
  private let group: DescriptorGroup
  private let notice: (String) -> Void
  private let clock = LinuxClock()
  private var port: OpaquePointer?
  private var serial: Int32?
  private var parser = ClockParser()
  private var state = State.unknown

  init(_ device: MIDIDevice, group: DescriptorGroup, notice: @escaping (String) -> Void) {
    (self.device, self.group, self.notice) = (device, group, notice)
  }

  deinit { close() }

  var isOpen: Bool { port != nil || serial != nil }

  /// Whether another program uses the port, or this one may not open it yet.
  var isRefused: Bool { if case .refused = state { true } else { false } }

  /// Reads the messages that have arrived. Returns whether the port was lost.
  func read(appendingTo events: inout [InputEvent]) -> Bool {
    guard isOpen else { return false }
    let isThere = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1_024) { bytes in
      port.map { readStamped($0, bytes, &events) } ?? readSerial(bytes, &events)
    }
    guard !isThere else { return false }
    close()
    state = .waiting
    notice("the MIDI clock input \(device.text) was removed; waiting for it")
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

  private func readSerial(_ bytes: UnsafeMutableBufferPointer<UInt8>, _ events: inout [InputEvent]) -> Bool {
    guard let serial else { return false }
    while true {
      let count = Glibc.read(serial, bytes.baseAddress, bytes.count)
      guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) }
      let now = clock.now
      for (index, byte) in bytes.prefix(count).enumerated() {
        receive(byte, at: now - MIDIClockInput.byteTime * Int64(count - index), &events)
      }
    }
  }

  private func receive(_ byte: UInt8, at instant: Instant, _ events: inout [InputEvent]) {
    guard let kind = parser.receive(byte) else { return }
    events.append(.clock(ClockMessage(kind, at: instant)))
  }

  /// Opens the port if it is there.
  func seek() {
    guard !isOpen else { return }
    let result: Int32
    var path = ""
    if case .serial(let file) = device {
      var actual: UInt32 = 0
      (path, result) = (file, clinux_open_serial(file, O_RDONLY, MIDIClockInput.baud, &actual))
      if result >= 0 {
        serial = result
        try? group.add(result)
      }
    } else if let found = MIDIPort.all().first(where: { $0.matches(device) }) {
      (path, result) = (found.path, open("hw:CARD=\(found.card),DEV=\(found.device)"))
    } else {
      result = -ENOENT
    }
    parser = ClockParser()
    report(result, path)
  }

  private func open(_ address: String) -> Int32 {
    var port: OpaquePointer?
    var result = snd_rawmidi_open(&port, nil, address, SND_RAWMIDI_NONBLOCK)
    guard result >= 0, let port else { return result }
    result = MIDIClockInput.requestStamps(port)
    var entry = pollfd()
    if result >= 0, snd_rawmidi_poll_descriptors(port, &entry, 1) == 1 {
      do throws(SystemError) { try group.add(entry.fd) } catch { result = -error.errno }
    }
    guard result >= 0 else {
      snd_rawmidi_close(port)
      return result
    }
    self.port = port
    return 0
  }

  private static func requestStamps(_ port: OpaquePointer) -> Int32 {
    var parameters: OpaquePointer?
    guard snd_rawmidi_params_malloc(&parameters) == 0 else { return -ENOMEM }
    defer { snd_rawmidi_params_free(parameters) }
    // Frames of 32 bytes, each with a stamp and up to 16 bytes.
    for result in [
      snd_rawmidi_params_current(port, parameters),
      snd_rawmidi_params_set_buffer_size(port, parameters, 32 * 512),
      snd_rawmidi_params_set_read_mode(port, parameters, SND_RAWMIDI_READ_TSTAMP),
      snd_rawmidi_params_set_clock_type(port, parameters, SND_RAWMIDI_CLOCK_MONOTONIC),
      snd_rawmidi_params(port, parameters),
    ] where result < 0 {
      return result
    }
    return 0
  }

  private func report(_ result: Int32, _ path: String) {
    let new: State =
      switch -result {
      case ENOENT, ENODEV, ENXIO: .waiting
      case ..<1: .open
      default: .refused(errno: -result)
      }
    guard new != state else { return }
    state = new
    let input = "the MIDI clock input \(device.text)"
    switch new {
    case .unknown: break
    case .waiting:
      let names = MIDIPort.all().map { "\"\($0.names.first ?? $0.card)\" (\($0.card),\($0.device))" }
      let others =
        names.isEmpty ? "no MIDI port is connected" : "the connected ports are \(names.joined(separator: ", "))"
      notice("waiting for \(input); \(others)")
    case .open: notice("\(input) is connected as \(shownName(path))")
    case .refused(EACCES), .refused(EPERM): notice("\(input): \(accessAdvice(path))")
    case .refused(EBUSY), .refused(EAGAIN): notice("\(input) is used by another program; waiting for it")
    case .refused(let errno):
      notice("\(input): \(shownName(path)) cannot be opened: \(String(cString: strerror(errno)))")
    }
  }

  private func close() {
    if let port { snd_rawmidi_close(port) }
    if let serial { Glibc.close(serial) }
    (port, serial) = (nil, nil)
  }
}
