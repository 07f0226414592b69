import HardwareAbstraction
import MetronomeCore
import Synchronization

/// Counts what the loops do while they do it, for whoever asks.
///
/// Told as an ``EngineObserver`` is; hosts with an observer of their own hand on to it. Each counter has one writer, the
/// thread of the loop that tells, which neither allocates nor locks for it; any thread reads, at any time.
public final class LiveFigures: EngineObserver {
  // The beat loop's.
  private let lateness = Histogram()
  private let skippedCount = Atomic<UInt64>(0)
  private let failedCount = Atomic<UInt64>(0)
  private let beatWakeupCount = Atomic<UInt64>(0)
  // The audio loop's.
  private let missedCount = Atomic<UInt64>(0)
  private let underrunCount = Atomic<UInt64>(0)
  private let audioWakeupCount = Atomic<UInt64>(0)
  // The sound keeper's.
  private let openings = Atomic<UInt64>(0)

  public init() {}

  // MARK: Any thread

  /// What was counted by now. Each count for itself: one that is being written may be of a later moment than another.
  /// Allocates.
  public var now: Figures {
    var figures = Figures()
    figures.lateness = lateness.snapshot()
    figures.skippedBeats = skippedBeats
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
  public var underruns: UInt64 { underrunCount.load(ordering: .acquiring) }
  public var failedSets: UInt64 { failedCount.load(ordering: .acquiring) }
  public var beatWakeups: UInt64 { beatWakeupCount.load(ordering: .relaxed) }

  // MARK: The beat loop's thread

  /// The thread has woken up, and has done what there was to do.
  public func wokeForBeats() { beatWakeupCount.count() }

  public func showed(_ beat: Beat, late: Nanoseconds, at now: Instant) { lateness.record(late) }

  public func skipped(beats: Int64, at now: Instant) { skippedCount.count(UInt64(beats)) }

  public func failed(_ error: HardwareError, at now: Instant) {
    if error.operation == .setLines { failedCount.count() }
  }

  // MARK: The audio loop's thread

  /// The thread has woken up, and has done what there was to do.
  public func wokeForSound() { audioWakeupCount.count() }

  public func missed(clicks: Int64, at now: Instant) { missedCount.count(UInt64(clicks)) }

  public func underran(frames: Int64, at now: Instant) { underrunCount.count() }

  public func placed(_ beat: Beat, at position: FramePosition) {}

  // MARK: The others

  public func plays(on card: String, at now: Instant) { openings.count() }

  public func changed(to state: MetronomeState, at instant: Instant) {}

  public func changed(to state: AudioState, at instant: Instant) {}
}

extension Atomic<UInt64> {
  /// Counts so many more, on the only thread that writes it: a load and a store, without the locked bus of a
  /// read-modify-write. Whoever sees it counted sees what was written before.
  @inline(__always)
  borrowing func count(_ number: UInt64 = 1) {
    store(load(ordering: .relaxed) &+ number, ordering: .releasing)
  }
}
