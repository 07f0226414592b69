import MetronomeCore

/// All that a run of the bench came to.
struct BenchResult: Hashable, Sendable {
  /// What a call costs that sets the lines and changes nothing.
  struct SetCall: Hashable, Sendable {
    /// As `gpiochip0 [pinctrl-bcm2711]`.
    var chip: String
    var cost: HistogramSnapshot
  }

  /// How well the map of a sound card's clock did.
  struct Sound: Hashable, Sendable {
    /// As `hw:CARD=Headphones`.
    var card: String
    var health: ClockMap.Health
  }

  /// Kernel, processors, rights, load: what there is to say of the machine in a line.
  var machine: String
  var length: Nanoseconds
  var blocks: Int
  /// From wait to wait of all loops but ``Contender/playing``.
  var wait: Nanoseconds
  var loops: [LoopFigures]
  var setCall: SetCall?
  var sound: Sound?
  /// What was not measured, and why.
  var notices: [String] = []

  var bounds: [Bound] { Bound.all(loops) }

  /// Whether no bound is exceeded of those that could be measured.
  var isWithinBounds: Bool { !bounds.contains { $0.isMet == false } }
}

/// What one block of one loop came to.
struct BlockFigures: Hashable, Sendable {
  var lateness: HistogramSnapshot
  /// By how much a wait was too long on the whole, in nanoseconds: what adds up. nil where it is not known.
  var drift: Double?
  /// What a wait cost the thread, in nanoseconds; nil where it is not known.
  var processorTime: Double?
  /// From wait to wait as it should be, in nanoseconds.
  var interval: Double
}

extension BlockFigures {
  /// - Parameter interval: from wait to wait as it should be, in nanoseconds.
  init(_ waits: Waits, interval: Double) {
    self.init(
      lateness: waits.lateness, drift: waits.drift(interval: interval),
      processorTime: waits.waits.isEmpty
        ? nil : waits.processorTime.map { Double($0.count) / Double(waits.waits.count) },
      interval: interval)
  }
}

/// What all blocks of one loop came to. Figures are medians over the blocks unless said otherwise: one in which the machine
/// did something else changes nothing.
struct LoopFigures: Hashable, Sendable {
  let loop: Contender
  let blocks: [BlockFigures]

  init(_ loop: Contender, _ blocks: [BlockFigures]) {
    self.loop = loop
    self.blocks = blocks
  }

  /// How late a share of a block's waits was at the most, in nanoseconds.
  ///
  /// - Parameter share: 0.5 is the median, 1 the latest. A block has waits enough for two decimals, but of
  ///   ``Contender/playing``.
  func lateness(_ share: Double) -> Double? {
    median { block in block.lateness.quantile(share).map { Double($0.count) } }
  }

  /// The same of the waits of all blocks together.
  func overallLateness(_ share: Double) -> Double? { histogram.quantile(share).map { Double($0.count) } }

  /// By how much a wait was too long on the whole, in nanoseconds: earlier or later.
  var drift: Double? { median(\.drift) }

  /// The same in parts per million.
  var driftPPM: Double? { median { block in block.drift.map { $0 / block.interval * 1e6 } } }

  /// What a wait cost, in nanoseconds.
  var processorTime: Double? { median(\.processorTime) }

  /// What the loop took of one processor: 1 is all of it.
  var processorShare: Double? { median { block in block.processorTime.map { $0 / block.interval } } }

  /// Of all blocks.
  var histogram: HistogramSnapshot {
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
struct Bound: Hashable, Sendable {
  var text: String
  var most: Double
  /// nil where it was not measured.
  var found: Double?

  init(_ text: String, most: Double, found: Double?) {
    self.text = text
    self.most = most
    self.found = found
  }

  /// nil where it was not measured.
  var isMet: Bool? { found.map { $0 <= most } }

  /// What the beat loop is held to.
  static func all(_ loops: [LoopFigures]) -> [Bound] {
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
