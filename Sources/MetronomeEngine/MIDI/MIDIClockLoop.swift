import HardwareAbstraction
import MetronomeCore

/// What a port has sent, and what it sends next.
struct MIDITrack: BitwiseCopyable {
  /// The session of the timeline whose clocks are sent; 0: none, the metronome is stopped.
  var session: UInt32 = 0
  /// See ``MIDIOutputs/opening(of:)``.
  var opening: UInt32 = 0
  /// The beat to whose clock a start goes ahead; nil: no start is due.
  var startBeat: Int64?
  /// Whether a start was sent in this session, so that a stop follows it.
  var hasStarted = false
  /// Whether a clock of this session was due.
  var hasClocks = false
  /// The next clock: its beat, and its number within the beat.
  var beat: Int64 = 0
  var clock: Int64 = 0
  /// When the next clock is due on the timeline; nil: to be looked up.
  var due: Instant?
  /// The clocks of a stopped metronome are counted from here.
  var idleAnchor: Instant?
  var idleClock: Int64 = 0
  /// When the last clock was due.
  var last: Instant?
  /// A higher latency made the clocks before this instant of the timeline due at once. They are late, but not lost.
  var jumped = Instant(nanoseconds: .min)
}

/// Sends MIDI clock: 24 clocks per quarter note, each from the anchor of its own part of the timeline, so that no error adds up.
///
/// `F2 00 00 FA` (song position 0, start) goes ahead of the clock of the first beat after a count-in, and `FC` follows a stop. If
/// clocks were lost, because a port was full or this loop was late, they are not sent later: a second start at the next bar line
/// brings the followers back. A pause of a score stops the followers until its end. The notes of the hits are in
/// `MIDINoteTrack.swift`. Runs on one thread, which is real-time on the real board: no allocation, no lock.
public final class MIDIClockLoop<Ports: MIDIOutputs, Observer: EngineObserver> {
  /// How long before the first beat's clock the start is sent: followers need about a millisecond, and DIN 1.3 ms.
  private static var startLead: Nanoseconds { .milliseconds(2) }
  /// A start that would be less ahead than this waits for the next bar line.
  private static var shortestStartLead: Nanoseconds { .milliseconds(1) }

  /// Two clocks are never closer, except at the tempi of a score above 1,250 BPM: a serial port needs 0.32 ms for each.
  private static var shortestInterval: Nanoseconds { .milliseconds(1) }

  /// nil: the board has no MIDI outputs.
  let ports: Ports?
  private let publication: TimelinePublication
  private let plans: Publication<MIDIPlan>
  let observer: Observer
  // Allocated separately, so that the loop uses each in place without copying.
  let timeline = UnsafeMutablePointer<Timeline>.allocate(capacity: 1)
  @exclusivity(unchecked) var tracks = UnsafeMutablePointer<MIDITrack>.allocate(capacity: MIDIPlan.maxPorts)
  @exclusivity(unchecked) var notes = UnsafeMutablePointer<MIDINoteTrack>.allocate(capacity: MIDIPlan.maxPorts)
  // The two are exchanged with these when the ports are renumbered.
  @exclusivity(unchecked) var spareTracks = UnsafeMutablePointer<MIDITrack>.allocate(capacity: MIDIPlan.maxPorts)
  @exclusivity(unchecked) var spareNotes = UnsafeMutablePointer<MIDINoteTrack>.allocate(capacity: MIDIPlan.maxPorts)
  @exclusivity(unchecked) var plan = MIDIPlan()
  @exclusivity(unchecked) private var seen: UInt64 = 0
  @exclusivity(unchecked) private var seenPlan: UInt64 = 0
  @exclusivity(unchecked) private var exact = false

  /// Whether the deadline that the last step returned is that of a beat's clock, which must be met to the microsecond.
  public var isExact: Bool { exact }

  public init(
    _ ports: Ports?, publication: TimelinePublication, plan plans: Publication<MIDIPlan> = Publication(MIDIPlan()),
    observer: Observer
  ) {
    self.ports = ports
    self.publication = publication
    self.plans = plans
    self.observer = observer
    timeline.initialize(to: .stopped)
    for tracks in [tracks, spareTracks] { tracks.initialize(repeating: MIDITrack(), count: MIDIPlan.maxPorts) }
    for notes in [notes, spareNotes] { notes.initialize(repeating: MIDINoteTrack(), count: MIDIPlan.maxPorts) }
  }

  deinit {
    timeline.deallocate()
    for tracks in [tracks, spareTracks] { tracks.deallocate() }
    for notes in [notes, spareNotes] { notes.deallocate() }
  }

