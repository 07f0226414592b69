import CALSA
import Glibc
import LinuxBoard
import MetronomeCore

/// A USB-MIDI device on a simulated bus. The board sees it as the card Bench; its own end is the card gadget. `start_gadget` of the Pi bench
/// creates both.
final class GadgetCable: Cable {
  private static let controllerFile = "/sys/kernel/config/usb_gadget/bench/UDC"
  /// Large enough for all that the board sends between two calls of ``receive()``.
  private static let bufferSize = 65_536
  /// The time in which the host finds or loses the device.
  private static let enumeration = Nanoseconds.milliseconds(500)

  let output = "hw:CARD=Bench,DEV=0"
  let input = "hw:CARD=Bench,DEV=0"
  let isSlow = false
  /// The name of the bus's controller, which is in the file while the device is plugged in.
  private let controller: String
  private var receiver: OpaquePointer?
  private var sender: OpaquePointer?

  init(controller: String) {
    self.controller = controller
    connect()
  }

  func send(_ bytes: [UInt8]) {
    guard snd_rawmidi_write(sender, bytes, bytes.count) == bytes.count else { fatalError("the gadget cannot send") }
  }

  func receive() -> [UInt8] {
    var received: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = snd_rawmidi_read(receiver, &bytes, bytes.count)
      if count == -Int(EAGAIN) { return received }
      guard count > 0 else { fatalError("the gadget's MIDI port: \(-count)") }
      received += bytes[..<count]
    }
  }

  func pull() {
    snd_rawmidi_close(receiver)
    snd_rawmidi_close(sender)
    (receiver, sender) = (nil, nil)
    write("\n", to: GadgetCable.controllerFile)
    letPass(GadgetCable.enumeration)
  }

  func plug() -> Bool {
    guard receiver == nil else { return false }
    write(controller, to: GadgetCable.controllerFile)
    letPass(GadgetCable.enumeration)
    connect()
    return true
  }

  private func connect() {
    let result = snd_rawmidi_open(&receiver, &sender, "hw:CARD=gadget,DEV=0", SND_RAWMIDI_NONBLOCK)
    guard result == 0 else { fatalError("the gadget's MIDI port: \(-result)") }
    var parameters: OpaquePointer?
    snd_rawmidi_params_malloc(&parameters)
    defer { snd_rawmidi_params_free(parameters) }
    snd_rawmidi_params_current(receiver, parameters)
    guard snd_rawmidi_params_set_buffer_size(receiver, parameters, GadgetCable.bufferSize) == 0,
      snd_rawmidi_params(receiver, parameters) == 0
    else { fatalError("the gadget's buffer cannot be enlarged") }
    // The kernel receives from the first read on.
    _ = receive()
  }
}
