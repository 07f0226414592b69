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
