/// The state machine of the metronome: settings, presets and a timeline, changed by commands.
///
/// A pure value. The caller passes the earliest time of each change, which depends on what the outputs have committed. Hands, an external
/// source, a score or a ramp lead: they set the tempo and the bar lines, one at a time. ``apply(_:pressed:provisional:effective:now:)``
/// carries out commands, and ``catchUp(effective:now:)`` goes on with the timeline.
public struct Metronome: Sendable {
  public internal(set) var rules: Rules
  public internal(set) var settings: Settings
  public internal(set) var timeline: Timeline {
    _read { yield boxedTimeline.value }
    _modify { yield &boxedTimeline.value }
  }
  var boxedTimeline = Boxed(Timeline.stopped)
  public internal(set) var presets: PresetList
  /// The place of the preset that was recalled last, counted from 1; nil if no preset was recalled or it was deleted.
  public internal(set) var recalled: Int?
  /// The number of recalls since the program started.
  public internal(set) var recalls: UInt64 = 0
  /// Who sets the tempo and the bar lines. Only ``handOver(to:)`` changes it, which also decides between hands and a source.
  var leader = Leader.hands
  /// Who leads after the stop, because a score was loaded or unloaded while playing; nil: the same.
  var successor: Leader?
  /// The external source that the metronome hears. It leads while it is present, unless a score is loaded or a ramp is on. nil: none.
  var source: Source?
  /// The number of tempi that commands asked a Link session for.
  var wishes = 0
  /// From when the timer counts; nil if stopped.
  var timedFrom: TimerOrigin?
  /// The time of the last call, at which ``state`` is valid.
  var asOf = Instant.zero
  /// How long before a beat the outputs commit it, as of the last change.
  var leadTime = Nanoseconds.zero
  var taps: TapTempo?
  /// Whether the change that waits is made at a bar line.
  var awaitsBarLine = false
  /// nil if no press can be undone.
  var history: Boxed<History>?
  var sessions: UInt32 = 0

  /// Creates a stopped metronome. A `recalled` place that the list does not have counts as nil.
  public init(
    _ settings: Settings = Settings(), rules: Rules = Rules(), presets: PresetList = PresetList(), recalled: Int? = nil
  ) {
    self.settings = settings
    self.rules = rules
    self.presets = presets
    self.recalled = recalled.flatMap { presets[place: $0] == nil ? nil : $0 }
  }

  public var state: MetronomeState {
    let score = leader.player?.status(at: asOf)
    let music = score.map { Music($0.tempo, $0.bar) } ?? Music(settings.tempo, settings.bar)
    var state = MetronomeState(
      isPlaying: timeline.isPlaying, music, isSilent: settings.isSilent, volume: settings.volume)
    state.set = settings.set ?? rules.homeSet
    state.trainer = settings.trainer.text(leader.ramp)
    state.source = source?.state
    state.score = score
    return state
  }

  public var savedState: SavedState {
    SavedState(
      settings.music, isPlaying: timeline.isPlaying, isSilent: settings.isSilent, volume: settings.volume,
      set: settings.set, presets: presets, recalled: recalled, place: leader.player?.savedPlace(at: asOf))
  }

  /// When ``catchUp(effective:now:)`` must be called; nil: not before the next command or observation of a source.
  public var deadline: Instant? {
    guard timeline.isPlaying else { return nil }
    let own: Instant? =
      switch leader {
      case .hands: isBehind ? timeline.nextRoom(for: settings.bar.rhythm) : nil
      case .source: sessionBarLine
      case .score(let player), .ramp(let player, _): player.deadline(timeline, now: asOf)
      }
    return [own, timerEnd].compactMap(\.self).min()
  }

  /// When the timer ends playback; nil: it is off, or nothing plays.
  ///
  /// Playback ends as long after the command, or after the press that started, as the timer says. Outputs commit beats ahead: a
  /// stop then may come too late for the click of a beat at or after the end of the time. Therefore playback stops before that is
  /// committed, unless another beat comes in between.
  private var timerEnd: Instant? {
    guard let timedFrom, settings.trainer.isTimed, let timer = settings.trainer.timer else { return nil }
    let (end, due) =
      switch timedFrom {
      case .firstBeat(let first): (first + timer, first + timer - leadTime)
      case .command(let instant): (instant + timer, instant + timer)
      }
    let stop = timeline.firstBeat(atOrAfter: end).map { min(due, $0.instant - leadTime) } ?? due
    let last = timeline.lastBeat(atOrBefore: end - Nanoseconds(1))
    return last.map { $0.instant < stop } ?? true ? stop : end
  }

