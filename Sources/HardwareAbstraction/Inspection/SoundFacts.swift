import MetronomeCore

/// What was seen of the sound cards, and of the one that plays the clicks. Nothing was heard of it.
public struct SoundFacts: Hashable, Sendable {
  /// A card that the caller may look at.
  public struct Card: Hashable, Sendable {
    /// As `Headphones`.
    public var id: String
    /// That of a screen: `auto` passes it over.
    public var isScreen: Bool
    /// Its first device that plays; nil if it plays nothing.
    public var device: Int?

    public init(id: String, isScreen: Bool = false, device: Int? = 0) {
      self.id = id
      self.isScreen = isScreen
      self.device = device
    }
  }

  /// Where a card was in its stream.
  public struct Reading: Hashable, Sendable, BitwiseCopyable {
    /// By `CLOCK_MONOTONIC_RAW`, which nobody slews.
    public var instant: Instant
    /// The frame that sounded.
    public var frame: Int64

    public init(instant: Instant, frame: Int64) {
      self.instant = instant
      self.frame = frame
    }
  }

  /// A card that let itself be opened, and played silence.
  public struct Opened: Hashable, Sendable {
    /// As `hw:CARD=Headphones`.
    public var name: String
    public var format: AudioFormat
    /// What opening it told.
    public var notices: [String]
    /// One every few milliseconds, in order.
    public var readings: [Reading]
    /// What ended the measurement before its time.
    public var errno: Int32?

    public init(
      name: String, format: AudioFormat, notices: [String] = [], readings: [Reading] = [], errno: Int32? = nil
    ) {
      self.name = name
      self.format = format
      self.notices = notices
      self.readings = readings
      self.errno = errno
    }
  }

  /// What came of opening the card that was asked for.
  public enum Outcome: Hashable, Sendable {
    case notWanted
    case opened(Opened)
    /// - detail: what to tell a person.
    case refused(errno: Int32, detail: String)
    /// It did not come to an end.
    case hangs
  }

  public var cards: [Card]
  public var outcome: Outcome

  public init(cards: [Card] = [], outcome: Outcome) {
    self.cards = cards
    self.outcome = outcome
  }
}
