@testable import MetronomeCore

/// A metronome that plays a score, and the beats that its outputs have committed: they do what is due before `now` + `lead`.
///
/// Each step and command is checked: what was committed stays, and no beat comes too late to be committed.
struct ScoreStage {
  var metronome = Metronome()
  var now = Instant.zero
  let lead: Nanoseconds
  /// The committed beats of the session.
  private(set) var beats: [Beat] = []
  /// The number of the first beat that is not committed.
  private var next: Int64 = 0
  private var session: UInt32 = 0
  /// The first beat after the last tap, undone press or stall. They may move slots within a beat: outputs go on after the last
  /// slot.
  private var moved: Int64?
  /// The beats before which commands were given: a timeline remembers the last four parts of beats in which something changed.
  private var changes: [Int64] = []
  /// Whether the timeline was not filled in time in this session.
  private(set) var hasStalled = false
  private(set) var sessions = 0
  /// The last commands with their instants.
  private var log: [String] = []
  private let text: String

  init(_ text: String, lead: Nanoseconds = .milliseconds(25)) throws {
    self.text = text
    self.lead = lead
    metronome.load(SetList(try Score(text: text), name: "test"))
  }

  /// A promise that was broken.
  struct Fault: Error, CustomStringConvertible {
    var description: String
  }

  var effective: Instant { now + lead }

  mutating func apply(_ command: Command) throws { try apply(command, pressed: now) }

  mutating func apply(_ command: Command, pressed: Instant, provisional: Press? = nil) throws {
    try change("\(command)") { metronome, effective, now in
      metronome.apply(command, pressed: pressed, provisional: provisional, effective: effective, now: now)
    }
  }

  /// Undoes a press and gives the gesture's command.
  mutating func undo(_ press: Press, for command: Command) throws {
    var isCarriedOut = false
    try change("undo for \(command)") { metronome, effective, now in
      isCarriedOut = metronome.undo(press, for: command, effective: effective, now: now)
    }
    if isCarriedOut { try apply(command, pressed: press.instant) }
  }

  mutating func step() throws {
    let wasWaiting = metronome.timeline.isPlaying && metronome.state.score?.isWaiting == true
    try change("step") { metronome, effective, now in metronome.catchUp(effective: effective, now: now) }
    if wasWaiting { try check(metronome.state.score?.isWaiting == true && metronome.timeline.isPlaying, "waits") }
  }

  /// Plays until an instant, stepped at the deadlines, and with `interval` also after each interval. The condition is tested and
  /// beats are committed after each `look` at the latest.
  mutating func play(
    until end: Instant, every interval: Nanoseconds? = nil, looking look: Nanoseconds = .seconds(1_000),
    while condition: (ScoreStage) -> Bool = { _ in true }
  ) throws {
    while now < end, condition(self) {
      let due = [metronome.deadline, interval.map { now + $0 }, end].compactMap(\.self).min()!
      now = min(due, now + look)
      if now == due { try step() } else { try commit() }
    }
  }

  /// Nobody steps the metronome for a time, but the outputs go on.
  mutating func stall(for time: Nanoseconds) throws {
    now = now + time
    hasStalled = true
    try change("stall") { metronome, effective, now in metronome.catchUp(effective: effective, now: now) }
  }

  private mutating func change(_ name: String, _ body: (inout Metronome, Instant, Instant) -> Void) throws {
    try commit()
    let (old, instant) = (metronome.timeline, effective)
    let hits = hits(old)
    if name != "step" { log.append("\(now.nanoseconds) \(name)") }
    body(&metronome, instant, now)
    let new = metronome.timeline
    if let deadline = metronome.deadline { try check(deadline > now, "\(name): the deadline is \(deadline)") }
    guard new.isPlaying else { return }
    if new.session != session {
      (session, beats, hasStalled) = (new.session, [], false)
      (moved, changes) = (nil, [])
      sessions += 1
      next = new.oldestIndex ?? 0
      return try check(new.knownBeat(next).instant >= instant, "\(name): the first beat is too early")
    }
    let index = new.nextBeat(atOrAfter: instant)
    try check(index == next, "\(name): the next beat is \(index), not \(next)")
    for beat in beats.suffix(4) where beat.index >= new.oldestIndex ?? 0 {
      try check(new.beat(beat.index) == beat, "\(name): \(beat) became \(String(describing: new.beat(beat.index)))")
    }
    if name == "tap" || name == "stall" || name.hasPrefix("undo") { moved = next }
    if name != "step" { changes.append(next) }
    let oldest = hits.map(\.position.whole).min() ?? next - 1
    changes.removeAll { $0 <= oldest }
    if let moved, oldest <= moved { return }
    guard changes.count <= 4 else { return }
    let newHits = self.hits(new)
    try check(newHits == hits, "\(name): the hits \(hits) became \(newHits)")
  }

  private mutating func commit() throws {
    let timeline = metronome.timeline
    guard timeline.isPlaying else { return }
    while true {
      let beat = timeline.knownBeat(next)
      guard beat.instant < effective else { return }
      if let last = beats.last {
        try check(beat.instant > last.instant, "\(beat) follows \(last)")
        if !hasStalled { try check(isPlaced(beat, after: last), "\(beat) follows \(last)") }
      }
      beats.append(beat)
      next += 1
    }
  }

  /// Whether a bar goes on, or has ended.
  private func isPlaced(_ beat: Beat, after last: Beat) -> Bool {
    if beat.position > 0 { return beat.position == last.position + 1 && beat.bar == last.bar }
    return metronome.timeline.bar(ofBeat: last.index).map { last.position + 1 == $0.metre.beatsInBar } ?? true
  }

  private func check(_ isKept: Bool, _ text: @autoclosure () -> String) throws {
    if isKept { return }
    throw Fault(description: "at \(now), lead \(lead): \(text()); after \(log.suffix(8)) of:\n\(self.text)")
  }

  /// The hits that outputs have committed and not yet carried out.
  private func hits(_ timeline: Timeline) -> [Hit] {
    var hits: [Hit] = []
    guard timeline.isPlaying else { return [] }
    let first = Position(whole: timeline.nextBeat(atOrAfter: now) - 1)
    for voice in 0..<timeline.voiceCount {
      var last = first
      while let hit = timeline.hit(of: voice, after: last), hit.instant < effective {
        if hit.instant >= now { hits.append(hit) }
        last = hit.position
      }
    }
    return hits
  }
}