  /// Whether the settings have changed but the timeline has not.
  private var isBehind: Bool { timeline.isPlaying && !timeline.ends(in: settings.tempo, settings.bar) }

  /// Carries out a command given at `pressed`: the time of the press's edge, or of the tap.
  ///
  /// `provisional` is the press, if ``undo(_:for:effective:now:)`` may undo it. `effective` is the first instant that no
  /// output has committed: a start puts the first beat there, and a change of tempo or bar takes effect there. A stop is
  /// always immediate. `now` is the current time, not after `effective`.
  ///
  /// - Returns: the reply, if the beat itself does not show the effect.
  @discardableResult
  public mutating func apply(
    _ command: Command, pressed: Instant, provisional: Press? = nil, effective: Instant, now: Instant
  ) -> Reply? {
    let order = Order(command: command, pressed: pressed, press: provisional, effective: effective, now: now)
    // A press after the end of a song or of the timer finds the metronome stopped, even if the end has not been noticed yet.
    if timeline.isPlaying, leader.player?.hasEnded(at: pressed) == true { finishSong() }
    if let timerEnd, timerEnd <= pressed { stop() }
    if provisional != nil || history != nil { record(order) }
    let started = sessions
    let reply = carryOut(order)
    if sessions != started, let last = history?.value.orders.indices.last {
      history?.value.orders[last].timedFrom = timedFrom
    }
    return reply
  }

  /// What a command does depends on the leader. A tap, for example, sets the tempo and moves the beats (hands), is refused (a MIDI clock),
  /// asks the other peers for the tempo (a Link session), or moves the beats at the tempo of the score (a score or a ramp). Whoever refuses a
  /// command replies with a ``CommandRefusal``, which has the reason and its text.
  mutating func carryOut(_ order: Order) -> Reply? {
    let (command, effective, now) = (order.command, order.effective, order.now)
    (asOf, leadTime) = (max(asOf, now), effective - now)
    switch leader {
    case .hands: break
    case .source: if let refusal = refusalBySource(of: command) { return .refused(refusal) }
    case .score, .ramp: if command.concernsMusic { return carryOutInScore(order) }
    }
    return carryOutOnSettings(order)
  }

  /// Carries out a command while hands or a source lead, or one that is the same for all leaders.
  private mutating func carryOutOnSettings(_ order: Order) -> Reply? {
    let (effective, now) = (order.effective, order.now)
    let wasPlaying = timeline.isPlaying
    switch order.command {
    case .togglePlaying: wasPlaying ? stop() : start(at: effective)
    case .start: if !wasPlaying { start(at: effective) }
    case .stop: stop()
    case .tellTempo: return .tempo(settings.tempo)
    case .tellSignature: return .signature(settings.signature)
    case .storePreset(let place): return store(at: place)
    case .setClickSet(let set): choose(set)
    case .nextClickSet: choose((settings.set ?? rules.homeSet).next)
    case .pair: return .pairing
    case .forgetPhones: return .stored
    case .nextSection, .previousSection, .restartSection, .nextSong, .previousSong: return .refused(.noScore)
    case .toggleRamp: return toggleRamp(effective: effective, now: now)
    case .setRamp(let ramp): return play(ramp, effective: effective, now: now)
    default: return changeSettings(order)
    }
    if timeline.isPlaying != wasPlaying { taps = nil }
    return nil
  }

  /// The configured set is not saved, so that another configuration changes it.
  private mutating func choose(_ set: Voice.Sound) { settings.set = set == rules.homeSet ? nil : set }

