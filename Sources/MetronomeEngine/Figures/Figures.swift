import MetronomeCore
import Synchronization

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

/// Counts durations of a real-time thread while others look.
///
/// One fixed block of about 16 KiB, on the buckets of `HistogramScale`: no allocation once it is made, no lock, no
/// reference counted. One thread records; any thread takes snapshots.
public struct Histogram: ~Copyable, Sendable {
  /// Unsafe to the compiler because it is a pointer: it never changes, is freed in `deinit`, and between, every access to what
  /// it points to is atomic.
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

  /// Counts a duration. Always the same few instructions; one thread only.
  public borrowing func record(_ duration: Nanoseconds) {
    let value = duration.count
    if value < shortest.load(ordering: .relaxed) { shortest.store(value, ordering: .relaxed) }
    if value > longest.load(ordering: .relaxed) { longest.store(value, ordering: .relaxed) }
    // Released: whoever sees it counted sees it within the shortest and the longest, and whoever sees it below zero, counted.
    counts[HistogramScale.index(of: duration)].count()
    if value < 0 { belowZero.count() }
  }

  /// What was counted by now. While another thread records it may miss what is recorded meanwhile, but never holds a
  /// duration that is not within the snapshot's `shortest` and `longest`. Any thread that may allocate.
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
  /// For a person, at a glance: `86,400 beats, p99 12 µs late, none skipped`; nil before the first beat.
  package var summary: String? {
    guard beats > 0 || skippedBeats > 0 else { return nil }
    var parts = ["\(Figures.grouped(beats)) \(beats == 1 ? "beat" : "beats")"]
    if let late = lateness.quantile(0.99) { parts.append("p99 \(Figures.rounded(late)) late") }
    parts.append(skippedBeats == 0 ? "none skipped" : "\(Figures.grouped(skippedBeats)) skipped")
    return parts.joined(separator: ", ")
  }

  /// For programs: one JSON object on one line. Keys may be added; those there are stay.
  ///
  /// - Parameter uptime: for how long it has counted.
  package func json(uptime: Nanoseconds) -> String {
    let quantiles = [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999), ("max", 1)].map { name, share in
      "\"\(name)\":\(lateness.quantile(share).map(Figures.microseconds) ?? "null")"
    }
    let members = [
      "\"uptime_s\":\(decimal(thousandths: Int(uptime.count / 1_000_000)))",
      "\"beats\":\(beats)",
      "\"skipped\":\(skippedBeats)",
      "\"late_us\":{\(quantiles.joined(separator: ","))}",
      "\"missed_clicks\":\(missedClicks)",
      "\"xruns\":\(underruns)",
      "\"reopenings\":\(reopenings)",
      "\"wakeups\":{\"beats\":\(beatWakeups),\"audio\":\(audioWakeups)}",
      "\"failed_sets\":\(failedSets)",
    ]
    return "{" + members.joined(separator: ",") + "}"
  }

  private static func microseconds(_ duration: Nanoseconds) -> String { decimal(thousandths: Int(duration.count)) }

  /// In whole microseconds, in tenths of a millisecond or in tenths of a second: rounded up, as it is what is not exceeded.
  private static func rounded(_ duration: Nanoseconds) -> String {
    let count = duration.count
    if count <= 999_000 { return "\(count.divided(by: 1_000)) µs" }
    let (tenths, unit) =
      count <= 999_900_000 ? (count.divided(by: 100_000), "ms") : (count.divided(by: 100_000_000), "s")
    return "\(grouped(UInt64(tenths / 10))).\(tenths % 10) \(unit)"
  }

  /// A number with a comma before each three digits.
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

extension Int64 {
  /// The quotient, rounded up.
  fileprivate func divided(by divisor: Int64) -> Int64 { self / divisor + (isMultiple(of: divisor) ? 0 : 1) }
}
