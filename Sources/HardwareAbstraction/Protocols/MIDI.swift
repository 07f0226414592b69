import MetronomeCore

/// The MIDI output ports, which may be unplugged and plugged in. The board opens and closes them; a missing port accepts
/// nothing. Used by one thread, except for ``list``, which may be a real-time thread: no call allocates or blocks.
public protocol MIDIOutputs: AnyObject {
  /// The ports of the newest configuration. Control thread.
  var list: MIDIPortList { get }

  /// Numbers the ports as in `list`, from 0. The board opens the new ones soon, and closes those that are no longer in it, so their
  /// last messages must have been sent. Before the first call the ports are those of the configuration at the start.
  func use(_ list: MIDIPortList)

  /// The number of ports in the list in use.
  var count: Int { get }

  /// The number of times that a port was opened, including now; 0: the port is closed. Another number than before means that
  /// the port has lost what was sent to it before.
  func opening(of port: Int) -> UInt32

  /// Sends a whole message, or nothing of it.
  func send(_ message: MIDIMessage, to port: Int) -> MIDISending
}

/// The configured MIDI output ports, in the order of the configuration. A port has the same id for as long as its device is
/// configured, also if its number or its settings change. A value without references, for the real-time thread.
public struct MIDIPortList: Hashable, Sendable, BitwiseCopyable {
  /// The highest number of MIDI output ports.
  public static let maxPorts = 8

  private var ids = SIMD8<UInt32>()
  /// How many ids there have been.
  private var issued: UInt32 = 0
  public private(set) var count = 0

  public init() {}

  /// A list of devices without an earlier one.
  public init(_ devices: [MIDIDevice]) { replace([], with: devices) }

  /// The id of a port, which no other port has had before.
  ///
  /// - Parameter port: 0 to ``count`` - 1.
  public subscript(port: Int) -> UInt32 { ids[port] }

  /// The number of the port with an id; nil: there is none.
  public func port(of id: UInt32) -> Int? {
    for port in 0..<count where ids[port] == id { return port }
    return nil
  }

  /// A number below ``maxPorts`` that no other port of the same list has. It stays as long as the port's id.
  public static func place(of id: UInt32) -> Int { Int(id) % maxPorts }

  /// Replaces the list of `old` devices. At most ``maxPorts`` may be new.
  public mutating func replace(_ old: [MIDIDevice], with new: [MIDIDevice]) {
    precondition(old.count == count && new.count <= MIDIPortList.maxPorts, "there are at most 8 MIDI outputs")
    var (former, free) = (Array(old.enumerated()), Set(0..<MIDIPortList.maxPorts))
    var kept = SIMD8<UInt32>()
    for (port, device) in new.enumerated() {
      guard let match = former.firstIndex(where: { $0.element == device }) else { continue }
      kept[port] = ids[former.remove(at: match).offset]
      free.remove(MIDIPortList.place(of: kept[port]))
    }
    for port in new.indices where kept[port] == 0 {
      // Ids count up in steps of ``maxPorts``, so that each has the place that is free for it.
      let place = free.min() ?? 0
      free.remove(place)
      issued = issued &+ 1
      kept[port] = issued &* UInt32(MIDIPortList.maxPorts) &+ UInt32(place)
    }
    (ids, count) = (kept, new.count)
  }
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

  /// A message of three bytes. Unlike the other initializer it never allocates, for the real-time thread.
  public init(status: UInt8, _ first: UInt8, _ second: UInt8) {
    bytes = UInt32(status) | UInt32(first) << 8 | UInt32(second) << 16
    count = 3
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
  /// Whether the port sends clock, start and stop.
  public var sendsClock: Bool
  /// The notes of the hits; nil: the port sends no notes.
  public var notes: MIDINotes?

  public init(
    _ device: MIDIDevice, latency: Nanoseconds = .zero, sendsClock: Bool = true, notes: MIDINotes? = nil
  ) {
    self.device = device
    self.latency = latency
    self.sendsClock = sendsClock
    self.notes = notes
  }

  /// How long the port takes to transmit a byte: 320 µs on a serial port. 0 on other ports, whose rate is unknown.
  public var byteDuration: Nanoseconds {
    if case .serial = device { .microseconds(320) } else { .zero }
  }
}

/// The notes that a MIDI output port plays on the hits of the rhythm. A value without references, for the real-time thread.
public struct MIDINotes: Hashable, Sendable, BitwiseCopyable {
  /// How many voices can have notes of their own. The main voice is voice 0.
  public static let maxVoices = 4
  /// The range of ``length``: 1 ms to 1 s.
  public static let lengths = Nanoseconds.milliseconds(1)...Nanoseconds.seconds(1)
  private static let none: UInt8 = 0xFF

  /// 1 to 16; channel 10 has the percussion of General MIDI.
  public var channel = 10
  /// The velocity of each level at full volume, 1 to 127.
  public var velocities = PerLevel<UInt8>(repeating: 80)
  /// The time from note-on to note-off, within ``lengths``.
  public var length = Nanoseconds.milliseconds(20)
  /// The number of the note of each voice at each level, or ``none``.
  private var keys = SIMD16<UInt8>(repeating: none)

  /// The default, in General MIDI: wood blocks for the main voice (76 for strong, 77 for the other levels), and a cowbell (56)
  /// for the other voices.
  public init() {
    velocities.strong = 127
    velocities.medium = 100
    velocities.ghost = 40
    for level in Level.sounding {
      self[0, level] = level == .strong ? 76 : 77
      for voice in 1..<MIDINotes.maxVoices { self[voice, level] = 56 }
    }
  }

  /// The number of the note of a voice at a level, 0 to 127; nil: no note.
  ///
  /// - Parameters:
  ///   - voice: 0 to ``maxVoices`` - 1.
  ///   - level: at a rest there is no note, and none can be set.
  public subscript(voice: Int, level: Level) -> UInt8? {
    get {
      guard level != .rest else { return nil }
      let key = keys[voice * 4 + level.loudness - 1]
      return key == MIDINotes.none ? nil : key
    }
    set {
      precondition(level != .rest && newValue ?? 0 <= 127, "a note is 0 to 127, and a rest has none")
      keys[voice * 4 + level.loudness - 1] = newValue ?? MIDINotes.none
    }
  }

  /// The status byte of a note-on; that of a note-off is 16 less.
  public var noteOn: UInt8 { 0x90 | UInt8(channel - 1) }
}