  /// Carries out a command that changes the settings.
  private mutating func changeSettings(_ order: Order) -> Reply? {
    let (command, effective, now) = (order.command, order.effective, order.now)
    let (old, wasPlaying) = (settings, timeline.isPlaying)
    if case .setRhythm(let rhythm) = command, Bar(settings.bar.metre, rhythm).rhythm != rhythm {
      return .refused(refusal(of: rhythm))
    }
    settings = sharedSettings(after: command) ?? settings.after(command, homeTempo: rules.homeTempo)
    let place = placeToRecall(command)
    if let preset = place.flatMap({ presets[place: $0] }) { settings.use(preset.music) }
    let isStepOutside = command.isStep && isSessionOutsideUnit
    if command.asksForTempo, isOutsideSession || isStepOutside {
      let refusal: CommandRefusal =
        place != nil ? .presetOutsideSession : isStepOutside ? .sessionOutside(old.unit) : .outsideSession
      settings = old
      return .refused(refusal)
    }
    var reply: Reply?
    switch command {
    case .tap: tap(order.pressed, effective: effective, now: now)
    case .nextPreset, .previousPreset, .recallPreset: reply = recall(place, by: command, effective: effective, now: now)
    case .volumeUp, .volumeDown, .setVolume: break
    case .nextGap, .toggleDrop, .setGap, .setDrop:
      awaitsBarLine = timeline.isPlaying
      catchUp(effective: effective, now: now)
    case .toggleTimer, .setTimer: reply = setTimer(from: now)
    default: catchUp(effective: effective, now: now)
    }
    if command.asksForTempo || settings.tempo != old.tempo { wishForTempo(now: now) }
    let isUnchanged = settings.tempo == old.tempo && settings.bar == old.bar && timeline.isPlaying == wasPlaying
    if command != .tap, !isUnchanged { taps = nil }
    return reply
  }

  /// Makes the change that waited for room in the timeline (hands) or for a bar line (a Link session), appends what comes next (a score or a
  /// ramp), and stops at the end of the timer. Must be called at ``deadline``; commands call it, too.
  public mutating func catchUp(effective: Instant, now: Instant) {
    (asOf, leadTime) = (max(asOf, now), effective - now)
    if let timerEnd, timerEnd <= now { stop() }
    if leader.player != nil {
      continueScore(effective: effective, now: now)
    } else if isBehind, timeline.isSteered {
      if isInSession {
        steer(effective: effective, now: now)
      } else if !leader.isSource {
        changeSteered(from: effective, now: now)
      }
      // The next observation makes a change that has not been made yet.
      if leader.isSource { return }
    } else if isBehind {
      let (tempo, bar) = (settings.tempo, settings.bar)
      guard timeline.hasRoom(for: bar.rhythm, at: now) else { return }
      timeline =
        awaitsBarLine
        ? timeline.changedAtBarLine(to: tempo, bar, from: effective, now: now)
        : timeline.changed(to: tempo, bar, from: effective, now: now)
    }
    awaitsBarLine = false
  }

  private mutating func start(at firstBeat: Instant) {
    if leader.isSource { return startWithSource(at: firstBeat, now: asOf) }
    begin(
      Timeline(
        session: newSession(), firstBeat: firstBeat, tempo: settings.tempo, bar: settings.bar, countIn: rules.countIn))
  }

  /// Begins playback with a timeline of a new session. The timer counts from its first beat.
  mutating func begin(_ started: Timeline) {
    timeline = started
    timedFrom = started.oldestIndex.map { .firstBeat(started.knownBeat($0).instant) }
  }

  mutating func newSession() -> UInt32 {
    sessions &+= 1
    return sessions
  }

  mutating func stop() {
    leader.player?.stop(at: asOf)
    if leader.ramp != nil, let reached = timeline.tempo(at: asOf) { settings.tempo = reached }
    (timeline, awaitsBarLine, timedFrom) = (.stopped, false, nil)
    source?.alignment = nil
    if let successor { handOver(to: successor) }
    successor = nil
  }

  /// Processes a tap. From the third tap on the tempo follows the taps; while playing, so does the phase. A stopped metronome
  /// starts if ``Rules/tapStarts`` is set.
  ///
  /// A tap is a beat of the metre that is playing. While a preset waits for its bar line, this is the old metre.
  private mutating func tap(_ instant: Instant, effective: Instant, now: Instant) {
    var run = taps ?? TapTempo()
    let estimate = run.add(instant)
    taps = run
    guard let estimate else { return }
    let played = timeline.metre(at: instant) ?? settings.bar.metre
    settings.tempo = estimate.tempo(in: played, rounds: rules.tapRounds)
    let (tempo, bar) = (settings.tempo, settings.bar)
    if !timeline.isPlaying {
      guard rules.tapStarts else { return }
      // A session has its own beats and bar lines.
      if leader.isSource { return startWithSource(at: effective, now: now) }
      begin(Timeline(session: newSession(), tapped: estimate, firstBeat: effective, tempo: tempo, bar: bar))
    } else if !awaitsBarLine, let tapped = timeline.tapped(estimate, to: tempo, bar, from: effective, now: now) {
      timeline = tapped
    } else {
      catchUp(effective: effective, now: now)
    }
  }

