import MetronomeCore

/// What was seen of the GPIO chips and of the lines that a wiring names. Nothing was changed to see it.
public struct GPIOFacts: Hashable, Sendable {
  /// A chip, as it says of itself.
  public struct Chip: Hashable, Sendable {
    /// As `/dev/gpiochip0`.
    public var path: String
    /// As `gpiochip0`. It may be another after the next boot.
    public var name: String
    /// As `pinctrl-bcm2711`.
    public var label: String
    public var lineCount: Int

    public init(path: String, name: String, label: String, lineCount: Int) {
      self.path = path
      self.name = name
      self.label = label
      self.lineCount = lineCount
    }
  }

  /// A device file that may not be opened.
  public struct Refusal: Hashable, Sendable {
    public var path: String
    public var errno: Int32

    public init(path: String, errno: Int32) {
      self.path = path
      self.errno = errno
    }
  }

  /// Why no chip is the one that the box is wired to.
  public enum Failure: Hashable, Sendable {
    /// There is none of that name or label, or with `auto` none labelled as a Raspberry Pi's header is.
    case missing
    /// There is one, but not with all the lines.
    case incomplete
    /// Several would do.
    case ambiguous
    /// It may not be opened, or something is in the way.
    case refused(HardwareError)
  }

  /// The version of libgpiod.
  public var version: String
  /// Those that could be opened.
  public var chips: [Chip]
  public var refusals: [Refusal]
  /// The one that the box is wired to, or the nearest to it if there is a ``failure``.
  public var chosen: Chip?
  public var failure: Failure?
  /// In the order of the wiring; of ``chosen``, and empty without it.
  public var lines: [LineFacts]

  public init(
    version: String, chips: [Chip] = [], refusals: [Refusal] = [], chosen: Chip? = nil, failure: Failure? = nil,
    lines: [LineFacts] = []
  ) {
    self.version = version
    self.chips = chips
    self.refusals = refusals
    self.chosen = chosen
    self.failure = failure
    self.lines = lines
  }
}

extension GPIOFacts.Chip: CustomStringConvertible {
  public var description: String { "\(name) [\(label)]" }
}

/// What was seen of a line that something is wired to.
public struct LineFacts: Hashable, Sendable {
  public enum Direction: String, Hashable, Sendable {
    case input
    case output
  }

  /// A button's contact, looked at for a moment.
  public enum Contact: Hashable, Sendable {
    case open
    case pressed
    /// The kernel did not hand the line out.
    case unknown(errno: Int32)
  }

  /// What hangs on it, by the name that the configuration gives it.
  public var role: String
  public var isButton: Bool
  /// As configured.
  public var id: LineID
  public var active: Polarity
  /// nil if the chip has no such line; all that follows is then unknown.
  public var offset: Int?
  /// As the chip calls it; nil if it has no name.
  public var name: String?
  /// Who holds it; nil if nobody does, empty if the kernel does not say.
  public var holder: String?
  public var direction: Direction?
  /// nil for an output, and for a line that is held: those are not asked for.
  public var contact: Contact?

  public init(
    role: String, isButton: Bool, id: LineID, active: Polarity, offset: Int? = nil, name: String? = nil,
    holder: String? = nil, direction: Direction? = nil, contact: Contact? = nil
  ) {
    self.role = role
    self.isButton = isButton
    self.id = id
    self.active = active
    self.offset = offset
    self.name = name
    self.holder = holder
    self.direction = direction
    self.contact = contact
  }
}

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
    /// Its detail is what to tell a person.
    case refused(HardwareError)
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
