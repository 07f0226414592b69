import ControlSocket
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// Publishes snapshots to the clients of a control socket: on each change, but at most every 50 ms, and four times a second. Used on
/// the control thread.
public final class ControlPublisher<B: Board, Observer: EngineObserver> {
  private static var interval: Nanoseconds { .milliseconds(250) }
  private static var shortestInterval: Nanoseconds { .milliseconds(50) }

  private let control: ControlLoop<B, Observer>
  private let handler: ControlHandler<B, Observer>
  private var publishedAt: Instant?
  private var publishedState: MetronomeState?
  private var publishedTimeline: Timeline?
  /// The number of the last wish for the tempo of a shared session.
  private var wishedTempo = 0
  /// Whether the metronome played last, while it takes part in a shared session; nil: it takes part in none.
  private var wasPlaying: Bool?

  public init(_ control: ControlLoop<B, Observer>, _ handler: ControlHandler<B, Observer>) {
    (self.control, self.handler) = (control, handler)
  }

  /// Publishes what is due. Returns when to call again; nil: nobody subscribes.
  public func step(_ server: ControlServer, at now: Instant) -> Instant? {
    if let wish = wish(at: now) { server.publish(wish, to: .wishes) }
    control.hasCompanion = server.hasSubscribers(.pairing)
    for event in control.pairing.takeEvents() {
      server.publish(handler.pairing(after: event, at: now), to: .pairing)
    }
    guard server.hasSubscribers(.state) || server.hasSubscribers(.timeline) else {
      publishedAt = nil
      return nil
    }
    let (state, timeline) = (control.state, control.timeline)
    let hasChanged = state != publishedState || timeline != publishedTimeline || handler.hasNewSubscribers
    let due = publishedAt.map { $0 + (hasChanged ? Self.shortestInterval : Self.interval) } ?? now
    guard now >= due else { return due }
    handler.hasNewSubscribers = false
    (publishedAt, publishedState, publishedTimeline) = (now, state, timeline)
    server.publish(handler.state, to: .state)
    server.publish(handler.timeline, to: .timeline)
    return now + Self.interval
  }

  /// Our tempo commands and changes of the transport since the last call as a message `wish`, while the metronome follows a Link
  /// session; nil: there were none.
  package func wish(at now: Instant) -> ControlMessage? {
    let state = control.state
    guard case .link? = state.source, state.score == nil else {
      (wishedTempo, wasPlaying) = (0, nil)
      return nil
    }
    var message = ControlMessage("wish")
    if let wish = control.tempoWish, wish.number != wishedTempo {
      wishedTempo = wish.number
      message.append("tempo", decimal(thousandths: wish.milliQuarters))
    }
    let hasChanged = wasPlaying.map { $0 != state.isPlaying } ?? false
    wasPlaying = state.isPlaying
    if hasChanged { message.append("playing", state.isPlaying ? "1" : "0") }
    guard !message.fields.isEmpty else { return nil }
    message.append("at", String(now.nanoseconds))
    return message
  }
}