  /// Applies a new configuration, while playing or stopped.
  ///
  /// The rules apply immediately: a new count-in applies to the next start, and a run of taps continues. Tempo and bar change as
  /// in ``apply(_:pressed:provisional:effective:now:)``. A signature that the limit no longer allows is reduced to it. Presets
  /// are kept as they are, and limited on recall.
  public mutating func reconfigure(
    rules: Rules, limit: NumeratorLimit, music: MusicChange = MusicChange(),
    trainer: (new: Trainer, old: Trainer)? = nil, effective: Instant, now: Instant
  ) {
    let old = settings
    if rules.homeSet != self.rules.homeSet { settings.set = nil }
    self.rules = rules
    settings.limit = limit
    settings.use(music.applied(to: settings.music))
    if let trainer {
      settings.trainer.configure(trainer.new, from: trainer.old)
      leader.player?.use(settings.trainer.filter, in: &boxedTimeline.value, from: effective, now: now)
    }
    guard settings != old else { return }
    // Undoing a press would restore the old limit.
    history = nil
    guard settings.tempo != old.tempo || settings.bar != old.bar else { return }
    taps = nil
    catchUp(effective: effective, now: now)
  }
}

/// Who sets the tempo and places the bar lines: one at a time.
///
/// `Documentation/Architecture.md` has the table of what changes the leader. ``Metronome/handOver(to:)`` carries it out.
enum Leader: Sendable {
  /// The settings, which buttons, taps and commands change.
  case hands
  /// A MIDI clock or a Link session: ``Metronome/source``. The settings have the rest of the bar.
  case source
  /// A score that was loaded.
  case score(ScorePlayer)
  /// A ramp of the trainer, played as a score of one section.
  case ramp(ScorePlayer, TempoSteps)

  /// What plays the score, or the ramp; nil: the settings are played.
  var player: ScorePlayer? {
    get {
      switch self {
      case .hands, .source: nil
      case .score(let player), .ramp(let player, _): player
      }
    }
    set {
      switch (self, newValue) {
      case (.hands, nil), (.source, nil): break
      case (.score, let player?): self = .score(player)
      case (.ramp(_, let ramp), let player?): self = .ramp(player, ramp)
      default: preconditionFailure("only handOver(to:) begins or ends a score")
      }
    }
  }

  var ramp: TempoSteps? { if case .ramp(_, let ramp) = self { ramp } else { nil } }

  var isSource: Bool { if case .source = self { true } else { false } }
}

extension Metronome {
  /// Changes the leader. Without a score or a ramp, a source leads if it is present, and otherwise the hands do: the argument then only
  /// says that no score leads.
  mutating func handOver(to next: Leader) {
    switch next {
    case .hands, .source: leader = source?.isPresent == true ? .source : .hands
    case .score, .ramp:
      leader = next
      leader.player?.filter = settings.trainer.filter
    }
  }

  /// Must be called whenever a source appears, is lost, or is removed.
  mutating func sourceChanged() { if leader.player == nil { handOver(to: .source) } }

  /// The ramp that plays, or that a start would play; nil: none.
  package var ramp: TempoSteps? { leader.ramp }

  /// Whether a source sets the tempo, so that commands cannot: a Link session is asked for a tempo instead.
  package var refusesTempo: Bool { leader.isSource && source?.isShared == false }
}

/// A large value on the heap, copied on write: copying its owner copies a reference.
///
/// The owner is a value as before. Not for real-time threads, because it allocates and counts references.
// Unchecked, because a class with a variable cannot be Sendable, and a constant would be copied for each change of a part of it. The value only
// changes while it has one owner, so no two threads share a value that changes. The variable is not checked for exclusive access a second
// time: it is only reached through the owner, which is.
struct Boxed<Value: Sendable>: @unchecked Sendable {
  private final class Storage {
    @exclusivity(unchecked) var value: Value

    init(_ value: Value) { self.value = value }
  }

  private var storage: Storage

  init(_ value: Value) { storage = Storage(value) }

  var value: Value {
    _read { yield storage.value }
    _modify {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
      yield &storage.value
    }
  }
}
