import HardwareAbstraction
import MetronomeCore
import Synchronization

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
/// Whoever holds it calls their steps, each on a thread of its own on the real board: ``loop``'s when its deadline comes or
/// ``hasStream`` has become true, ``keeper``'s when its deadline comes or the loop needs it.
public struct Sound<Port: AudioPort, Clock: MonotonicClock, Observer: EngineObserver> {
  public let keeper: SoundKeeper<Port, Clock, Observer>
  public let loop: AudioLoop<Port.Output, Clock, Observer>
  private let handover: SoundHandover<Port.Output>

  /// - Parameters:
  ///   - port: nil: there is to be no sound until the keeper is told otherwise.
  ///   - publication: where the beats come from.
  ///   - plan: how early the clicks are sent, and whether.
  ///   - lead: is made to fit the cards that are opened.
  public init(
    port: Port?, clock: Clock, sounds: ClickSounds, publication: TimelinePublication, plan: OutputPlan,
    lead: SharedLead,
    observer: Observer
  ) {
    handover = SoundHandover()
    keeper = SoundKeeper(
      port: port, clock: clock, sounds: sounds, lead: lead, handover: handover, observer: observer)
    loop = AudioLoop(handover: handover, clock: clock, publication: publication, plan: plan, observer: observer)
  }

  /// Whether there is a card to play on.
  public var hasStream: Bool { handover.hasStream }
}

/// What the sound keeper is asked to do otherwise from now on, left for it by another thread. Of several orders of a kind
/// the last one counts.
final class SoundOrders<Port: AudioPort>: Sendable {
  /// A port on its way from whoever made it to the keeper.
  ///
  /// Sendable, unchecked: whoever hands it over uses it no more, but for what the port itself lets any thread do.
  private struct Parcel: @unchecked Sendable {
    var port: Port?
  }

  private struct Desk {
    var parcel: Parcel?
    var sounds: ClickSounds?
  }

  private let desk = Mutex(Desk())

  func leave(_ port: Port?) {
    let parcel = Parcel(port: port)
    desk.withLock { $0.parcel = parcel }
  }

  func leave(_ sounds: ClickSounds) { desk.withLock { $0.sounds = sounds } }

  /// - Returns: nil: no other port; a nil within: no port at all.
  func takePort() -> Port?? {
    let parcel = desk.withLock { desk in
      defer { desk.parcel = nil }
      return desk.parcel
    }
    return parcel.map(\.port)
  }

  func takeSounds() -> ClickSounds? {
    desk.withLock { desk in
      defer { desk.sounds = nil }
      return desk.sounds
    }
  }
}
