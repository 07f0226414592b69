/// Finds the messages of a MIDI clock in a stream of bytes. Its memory is three bytes.
///
/// Real-time bytes (F8 to FF) may come between the bytes of any other message, also within system exclusive data. Every F8 is an
/// event of its own. A song position (F2 and two data bytes) that another status byte interrupts is dropped. Channel messages,
/// with or without running status, and all others are ignored.
public struct ClockParser: Hashable, Sendable {
  /// The first data byte of a song position; 0xFF: not yet received.
  private var low: UInt8 = 0xFF
  /// Whether a song position has begun.
  private var isOpen = false

  public init() {}

  /// Returns the message that a byte completes; nil if there is none.
  public mutating func receive(_ byte: UInt8) -> ClockMessage.Kind? {
    switch byte {
    case 0xF8: return .clock
    case 0xFA: return .start
    case 0xFB: return .continue
    case 0xFC: return .stop
    case 0xF9, 0xFD...0xFF: return nil
    case 0xF2:
      (low, isOpen) = (0xFF, true)
      return nil
    case 0x80...: isOpen = false
    default:
      guard isOpen else { return nil }
      guard low != 0xFF else {
        low = byte
        return nil
      }
      isOpen = false
      return .songPosition(Int(byte) << 7 | Int(low))
    }
    return nil
  }
}
