import HardwareAbstraction
import MetronomeCore

/// The loops of an engine. At one instant they are stepped in this order.
public enum Loop: String, Hashable, Sendable, CaseIterable {
  /// Reads the buttons and keeps the state.
  case control
  /// Sets the lines.
  case beats
  /// Feeds the sound card.
  case audio
  /// Opens and closes sound cards.
  case cards = "keeper"
  /// Saves the state.
  case state = "memory"
}

/// The loops over one board, and who wakes whom.
///
/// A host steps each loop when its deadline comes and when it is woken: each on a thread of its own on the real board, all in
/// order of their deadlines in the simulation. Whoever publishes something to a loop wakes it.
///
/// `@unchecked Sendable`: one thread steps each loop, and all that they share is a publication, a slot, a mailbox, an atomic
/// or behind a lock.
public struct Engine<B: Board, Observer: EngineObserver>: @unchecked Sendable {
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
  /// What each output shows, how early, and whether. It may be published anew at any time, by one thread.
  public let plan: OutputPlan
  /// What is told by light and buzzer beside the beats.
  public let signals: Publication<BlinkCode>
  /// How long after a press its effect falls.
  public let lead: SharedLead
  private let wake: @Sendable (Loop) -> Void

  /// Joins the loops to a board, and restores what is remembered in its store.
  ///
  /// - Parameter wake: lets a loop be stepped soon. Any thread, the real-time ones too: it neither waits nor allocates.
  public init(board: B, options: EngineOptions, observer: Observer, wake: @escaping @Sendable (Loop) -> Void) {
    self.wake = wake
    let publication = TimelinePublication()
    let plan = OutputPlan(options.projections)
    let lead = SharedLead(latencies: options.reservedLatencies ?? options.projections.latencies)
    let signals = Publication(BlinkCode.none)
    self.publication = publication
    self.signals = signals
    self.plan = plan
    self.lead = lead
    let restored = Restoration(from: board.store, options)
    findings = restored.findings
    keeper = restored.keeper(observer, wake: wake)
    control = ControlLoop(
      restored.metronome, board: board, options: options,
      outlets: Outlets(timeline: publication, signals: signals, plan: plan, lead: lead), keeper: keeper,
      observer: observer, wake: wake)
    beats = BeatLoop(
      lines: board.lines, publication: publication, plan: plan, signals: signals, observer: observer)
    sound = Sound(
      port: board.sound, clock: board.clock, sounds: options.sounds, publication: publication, plan: plan, lead: lead,
      observer: observer, wake: wake)
  }

  /// Lets a loop do what is due, on its thread.
  ///
  /// - Returns: when to step it again; nil: when it is woken.
  public func step(_ loop: Loop, at now: Instant) -> Instant? {
    switch loop {
    case .control: control.step(at: now)
    case .beats: beats.step(at: now)
    case .audio: sound.loop.step(at: now)
    case .cards: sound.keeper.step(at: now)
    case .state: keeper?.step(at: now)
    }
  }

  /// Lets the beat loop make a step though nothing is due: a watchdog counts them. Any thread.
  public func requestBeatStep() { wake(.beats) }
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
  /// On the control loop's thread.
  ///
  /// - Parameters:
  ///   - old: the options in force.
  ///   - board: the same board.
  ///   - hasOtherSounds: whether the sounds are others, if they have been compared already: they may be large.
  ///   - rewire: has the board wired as it is to be, and says what of it is another than before.
  public func reconfigure(
    _ options: EngineOptions, from old: EngineOptions, board: B, at now: Instant, hasOtherSounds: Bool? = nil,
    rewire: () -> BoardChanges = { BoardChanges() }
  ) {
    _ = control.step(at: now)
    let changes = rewire()
    let projections = options.projections
    if projections != old.projections {
      if projections.latencies != old.projections.latencies { control.holdCommitted(at: now) }
      plan.replace(projections)
      lead.fit(projections.latencies)
    }
    if projections != old.projections { wake(.beats) }
    if options.gestures != old.gestures || options.lockOut != old.lockOut {
      control.reader.rebind(to: options.gestures, lockOut: options.lockOut)
    }
    control.reader.follow(board, hasOtherButtons: changes.buttons, hasOtherInputs: changes.inputs, at: now)
    control.reconfigure(options, from: old, at: now)
    wake(.control)
    if hasOtherSounds ?? (options.sounds != old.sounds) { sound.keeper.use(options.sounds) }
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
  /// The outputs that are there. How late another one would be delays nothing.
  public var outputs = OutputSet.all

  /// What the outputs make of it.
  public var projections: Projections { Projections(pattern, latencies: latencies, present: outputs) }

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
