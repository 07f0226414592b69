import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// At each end of the metronome, its statistics match the trace.
final class FigureChecker: Checker {
  /// Counts of the trace since the metronome started.
  private struct Counts: Equatable {
    var beats: UInt64 = 0
    var skipped: UInt64 = 0
    var missed: UInt64 = 0
    var underruns: UInt64 = 0
    var failedSets: UInt64 = 0
    var latest: Nanoseconds?
  }

  private var counts = Counts()

  override func see(_ event: TraceEvent) {
    switch event.what {
    case .beat(let beat): count(beat)
    case .skipped(let beats): counts.skipped += UInt64(beats)
    case .missed(let clicks): counts.missed += UInt64(clicks)
    case .underrun: counts.underruns += 1
    case .fault(let error): if error.operation == .setLines { counts.failedSets += 1 }
    case .ended: compare()
    case .state, .line, .click, .hit, .button, .audio, .display, .began, .midi, .lostClocks: break
    }
  }

  override func switched(isOn: Bool) { counts = Counts() }

  override func end() { if scene.isOn { compare() } }

  /// Whether it is known which output is late: with different latencies one output may skip a beat that another shows.
  private var isOneTrack: Bool { scene.reconfigured == .never && scene.isOneTrack }

  private func count(_ beat: Beat) {
    counts.beats += 1
    guard isOneTrack else { return }
    let late = scene.now - (beat.instant - scene.earliness)
    counts.latest = max(counts.latest ?? late, late)
  }

  private func compare() {
    let figures = scene.simulation.figures
    var counted = Counts(
      beats: figures.beats, skipped: figures.skippedBeats, missed: figures.missedClicks, underruns: figures.underruns,
      failedSets: figures.failedSets, latest: figures.lateness.longest)
    if !isOneTrack { (counts.latest, counted.latest) = (nil, nil) }
    if counted != counts { scene.breach(.figures, "the statistics are \(counted), the trace has \(counts)") }
  }
}

extension Instant {
  /// Earlier than any event.
  static let never = Instant(nanoseconds: -Nanoseconds.seconds(3_600).count)

  /// Later than any event.
  static let ever = Instant(nanoseconds: .max / 2)
}
