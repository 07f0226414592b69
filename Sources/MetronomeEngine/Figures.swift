import HardwareAbstraction
import MetronomeCore
import Synchronization

/// A snapshot of the loops' counters since their creation. Starts, stops and reloads do not reset them.
public struct Figures: Hashable, Sendable {
  /// The lateness of shown beats: the time from when a beat's first output was due to the loop's step.
  public var lateness = HistogramSnapshot()
  /// Beats that some output skipped because the loop was late.
  public var skippedBeats: UInt64 = 0
  /// Clicks that were skipped because their frames had already been played.
  public var missedClicks: UInt64 = 0
  /// The lateness of the MIDI clocks sent, and how many were given up.
  public var clockLateness = HistogramSnapshot()
  public var lostClocks: UInt64 = 0
  /// The MIDI clocks that gave an estimate, the mean deviation of the last ones from their estimate, and how often the beats were
  /// resynchronized because the source jumped.
  public var receivedClocks: UInt64 = 0
  public var clockDeviation = Nanoseconds.zero
  public var resyncs: UInt64 = 0
  /// The number of underruns of the sound card.
  public var underruns: UInt64 = 0
  /// How often a sound card was opened or resumed after the first time.
  public var reopenings: UInt64 = 0
  /// The numbers of steps of the beat and audio loops.
  public var beatWakeups: UInt64 = 0
  public var audioWakeups: UInt64 = 0
  /// How often setting the lines failed. A missing chip does not count.
  public var failedSets: UInt64 = 0

  public init() {}

  /// How many beats some output has begun, with or without a line.
  public var beats: UInt64 { lateness.count }
}

/// Counts durations in the buckets of `HistogramScale`, about 16 KiB, without allocation or lock after `init`. One real-time
/// thread records; any thread takes snapshots.
public struct Histogram: ~Copyable, Sendable {
  /// The pointer never changes until `deinit` frees it, and every access to the counts is atomic.
  private nonisolated(unsafe) let counts: UnsafeMutablePointer<Atomic<UInt64>>
  private let belowZero = Atomic<UInt64>(0)
  private let shortest = Atomic<Int64>(.max)
  private let longest = Atomic<Int64>(.min)

  public init() {
    counts = .allocate(capacity: HistogramScale.count)
    for index in 0..<HistogramScale.count { (counts + index).initialize(to: Atomic(0)) }
  }

  deinit {
    counts.deinitialize(count: HistogramScale.count)
    counts.deallocate()
  }

  /// Counts a duration in constant time; one thread only.
  public borrowing func record(_ duration: Nanoseconds) {
    let value = duration.count
    if value < shortest.load(ordering: .relaxed) { shortest.store(value, ordering: .relaxed) }
    if value > longest.load(ordering: .relaxed) { longest.store(value, ordering: .relaxed) }
    // Release order: a reader that sees the count sees the new bounds; a reader that sees `belowZero` sees the count.
    counts[HistogramScale.index(of: duration)].count()
    if value < 0 { belowZero.count() }
  }

  /// The counts so far. Durations recorded during the call may be missing, but all counted durations are within `shortest` and
  /// `longest`. Any thread that may allocate.
  public borrowing func snapshot() -> HistogramSnapshot {
    let belowZero = belowZero.load(ordering: .acquiring)
    var copy = [UInt64](repeating: 0, count: HistogramScale.count)
    for index in copy.indices { copy[index] = counts[index].load(ordering: .relaxed) }
    atomicMemoryFence(ordering: .acquiring)
    let low = Nanoseconds(shortest.load(ordering: .relaxed))
    let high = Nanoseconds(longest.load(ordering: .relaxed))
    let isEmpty = copy.allSatisfy { $0 == 0 }
    return HistogramSnapshot(counts: copy, belowZero: belowZero, bounds: isEmpty ? nil : low...high)
  }
}

extension Figures {
  /// A human-readable summary: `86,400 beats, p99 12 µs late, none skipped`; nil before the first beat.
  package var summary: String? {
    guard beats > 0 || skippedBeats > 0 else { return nil }
    var parts = ["\(Figures.grouped(beats)) \(beats == 1 ? "beat" : "beats")"]
    if let late = lateness.quantile(0.99) { parts.append("p99 \(Figures.rounded(late)) late") }
    parts.append(skippedBeats == 0 ? "none skipped" : "\(Figures.grouped(skippedBeats)) skipped")
    return parts.joined(separator: ", ")
  }