  /// Sends the messages that are due. Returns when to call again; nil: only when woken.
  public func step(at now: Instant) -> Instant? {
    exact = false
    guard let ports else { return nil }
    readPublications(ports, at: now)
    var deadline: Instant?
    for port in 0..<plan.list.count {
      let view = now + plan.latency(of: port)
      let clock = stepClock(port, ports, at: view)
      if let clock { include(clock, of: port, &deadline) }
      if let note = stepNotes(port, ports, nextClock: clock?.instant, at: view) { include(note, of: port, &deadline) }
    }
    return deadline
  }

  private func include(_ next: Next, of port: Int, _ deadline: inout Instant?) {
    let due = next.instant - plan.latency(of: port)
    if let deadline, due >= deadline {
      exact = exact || due == deadline && next.isExact
    } else {
      (deadline, exact) = (due, next.isExact)
    }
  }

  private func readPublications(_ ports: Ports, at now: Instant) {
    if publication.read(into: &timeline.pointee, seen: &seen) {
      for port in 0..<MIDIPlan.maxPorts {
        tracks[port].due = nil
        notes[port].searchesAgain = true
        // Another metre has other bar lines.
        if let start = tracks[port].startBeat, timeline.pointee.session == tracks[port].session {
          let next = tracks[port].beat + (tracks[port].clock > 0 ? 1 : 0)
          tracks[port].startBeat = start >= next ? barLine(from: next, at: .zero) : start
        }
      }
    }
    var newest = plan
    if plans.read(into: &newest, seen: &seenPlan) { use(newest, ports, at: now) }
  }

  /// When a port's next message is due.
  struct Next {
    var instant: Instant
    /// Whether it is a message of a beat or a hit.
    var isExact: Bool
  }

  /// Sends the clocks, starts and stops that are due on a port. `view` is the timeline's instant.
  private func stepClock(_ port: Int, _ ports: Ports, at view: Instant) -> Next? {
    guard plan[port].sendsClock else {
      if tracks[port].hasStarted { sendStop(port, ports, at: view) }
      tracks[port] = MIDITrack()
      return nil
    }
    let session = timeline.pointee.session
    if session != tracks[port].session {
      if tracks[port].hasStarted { sendStop(port, ports, at: view) }
      begin(port, session, at: view)
    }
    let opening = ports.opening(of: port)
    if opening != tracks[port].opening {
      tracks[port].opening = opening
      reopen(port, at: view)
    }
    guard opening != 0 else { return nil }
    guard session != 0, let next = sendDue(port, ports, at: view) else { return sendIdle(port, ports, nil, at: view) }
    // After the start the next clock must be that of the beat.
    guard !tracks[port].hasClocks, !tracks[port].hasStarted else { return next }
    return sendIdle(port, ports, tracks[port].due, at: view) ?? next
  }

  /// Begins a session of the timeline, or stops.
  private func begin(_ port: Int, _ session: UInt32, at view: Instant) {
    tracks[port].session = session
    tracks[port].hasStarted = false
    tracks[port].hasClocks = false
    tracks[port].startBeat = nil
    tracks[port].due = nil
    tracks[port].idleAnchor = nil
    guard let oldest = TimelineView(timeline).oldestIndex else { return }
    (tracks[port].beat, tracks[port].clock) = (oldest, 0)
    tracks[port].startBeat = barLine(from: oldest, at: view)
  }

  /// A port that was opened in mid-bar has clocks at once, but no start before the next session.
  private func reopen(_ port: Int, at view: Instant) {
    tracks[port].idleAnchor = nil
    guard tracks[port].session != 0, let due = dueClock(port), due <= view else { return }
    _ = advance(port, past: view)
    tracks[port].startBeat = nil
  }

  /// The number of the first beat from `index` on that begins a bar after a count-in, late enough for a start ahead of it.
  private func barLine(from index: Int64, at view: Instant) -> Int64 {
    // While the port was unplugged, the timeline may have discarded the beat.
    var beat = TimelineView(timeline).knownBeat(max(index, TimelineView(timeline).oldestIndex ?? index))
    // Beat by beat: a change of the metre ends a bar early.
    while beat.position > 0 || beat.bar < 0 || beat.instant - view < Self.shortestStartLead {
      beat = TimelineView(timeline).knownBeat(beat.index + 1)
    }
    return beat.index
  }

