import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// One event of a simulation, and its time.
public struct TraceEvent: Hashable, Sendable {
  public enum What: Hashable, Sendable {
    case state(MetronomeState)
    /// A beat, at the time the beat loop started it.
    case beat(Beat)
    /// An output switched on or off.
    case line(Output, isActive: Bool)
    /// A click began to sound, at this point of the card's stream.
    case click(FramePosition, Level, isCountedIn: Bool = false)
    /// A button's contact closed or opened.
    case button(Button, isDown: Bool)
    case skipped(beats: Int64)
    case missed(clicks: Int64)
    case underrun(frames: Int64)
    case fault(HardwareError)
    case audio(AudioState)
    /// The metronome has ended; the board continues.
    case ended(Simulation.Ending)
    /// The metronome has started again.
    case began
  }

  /// Time since the simulation started.
  public var time: Nanoseconds
  public var what: What

  public init(_ time: Nanoseconds, _ what: What) {
    self.time = time
    self.what = what
  }
}

/// Receives the events of a simulation, in order of time.
public protocol TraceSink: AnyObject {
  func receive(_ event: TraceEvent)
  /// The simulation has ended, after this time.
  func finish(at end: Nanoseconds)
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
  /// Statistics of the loops since the metronome was started.
  var figures = LiveFigures()
  private let origin: Instant
  private let sinks: [any TraceSink]
  /// In order of time; the first `sounded` of them have been recorded or dropped.
  private var clicks: [(time: Nanoseconds, position: FramePosition, beat: Beat)] = []
  private var sounded = 0
  /// Time of the last event.
  private var lastTime = Nanoseconds.zero
  /// Whether reports are recorded. Reports of an ended metronome are not.
  var isListening = true
  /// The card that plays the clicks.
  private var card: SimulatedAudioCard?

  /// `origin` is the instant that counts as 0 in the trace.
  public init(origin: Instant = .zero, sinks: [any TraceSink]) {
    self.origin = origin
    self.sinks = sinks
  }

  /// Makes this card play the clicks from `now` on; nil: no card plays them.
  func join(_ card: SimulatedAudioCard?, at now: Instant) {
    dropClicks(at: now)
    self.card = card
  }

  /// Records the clicks that have sounded by now, and drops the rest.
  func dropClicks(at now: Instant) {
    soundClicks(before: now - origin)
    clicks.removeAll()
    sounded = 0
  }

  /// Records the remaining events up to the end, and finishes the sinks.
  public func finish(at end: Instant) {
    soundClicks(before: end - origin)
    for sink in sinks { sink.finish(at: end - origin) }
  }

  func button(_ edge: ButtonEdge, at now: Instant) {
    record(.button(edge.button, isDown: edge.direction == .down), at: now)
  }

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
    // The engine has dropped the clicks that the card has not accepted yet.
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
    clicks.append((card.instant(of: position) - origin, position, beat))
  }

  func record(_ what: TraceEvent.What, at instant: Instant) {
    guard isListening else { return }
    let event = TraceEvent(instant - origin, what)
    soundClicks(before: event.time)
    lastTime = event.time
    for sink in sinks { sink.receive(event) }
  }

  /// Records the clicks whose time has come and whose frame the card has accepted.
  private func soundClicks(before time: Nanoseconds) {
    while sounded < clicks.count, clicks[sounded].time < time {
      let click = clicks[sounded]
      sounded += 1
      guard let card, click.position.whole < card.writtenUntil else { continue }
      lastTime = max(lastTime, click.time)
      let event = TraceEvent(lastTime, .click(click.position, click.beat.level, isCountedIn: click.beat.isCountedIn))
      for sink in sinks { sink.receive(event) }
    }
    if sounded > clicks.count / 2 {
      clicks.removeFirst(sounded)
      sounded = 0
    }
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
