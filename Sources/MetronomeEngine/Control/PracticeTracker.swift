import MetronomeCore

/// Follows a metronome from each start to its stop. Control loop.
struct PracticeTracker {
  private var record: PracticeRecord?
  private var session: UInt32 = 0
  /// The last beat that was counted.
  private var counted: Int64 = -1

  /// Must be called before the timeline changes, and after it. Returns what was played when it stops.
  mutating func follow(_ timeline: Timeline, _ state: @autoclosure () -> MetronomeState, at now: Instant)
    -> PracticeRecord?
  {
    var ended: PracticeRecord?
    if record != nil, timeline.session != session {
      ended = record
      record = nil
    }
    guard timeline.isPlaying, let last = timeline.lastBeat(atOrBefore: now) else { return ended }
    if record == nil, timeline.session != session {
      let tempo = timeline.tempo(at: now) ?? .initial
      record = PracticeRecord(
        start: timeline.firstBeat(atOrAfter: .zero)?.instant ?? now, played: .zero, bars: 0, lowest: tempo,
        highest: tempo, what: "")
      (session, counted) = (timeline.session, -1)
    }
    guard var record else { return ended }
    record.bars += timeline.barLines(after: counted, through: last.index)
    counted = last.index
    record.played = now - record.start
    // At a section's beginning the tempo that the section before has reached counts, too.
    for instant in [now - Nanoseconds(1), now] {
      guard let tempo = timeline.tempo(at: instant) else { continue }
      (record.lowest, record.highest) = (min(record.lowest, tempo), max(record.highest, tempo))
    }
    let state = state()
    let music = state.score.flatMap { score in
      [score.score, score.name].filter { !$0.isEmpty }.joined(separator: ": ")
    }
    let aids = state.trainer
    record.what = [music.flatMap { $0.isEmpty ? nil : $0 } ?? state.barText, aids].filter { !$0.isEmpty }
      .joined(separator: ", ")
    self.record = record
    return ended
  }
}