  /// Formats a duration in whole microseconds, tenths of a millisecond or tenths of a second, rounded up.
  private static func rounded(_ duration: Nanoseconds) -> String {
    let count = duration.count
    if count <= 999_000 { return "\(count.divided(by: 1_000)) µs" }
    let (tenths, unit) =
      count <= 999_900_000 ? (count.divided(by: 100_000), "ms") : (count.divided(by: 100_000_000), "s")
    return "\(grouped(UInt64(tenths / 10))).\(tenths % 10) \(unit)"
  }

  private static func grouped(_ number: UInt64) -> String {
    var groups: [Substring] = []
    var rest = "\(number)"[...]
    while rest.count > 3 {
      groups.insert(rest.suffix(3), at: 0)
      rest = rest.dropLast(3)
    }
    return ([rest] + groups).joined(separator: ",")
  }
}

/// The figures as a JSON object. Keys may be added, but existing keys stay.
package struct FiguresReport: Encodable {
  private let figures: Figures
  private let uptime: Nanoseconds

  /// `uptime` is the time over which the figures were counted.
  package init(_ figures: Figures, uptime: Nanoseconds) { (self.figures, self.uptime) = (figures, uptime) }

  private enum Key: String, CodingKey {
    case uptime = "uptime_s"
    case beats
    case skippedBeats = "skipped"
    case lateness = "late_us"
    case missedClicks = "missed_clicks"
    case underruns = "xruns"
    case reopenings
    case wakeups
    case failedSets = "failed_sets"
  }

  /// Only with MIDI outputs.
  private enum ClockKey: String, CodingKey {
    case clocks = "midi_clocks"
    case lateness = "midi_late_us"
    case lost = "midi_clocks_lost"
  }

  /// Only with a MIDI clock to follow.
  private enum SourceKey: String, CodingKey {
    case clocks = "midi_received"
    case deviation = "midi_deviation_us"
    case resyncs = "midi_resyncs"
  }

  private enum LoopKey: String, CodingKey { case beats, audio }

  private enum Quantile: String, CodingKey, CaseIterable {
    case median = "p50"
    case percentile99 = "p99"
    case permille999 = "p99.9"
    case longest = "max"

    var share: Double {
      switch self {
      case .median: 0.5
      case .percentile99: 0.99
      case .permille999: 0.999
      case .longest: 1
      }
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Key.self)
    try object.encode(Double(uptime.count / 1_000_000) / 1_000, forKey: .uptime)
    try object.encode(figures.beats, forKey: .beats)
    try object.encode(figures.skippedBeats, forKey: .skippedBeats)
    var lateness = object.nestedContainer(keyedBy: Quantile.self, forKey: .lateness)
    for quantile in Quantile.allCases {
      // Encoded as null if missing.
      try lateness.encode(figures.lateness.quantile(quantile.share).map { Double($0.count) / 1_000 }, forKey: quantile)
    }
    try object.encode(figures.missedClicks, forKey: .missedClicks)
    try object.encode(figures.underruns, forKey: .underruns)
    try object.encode(figures.reopenings, forKey: .reopenings)
    if figures.clockLateness.count > 0 || figures.lostClocks > 0 {
      var clock = encoder.container(keyedBy: ClockKey.self)
      try clock.encode(figures.clockLateness.count, forKey: .clocks)
      var late = clock.nestedContainer(keyedBy: Quantile.self, forKey: .lateness)
      for quantile in Quantile.allCases {
        try late.encode(
          figures.clockLateness.quantile(quantile.share).map { Double($0.count) / 1_000 }, forKey: quantile)
      }
      try clock.encode(figures.lostClocks, forKey: .lost)
    }
    if figures.receivedClocks > 0 {
      var source = encoder.container(keyedBy: SourceKey.self)
      try source.encode(figures.receivedClocks, forKey: .clocks)
      try source.encode(Double(figures.clockDeviation.count) / 1_000, forKey: .deviation)
      try source.encode(figures.resyncs, forKey: .resyncs)
    }
    var wakeups = object.nestedContainer(keyedBy: LoopKey.self, forKey: .wakeups)
    try wakeups.encode(figures.beatWakeups, forKey: .beats)
    try wakeups.encode(figures.audioWakeups, forKey: .audio)
    try object.encode(figures.failedSets, forKey: .failedSets)
  }
}

