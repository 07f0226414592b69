import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// One event of a simulation, and its time.
public struct TraceEvent: Hashable, Sendable {
  public enum What: Hashable, Sendable {
    /// Indirect, because it is much larger than the frequent events.
    indirect case state(MetronomeState)
    /// A beat, at the time the beat loop started it.
    case beat(Beat)
    /// A line of an output switched on or off.
    case line(OutputLine, isActive: Bool)
    /// A click began to sound, at this point of the card's stream.
    case click(FramePosition, Level, isCountedIn: Bool = false)
    /// A hit of the rhythm, at its instant, whether or not an output shows it.
    case hit(Hit)
    /// A MIDI message was sent to a port, counted from 0.
    case midi(MIDIMessage, port: Int)
    /// MIDI clocks were given up.
    case lostClocks(Int64, port: Int)
    /// A button's contact closed or opened.
    case button(Button, isDown: Bool)
    case skipped(beats: Int64)
    case missed(clicks: Int64)
    case underrun(frames: Int64)
    case fault(HardwareError)
    case audio(AudioState)
    /// The display shows another text; a screen another page, whose parts are between bars.
    case display(String)
    /// The metronome has ended; the board continues.
    case ended(Simulation.Ending)
    /// The metronome has started again.
    case began
  }

  /// Time since the simulation started.
  public var time: Nanoseconds
  public var what: What
  /// The sound card of a click, its loop or its fault.
  public var card: Output

  public init(_ time: Nanoseconds, _ what: What, on card: Output = .audio) {
    self.time = time
    self.what = what
    self.card = card
  }
}

/// Receives the events of a simulation, in order of time.
public protocol TraceSink: AnyObject {
  func receive(_ event: TraceEvent)
  /// The outputs and buttons have these names from now on.
  func use(_ names: BoxNames)
  /// The metronome plays another timeline from now on. `origin` is the instant that counts as 0 in the trace.
  func follow(_ timeline: Timeline, since origin: Instant, at time: Nanoseconds)
  /// The simulation has ended, after this time.
  func finish(at end: Nanoseconds)
}

extension TraceSink {
  public func use(_ names: BoxNames) {}
  public func follow(_ timeline: Timeline, since origin: Instant, at time: Nanoseconds) {}
}

/// A trace kept in memory, for tests to compare as a whole.
public final class RecordedTrace: TraceSink {
  public private(set) var events: [TraceEvent] = []
  /// How long the simulation lasted; nil while it is running.
  public private(set) var end: Nanoseconds?

  public init() {}

  public func receive(_ event: TraceEvent) {
    precondition(end == nil, "an event after the end")
    if let last = events.last { precondition(last.time <= event.time, "events out of order: \(last), \(event)") }
    events.append(event)
  }

  public func finish(at end: Nanoseconds) { self.end = end }
}

/// Collects the reports of loops and fakes, and passes them to the sinks in order of time.
///
/// Only clicks are reported in advance, when they are mixed. They are kept until their time, and recorded only if the card then
/// plays their frame.
///
/// `@unchecked Sendable`: a simulation has one thread.
public final class TraceRecorder: EngineObserver, @unchecked Sendable {
  // Exclusivity checks are off: one thread, no re-entrancy.
  /// Statistics of the loops since the metronome was started.
  @exclusivity(unchecked) var figures = LiveFigures()
  private let origin: Instant
  private let sinks: [any TraceSink]
  /// In order of time; the first `sounded` of them have been recorded or dropped.
  @exclusivity(unchecked)
  private var clicks: [(time: Nanoseconds, what: TraceEvent.What, position: FramePosition)] = []
  @exclusivity(unchecked) private var sounded = 0
  @exclusivity(unchecked) private var timeline = Timeline.stopped
  /// The next hit of each voice, and the position of the last one recorded.
  @exclusivity(unchecked) private var hits: [Hit?] = Array(repeating: nil, count: Rhythm.maxVoices)
  @exclusivity(unchecked) private var lastHits = Array(repeating: Position(-1), count: Rhythm.maxVoices)
  /// The voice whose next hit is the first, and the time of that hit; of two, the voice with the lower number.
  @exclusivity(unchecked) private var nextHit: (voice: Int, time: Nanoseconds)?
  /// Time of the last event.
  @exclusivity(unchecked) private var lastTime = Nanoseconds.zero
  /// Whether reports are recorded. Reports of an ended metronome are not.
  @exclusivity(unchecked) var isListening = true
  /// The newest state of the sound; nil before the first.
  @exclusivity(unchecked) private(set) var audioState: AudioState?
  /// The card that plays the clicks.
  @exclusivity(unchecked) private var card: SimulatedAudioCard?
  /// Collects the reports about the second card, which it passes to this recorder.
  public private(set) lazy var ofSecondCard = TraceRecorder(first: self)
  /// nil: this is the recorder of the first card and of all else.
  private unowned let first: TraceRecorder?

