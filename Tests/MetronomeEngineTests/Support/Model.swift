import BeatReckoning
import BoardSimulation
import MetronomeCore

/// The expected beats, computed from the reported states.
enum Model {
  /// - Parameter ahead: the time by which a beat is sent before its instant.
  static func beats(
    _ events: [TraceEvent], lead: Nanoseconds, end: Nanoseconds, ahead: Nanoseconds = .zero
  ) -> [Beat] {
    var beats: [Beat] = []
    var reckoning: Reckoning?
    func advance(to limit: Nanoseconds) {
      while let beat = reckoning?.next(before: .zero + limit) { beats.append(beat) }
    }
    for event in events {
      guard case .state(let state) = event.what else { continue }
      let effective = Instant.zero + event.time + lead
      advance(to: event.time + ahead)
      if !state.isPlaying {
        reckoning = nil
      } else if reckoning == nil {
        reckoning = Reckoning(first: effective, tempo: state.tempo, bar: state.bar)
      } else {
        reckoning?.change(to: state.tempo, state.bar, at: effective)
      }
    }
    advance(to: end + ahead)
    return beats
  }
}
