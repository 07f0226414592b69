import HardwareAbstraction
import MetronomeCore

/// The loops of an engine. Loops that are due at the same instant are stepped in this order.
public enum Loop: Int, Hashable, Sendable, CaseIterable {
  /// Reads the buttons and changes the state.
  case control
  /// Sets the lines.
  case beats
  /// Sends MIDI clocks.
  case midi
  /// Feeds the sound card.
  case audio
  /// Opens and closes the sound card.
  case cards
  /// Feeds the second sound card.
  case audio2
  /// Opens and closes the second sound card.
  case cards2
  /// Saves the state.
  case state
  /// Shows the state on a display.
  case display

  /// The kind of thread that a loop needs.
  public enum Thread: Hashable, Sendable {
    /// The host's main thread: it also waits for buttons and devices, and does the host's other work.
    case main
    /// Real-time; meets its deadlines to the microsecond.
    case exact
    /// Real-time; waits until the sound card has played a period.
    case card
    /// Ordinary; a step may block on a disk or a driver.
    case blocking
  }

  public var thread: Thread {
    switch self {
    case .control: .main
    case .beats, .midi: .exact
    case .audio, .audio2: .card
    case .cards, .cards2, .state, .display: .blocking
    }
  }

  /// The loops that must step before the first command: then the buttons are read, and a present card is open.
  public static let first: [Loop] = [.control, .cards, .cards2]

  /// The second card's loop that does the same; another loop is the same one.
  var ofSecondCard: Loop {
    switch self {
    case .audio: .audio2
    case .cards: .cards2
    case .control, .beats, .midi, .audio2, .cards2, .state, .display: self
    }
  }

  /// The name in scripts.
  public var name: String { "\(self)" }

  public init?(name: String) {
    guard let loop = Loop.allCases.first(where: { $0.name == name }) else { return nil }
    self = loop
  }
}

/// The loops of one board, connected so that they can wake each other. A host steps each loop at its deadline and when it is
/// woken: on the real board each loop on its own thread, in the simulation all loops in order of their deadlines.
///
/// `@unchecked Sendable`: one thread steps each loop; loops share only publications, slots, mailboxes, atomics and locked data.
public final class Engine<B: Board, Observer: EngineObserver>: @unchecked Sendable {
  public let control: ControlLoop<B, Observer>
  public let beats: BeatLoop<B.Lines, Observer>
  /// Idle while the board has no MIDI output.
  public let midi: MIDIClockLoop<B.MIDI, Observer>
  /// Idle while the board has no audio port.
  public let audio: Audio<B.Audio, B.Clock, Observer>
  /// The second sound card: the same code, with its own clock and recovery. Idle while the board has no port for it.
  public let secondAudio: Audio<B.Audio, B.Clock, Observer>
  /// The result of reading the board's state folder.
  public let findings: StateFindings
  public let saver: StateSaver<Observer>?
  /// nil if the board cannot have a display.
  public let display: DisplayLoop<Observer>?
  /// The newest timeline, readable by any thread.
  public let publication: TimelinePublication
  /// The pulses, the latency and the muting of each output. One thread may publish a new plan at any time.
  public let plan: OutputPlan
  /// The blink code that light and buzzer show instead of the beats.
  public let blinkCodes: Publication<BlinkCode?>
  /// The delay from a press to its effect.
  public let lead: SharedLead
  private let midiPlan: Publication<MIDIPlan>
  public let waker: Waker
  private let rehearsal: ControlLoop<B, Observer>

