import BoardSimulation
import MetronomeCore
import MetronomeEngine

/// A press does not change the part of the timeline that outputs may have committed.
final class CommitChecker: Checker {
  private var before: Timeline
  private var lead: Lead

  override init(_ scene: Scene) {
    before = scene.timeline
    lead = scene.lead
    super.init(scene)
  }

  override func look(after loop: Simulation.Loop?, _ changes: Scene.Changes) {
    defer { lead = scene.lead }
    guard changes.hasTimeline else { return }
    let after = scene.timeline
    if after.isPlaying, !changes.isSwitched { compare(before, after) }
    before = after
  }

  // A new metronome counts its sessions from the start.
  override func switched(isOn: Bool) {
    before = .stopped
    lead = scene.lead
  }

  private func compare(_ before: Timeline, _ after: Timeline) {
    let horizon = scene.now + min(lead, scene.lead).duration - Lead.slack - Nanoseconds(1)
    guard before.session == after.session else {
      // A source may start the first beat before a card can click it.
      let ofSource = scene.now + scene.simulation.engine.lead.ofSource.duration - Lead.slack - Nanoseconds(1)
      let earliest = scene.options.source?.hasTransport == true ? min(horizon, ofSource) : horizon
      if let first = after.oldestIndex.flatMap(after.beat), first.index == 0, first.instant <= earliest {
        scene.breach(.committedBeatsStay, "beat 0 is only \((first.instant - scene.now).count) ns after its press")
      }
      return
    }
    var instant = horizon
    for _ in 0..<3 {
      let (old, new) = (before.lastBeat(atOrBefore: instant), after.lastBeat(atOrBefore: instant))
      guard let old, let new else { return }
      if old != new {
        return scene.breach(
          .committedBeatsStay,
          "beat \(old.index) at \(old.instant.nanoseconds) became beat \(new.index) at \(new.instant.nanoseconds)")
      }
      instant = old.instant - Nanoseconds(1)
    }
  }
}

private func min(_ a: Lead, _ b: Lead) -> Lead { a.duration < b.duration ? a : b }
