import MetronomeCore

/// All that a run of the bench came to.
public struct BenchResult: Hashable, Sendable {
  /// What a call costs that sets the lines and changes nothing.
  public struct SetCall: Hashable, Sendable {
    /// As `gpiochip0 [pinctrl-bcm2711]`.
    public var chip: String
    public var cost: HistogramSnapshot

    public init(chip: String, cost: HistogramSnapshot) {
      self.chip = chip
      self.cost = cost
    }
  }

  /// How well the map of a sound card's clock did.
  public struct Sound: Hashable, Sendable {
    /// As `hw:CARD=Headphones`.
    public var card: String
    public var health: ClockMap.Health

    public init(card: String, health: ClockMap.Health) {
      self.card = card
      self.health = health
    }
  }

  /// Kernel, processors, rights, load: what there is to say of the machine in a line.
  public var machine: String
  public var length: Nanoseconds
  public var blocks: Int
  /// From wait to wait of all loops but ``Contender/playing``.
  public var wait: Nanoseconds
  public var loops: [LoopFigures]
  public var setCall: SetCall?
  public var sound: Sound?
  /// What was not measured, and why.
  public var notices: [String]

  public init(
    machine: String, length: Nanoseconds, blocks: Int, wait: Nanoseconds, loops: [LoopFigures], setCall: SetCall? = nil,
    sound: Sound? = nil, notices: [String] = []
  ) {
    self.machine = machine
    self.length = length
    self.blocks = blocks
    self.wait = wait
    self.loops = loops
    self.setCall = setCall
    self.sound = sound
    self.notices = notices
  }

  public var bounds: [Bound] { Bound.all(loops) }

  /// Whether no bound is exceeded of those that could be measured.
  public var isWithinBounds: Bool { !bounds.contains { $0.isMet == false } }
}
