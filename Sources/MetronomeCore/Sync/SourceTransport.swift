/// What a MIDI source has said about its position, apart from the estimate of its clock. Positions are numbers of clocks, 24 per
/// quarter, from the start of the song.
///
/// The table in Documentation/MIDI.md has an entry for each message in each state.
enum SourceTransport: Equatable, Sendable {
  /// A continue goes on with this clock.
  case stopped(at: Int64)
  /// The next clock is this one, whenever it comes.
  case armed(at: Int64)
  /// The song position to go to at the next bar line; nil: it goes on.
  case running(jump: Int64?)

  /// `last` is the number of the last clock.
  mutating func receive(_ message: ClockMessage.Kind, last: Int64) {
    switch (message, self) {
    case (.start, _): self = .armed(at: 0)

    case (.continue, .stopped(let position)): self = .armed(at: position)
    case (.continue, .armed), (.continue, .running): break

    case (.stop, .stopped): break
    case (.stop, .armed(let position)): self = .stopped(at: position)
    case (.stop, .running(let jump)): self = .stopped(at: jump ?? last + 1)

    case (.songPosition(let sixteenths), .stopped): self = .stopped(at: Int64(sixteenths) * 6)
    case (.songPosition(let sixteenths), .armed): self = .armed(at: Int64(sixteenths) * 6)
    case (.songPosition(let sixteenths), .running): self = .running(jump: Int64(sixteenths) * 6)

    case (.clock, .armed): self = .running(jump: nil)
    case (.clock, .stopped), (.clock, .running): break
    }
  }
}
