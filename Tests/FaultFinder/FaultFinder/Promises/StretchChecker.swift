import BoardSimulation
import MetronomeCore
import MetronomeEngine

/// Between changes the beats are where tempo and signature place them, by independent arithmetic.
final class StretchChecker: Checker {
  /// A minute in nanoseconds × thousandths.
  private static let minute: Int128 = 60_000_000_000_000

  /// The beat from which the next ones are counted.
  private struct Base {
    var beat: Beat
    var state: MetronomeState
  }

  private var state: MetronomeState?
  private var base: Base?
  /// The previous beat, which may still belong to the former settings.
  private var last: Beat?
  private var session: UInt32?

  override func see(_ event: TraceEvent) {
    switch event.what {
    case .state(let state):
      self.state = state
      base = nil
    case .beat(let beat): see(beat)
    case .line, .click, .hit, .button, .skipped, .missed, .underrun, .fault, .audio, .display, .ended, .began, .midi,
      .lostClocks:
      break
    }
  }

  override func look(after loop: Simulation.Loop?, _ changes: Scene.Changes) {
    if changes.hasTimeline { base = nil }
  }

  private func see(_ beat: Beat) {
    defer { last = beat }
    // The beats of a score are checked in its own tests.
    // The beats of a source are checked by ``FollowingChecker``.
    guard let state, state.isPlaying, state.score == nil, !scene.isSteered, session == scene.timeline.session else {
      session = scene.timeline.session
      base = nil
      return
    }
    if let base {
      check(beat, since: base)
    } else if let last, isSettled(last, beat) {
      base = Base(beat: beat, state: state)
    }
  }

  /// Whether all announced changes are in effect by these two beats: a change takes effect one lead after its press, and a
  /// change at the bar line at the first bar line after that.
  private func isSettled(_ last: Beat, _ beat: Beat) -> Bool {
    let effect = scene.inEffect + .seconds(1)
    guard last.instant > effect else { return false }
    guard let end = scene.simulation.engine.control.timeline.lastBeat(atOrBefore: effect) else { return false }
    return last.bar > end.bar + 1
  }

  private func check(_ beat: Beat, since base: Base) {
    let metre = base.state.bar.metre
    let divisor =
      Int128(base.state.tempo.milliBPM) * Int128(metre.signature.denominator) * (metre.unit.isDotted ? 3 : 1)
    let minute = StretchChecker.minute * Int128(metre.unit.denominator * metre.notesInBeat)
    let count = Int128(beat.index - base.beat.index)
    let span = Int128(beat.instant.nanoseconds - base.beat.instant.nanoseconds)
    let error = span * divisor - count * minute
    if error <= -divisor || error >= divisor {
      scene.breach(
        .evenly,
        "beat \(beat.index) is \(span) ns after beat \(base.beat.index) at \(base.state.tempoText) in \(base.state.signature)"
      )
    }
    let place = Int64(base.beat.position) + Int64(count)
    let beats = Int64(metre.beatsInBar)
    if beat.position != place % beats || beat.bar != base.beat.bar + place / beats {
      scene.breach(
        .inItsBar, "beat \(beat.index) has place \(beat.position) of bar \(beat.bar) in \(base.state.signature)")
    }
  }
}
