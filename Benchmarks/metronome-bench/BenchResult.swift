import MetronomeCore

struct BenchResult: Hashable, Sendable {
  /// The cost of a call that sets the lines to their current levels.
  struct SetCall: Hashable, Sendable {
    /// For example `gpiochip0 [pinctrl-bcm2711]`.
    var chip: String
    var cost: HistogramSnapshot
  }

  /// The health of the clock map of a sound card.
  struct Audio: Hashable, Sendable {
    /// For example `hw:CARD=Headphones`.
    var card: String
    var health: ClockMap.Health
  }

  /// Kernel, processors, privileges and load, on one line.
  var machine: String
  var length: Nanoseconds
  var blocks: Int
  /// The interval of all loops except ``Contender/playing``.
  var wait: Nanoseconds
  var loops: [LoopFigures]
  var setCall: SetCall?
  var audio: Audio?
  /// The missing measurements and their reasons.
  var notices: [String] = []

  var bounds: [Bound] { Bound.all(loops) }

  var isWithinBounds: Bool { !bounds.contains { $0.isMet == false } }
}

/// The results of one block of one loop.
struct BlockFigures: Hashable, Sendable {
  var lateness: HistogramSnapshot
  /// The drift per wait, in nanoseconds: the part of the lateness that accumulates. nil if unknown.
  var drift: Double?
  /// The thread's processor time per wait, in nanoseconds; nil if unknown.
  var processorTime: Double?
  /// The nominal interval between waits, in nanoseconds.
  var interval: Double
}

extension BlockFigures {
  init(_ waits: Waits, interval: Double) {
    self.init(
      lateness: waits.lateness, drift: waits.drift(interval: interval),
      processorTime: waits.waits.isEmpty
        ? nil : waits.processorTime.map { Double($0.count) / Double(waits.waits.count) },
      interval: interval)
  }
}

/// The results of all blocks of one loop. Figures are medians over the blocks unless noted: one disturbed block has no effect.
struct LoopFigures: Hashable, Sendable {
  let loop: Contender
  let blocks: [BlockFigures]

  init(_ loop: Contender, _ blocks: [BlockFigures]) { (self.loop, self.blocks) = (loop, blocks) }

  /// The quantile of a block's lateness, in nanoseconds: 0.5 is the median, 1 the maximum. A block has enough waits for
  /// percentiles, except a block of ``Contender/playing``.
  func lateness(_ share: Double) -> Double? { median { $0.lateness.quantile(share).map { Double($0.count) } } }

  /// The quantile over the waits of all blocks together.
  func overallLateness(_ share: Double) -> Double? { histogram.quantile(share).map { Double($0.count) } }

  /// In nanoseconds per wait, positive or negative.
  var drift: Double? { median(\.drift) }

  /// ``drift`` in parts per million.
  var driftPPM: Double? { median { block in block.drift.map { $0 / block.interval * 1e6 } } }

  /// The processor time per wait, in nanoseconds.
  var processorTime: Double? { median(\.processorTime) }

  /// The share of one processor that the loop used, 0 to 1.
  var processorShare: Double? { median { block in block.processorTime.map { $0 / block.interval } } }

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

/// An upper bound on a figure, absolute or relative to another loop in the same run.
struct Bound: Hashable, Sendable {
  var text: String
  var most: Double
  /// nil if not measured.
  var found: Double?

  /// nil if not measured.
  var isMet: Bool? { found.map { $0 <= most } }

  static func all(_ loops: [LoopFigures]) -> [Bound] {
    func figures(_ loop: Contender) -> LoopFigures? { loops.first { $0.loop == loop } }
    func lateness(_ loop: Contender, _ share: Double) -> Double? {
      ratio(figures(loop)?.lateness(share), figures(.cyclictest)?.lateness(share))
    }
    let drift = ratio(figures(.spinning)?.drift.map(abs), figures(.python)?.drift.map(abs))
    let share = figures(.playing)?.processorShare
    return [
      Bound(text: "p50 of timer wake-ups, relative to cyclictest", most: 1.15, found: lateness(.timer, 0.5)),
      Bound(text: "p99 of timer wake-ups, relative to cyclictest", most: 1.25, found: lateness(.timer, 0.99)),
      Bound(text: "p50 of edges, relative to cyclictest", most: 0.05, found: lateness(.spinning, 0.5)),
      Bound(text: "p99 of edges, relative to cyclictest", most: 0.1, found: lateness(.spinning, 0.99)),
      Bound(text: "drift of edges, relative to the Python loop", most: 0.001, found: drift),
      Bound(text: "processor share at 300 BPM with four edges a beat", most: 0.005, found: share),
    ]
  }

  private static func ratio(_ value: Double?, _ other: Double?) -> Double? {
    guard let value, let other, other > 0 else { return nil }
    return value / other
  }
}
