import HardwareAbstraction
import MetronomeCore

public enum AudioState: Hashable, Sendable {
  /// Sound was turned off.
  case off
  /// The port of this name has no usable card; opening is retried.
  case waiting(for: String, AudioAbsence)
  /// A card plays, and its clock is still being measured.
  case locking(Lock)
  /// A card plays, and its clock has been measured.
  case locked(Lock)

  /// The last measurement of a card's clock.
  public struct Lock: Hashable, Sendable {
    public var name: String
    /// How much faster than nominal the card runs, in parts per billion (10⁻⁹).
    public var ratePPB: Int64

    public init(name: String, ratePPB: Int64) {
      self.name = name
      self.ratePPB = ratePPB
    }
  }

  /// What a display shows of two cards: the first one's state, unless only the second one is waiting.
  package static func shown(_ first: AudioState?, _ second: AudioState?) -> AudioState? {
    if case .waiting = first { return first }
    if case .waiting = second { return second }
    return first
  }

  /// Whether two states are equal, apart from the figures and the error.
  func isSameKind(as other: AudioState) -> Bool {
    switch (self, other) {
    case (.off, .off): true
    case (.waiting(let name, let absence), .waiting(let otherName, let otherAbsence)):
      name == otherName && absence.cause == otherAbsence.cause
    case (.locking(let lock), .locking(let other)), (.locked(let lock), .locked(let other)): lock.name == other.name
    default: false
    }
  }
}

/// Why there is no sound.
public struct AudioAbsence: Hashable, Sendable {
  public enum Cause: String, Hashable, Sendable, CaseIterable {
    /// The card is missing, or there is no card at all.
    case gone
    /// Another program uses it.
    case inUse
    /// It has stopped counting frames.
    case frozen
    /// It counts frames faster than it can play them.
    case racing
    /// It accepts no frames although it reports free space.
    case deaf
    /// Another failure; see the error.
    case failed
  }

  public var cause: Cause
  public var error: HardwareError

  public init(_ error: HardwareError) {
    self.error = error
    cause =
      switch error.kind {
      case .gone: .gone
      case .busy: .inUse
      case .stalled: .frozen
      case .racing: .racing
      case .deaf: .deaf
      default: .failed
      }
  }
}

/// A sound card of a metronome: the card manager opens the card, the loop plays on it.
///
/// `@unchecked Sendable`: one thread steps each of them, and they share only slots, mailboxes and atomics.
public struct Audio<Port: AudioPort, Clock: MonotonicClock, Observer: EngineObserver>: @unchecked Sendable {
  public let cards: CardManager<Port, Clock, Observer>
  public let loop: AudioLoop<Port.Output, Clock, Observer>

  /// Without a port there is no sound until the card manager gets a port. Opening a card updates `lead`. `output` is one of the
  /// two cards of a box.
  public init(
    port: Port?, output: Output = .audio, clock: Clock, sounds: ClickSounds, publication: TimelinePublication,
    plan: OutputPlan, lead: SharedLead, observer: Observer, wake: Waker
  ) {
    let (streams, banks) = (Slot<AudioStream<Port.Output>>(), Slot<ClickBank>())
    cards = CardManager(
      port: port, output: output, clock: clock, sounds: sounds, lead: lead, streams: streams, banks: banks,
      observer: observer, wake: wake)
    loop = AudioLoop(
      output: output, streams: streams, banks: banks, clock: clock, publication: publication, plan: plan,
      observer: observer, wake: wake)
  }
}

/// A request to the card manager. A new order replaces a pending one of the same kind.
enum CardOrder<Port: AudioPort> {
  case play(ClickSounds)
  /// nil: no sound.
  case use(Port?)
  /// Cards were plugged in or unplugged.
  case cardsChanged

  func isOfKind(_ other: CardOrder) -> Bool {
    switch (self, other) {
    case (.play, .play), (.use, .use), (.cardsChanged, .cardsChanged): true
    case (.play, _), (.use, _), (.cardsChanged, _): false
    }
  }
}