  /// `origin` is the instant that counts as 0 in the trace.
  public init(origin: Instant = .zero, sinks: [any TraceSink]) {
    self.origin = origin
    self.sinks = sinks
    first = nil
  }

  private init(first: TraceRecorder) {
    (origin, sinks) = (first.origin, [])
    self.first = first
  }

  /// Records the hits of this timeline from now on, after those that the previous one had before `now`.
  func follow(_ new: Timeline, at now: Instant) {
    guard isListening, new != timeline else { return }
    recordPast(before: now - origin)
    if new.session != timeline.session { lastHits = Array(repeating: Position(-1), count: Rhythm.maxVoices) }
    timeline = new
    for sink in sinks { sink.follow(new, since: origin, at: now - origin) }
    for voice in hits.indices { hits[voice] = timeline.hit(of: voice, after: lastHits[voice]) }
    findNextHit()
  }

  /// Makes this card play the clicks from `now` on; nil: no card plays them.
  func join(_ card: SimulatedAudioCard?, at now: Instant) {
    dropClicks(at: now)
    self.card = card
  }

  /// Records the clicks that have sounded by now, and drops the rest.
  func dropClicks(at now: Instant) {
    recordPast(before: now - origin)
    clicks.removeAll()
    sounded = 0
  }

  /// Records the remaining events up to the end, and finishes the sinks.
  public func finish(at end: Instant) {
    recordPast(before: end - origin)
    for sink in sinks { sink.finish(at: end - origin) }
  }

  func use(_ names: BoxNames) { for sink in sinks { sink.use(names) } }

  func button(_ edge: ButtonEdge, at now: Instant) {
    record(.button(edge.button, isDown: edge.direction == .down), at: now)
  }

  public func changed(to state: MetronomeState, at instant: Instant) { record(.state(state), at: instant) }

  public func showed(_ beat: Beat, late: Nanoseconds, at now: Instant) {
    figures.showed(beat, late: late, at: now)
    record(.beat(beat), at: now)
  }

  public func sent(_ message: MIDIMessage, port: Int, late: Nanoseconds, at now: Instant) {
    figures.sent(message, port: port, late: late, at: now)
    record(.midi(message, port: port), at: now)
  }

  public func followed(deviation: Nanoseconds, resyncs: Int, at now: Instant) {
    figures.followed(deviation: deviation, resyncs: resyncs, at: now)
  }

  public func lostClocks(_ count: Int64, port: Int, at now: Instant) {
    figures.lostClocks(count, port: port, at: now)
    record(.lostClocks(count, port: port), at: now)
  }

  public func skipped(beats: Int64, at now: Instant) {
    figures.skipped(beats: beats, at: now)
    record(.skipped(beats: beats), at: now)
  }

  public func missed(clicks: Int64, at now: Instant) {
    (first ?? self).figures.missed(clicks: clicks, at: now)
    record(.missed(clicks: clicks), at: now)
  }

  public func underran(frames: Int64, at now: Instant) {
    // The engine has dropped the clicks that the card has not accepted yet.
    recordPast(before: now - origin)
    clicks.removeFirst(sounded)
    sounded = 0
    clicks.removeAll { $0.position.whole >= card?.writtenUntil ?? .max }
    (first ?? self).figures.underran(frames: frames, at: now)
    record(.underrun(frames: frames), at: now)
  }

