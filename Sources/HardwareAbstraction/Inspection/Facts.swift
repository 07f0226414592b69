import MetronomeCore

/// The GPIO chips, and the lines that a wiring names. Inspecting them changes nothing.
public struct GPIOFacts: Hashable, Sendable {
  /// A chip, as the kernel describes it.
  public struct Chip: Hashable, Sendable, CustomStringConvertible {
    /// Example: `/dev/gpiochip0`.
    public var path: String
    /// Example: `gpiochip0`. It may change with the next boot.
    public var name: String
    /// Example: `pinctrl-bcm2711`.
    public var label: String
    public var lineCount: Int

    public var description: String { "\(name) [\(label)]" }

    public init(path: String, name: String, label: String, lineCount: Int) {
      self.path = path
      self.name = name
      self.label = label
      self.lineCount = lineCount
    }
  }

  /// Why the chip that the box is wired to was not found.
  public enum Failure: Hashable, Sendable {
    /// No chip has the configured name or label or, with `auto`, the label of a Raspberry Pi's header.
    case missing
    /// A chip matches, but lacks some of the lines.
    case incomplete
    case ambiguous
    case refused(HardwareError)
  }

  public var version: String
  public var chips: [Chip]
  /// The device files of the chips that could not be opened.
  public var refusals: [String]
  /// The chip that the box is wired to, or the best match if there is a ``failure``.
  public var chosen: Chip?
  public var failure: Failure?
  /// The lines of ``chosen``, in the order of the wiring; empty without a chosen chip.
  public var lines: [LineFacts]

  public init(
    version: String, chips: [Chip] = [], refusals: [String] = [], chosen: Chip? = nil, failure: Failure? = nil,
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

public struct LineFacts: Hashable, Sendable {
  public enum Direction: String, Hashable, Sendable {
    case input, output
  }

  /// A button's contact, read once.
  public enum Contact: Hashable, Sendable {
    case open
    case pressed
    /// The kernel refused the line request.
    case unknown(errno: Int32?)
  }

  /// The output or button on the line, by its name in the configuration; `display.clock` or `display.data` for a display.
  public var role: String
  public var isButton: Bool
  /// The configured line.
  public var id: LineID
  public var active: Polarity
  /// nil if the chip has no such line; all following fields are then unknown.
  public var offset: Int?
  /// The chip's name for the line; nil if unnamed.
  public var name: String?
  /// The consumer that holds the line; nil if the line is free, empty if the kernel does not report the consumer.
  public var holder: String?
  public var direction: Direction?
  /// nil for an output and for a line in use, because these are not requested.
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

/// The sound cards, and the result of opening the configured card. Inspecting them is silent.
public struct AudioFacts: Hashable, Sendable {
  /// A card that this process may access.
  public struct Card: Hashable, Sendable {
    /// Example: `Headphones`. Unlike the number, it stays the same across boots.
    public var id: String
    /// Whether the card is HDMI; `auto` skips HDMI cards.
    public var isScreen: Bool
    /// The first playback device; nil if the card has none.
    public var device: Int?

    public init(id: String, isScreen: Bool = false, device: Int? = 0) {
      self.id = id
      self.isScreen = isScreen
      self.device = device
    }
  }

  /// A frame of a card, and when it was played.
  public struct FrameTime: Hashable, Sendable, BitwiseCopyable {
    /// On `CLOCK_MONOTONIC_RAW`, which is never slewed.
    public var instant: Instant
    public var frame: Int64

    public init(instant: Instant, frame: Int64) {
      self.instant = instant
      self.frame = frame
    }
  }

  /// A card that was opened and played silence.
  public struct Opened: Hashable, Sendable {
    /// Example: `hw:CARD=Headphones`.
    public var name: String
    public var format: AudioFormat
    public var notices: [String]
    /// One reading every few milliseconds, in order.
    public var readings: [FrameTime]
    /// The error that ended the measurement early.
    public var errno: Int32?

    public init(
      name: String, format: AudioFormat, notices: [String] = [], readings: [FrameTime] = [], errno: Int32? = nil
    ) {
      self.name = name
      self.format = format
      self.notices = notices
      self.readings = readings
      self.errno = errno
    }
  }

  /// The result of opening the configured card.
  public enum Outcome: Hashable, Sendable {
    case notWanted
    case opened(Opened)
    /// The error's detail is meant for the user.
    case refused(HardwareError)
    /// Opening did not return in time.
    case hangs
  }

  public var cards: [Card]
  public var outcome: Outcome

  public init(cards: [Card] = [], outcome: Outcome) {
    self.cards = cards
    self.outcome = outcome
  }
}
