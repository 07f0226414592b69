import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// Each beat is shown once, on its instant, in its bar; skipped beats are counted.
final class BeatChecker: Checker {
  private var session: UInt32?
  /// The index of the next beat.
  private var next: Int64 = 0
  private(set) var last: Beat?
  /// Beats counted as skipped since the last beat.
  private var skipped: Int64 = 0
  /// Beats counted as skipped by one output and shown by another.
  private var surplus: Int64 = 0
  /// When beats were last skipped; an output's skipped beats were due by then.
  private var lastSkip = Instant.never
  /// Whether all lines have had the same latency since the session started.
  private var isOneTrack = true
  private var sessionBegan = Instant.zero
  /// When the control loop was last late: a score may then have been continued too late, and leave beats out.
  private var lastLateControl = Instant.never
  private(set) var shown: Int64 = 0
  private(set) var allSkipped: Int64 = 0

  override init(_ scene: Scene) {
    super.init(scene)
    isOneTrack = scene.isOneTrack
  }

  override func reconfigured() { isOneTrack = isOneTrack && scene.isOneTrack }

  override func see(_ event: TraceEvent) {
    switch event.what {
    case .beat(let beat): see(beat)
    case .skipped(let beats):
      followSession()
      skipped += beats
      allSkipped += beats
      lastSkip = scene.now
    case .state, .line, .click, .hit, .button, .missed, .underrun, .fault, .audio, .display, .ended, .began, .midi,
      .lostClocks:
      break
    }
  }

  override func look(after loop: Simulation.Loop?, _ changes: Scene.Changes) {
    if loop == .control, scene.lateness > .zero { lastLateControl = scene.now }
    guard loop == .beats, scene.timeline.isPlaying else { return }
    followSession()
    // Beats due by now have been shown or counted. With different latencies one output may show a beat that another has
    // skipped.
    let view = scene.now + earliness
    guard isSettled, isOneTrack, let due = scene.timeline.lastBeat(atOrBefore: view), due.index >= next + skipped else {
      return
    }
    scene.breach(
      .eachBeatOnce, "beat \(due.index) was due at \(due.instant.nanoseconds), but is neither shown nor counted")
    next = due.index + 1
    skipped = 0
  }

  override func switched(isOn: Bool) { session = nil }

  private var earliness: Nanoseconds { scene.earliness }

  private var hasScore: Bool { scene.simulation.engine.control.state.score != nil }

  /// Whether no latency has changed recently enough to have an effect.
  private var isSettled: Bool { scene.latencies(past: .seconds(2)).isEmpty }

  private func followSession() {
    guard scene.timeline.isPlaying, scene.timeline.session != session else { return }
    session = scene.timeline.session
    next = scene.timeline.first
    last = nil
    skipped = 0
    isOneTrack = scene.isOneTrack
    sessionBegan = scene.published
  }

  private func see(_ beat: Beat) {
    followSession()
    shown += 1
    checkNumber(of: beat)
    checkTime(of: beat)
    checkPlace(of: beat)
    last = beat
    next = beat.index + 1
    skipped = 0
  }

  private func checkNumber(of beat: Beat) {
    let gap = beat.index - next
    if gap < 0 {
      scene.breach(.eachBeatOnce, "beat \(beat.index) is shown after beat \(next - 1)")
    } else if gap > skipped + surplus || (isOneTrack && gap != skipped) {
      scene.breach(.eachBeatOnce, "beat \(beat.index) follows beat \(next - 1), but \(skipped) are counted as skipped")
    }
    surplus = isOneTrack || (isSettled && !mayBeLeftOut(beat)) ? 0 : surplus + skipped
    guard let known = scene.timeline.beat(beat.index), known == beat else {
      return scene.breach(.eachBeatOnce, "beat \(beat.index) at \(beat.instant.nanoseconds) is not in the timeline")
    }
  }

  private func checkTime(of beat: Beat) {
    guard isSettled else { return }
    let late = scene.now - (beat.instant - earliness)
    if late < .zero {
      scene.breach(.onItsInstant, "beat \(beat.index) is shown \((Nanoseconds.zero - late).count) ns early")
    }
    if late > scene.lateness, !isOnTimeForAnother(beat) {
      scene.breach(
        .onItsInstant, "beat \(beat.index) is shown \(late.count) ns late; the loop was \(scene.lateness.count) ns late"
      )
    }
  }

  /// Whether an output may have skipped the beat because the loop woke up too late.
  private func mayBeLeftOut(_ beat: Beat) -> Bool { beat.instant - earliness <= lastSkip }

  /// Whether the output that is sent first may have skipped the beat while a later output shows it. Beats are reported in
  /// order, and the first output may start the next beat before that.
  private func isOnTimeForAnother(_ beat: Beat) -> Bool {
    guard !isOneTrack, mayBeLeftOut(beat) else { return false }
    return scene.lines.contains { line in
      scene.now - (beat.instant - scene.latencies[line.output]) <= scene.lateness
    }
  }

  /// Checks that the beat follows the previous one. ``PressChecker`` checks the length of a bar, except in a score, whose bars
  /// are complete, and whose sections may have any numbers.
  private func checkPlace(of beat: Beat) {
    guard let last, last.index + 1 == beat.index else { return }
    let follows = beat.bar == last.bar && beat.position == last.position + 1
    var begins = beat.bar == last.bar + 1 && beat.position == 0
    if hasScore, !follows {
      // Sixteen pieces fit in a timeline. Beats that each have a tempo may be too fast to be placed ahead of the lead.
      let isTooFast = (beat.instant - last.instant) * 16 < scene.lead.duration
      guard lastLateControl + .seconds(2) < last.instant, !isTooFast else { return }
      let beats = scene.timeline.bar(ofBeat: last.index)?.metre.beatsInBar
      begins = beat.position == 0 && (beats == nil || beats == last.position + 1)
    }
    // A source that starts or jumps places the bar anew.
    if !follows, !begins, scene.isSteered, scene.mayJump { return }
    // A session numbers the bars of another length anew, however long the bar was that they have waited for.
    let metres = [last, beat].map { scene.timeline.bar(ofBeat: $0.index)?.metre }
    if scene.isLinked, !hasScore, metres[0] != metres[1], beat.position == 0 { return }
    if !follows && !begins {
      scene.breach(
        .inItsBar, "bar \(beat.bar), place \(beat.position) follows bar \(last.bar), place \(last.position)")
    }
  }
}
