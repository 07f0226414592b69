import MetronomeCore

/// The MIDI output ports, which may be unplugged and plugged in. The board opens and closes them; a missing port accepts
/// nothing. Used by one thread, which may be a real-time thread: no call allocates or blocks.
public protocol MIDIOutputs: AnyObject {
  /// The number of configured ports. They are numbered from 0, in the order of the configuration.
  var count: Int { get }

  /// The number of times that a port was opened, including now; 0: the port is closed. Another number than before means that
  /// the port has lost what was sent to it before.
  func opening(of port: Int) -> UInt32

  /// Sends a whole message, or nothing of it.
  func send(_ message: MIDIMessage, to port: Int) -> MIDISending
}

/// The result of sending a MIDI message.
public enum MIDISending: UInt8, Hashable, Sendable, BitwiseCopyable {
  case sent
  /// The port's buffer is full. Nothing was sent.
  case full
  /// The port is closed or was unplugged. Nothing was sent.
  case missing
}

/// A short MIDI message, stored inline so that a real-time thread can copy it.
public struct MIDIMessage: Hashable, Sendable, BitwiseCopyable {
  /// The bytes, the first in the lowest byte.
  public private(set) var bytes: UInt32
  /// 1 to 4.
  public private(set) var count: Int

  /// A timing clock: 24 per quarter note.
  public static let clock = MIDIMessage(0xF8)
  /// Start at the position of the last song position pointer.
  public static let start = MIDIMessage(0xFA)
  public static let `continue` = MIDIMessage(0xFB)
  public static let stop = MIDIMessage(0xFC)

  public init(_ first: UInt8, _ rest: UInt8...) {
    precondition(rest.count <= 3, "a short MIDI message has at most four bytes")
    bytes = UInt32(first)
    count = 1
    for byte in rest {
      bytes |= UInt32(byte) << UInt32(8 * count)
      count += 1
    }
  }

  /// The position, in sixteenth notes from the start of the song, from which a start or continue begins. Only the lowest 14
  /// bits are sent: the position wraps after 16,384 sixteenths.
  public static func songPosition(_ sixteenths: Int64) -> MIDIMessage {
    MIDIMessage(0xF2, UInt8(sixteenths & 0x7F), UInt8(sixteenths >> 7 & 0x7F))
  }

  /// The bytes in hexadecimal: `F2 00 00 FA`.
  public var text: String {
    (0..<count).map { (self[$0] < 16 ? "0" : "") + String(self[$0], radix: 16, uppercase: true) }.joined(separator: " ")
  }

  /// - Parameter index: 0 to ``count`` - 1.
  public subscript(index: Int) -> UInt8 {
    precondition(index >= 0 && index < count, "the message has no such byte")
    return UInt8(truncatingIfNeeded: bytes >> UInt32(8 * index))
  }
}

/// A MIDI port of this computer.
public enum MIDIDevice: Hashable, Sendable {
  /// By the id of its card or the name of its sequencer client: `UMONE`, `FCB1010`. These are stable; numbers change.
  case named(String)
  /// By its address in ALSA: `hw:CARD=UMONE,DEV=0`.
  case address(String)
  /// A serial port at 31,250 baud by its device file: `/dev/ttyAMA0`.
  case serial(String)
}

extension MIDIDevice {
  /// A device as a configuration names it: a path is a serial port, and an address begins with `hw:`.
  public init(name: String) {
    if name.hasPrefix("/") {
      self = .serial(name)
    } else if name.hasPrefix("hw:") {
      self = .address(name)
    } else {
      self = .named(name)
    }
  }

  /// The text that ``init(name:)`` reads.
  public var name: String {
    switch self {
    case .named(let name), .address(let name), .serial(let name): name
    }
  }
}

/// A MIDI output port with its settings.
public struct MIDIOutputRequest: Hashable, Sendable {
  public var device: MIDIDevice
  /// How early messages are sent: -20 ms to 20 ms.
  public var latency: Nanoseconds

  public init(_ device: MIDIDevice, latency: Nanoseconds = .zero) {
    self.device = device
    self.latency = latency
  }
}
