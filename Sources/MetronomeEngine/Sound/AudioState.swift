import HardwareAbstraction
import MetronomeCore

/// How it stands with the sound.
public enum AudioState: Hashable, Sendable {
  /// There is to be no sound any more.
  case off
  /// There is no card; it is tried again and again.
  ///
  /// - for: the port's name.
  case waiting(for: String, AbsenceOfSound)
  /// A card plays, and its clock is not known well yet.
  case locking(Lock)
  /// A card plays, and its clock is known.
  case locked(Lock)

  /// A card's clock as it was last seen.
  public struct Lock: Hashable, Sendable {
    /// The port's name.
    public var name: String
    /// By how much the card runs faster than it says, in parts per thousand million.
    public var ratePPB: Int64

    public init(name: String, ratePPB: Int64) {
      self.name = name
      self.ratePPB = ratePPB
    }
  }

  /// Whether two states are the same but for the figures in them.
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
public struct AbsenceOfSound: Hashable, Sendable {
  public enum Cause: String, Hashable, Sendable, CaseIterable {
    /// There is no such card, or no card at all.
    case gone
    /// Another program plays on it.
    case inUse
    /// It counts no frames any more.
    case frozen
    /// It counts frames faster than it can play them.
    case racing
    /// It takes no frames although it says that there is room.
    case deaf
    /// It failed otherwise: the error says how.
    case failed
  }

  public var cause: Cause
  /// What was refused last.
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

/// The sound of a metronome: who opens the card, and who plays on it.
///
/// Each is stepped by a thread of its own on the real board: when its deadline comes, and when it is woken.
///
/// `@unchecked Sendable`: one thread steps each, and all that the two share is a slot, a mailbox or an atomic.
public struct Sound<Port: AudioPort, Clock: MonotonicClock, Observer: EngineObserver>: @unchecked Sendable {
  public let keeper: SoundKeeper<Port, Clock, Observer>
  public let loop: AudioLoop<Port.Output, Clock, Observer>

  /// - Parameters:
  ///   - port: nil: there is to be no sound until the keeper is told otherwise.
  ///   - publication: where the beats come from.
  ///   - plan: how early the clicks are sent, and whether.
  ///   - lead: is made to fit the cards that are opened.
  ///   - wake: wakes the audio loop or the keeper.
  public init(
    port: Port?, clock: Clock, sounds: ClickSounds, publication: TimelinePublication, plan: OutputPlan,
    lead: SharedLead, observer: Observer, wake: @escaping @Sendable (Loop) -> Void
  ) {
    let (streams, banks) = (Slot<AudioStream<Port.Output>>(), Slot<ClickBank>())
    keeper = SoundKeeper(
      port: port, clock: clock, sounds: sounds, lead: lead, streams: streams, banks: banks, observer: observer,
      wake: wake)
    loop = AudioLoop(
      streams: streams, banks: banks, clock: clock, publication: publication, plan: plan, observer: observer, wake: wake
    )
  }
}

/// What the sound keeper is asked to do. Of several orders of a kind the last one counts.
enum SoundOrder<Port: AudioPort> {
  case play(ClickSounds)
  /// nil: there is to be no sound.
  case use(Port?)
  /// Cards have come or gone.
  case look

  func isOfKind(_ other: SoundOrder) -> Bool {
    switch (self, other) {
    case (.play, .play), (.use, .use), (.look, .look): true
    case (.play, _), (.use, _), (.look, _): false
    }
  }
}