  // Only reopenings of the first card are counted.
  public func plays(on card: String, at now: Instant) { figures.plays(on: card, at: now) }

  public func failed(_ error: HardwareError, at now: Instant) {
    figures.failed(error, at: now)
    record(.fault(error), at: now)
  }

  public func changed(to state: AudioState, at instant: Instant) {
    audioState = state
    record(.audio(state), at: instant)
  }

  public func placed(_ level: Level, isCountedIn: Bool, at position: FramePosition) {
    guard let card, card.isPlaying else { return }
    // A voice's clicks may begin before those of another voice that were placed first.
    let time = card.instant(of: position) - origin
    let place = clicks[sounded...].lastIndex { $0.time <= time }.map { $0 + 1 } ?? sounded
    clicks.insert((time, .click(position, level, isCountedIn: isCountedIn), position), at: place)
  }

  func record(_ what: TraceEvent.What, at instant: Instant) {
    if let first { first.record(what, on: .secondAudio, at: instant) } else { record(what, on: .audio, at: instant) }
  }

  private func record(_ what: TraceEvent.What, on card: Output, at instant: Instant) {
    guard isListening else { return }
    recordPast(before: instant - origin)
    send(what, on: card, at: instant - origin)
  }

  /// Records the clicks whose frame the card has accepted, and the hits, if they were before a time.
  private func recordPast(before time: Nanoseconds) {
    if let first { return first.recordPast(before: time) }
    let second = ofSecondCard
    while true {
      let isOnSecond = second.nextClick ?? Nanoseconds(.max) < nextClick ?? Nanoseconds(.max)
      let recorder = isOnSecond ? second : self
      let click = recorder.nextClick
      let hit = nextHit?.time ?? Nanoseconds(.max)
      if let click, click < hit {
        guard click < time else { break }
        recorder.sounded += 1
        let (time, what, position) = recorder.clicks[recorder.sounded - 1]
        if let card = recorder.card, position.whole < card.writtenUntil {
          send(what, on: isOnSecond ? .secondAudio : .audio, at: time)
        }
      } else if let voice = nextHit?.voice, let next = hits[voice] {
        guard hit < time else { break }
        lastHits[voice] = next.position
        hits[voice] = timeline.hit(of: voice, after: next.position)
        findNextHit()
        send(.hit(next), at: hit)
      } else {
        break
      }
    }
    dropSounded()
    second.dropSounded()
  }

  private func dropSounded() {
    if sounded > clicks.count / 2 {
      clicks.removeFirst(sounded)
      sounded = 0
    }
  }

  private var nextClick: Nanoseconds? { sounded < clicks.count ? clicks[sounded].time : nil }

  private func findNextHit() {
    nextHit = nil
    for voice in hits.indices {
      guard let time = hits[voice].map({ $0.instant - origin }) else { continue }
      if time < nextHit?.time ?? Nanoseconds(.max) { nextHit = (voice, time) }
    }
  }

  private func send(_ what: TraceEvent.What, on card: Output = .audio, at time: Nanoseconds) {
    lastTime = max(lastTime, time)
    let event = TraceEvent(lastTime, what, on: card)
    for sink in sinks { sink.receive(event) }
  }
}

/// Measures how late a real-time simulation shows its beats on the terminal. In virtual time no beat is late.
package final class ShownBeats: TraceSink {
  private let figures = LiveFigures()
  private let origin: Instant
  private let now: () -> Instant

  /// `origin` is when the simulation started, on the clock that `now` reads.
  package init(since origin: Instant, now: @escaping () -> Instant) {
    self.origin = origin
    self.now = now
  }

  /// nil before the first beat.
  package var summary: String? { figures.now.summary }

  package func receive(_ event: TraceEvent) {
    let due = origin + event.time
    if case .beat(let beat) = event.what { figures.showed(beat, late: now() - due, at: due) }
    if case .skipped(let beats) = event.what { figures.skipped(beats: beats, at: due) }
  }

  package func finish(at end: Nanoseconds) {}
}
