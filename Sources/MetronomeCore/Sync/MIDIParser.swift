/// A message of a MIDI clock, and when it arrived.
public struct ClockMessage: Hashable, Sendable, BitwiseCopyable {
  public enum Kind: Hashable, Sendable, BitwiseCopyable {
    /// A timing clock (F8): 24 per quarter note.
    case clock
    /// Start at the beginning (FA), with the next clock.
    case start
    /// Start where it stopped, or at the last song position (FB), with the next clock.
    case `continue`
    case stop
    /// A song position pointer (F2), in sixteenth notes since the start of the song: 0 to 16,383.
    case songPosition(Int)
  }

  public var kind: Kind
  public var instant: Instant

  public init(_ kind: Kind, at instant: Instant) { (self.kind, self.instant) = (kind, instant) }
}

/// A MIDI message that the metronome uses. Channels are counted from 1 to 16.
public enum MIDIEvent: Hashable, Sendable, BitwiseCopyable {
  case clock(ClockMessage.Kind)
  /// A note goes on or off; a note on with velocity 0 is off.
  case note(Int, isOn: Bool, channel: Int)
  /// A controller, 0 to 127, has another value, 0 to 127.
  case control(Int, value: Int, channel: Int)
  /// A program, counted from 1 to 128 as pedals show it, is selected.
  case program(Int, channel: Int)
}

/// Finds messages in a stream of MIDI bytes. Its memory is four bytes.
///
/// Real-time bytes (F8 to FF) may come between the bytes of any other message, also within system exclusive data. Every F8 is an
/// event of its own. A status byte drops an incomplete message. Channel messages may have running status: the status byte is
/// left out if it is that of the message before. System messages end running status.
public struct MIDIParser: Hashable, Sendable {
  /// The status byte of the message whose data bytes come; 0: data bytes are ignored.
  private var status: UInt8 = 0
  /// The first data byte, if it has come and another one follows; 0xFF: it has not.
  private var first: UInt8 = 0xFF

  public init() {}

  /// Returns the message that a byte completes; nil if there is none, or if the metronome does not use it.
  public mutating func receive(_ byte: UInt8) -> MIDIEvent? {
    switch byte {
    case 0xF8: return .clock(.clock)
    case 0xFA: return .clock(.start)
    case 0xFB: return .clock(.continue)
    case 0xFC: return .clock(.stop)
    case 0xF9, 0xFD...0xFF: return nil
    case 0xF0, 0xF1, 0xF3...0xF7: (status, first) = (0, 0xFF)
    case 0x80...: (status, first) = (byte, 0xFF)
    default: return data(byte)
    }
    return nil
  }

  private mutating func data(_ byte: UInt8) -> MIDIEvent? {
    guard status != 0 else { return nil }
    let channel = Int(status & 0x0F) + 1
    if status & 0xF0 == 0xC0 { return .program(Int(byte) + 1, channel: channel) }
    let number = Int(first)
    first = first == 0xFF ? byte : 0xFF
    guard number != 0xFF else { return nil }
    switch status & 0xF0 {
    case 0x80: return .note(number, isOn: false, channel: channel)
    case 0x90: return .note(number, isOn: byte > 0, channel: channel)
    case 0xB0: return .control(number, value: Int(byte), channel: channel)
    case 0xF0:
      status = 0
      return .clock(.songPosition(Int(byte) << 7 | number))
    default: return nil
    }
  }
}