  /// Connects the loops to a board, and restores the state from its folder.
  public init(board: B, options: EngineOptions, observer: Observer, waker: Waker) {
    self.waker = waker
    publication = TimelinePublication()
    plan = OutputPlan(options.projections)
    lead = SharedLead(latencies: options.reservedLatencies ?? options.projections.latencies)
    lead.fit(options.midi)
    midiPlan = Publication(options.midiPlan(for: board.midi?.list ?? MIDIPortList()))
    blinkCodes = Publication(nil)
    let archive = board.stateFolder.map(StateArchive.init)
    let findings = archive?.loadAndRepair() ?? StateFindings()
    self.findings = findings
    saver = archive.map {
      StateSaver(
        $0, saved: findings.isWhole ? findings.savedState : nil,
        refusal: findings.unusable.isEmpty ? nil : findings.refusal, observer: observer, wake: waker)
    }
    let metronome = options.metronome(restoring: findings.savedState)
    display = board.display.map {
      DisplayLoop(
        $0, DisplayContent(metronome.state), PageContent(metronome.state, following: metronome.following),
        observer: observer, wake: waker)
    }
    control = ControlLoop(
      metronome, board: board, options: options,
      outlets: Outlets(
        timeline: publication, blinkCodes: blinkCodes, plan: plan, midi: midiPlan, lead: lead, wake: waker),
      saver: saver, display: display, observer: observer, wake: waker)
    rehearsal = ControlLoop(
      Metronome(options.settings, rules: options.rules), board: board, options: options,
      outlets: Outlets(
        timeline: TimelinePublication(), blinkCodes: Publication(nil), plan: OutputPlan(options.projections),
        midi: Publication(MIDIPlan()), lead: lead, wake: Waker { _ in }),
      saver: nil, display: nil, observer: observer, wake: Waker { _ in })
    beats = BeatLoop(
      lines: board.lines, publication: publication, plan: plan, blinkCodes: blinkCodes, observer: observer)
    midi = MIDIClockLoop(board.midi, publication: publication, plan: midiPlan, observer: observer)
    audio = Audio(
      port: board.audio, clock: board.clock, sounds: options.sounds, publication: publication, plan: plan, lead: lead,
      observer: observer, wake: waker)
    secondAudio = Audio(
      port: board.secondAudio, output: .secondAudio, clock: board.clock, sounds: options.secondSounds,
      publication: publication, plan: plan, lead: lead, observer: observer.ofSecondCard,
      wake: Waker { waker($0.ofSecondCard) })
  }

  /// Presses each button of a hidden metronome, so that the code of the first real press is in memory and its beat is not late.
  /// Must be called once, on any thread that may wait for the disk.
  public func rehearse() { rehearsal.rehearse() }

  /// Steps a loop; called on the loop's thread. Returns when to step it again; nil: only when woken.
  public func step(_ loop: Loop, at now: Instant) -> Instant? {
    switch loop {
    case .control: control.step(at: now)
    case .beats: beats.step(at: now)
    case .midi: midi.step(at: now)
    case .audio: audio.loop.step(at: now)
    case .cards: audio.cards.step(at: now)
    case .audio2: secondAudio.loop.step(at: now)
    case .cards2: secondAudio.cards.step(at: now)
    case .state: saver?.step(at: now)
    case .display: display?.step(at: now)
    }
  }
}

extension Engine {
  /// Applies other options, while playing or stopped: the beat continues, and only the differences take effect. Call it on the
  /// control loop's thread.
  ///
  /// Presses before the call keep their meaning. Tempo and signature change, as by a command, only if the options differ in
  /// them. New rules, gestures, pulses and latencies apply from now on; changed gestures cancel gestures in progress. New
  /// sounds start with the next click, and no click is lost or doubled. ``EngineOptions/restores`` has no effect.
  /// `hasOtherSounds` avoids comparing the sounds, which may be large; `rewire` rewires the board and returns the changes.
  public func reconfigure(
    _ options: EngineOptions, from old: EngineOptions, board: B, at now: Instant, hasOtherSounds: Bool? = nil,
    rewire: () -> BoardChanges = { BoardChanges() }
  ) {
    _ = control.step(at: now)
    let changes = rewire()
    let projections = options.projections
    if projections != old.projections {
      defer { waker(.beats) }
      if projections.latencies != old.projections.latencies { control.holdCommitted(at: now) }
      plan.replace(projections)
      lead.fit(projections.latencies)
    }
    if options.gestures != old.gestures || options.lockOut != old.lockOut {
      control.reader.rebind(to: options.gestures, lockOut: options.lockOut)
    }
    if options.midi != old.midi {
      control.holdCommitted(at: now)
      lead.fit(options.midi)
    }
    control.reader.follow(board, hasOtherButtons: changes.buttons, hasOtherInputs: changes.inputs, at: now)
    if options.midi != old.midi || options.clockWhenStopped != old.clockWhenStopped {
      control.outlets.use(
        options.midi, of: board.midi?.list ?? MIDIPortList(), clockWhenStopped: options.clockWhenStopped)
    }
    control.reconfigure(options, from: old, at: now)
    waker(.control)
    let hasOtherSounds = hasOtherSounds ?? (options.sounds != old.sounds)
    if hasOtherSounds { audio.cards.use(options.sounds) }
    if hasOtherSounds || options.secondCard != old.secondCard { secondAudio.cards.use(options.secondSounds) }
    if changes.audio { audio.cards.use(board.audio) }
    if changes.secondAudio { secondAudio.cards.use(board.secondAudio) }
    if changes.display { display?.sendAgain() }
  }
}