  /// Sends the start and the clocks that are due. Returns what is next; nil while stopped.
  private func sendDue(_ port: Int, _ ports: Ports, at view: Instant) -> Next? {
    while let due = dueClock(port) {
      if tracks[port].hasClocks, tracks[port].clock == 0,
        let pause = TimelineView(timeline).pause(beforeBeat: tracks[port].beat)
      {
        if view < pause { return Next(instant: pause, isExact: true) }
        if tracks[port].hasStarted { sendStop(port, ports, at: view) }
        (tracks[port].hasStarted, tracks[port].hasClocks) = (false, false)
        tracks[port].startBeat = barLine(from: tracks[port].beat, at: view)
      } else if tracks[port].startBeat == tracks[port].beat, tracks[port].clock == 0 {
        if view < due - Self.startLead { return Next(instant: due - Self.startLead, isExact: true) }
        sendStart(port, ports, before: due, at: view)
      } else if view < due {
        return Next(instant: due, isExact: true)
      } else if view - max(due, tracks[port].jumped) > clockLength(ofBeat: tracks[port].beat) / 4 {
        let lost = advance(port, past: view)
        requestStart(port, at: view)
        observer.lostClocks(lost, port: port, at: view - plan.latency(of: port))
      } else if tracks[port].hasClocks, let last = tracks[port].last,
        due - last < min(Self.shortestInterval, clockLengthBefore(port) / 2)
      {
        // A jump or a tap has moved the end of the beat to here.
        advance(port)
        requestStart(port, at: view)
        observer.lostClocks(1, port: port, at: view - plan.latency(of: port))
      } else {
        sendClock(port, ports, due, at: view)
        advance(port)
      }
    }
    return nil
  }

  /// Sends `F2 00 00 FA`, or chooses a later bar line if there is no time left or no room.
  private func sendStart(_ port: Int, _ ports: Ports, before due: Instant, at view: Instant) {
    tracks[port].startBeat = nil
    guard due - view >= Self.shortestStartLead, ports.send(.startAtZero, to: port) != .full else {
      tracks[port].startBeat = barLine(from: tracks[port].beat + 1, at: view)
      return
    }
    tracks[port].hasStarted = true
    observer.sent(.startAtZero, port: port, late: view - (due - Self.startLead), at: view - plan.latency(of: port))
  }

  func sendStop(_ port: Int, _ ports: Ports, at view: Instant) {
    guard ports.send(.stop, to: port) == .sent else { return }
    observer.sent(.stop, port: port, late: .zero, at: view - plan.latency(of: port))
  }

  private func sendClock(_ port: Int, _ ports: Ports, _ due: Instant, at view: Instant) {
    tracks[port].hasClocks = true
    tracks[port].idleAnchor = nil
    tracks[port].last = due
    send(port, ports, max(due, tracks[port].jumped), at: view)
  }

  private func send(_ port: Int, _ ports: Ports, _ due: Instant, at view: Instant) {
    let now = view - plan.latency(of: port)
    switch ports.send(.clock, to: port) {
    case .sent: observer.sent(.clock, port: port, late: view - due, at: now)
    case .missing: break
    case .full:
      requestStart(port, at: view)
      observer.lostClocks(1, port: port, at: now)
    }
  }

  /// Brings followers that have missed clocks back at the next bar line. Followers that were not started have no position.
  private func requestStart(_ port: Int, at view: Instant) {
    guard tracks[port].session != 0, tracks[port].hasStarted || tracks[port].startBeat != nil else { return }
    tracks[port].startBeat = barLine(from: tracks[port].beat + (tracks[port].clock > 0 ? 1 : 0), at: view)
  }

  /// When the next clock is due; nil while stopped.
  private func dueClock(_ port: Int) -> Instant? {
    if let due = tracks[port].due { return due }
    guard let oldest = TimelineView(timeline).oldestIndex else { return nil }
    // The timeline has discarded beats while this loop did not run. They count as late.
    if tracks[port].beat < oldest { (tracks[port].beat, tracks[port].clock) = (oldest, 0) }
    let clocks = clocksInBeat(tracks[port].beat)
    if tracks[port].clock >= clocks { (tracks[port].beat, tracks[port].clock) = (tracks[port].beat + 1, 0) }
    let position = Position(tracks[port].beat * clocks + tracks[port].clock, over: clocks)
    tracks[port].due = TimelineView(timeline).instant(of: position)
    return tracks[port].due
  }

  private func advance(_ port: Int) {
    tracks[port].clock += 1
    if tracks[port].clock >= clocksInBeat(tracks[port].beat) {
      (tracks[port].beat, tracks[port].clock) = (tracks[port].beat + 1, 0)
    }
    tracks[port].due = nil
  }

  /// Gives up the clocks before `view`. Returns how many.
  private func advance(_ port: Int, past view: Instant) -> Int64 {
    var count: Int64 = 0
    // From the last beat on: there may be thousands of clocks.
    if let last = TimelineView(timeline).lastBeat(atOrBefore: view), last.index > tracks[port].beat {
      count = (last.index - tracks[port].beat) * clocksInBeat(tracks[port].beat) - tracks[port].clock
      (tracks[port].beat, tracks[port].clock, tracks[port].due) = (last.index, 0, nil)
    }
    while let due = dueClock(port), due <= view {
      tracks[port].last = due
      advance(port)
      count += 1
    }
    tracks[port].hasClocks = true
    return count
  }

