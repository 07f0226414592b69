import HardwareAbstraction
import MetronomeCore

/// The loops over one board. Whoever holds it calls their steps: each on a thread of its own on the real board, all in
/// order of their deadlines in the simulation.
public struct Engine<B: Board, Observer: EngineObserver> {
  public let control: ControlLoop<B, Observer>
  public let beats: BeatLoop<B.Lines, Observer>
  /// It has nothing to do while the board is to have no sound.
  public let sound: Sound<B.Sound, B.Clock, Observer>
  /// What the board's store was found to hold.
  public let findings: StateFindings
  /// nil when nothing is to be kept.
  public let keeper: StateKeeper<Observer>?
  /// Where the newest timeline can be read by any thread.
  public let publication: TimelinePublication
  /// How early the outputs are sent, and which keep quiet. It may be set anew at any time, by one thread.
  public let plan: OutputPlan
  /// What is told by light and buzzer beside the beats.
  public let signals: Publication<Signal>
  /// How long after a press its effect falls.
  public let lead: SharedLead
  /// What each output does on a beat.
  let patterns: Publication<OutputPattern>

  /// Joins the loops to a board, and restores what is remembered in its store.
  public init(board: B, options: EngineOptions, observer: Observer) {
    let publication = TimelinePublication()
    let plan = OutputPlan(OutputPlan.Settings(latencies: options.latencies))
    let lead = SharedLead(latencies: options.reservedLatencies ?? options.latencies)
    let signals = Publication(Signal.none)
    patterns = Publication(options.pattern)
    self.publication = publication
    self.signals = signals
    self.plan = plan
    self.lead = lead
    let restored = Restoration(from: board.store, options)
    findings = restored.findings
    keeper = restored.keeper(observer)
    control = ControlLoop(
      restored.metronome, board: board, options: options,
      outlets: Outlets(timeline: publication, signals: signals, plan: plan, lead: lead), keeper: keeper,
      observer: observer)
    beats = BeatLoop(
      lines: board.lines, patterns: patterns, publication: publication, plan: plan, signals: signals,
      observer: observer)
    sound = Sound(
      port: board.sound, clock: board.clock, sounds: options.sounds, publication: publication, plan: plan, lead: lead,
      observer: observer)
  }

  /// Another number whenever the beat loop has something to look at: a timeline, a signal or a pattern published, or a plan
  /// set anew.
  public var generation: UInt64 {
    publication.generation &+ plan.generation &+ signals.generation &+ patterns.generation
  }
}