public struct EngineOptions: Hashable, Sendable {
  public var settings: Settings
  /// Whether the saved state replaces the settings at the start. Presets are always restored.
  public var restores: Bool
  public var rules: Rules
  /// What a start plays instead of the settings; nil: the settings.
  public var score: SetList?
  /// The source that the beats follow; nil: none.
  public var source: SourceOptions?
  /// Where the score begins, unless a saved place is restored; nil: at its beginning.
  public var place: SavedPlace?
  public var gestures: GestureTable
  /// How long a button's contact may bounce.
  public var lockOut: Nanoseconds
  public var pattern: OutputPattern
  public var sounds: ClickSounds
  /// What differs on the second sound card.
  public var secondCard = CardSounds()
  /// The delay of each output. The output is sent early by this delay.
  public var latencies: OutputLatencies
  /// The highest latencies that may be set while the engine plays; the lead allows for them. nil: ``latencies``.
  public var reservedLatencies: OutputLatencies?
  /// The MIDI outputs, in the order of the board's ports.
  public var midi: [MIDIOutputRequest] = []
  /// Whether MIDI clock goes on while the metronome is stopped.
  public var clockWhenStopped = true
  /// The outputs that are present. The latency of an absent output delays no beat.
  public var outputs = OutputSet.standard.union([.audio])

  /// The beats that each output shows.
  public var shownBeats = OutputArray { (output: Output) in Projection(output).beats }
  /// The outputs that silent mode mutes.
  public var heard = OutputSet.standardHeard

  /// The hits within beats that each line shows.
  public var hits: OutputArray<ShownHits> = OutputArray { (output: Output) in Projection(output).hits }

  /// The outputs that are RGB lights, and their color at each level.
  public var colored = OutputSet.none
  public var colors = PerLevel(repeating: LightColor.red)

  /// The sounds on the second sound card.
  var secondSounds: ClickSounds {
    var second = sounds.routed(secondCard.routes)
    second.gainDB = secondCard.gainDB
    return second
  }

  public var projections: Projections {
    var projections = Projections(pattern, latencies: latencies, present: outputs)
    for output in OutputSet.onLines {
      projections[output].hits = hits[output]
      projections[output].beats = shownBeats[output]
      projections[output].isHeard = heard.contains(output)
    }
    for output in colored { projections[output].parts = PerLevel { colors[$0].parts } }
    return projections
  }

