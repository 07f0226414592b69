import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// One thing that happened in a simulation, and when.
public struct TraceEvent: Hashable, Sendable {
  public enum What: Hashable, Sendable {
    case state(MetronomeState)
    /// A beat, as the beat loop began it.
    case beat(Beat)
    /// An output went on or off.
    case line(Output, isActive: Bool)
    /// A click began to sound, at this point of the card's stream.
    case click(FramePosition, Level)
    /// A button's contact closed or opened.
    case button(Button, isDown: Bool)
    case skipped(beats: Int64)
    case missed(clicks: Int64)
    case underrun(frames: Int64)
    case fault(HardwareError)
    case audio(AudioState)
    /// The metronome has ended, and the board goes on.
    case ended(Simulation.Ending)
    /// It has begun again.
    case began
  }

  /// Since the simulation began.
  public var time: Nanoseconds
  public var what: What

  public init(_ time: Nanoseconds, _ what: What) {
    self.time = time
    self.what = what
  }
}

/// Takes in the events of a simulation, in order of time.
public protocol TraceSink: AnyObject {
  func take(_ event: TraceEvent)
  /// No more events come; the simulation lasted so long.
  func finish(at end: Nanoseconds)
}

/// A trace kept in memory, for tests to compare whole.
public final class RecordedTrace: TraceSink {
  public private(set) var events: [TraceEvent] = []
  /// How long the simulation lasted; nil while it goes on.
  public private(set) var end: Nanoseconds?

  public init() {}

  public func take(_ event: TraceEvent) {
    precondition(end == nil, "an event after the end")
    if let last = events.last { precondition(last.time <= event.time, "events out of order: \(last), \(event)") }
    events.append(event)
  }

  public func finish(at end: Nanoseconds) { self.end = end }
}

/// Collects what loops and fakes report, and hands it to the sinks in order of time.
///
/// Everything is reported when it happens but the clicks: they are reported when they are mixed, wait here for their time,
/// and are recorded only if the card plays their frame then.
///
/// `@unchecked Sendable`: a simulation has one thread.
public final class TraceRecorder: EngineObserver, @unchecked Sendable {
  /// What the loops have done since the metronome was begun, in numbers.
  var figures = LiveFigures()
  private let origin: Instant
  private let sinks: [any TraceSink]
  private struct Click {
    var time: Nanoseconds
    var position: FramePosition
    var level: Level
  }

  /// Clicks that do not sound yet, in order of time; the first `sounded` of them have been handed on or dropped.
  private var clicks: [Click] = []
  private var sounded = 0
  /// Of the last event.
  private var lastTime = Nanoseconds.zero
  /// Whether what is reported is recorded. What a metronome does that has ended already is not.
  var isListening = true
  /// What clicks sound on.
  private var card: SimulatedSoundCard?

  /// - Parameters:
  ///   - origin: the instant that counts as 0 in the trace.
  ///   - sinks: each is handed every event.
  public init(origin: Instant = .zero, sinks: [any TraceSink]) {
    self.origin = origin
    self.sinks = sinks
  }

  /// Clicks sound on this card from now on; nil: on none.
  func join(_ card: SimulatedSoundCard?, at now: Instant) {
    dropClicks(before: .max, at: now)
    self.card = card
  }

  /// Clicks before a frame of the stream that do not sound yet never will.
  func dropClicks(before frame: Int64, at now: Instant) {
    soundClicks(before: now - origin)
    clicks.removeFirst(sounded)
    sounded = 0
    clicks.removeAll { $0.position.whole < frame }
  }

  /// The card was started anew: what it has not taken yet sounds at another time.
  func retimeClicks() {
    guard let card else { return }
    for index in clicks.indices { clicks[index].time = card.instant(of: clicks[index].position) - origin }
  }

  /// Hands on what is left until the end, and ends the sinks.
  public func finish(at end: Instant) {
    soundClicks(before: end - origin)
    for sink in sinks { sink.finish(at: end - origin) }
  }

  func line(_ output: Output, isActive: Bool, at now: Instant) { record(.line(output, isActive: isActive), at: now) }

  func button(_ edge: ButtonEdge, at now: Instant) {
    record(.button(edge.button, isDown: edge.direction == .down), at: now)
  }

  func ended(_ ending: Simulation.Ending, at now: Instant) { record(.ended(ending), at: now) }

  func began(at now: Instant) { record(.began, at: now) }

  public func changed(to state: MetronomeState, at instant: Instant) { record(.state(state), at: instant) }

  public func showed(_ beat: Beat, late: Nanoseconds, at now: Instant) {
    figures.showed(beat, late: late, at: now)
    record(.beat(beat), at: now)
  }

  public func skipped(beats: Int64, at now: Instant) {
    figures.skipped(beats: beats, at: now)
    record(.skipped(beats: beats), at: now)
  }

  public func missed(clicks: Int64, at now: Instant) {
    figures.missed(clicks: clicks, at: now)
    record(.missed(clicks: clicks), at: now)
  }

  public func underran(frames: Int64, at now: Instant) {
    // The engine has dropped what the card has not taken yet.
    soundClicks(before: now - origin)
    clicks.removeFirst(sounded)
    sounded = 0
    clicks.removeAll { $0.position.whole >= card?.writtenUntil ?? .max }
    figures.underran(frames: frames, at: now)
    record(.underrun(frames: frames), at: now)
  }

  public func plays(on card: String, at now: Instant) { figures.plays(on: card, at: now) }

  public func failed(_ error: HardwareError, at now: Instant) {
    figures.failed(error, at: now)
    record(.fault(error), at: now)
  }

  public func changed(to state: AudioState, at instant: Instant) { record(.audio(state), at: instant) }

  public func placed(_ beat: Beat, at position: FramePosition) {
    guard let card, card.isPlaying else { return }
    clicks.append(Click(time: card.instant(of: position) - origin, position: position, level: beat.level))
  }

  private func record(_ what: TraceEvent.What, at instant: Instant) {
    guard isListening else { return }
    let event = TraceEvent(instant - origin, what)
    soundClicks(before: event.time)
    lastTime = event.time
    for sink in sinks { sink.take(event) }
  }

  /// Hands on the clicks whose time has come and whose frame the card has taken.
  private func soundClicks(before time: Nanoseconds) {
    while sounded < clicks.count, clicks[sounded].time < time {
      let click = clicks[sounded]
      sounded += 1
      guard let card, click.position.whole < card.writtenUntil else { continue }
      lastTime = max(lastTime, click.time)
      let event = TraceEvent(lastTime, .click(click.position, click.level))
      for sink in sinks { sink.take(event) }
    }
    if sounded > clicks.count / 2 {
      clicks.removeFirst(sounded)
      sounded = 0
    }
  }
}

/// How late a simulation that follows the clock shows its beats: in virtual time none is late, but whoever looks at the
/// terminal sees it when the program has got there.
package final class ShownBeats: TraceSink {
  private let figures = LiveFigures()
  private let origin: Instant
  private let now: () -> Instant

  /// - Parameters:
  ///   - origin: when the simulation began, on the clock that it follows.
  ///   - now: reads that clock.
  package init(since origin: Instant, now: @escaping () -> Instant) {
    self.origin = origin
    self.now = now
  }

  /// In a few words; nil before the first beat.
  package var summary: String? { figures.now.summary }

  package func take(_ event: TraceEvent) {
    let due = origin + event.time
    if case .beat(let beat) = event.what { figures.showed(beat, late: now() - due, at: due) }
    if case .skipped(let beats) = event.what { figures.skipped(beats: beats, at: due) }
  }

  package func finish(at end: Nanoseconds) {}
}