extension Int64 {
  fileprivate func divided(by divisor: Int64) -> Int64 { self / divisor + (isMultiple(of: divisor) ? 0 : 1) }
}

/// Counts the events of the loops. A host's observer may forward them to it. Each counter has one writer, the thread of the
/// reporting loop, which neither allocates nor locks. Any thread reads.
public final class LiveFigures: EngineObserver {
  // Written by the beat loop.
  private let lateness = Histogram()
  private let skippedCount = Atomic<UInt64>(0)
  private let failedCount = Atomic<UInt64>(0)
  private let beatWakeupCount = Atomic<UInt64>(0)
  // Written by the MIDI loop.
  private let clockLateness = Histogram()
  private let lostClockCount = Atomic<UInt64>(0)
  // Written by the control loop.
  private let receivedClockCount = Atomic<UInt64>(0)
  private let clockDeviation = Atomic<Int64>(0)
  private let resyncCount = Atomic<UInt64>(0)
  // Written by the audio loop.
  private let missedCount = Atomic<UInt64>(0)
  private let underrunCount = Atomic<UInt64>(0)
  private let audioWakeupCount = Atomic<UInt64>(0)
  // Written by the card manager.
  private let openings = Atomic<UInt64>(0)

  public init() {}

  /// The counts so far. They are read one by one, so they may be inconsistent by one event. Allocates.
  public var now: Figures {
    var figures = Figures()
    figures.lateness = lateness.snapshot()
    figures.skippedBeats = skippedBeats
    figures.clockLateness = clockLateness.snapshot()
    figures.lostClocks = lostClocks
    figures.receivedClocks = receivedClockCount.load(ordering: .acquiring)
    figures.clockDeviation = Nanoseconds(clockDeviation.load(ordering: .relaxed))
    figures.resyncs = resyncCount.load(ordering: .relaxed)
    figures.missedClicks = missedClicks
    figures.underruns = underruns
    figures.reopenings = max(openings.load(ordering: .relaxed), 1) - 1
    figures.beatWakeups = beatWakeups
    figures.audioWakeups = audioWakeupCount.load(ordering: .relaxed)
    figures.failedSets = failedSets
    return figures
  }

  public var skippedBeats: UInt64 { skippedCount.load(ordering: .acquiring) }
  public var missedClicks: UInt64 { missedCount.load(ordering: .acquiring) }
  public var lostClocks: UInt64 { lostClockCount.load(ordering: .acquiring) }
  public var underruns: UInt64 { underrunCount.load(ordering: .acquiring) }
  public var failedSets: UInt64 { failedCount.load(ordering: .acquiring) }
  public var beatWakeups: UInt64 { beatWakeupCount.load(ordering: .relaxed) }

  /// Counts a step of a loop. On its thread.
  public func stepped(_ loop: Loop) {
    switch loop {
    case .beats: beatWakeupCount.count()
    case .audio: audioWakeupCount.count()
    case .control, .midi, .cards, .audio2, .cards2, .state, .display: return
    }
  }

  public func showed(_ beat: Beat, late: Nanoseconds, at now: Instant) { lateness.record(late) }
  public func skipped(beats: Int64, at now: Instant) { skippedCount.count(UInt64(beats)) }

  public func failed(_ error: HardwareError, at now: Instant) {
    if error.operation == .setLines { failedCount.count() }
  }

  public func missed(clicks: Int64, at now: Instant) { missedCount.count(UInt64(clicks)) }
  public func sent(_ message: MIDIMessage, port: Int, late: Nanoseconds, at now: Instant) {
    if message == .clock { clockLateness.record(late) }
  }
  public func lostClocks(_ count: Int64, port: Int, at now: Instant) { lostClockCount.count(UInt64(count)) }
  public func followed(deviation: Nanoseconds, resyncs: Int, at now: Instant) {
    clockDeviation.store(deviation.count, ordering: .relaxed)
    resyncCount.store(UInt64(resyncs), ordering: .relaxed)
    receivedClockCount.count()
  }
  public func underran(frames: Int64, at now: Instant) { underrunCount.count() }
  public func plays(on card: String, at now: Instant) { openings.count() }
}

extension Atomic<UInt64> {
  /// Adds `number` on the only thread that writes, by a load and a store, which are cheaper than an atomic read-modify-write. A
  /// reader that sees the new count sees earlier writes, too.
  @inline(__always)
  borrowing func count(_ number: UInt64 = 1) { store(load(ordering: .relaxed) &+ number, ordering: .releasing) }
}