  /// 24 per quarter note: whole for every note value down to 1/32.
  private func clocksInBeat(_ index: Int64) -> Int64 {
    guard let metre = TimelineView(timeline).bar(ofBeat: index)?.metre else { return 24 }
    return Int64(96 * metre.notesInBeat / metre.signature.denominator)
  }

  /// The time between a port's next clock and the one before it: at the end of a beat, in the shorter of the two beats.
  private func clockLengthBefore(_ port: Int) -> Nanoseconds {
    let beat = tracks[port].beat
    let length = clockLength(ofBeat: beat)
    return tracks[port].clock > 0 ? length : min(length, clockLength(ofBeat: beat - 1))
  }

  /// The time between clocks in a beat, up to the last of them: the beat after it may come much later, or never.
  private func clockLength(ofBeat beat: Int64) -> Nanoseconds {
    let clocks = clocksInBeat(beat)
    guard let first = TimelineView(timeline).instant(of: Position(beat)),
      let last = TimelineView(timeline).instant(of: Position(beat * clocks + clocks - 1, over: clocks))
    else { return .zero }
    return (last - first) / (clocks - 1)
  }

  /// Sends the clocks of a stopped metronome that are due, up to half a clock before `limit`. Returns when the next is due.
  private func sendIdle(_ port: Int, _ ports: Ports, _ limit: Instant?, at view: Instant) -> Next? {
    guard plan.sendsWhenStopped else { return nil }
    let length = plan.idle.duration(of: 1)
    while true {
      if tracks[port].idleAnchor == nil {
        tracks[port].idleAnchor = max(tracks[port].last.map { $0 + length } ?? view, view - length / 4)
        tracks[port].idleClock = 0
      }
      guard let anchor = tracks[port].idleAnchor else { return nil }
      let due = anchor + plan.idle.duration(of: tracks[port].idleClock)
      if let limit, due > limit - length / 2 { return nil }
      guard due <= view else { return Next(instant: due, isExact: false) }
      tracks[port].last = due
      tracks[port].idleClock += 1
      // A loop that was late sends one clock, not many at once.
      if view - due > length / 4 { (tracks[port].idleAnchor, tracks[port].last) = (nil, view) }
      send(port, ports, due, at: view)
    }
  }
}

extension MIDIMessage {
  /// Song position 0 and start in one message.
  static let startAtZero = MIDIMessage(0xF2, 0, 0, 0xFA)
}

/// Other ports and settings, and the end of a port.
extension MIDIClockLoop {
  /// Ends the notes that sound and stops the followers, on every port. Call it on the loop's thread as the last step: whatever ends the
  /// program, no port is closed before its last message, also if the loop did not run since the metronome was stopped.
  public func end(at now: Instant) {
    guard let ports else { return }
    for port in 0..<plan.list.count { leave(port, ports, at: now) }
  }

  /// Uses other settings. A port that is still there goes on, whatever its number; one that is not is stopped and left to the board.
  func use(_ newest: MIDIPlan, _ ports: Ports, at now: Instant) {
    let former = plan
    if newest.list != former.list {
      for port in 0..<former.list.count where newest.list.port(of: former.list[port]) == nil {
        leave(port, ports, at: now)
      }
      renumber(from: former.list, to: newest.list)
      ports.use(newest.list)
    }
    plan = newest
    for port in 0..<newest.list.count {
      // The clocks of a stopped metronome go on from the last one at the new tempo.
      if newest.idle != former.idle { tracks[port].idleAnchor = nil }
      guard let before = former.list.port(of: newest.list[port]) else { continue }
      let latency = newest.latency(of: port)
      if latency > former.latency(of: before) { tracks[port].jumped = now + latency }
    }
  }

  private func renumber(from former: MIDIPortList, to newest: MIDIPortList) {
    for port in 0..<newest.count {
      let before = former.port(of: newest[port])
      spareTracks[port] = before.map { tracks[$0] } ?? MIDITrack()
      spareNotes[port] = before.map { notes[$0] } ?? MIDINoteTrack()
    }
    swap(&tracks, &spareTracks)
    swap(&notes, &spareNotes)
  }

  private func leave(_ port: Int, _ ports: Ports, at now: Instant) {
    let view = now + plan.latency(of: port)
    notes[port].mustEnd = true
    _ = sendEnds(port, ports, nextClock: nil, at: view)
    if tracks[port].hasStarted { sendStop(port, ports, at: view) }
    tracks[port].hasStarted = false
  }
}
