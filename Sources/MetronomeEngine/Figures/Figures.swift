import MetronomeCore

/// What the loops have done since they were made, in numbers, as it was at an instant.
///
/// All counts are of 64 bits, and go on over starts, stops, other configurations, and cards and chips that come and go.
public struct Figures: Hashable, Sendable {
  /// How late the beats were begun that were shown: by how much the loop's step came after the instant at which the first
  /// output of the beat was to be sent.
  public var lateness = HistogramSnapshot()
  /// Beats that some output left out, because the loop came too late for them.
  public var skippedBeats: UInt64 = 0
  /// Clicks that were left out because their frames had passed.
  public var missedClicks: UInt64 = 0
  /// How often the sound card ran dry.
  public var underruns: UInt64 = 0
  /// How often a sound card was opened, or woken, after the first time.
  public var reopenings: UInt64 = 0
  /// How often the beat loop made a step.
  public var beatWakeups: UInt64 = 0
  /// How often the audio loop made a step.
  public var audioWakeups: UInt64 = 0
  /// How often the GPIO chip refused to set the lines. A chip that has gone refuses nothing.
  public var failedSets: UInt64 = 0

  public init() {}

  /// How many beats were begun by some output. Whether there was a line for it does not matter.
  public var beats: UInt64 { lateness.count }
}
