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
  public let keeper: StateSaver<Observer>?
  /// Where the newest timeline can be read by any thread.
  public let publication: TimelinePublication
  /// How early the outputs are sent, and which keep quiet. It may be set anew at any time, by one thread.
  public let plan: OutputPlan
  /// What is told by light and buzzer beside the beats.
  public let signals: Publication<BlinkCode>
  /// How long after a press its effect falls.
  public let lead: SharedLead
  /// What each output does on a beat.
  let patterns: Publication<OutputPattern>

  /// Joins the loops to a board, and restores what is remembered in its store.
  public init(board: B, options: EngineOptions, observer: Observer) {
    let publication = TimelinePublication()
    let plan = OutputPlan(OutputPlan.Settings(latencies: options.latencies))
    let lead = SharedLead(latencies: options.reservedLatencies ?? options.latencies)
    let signals = Publication(BlinkCode.none)
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

extension Engine {
  /// Takes over other options while it plays or not: the beat goes on, and only what differs is touched.
  ///
  /// What hands have done is done by then, as it was meant then. Tempo and signature change, as a command would change them,
  /// if the options have others than before; otherwise they stay as hands have set them. Rules, gestures, pulses and
  /// latencies hold from now on; of a button that is held nothing comes any more if gestures are others. Other sounds begin
  /// with the next click of the running stream, and of clicks none is lost and none comes twice. What concerns a
  /// beginning, ``EngineOptions/restores``, is of no effect.
  ///
  /// On the control loop's thread. Then the beat loop is to be called, and the sound keeper.
  ///
  /// - Parameters:
  ///   - old: the options in force.
  ///   - board: the same board.
  ///   - rewire: has the board wired as it is to be, and says what of it is another than before.
  public func reconfigure(
    _ options: EngineOptions, from old: EngineOptions, board: B, at now: Instant,
    rewire: () -> BoardChanges = { BoardChanges() }
  ) {
    _ = control.step(at: now)
    let changes = rewire()
    if options.latencies != old.latencies {
      control.holdCommitted(at: now)
      plan.set(options.latencies)
      lead.fit(options.latencies)
    }
    if options.pattern != old.pattern { patterns.publish(options.pattern) }
    if options.gestures != old.gestures || options.lockOut != old.lockOut {
      control.reader.rebind(to: options.gestures, lockOut: options.lockOut)
    }
    control.reader.follow(board, hasOtherButtons: changes.buttons, hasOtherInputs: changes.inputs, at: now)
    control.reconfigure(options, from: old, at: now)
    if options.sounds != old.sounds { sound.keeper.use(options.sounds) }
    if changes.sound { sound.keeper.use(board.sound) }
  }
}

/// What the engine is to play, and how it is to show it.
public struct EngineOptions: Hashable, Sendable {
  public var settings: Settings
  /// Whether it begins as it is remembered, and not with the settings. Presets are remembered in any case.
  public var restores: Bool
  public var rules: Rules
  /// What the buttons mean.
  public var gestures: GestureTable<Command>
  /// For how long a button's contact may bounce.
  public var lockOut: Nanoseconds
  public var pattern: OutputPattern
  public var sounds: ClickSounds
  /// How late each output is, and so how early it is sent.
  public var latencies: OutputLatencies
  /// What the latencies may be set to while it plays; nil: they stay. A press waits for them.
  public var reservedLatencies: OutputLatencies?

  public init(
    settings: Settings = Settings(), restores: Bool = true, rules: Rules = Rules(),
    gestures: GestureTable<Command> = .standard,
    lockOut: Nanoseconds = Debouncer.standardLockOut, pattern: OutputPattern = OutputPattern(),
    sounds: ClickSounds = ClickSounds(), latencies: OutputLatencies = .none
  ) {
    self.settings = settings
    self.restores = restores
    self.rules = rules
    self.gestures = gestures
    self.lockOut = lockOut
    self.pattern = pattern
    self.sounds = sounds
    self.latencies = latencies
  }
}

/// Where the control loop leaves what the outputs are to do, and where it learns how long they need.
struct Outlets {
  /// The beats.
  let timeline: TimelinePublication
  /// What is told by light and buzzer beside the beats.
  let signals: Publication<BlinkCode>
  /// Which outputs keep quiet.
  let plan: OutputPlan
  /// How long after a press its effect falls.
  let lead: SharedLead
}
