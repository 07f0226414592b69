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
    case refused(errno: Int32)
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
