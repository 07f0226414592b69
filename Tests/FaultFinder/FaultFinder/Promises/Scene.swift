import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// What all checkers look at: the simulation as it is, and what has become of it lately.
final class Scene {
  /// A timeline that was published.
  struct Publication {
    var instant: Instant
    var timeline: Timeline
    /// The longer one of those before and after: what was committed by the old one is not taken back.
    var lead = Nanoseconds.zero
  }

  /// How long timelines are remembered: as long as a click may be on its way, and a beat loop late.
  private static let memory = Nanoseconds.seconds(6)

  let simulation: Simulation
  /// Those that are published lately, the newest last; never empty.
  private(set) var publications = [Publication(instant: .zero, timeline: .stopped)]
  private var generation: UInt64 = 0
  /// When the options last became others.
  private(set) var reconfigured = Instant.never
  private(set) var options: EngineOptions
  /// Before the options became others.
  private(set) var oldOptions: EngineOptions
  /// Latencies that held lately, and until when, in order.
  private var formerLatencies: [(latencies: OutputLatencies, end: Instant)] = []
  /// Beginnings of the metronome so far.
  private(set) var boots = 1
  private(set) var isOn = true
  /// That of the beginning before the present one is another.
  private var control: AnyObject
  /// As it was before the last thing that happened.
  private(set) var lead: Lead
  private(set) var breaches: [Breach] = []
  private var newestSignal = BlinkCode.none
  private var seenSignal: UInt64 = 0
  /// Which outputs and buttons have a line.
  var wiring: Wiring

  init(_ simulation: Simulation, wiring: Wiring) {
    self.wiring = wiring
    self.simulation = simulation
    options = simulation.options
    oldOptions = simulation.options
    lead = simulation.engine.lead.current
    control = simulation.engine.control
    isOn = simulation.isOn
    look()
  }

  var now: Instant { simulation.board.clock.now }
  var timeline: Timeline { publications[publications.count - 1].timeline }
  /// When the newest timeline was published.
  var published: Instant { publications[publications.count - 1].instant }
  /// When it is in effect, but for what waits for a bar line.
  var inEffect: Instant { publications[publications.count - 1].instant + publications[publications.count - 1].lead }
  var latencies: OutputLatencies { options.latencies }
  /// The lines that there are.
  var lines: [Output] { Output.lines.filter { wiring.outputs[$0] != nil } }
  /// How early the line is sent that is sent first.
  var earliness: Nanoseconds { lines.map { latencies[$0] }.max() ?? .zero }
  /// Whether all lines are sent equally early.
  var isOneTrack: Bool { Set(lines.map { latencies[$0] }).count < 2 }

  /// Latencies that are past, and held so short a time ago; the last first.
  func latencies(past time: Nanoseconds) -> [OutputLatencies] {
    formerLatencies.reversed().prefix { now - $0.end <= time }.map(\.latencies)
  }

  /// What is told by light and buzzer beside the beats, as it was published last.
  var signal: BlinkCode {
    _ = simulation.engine.signals.read(into: &newestSignal, seen: &seenSignal)
    return newestSignal
  }

  /// By how much the loop that steps was late.
  var lateness: Nanoseconds { simulation.heldUp }

  func breach(_ promise: Promise, _ text: @autoclosure () -> String) {
    guard breaches.count < 20 else { return }
    breaches.append(Breach(promise, at: now.nanoseconds, text()))
  }

  /// Whether the metronome has begun again or ended since it was looked at.
  var hasSwitched: Bool { simulation.isOn != isOn || simulation.engine.control !== control }

  /// Takes in what has changed.
  ///
  /// - Returns: what.
  @discardableResult
  func look() -> Changes {
    var changes = Changes()
    if hasSwitched {
      if simulation.engine.control !== control { boots += 1 }
      isOn = simulation.isOn
      control = simulation.engine.control
      changes.isSwitched = true
      newestSignal = .none
      seenSignal = 0
    }
    let newest = simulation.engine.publication.generation
    if newest != generation || changes.isSwitched {
      generation = newest
      let longest = max(lead.duration, simulation.engine.lead.current.duration)
      let timeline = isOn ? simulation.engine.control.timeline : .stopped
      publications.append(Publication(instant: now, timeline: timeline, lead: longest))
      while publications.count > 1, publications[1].instant < now - Scene.memory { publications.removeFirst() }
      changes.hasTimeline = true
    }
    return changes
  }

  /// Takes in whether the options are others. Not cheap: when something happened besides the loops.
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

  /// Takes in the lead for what comes.
  func lookAtLead() { lead = simulation.engine.lead.current }

  struct Changes {
    var isSwitched = false
    var hasTimeline = false
  }
}