  public init(
    settings: Settings = Settings(), restores: Bool = true, rules: Rules = Rules(), gestures: GestureTable = .standard,
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

  func midiPlan(for list: MIDIPortList) -> MIDIPlan {
    var plan = MIDIPlan(midi, list, sendsWhenStopped: clockWhenStopped)
    plan.idle = MIDIPlan.Fraction(settings.tempo, settings.unit)
    return plan
  }

  /// The stopped metronome at the start, from these options and the saved state.
  func metronome(restoring saved: SavedState?) -> Metronome {
    var settings = settings
    if restores, let saved {
      settings.use(saved.music)
      settings.isSilent = saved.isSilent
      settings.volume = saved.volume
      settings.set = saved.set ?? settings.set
    }
    var metronome = Metronome(
      settings, rules: rules, presets: saved?.presets ?? PresetList(), recalled: saved?.recalled)
    metronome.load(score)
    if let place = restores ? saved?.place ?? place : place { metronome.select(place) }
    return metronome
  }
}

/// Receives the events of the loops as they happen: a trace in the simulation, counters and a log on the real board. All
/// methods are optional. Each method's comment names the loop that calls it. Methods called by the beat or audio loop run on a
/// real-time thread and must not allocate or block.
public protocol EngineObserver: AnyObject, Sendable {
  /// Receives the events of the second sound card's loops; by default the same observer.
  var ofSecondCard: Self { get }
  /// The metronome's state has changed, or is reported for the first time. Control loop.
  func changed(to state: MetronomeState, at instant: Instant)
  /// Playback has stopped, or started again. Control loop.
  func practised(_ record: PracticeRecord, at now: Instant)
  /// A beat is on the lines. Called once per beat, in order, when the beat's first output is sent, which is early by that
  /// output's latency. A beat that one output skips and another still shows is reported before the next beat. `late` is the
  /// time from when that output was due to the loop's step. Beat loop.
  func showed(_ beat: Beat, late: Nanoseconds, at now: Instant)
  /// Some or all outputs skipped beats, because the loop was late by over half a beat. Each beat is reported once. Beat loop.
  func skipped(beats: Int64, at now: Instant)
  /// A click starts at a position in the stream. Audio loop.
  func placed(_ level: Level, isCountedIn: Bool, at position: FramePosition)
  /// Clicks were skipped because their frames had already been played. Audio loop.
  func missed(clicks: Int64, at now: Instant)
  /// A MIDI message was handed to a port, counted from 0. `late` is the time since it was due. MIDI loop.
  func sent(_ message: MIDIMessage, port: Int, late: Nanoseconds, at now: Instant)
  /// MIDI clocks were given up, because the port was full or the loop was late. MIDI loop.
  func lostClocks(_ count: Int64, port: Int, at now: Instant)
  /// A received clock gave a new estimate of the source. The first clocks, and those after a gap, give none. `deviation` is the
  /// mean deviation of its clocks from the estimate, `resyncs` how often the beats were resynchronized because the source jumped.
  /// Control loop.
  func followed(deviation: Nanoseconds, resyncs: Int, at now: Instant)
  /// After an underrun, the card played this many frames of silence. Audio loop.
  func underran(frames: Int64, at now: Instant)
  /// A card was opened or resumed, and now plays. Card manager.
  func plays(on card: String, at now: Instant)
  /// The audio state has changed, or is reported for the first time. Card manager.
  func changed(to state: AudioState, at instant: Instant)
  /// New figures of the card's clock, every second while the card plays. Card manager.
  func measured(_ state: AudioState, at instant: Instant)
  /// A hardware call failed. Called by the loop of the operation: `setLines` beats, `readAudioPosition` and `writeAudio` audio,
  /// `readEdges` control, `saveState` state and `writeDisplay` display (each once, until it works again).
  func failed(_ error: HardwareError, at now: Instant)
  /// The state can be saved again after a failure. State loop.
  func savingRecovered(at now: Instant)
  /// The display answers again after a failure. Display loop.
  func displayRecovered(at now: Instant)
}

extension EngineObserver {
  public var ofSecondCard: Self { self }
  public func changed(to state: MetronomeState, at instant: Instant) {}
  public func practised(_ record: PracticeRecord, at now: Instant) {}
  public func showed(_ beat: Beat, late: Nanoseconds, at now: Instant) {}
  public func skipped(beats: Int64, at now: Instant) {}
  public func placed(_ level: Level, isCountedIn: Bool, at position: FramePosition) {}
  public func missed(clicks: Int64, at now: Instant) {}
  public func sent(_ message: MIDIMessage, port: Int, late: Nanoseconds, at now: Instant) {}
  public func lostClocks(_ count: Int64, port: Int, at now: Instant) {}
  public func followed(deviation: Nanoseconds, resyncs: Int, at now: Instant) {}
  public func underran(frames: Int64, at now: Instant) {}
  public func plays(on card: String, at now: Instant) {}
  public func changed(to state: AudioState, at instant: Instant) {}
  public func measured(_ state: AudioState, at instant: Instant) {}
  public func failed(_ error: HardwareError, at now: Instant) {}
  public func savingRecovered(at now: Instant) {}
  public func displayRecovered(at now: Instant) {}
}

package final class SilentObserver: EngineObserver {
  package init() {}
}
