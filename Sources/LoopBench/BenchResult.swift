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

/// What one block of one loop came to.
public struct BlockFigures: Hashable, Sendable {
  public var lateness: HistogramSnapshot
  /// By how much a wait was too long on the whole, in nanoseconds: what adds up. nil where it is not known.
  public var drift: Double?
  /// What a wait cost the thread, in nanoseconds; nil where it is not known.
  public var processorTime: Double?
  /// From wait to wait as it should be, in nanoseconds.
  public var interval: Double

  public init(lateness: HistogramSnapshot, drift: Double? = nil, processorTime: Double? = nil, interval: Double) {
    self.lateness = lateness
    self.drift = drift
    self.processorTime = processorTime
    self.interval = interval
  }

  /// - Parameter interval: from wait to wait as it should be, in nanoseconds.
  public init(_ waits: Waits, interval: Double) {
    self.init(
      lateness: waits.lateness, drift: waits.drift(interval: interval),
      processorTime: waits.waits.isEmpty
        ? nil : waits.processorTime.map { Double($0.count) / Double(waits.waits.count) },
      interval: interval)
  }
}

/// What all blocks of one loop came to. Figures are medians over the blocks unless said otherwise: one in which the machine
/// did something else changes nothing.
public struct LoopFigures: Hashable, Sendable {
  public let loop: Contender
  public let blocks: [BlockFigures]

  public init(_ loop: Contender, _ blocks: [BlockFigures]) {
    self.loop = loop
    self.blocks = blocks
  }

  /// How late a share of a block's waits was at the most, in nanoseconds.
  ///
  /// - Parameter share: 0.5 is the median, 1 the latest. A block has waits enough for two decimals, but of
  ///   ``Contender/playing``.
  public func lateness(_ share: Double) -> Double? {
    median { block in block.lateness.quantile(share).map { Double($0.count) } }
  }

  /// The same of the waits of all blocks together.
  public func overallLateness(_ share: Double) -> Double? { histogram.quantile(share).map { Double($0.count) } }

  /// By how much a wait was too long on the whole, in nanoseconds: earlier or later.
  public var drift: Double? { median(\.drift) }

  /// The same in parts per million.
  public var driftPPM: Double? { median { block in block.drift.map { $0 / block.interval * 1e6 } } }

  /// What a wait cost, in nanoseconds.
  public var processorTime: Double? { median(\.processorTime) }

  /// What the loop took of one processor: 1 is all of it.
  public var processorShare: Double? { median { block in block.processorTime.map { $0 / block.interval } } }

  /// Of all blocks.
  public var histogram: HistogramSnapshot {
    var all = HistogramSnapshot()
    for block in blocks { all.merge(block.lateness) }
    return all
  }

  private func median(_ value: (BlockFigures) -> Double?) -> Double? {
    let values = blocks.compactMap(value)
    return values.isEmpty ? nil : Waits.median(values)
  }
}

/// What one figure may be at the most, against another loop's in the same run or by itself.
public struct Bound: Hashable, Sendable {
  public var text: String
  public var most: Double
  /// nil where it was not measured.
  public var found: Double?

  public init(_ text: String, most: Double, found: Double?) {
    self.text = text
    self.most = most
    self.found = found
  }

  /// nil where it was not measured.
  public var isMet: Bool? { found.map { $0 <= most } }

  /// What the beat loop is held to.
  public static func all(_ loops: [LoopFigures]) -> [Bound] {
    func figures(_ loop: Contender) -> LoopFigures? { loops.first { $0.loop == loop } }
    func lateness(_ loop: Contender, _ share: Double) -> Double? {
      ratio(figures(loop)?.lateness(share), figures(.cyclictest)?.lateness(share))
    }
    let drift = ratio(figures(.spinning)?.drift.map(abs), figures(.python)?.drift.map(abs))
    return [
      Bound("p50 of wake-ups by the timer, of cyclictest's", most: 1.15, found: lateness(.timer, 0.5)),
      Bound("p99 of wake-ups by the timer, of cyclictest's", most: 1.25, found: lateness(.timer, 0.99)),
      Bound("p50 of edges, of cyclictest's wake-ups", most: 0.05, found: lateness(.spinning, 0.5)),
      Bound("p99 of edges, of cyclictest's wake-ups", most: 0.1, found: lateness(.spinning, 0.99)),
      Bound("drift of edges, of the Python loop's", most: 0.001, found: drift),
      Bound("of a processor, at 300 BPM with four edges a beat", most: 0.005, found: figures(.playing)?.processorShare),
    ]
  }

  private static func ratio(_ value: Double?, _ other: Double?) -> Double? {
    guard let value, let other, other > 0 else { return nil }
    return value / other
  }
}
