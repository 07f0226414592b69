import MetronomeCore

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
