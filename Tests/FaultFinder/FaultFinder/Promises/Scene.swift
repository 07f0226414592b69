import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// The common input of all checkers: the current state of the simulation, and its recent history.
final class Scene {
  /// A timeline that was published.
  struct Publication {
    var instant: Instant
    var timeline: Timeline
    /// The longer lead of those before and after it: beats committed under the old lead are not revised.
    var lead = Nanoseconds.zero
  }

  /// How long timelines are kept: as long as a click may be in the buffer, or a beat loop late.
  private static let memory = Nanoseconds.seconds(6)

  let simulation: Simulation
  /// The recent publications, the newest last; never empty.
  private(set) var publications = [Publication(instant: .zero, timeline: .stopped)]
  private var generation: UInt64 = 0
  /// When the options last changed.
  private(set) var reconfigured = Instant.never
  private(set) var options: EngineOptions { didSet { noteLines() } }
  /// The options before the last change.
  private(set) var oldOptions: EngineOptions
  /// Recent latencies with the end of their validity, in order.
  private var formerLatencies: [(latencies: OutputLatencies, end: Instant)] = []
  /// The number of starts of the metronome so far.
  private(set) var boots = 1
  private(set) var isOn = true
  /// The control loop, which is a different object after each start.
  private var control: AnyObject
  /// The lead before the latest event.
  private(set) var lead: Lead
  private(set) var breaches: [Breach] = []
  private var newestSignal: BlinkCode?
  private var seenSignal: UInt64 = 0
  /// The outputs and buttons that have a line.
  var wiring: Wiring { didSet { noteLines() } }

  init(_ simulation: Simulation, wiring: Wiring) {
    self.wiring = wiring
    self.simulation = simulation
    options = simulation.options
    oldOptions = simulation.options
    lead = simulation.engine.lead.current
    control = simulation.engine.control
    isOn = simulation.isOn
    noteLines()
    look()
  }

  private func noteLines() {
    lines = Array(wiring.outputLines)
    let all = lines.map { latencies[$0.output] }
    earliness = all.max() ?? .zero
    isOneTrack = Set(all).count < 2
  }

  var now: Instant { simulation.board.clock.now }
  var timeline: Timeline { publications[publications.count - 1].timeline }
  /// When the newest timeline was published.
  var published: Instant { publications[publications.count - 1].instant }
  /// When the newest timeline takes effect, apart from changes that wait for a bar line.
  var inEffect: Instant { publications[publications.count - 1].instant + publications[publications.count - 1].lead }
  var latencies: OutputLatencies { options.latencies }
  /// The lines that are wired.
  private(set) var lines: [OutputLine] = []
  /// The latency of the line that is sent first.
  private(set) var earliness = Nanoseconds.zero
  /// Whether all lines have the same latency.
  private(set) var isOneTrack = true
  /// Whether a MIDI source sets the tempo, as announced.
  private(set) var isFollowing = false
  /// Whether the metronome is in a Link session, as announced.
  private(set) var isLinked = false
  /// Whether the tempo may be that of a source, present or lost. It is then not the set tempo.
  private(set) var isSteered = false

  /// Former latencies that were valid within this time, the latest first.
  func latencies(past time: Nanoseconds) -> [OutputLatencies] {
    formerLatencies.reversed().prefix { now - $0.end <= time }.map(\.latencies)
  }

  /// The latest published code that light and buzzer show in place of beats.
  var signal: BlinkCode? {
    _ = simulation.engine.blinkCodes.read(into: &newestSignal, seen: &seenSignal)
    return newestSignal
  }

  /// How late the loop of this step was.
  var lateness: Nanoseconds { simulation.wakeDelay }

  func breach(_ promise: Promise, _ text: @autoclosure () -> String) {
    guard breaches.count < 20 else { return }
    breaches.append(Breach(promise, at: now.nanoseconds, text()))
  }

  /// Whether the metronome has started again or ended since the last look.
  var hasSwitched: Bool { simulation.isOn != isOn || simulation.engine.control !== control }

