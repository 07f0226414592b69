import MetronomeCore

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