  /// Updates the state from the simulation.
  ///
  /// - Returns: what has changed.
  @discardableResult
  func look() -> Changes {
    var changes = Changes()
    if hasSwitched {
      if simulation.engine.control !== control { boots += 1 }
      isOn = simulation.isOn
      control = simulation.engine.control
      changes.isSwitched = true
      newestSignal = .none
      (isFollowing, isLinked, isSteered) = (false, false, false)
      seenSignal = 0
    }
    let newest = simulation.engine.publication.generation
    if newest != generation || changes.isSwitched {
      generation = newest
      let longest = max(lead.duration, simulation.engine.lead.current.duration)
      let timeline = isOn ? simulation.engine.control.timeline : .stopped
      changes.isContinued = !changes.isSwitched && timeline.hasBeats(of: self.timeline, around: now)
      publications.append(Publication(instant: now, timeline: timeline, lead: longest))
      while publications.count > 1, publications[1].instant < now - Scene.memory { publications.removeFirst() }
      changes.hasTimeline = true
    }
    return changes
  }

  /// Updates the options, and returns whether they changed. Expensive: called only after events other than loop steps.
  func lookAtOptions() -> Bool {
    guard simulation.options != options else { return false }
    if simulation.options.latencies != options.latencies || simulation.options.outputs != options.outputs {
      formerLatencies.removeAll { $0.end < now - Scene.memory }
      formerLatencies.append((options.latencies, now))
    }
    oldOptions = options
    options = simulation.options
    reconfigured = now
    return true
  }

  /// Whether the source may have jumped: it has started, come back or lost clocks in the last seconds.
  var mayJump: Bool { now < jumped + .seconds(10) }
  private var jumped = Instant.never

  /// Notes that the source may have jumped.
  func noteJump() { jumped = now }

  /// Notes an announced state, which says whether a source sets the tempo.
  func note(_ state: MetronomeState) {
    isFollowing = state.score == nil && state.source?.isFollowed ?? false
    isLinked = state.source?.kind == "link"
    if let source = state.source, source != .waiting {
      isSteered = true
    } else if !state.isPlaying {
      isSteered = false
    }
  }

  /// Updates the lead for the next event.
  func lookAtLead() { lead = simulation.engine.lead.current }

  struct Changes {
    var isSwitched = false
    var hasTimeline = false
    /// Whether the new timeline has the same beats around now: a score was continued.
    var isContinued = false

    /// Whether the new timeline has other beats around now.
    var hasOtherBeats: Bool { hasTimeline && !isContinued }
  }
}

extension Timeline {
  /// The longest time for which a change of the beats may have an effect.
  private static let span = Nanoseconds.seconds(3)
  /// More beats than this are not compared, to limit the cost.
  private static let mostBeats = 128

  /// Whether the beats around an instant, and the first one after them, are those of another timeline.
  fileprivate func hasBeats(of other: Timeline, around now: Instant) -> Bool {
    guard isPlaying, other.isPlaying, session == other.session, voiceCount == other.voiceCount,
      let first = firstBeat(atOrAfter: now - Timeline.span), first.index >= other.oldestIndex ?? .max
    else { return false }
    for index in first.index..<first.index + Int64(Timeline.mostBeats) {
      guard let beat = beat(index), beat == other.beat(index), bar(ofBeat: index) == other.bar(ofBeat: index) else {
        return false
      }
      if beat.instant > now + Timeline.span { return true }
    }
    return false
  }
}

extension SourceState {
  /// Whether the beats follow a MIDI source in this state.
  var isFollowed: Bool {
    switch self {
    case .locking, .locked: true
    case .waiting, .lost, .link: false
    }
  }
}

extension MetronomeState {
  /// Whether a score has only gone on since another state.
  func continues(_ other: MetronomeState) -> Bool {
    guard let score, let before = other.score else { return false }
    return isPlaying == other.isPlaying && isSilent == other.isSilent && volume == other.volume
      && set == other.set && trainer == other.trainer && (score.song != before.song || score.speed == before.speed)
  }
}
