/// The metronome itself: settings, presets and a timeline, changed by commands.
///
/// A pure value. Each command says when its change may take effect: only the outputs know what they have committed.
public struct Metronome: Sendable {
  public internal(set) var rules: Rules
  public internal(set) var settings: Settings
  public internal(set) var timeline = Timeline.stopped
  public internal(set) var presets: PresetList
  /// The place of the preset that was recalled last, counted from 1; nil before the first.
  public internal(set) var recalled: Int?
  var taps = TapTempo()
  /// Whether a change that waits for room in the timeline is to wait for the bar line after that.
  var awaitsBarLine = false
  /// What has to be known to undo a press; nil while none may be undone.
  var history: History?
  var sessions: UInt32 = 0

  /// Stopped, with these settings.
  ///
  /// - Parameters:
  ///   - settings: tempo, signature and what goes with them.
  ///   - rules: what a configuration allows.
  ///   - presets: those that can be recalled.
  ///   - recalled: the place of the preset recalled last; one that the list does not have counts as nil.
  public init(
    _ settings: Settings = Settings(), rules: Rules = Rules(), presets: PresetList = PresetList(), recalled: Int? = nil
  ) {
    self.settings = settings
    self.rules = rules
    self.presets = presets
    self.recalled = recalled.flatMap { presets[place: $0] == nil ? nil : $0 }
  }

  public var state: MetronomeState {
    MetronomeState(
      isPlaying: timeline.isPlaying, tempo: settings.tempo, signature: settings.signature, isSilent: settings.isSilent)
  }

  /// What is to be saved now.
  public var savedState: SavedState {
    SavedState(
      tempo: settings.tempo, signature: settings.signature, isPlaying: timeline.isPlaying, isSilent: settings.isSilent,
      presets: presets, recalled: recalled)
  }

  /// When a change that found no room in the timeline can be taken in, or nil if none waits.
  public var deadline: Instant? { isBehind ? timeline.nextRoom : nil }

  /// Whether the settings have changed and the timeline has not.
  private var isBehind: Bool { timeline.isPlaying && !timeline.ends(in: settings.tempo, settings.signature) }

  /// Carries out a command.
  ///
  /// - Parameters:
  ///   - command: what is wanted.
  ///   - pressed: the edge of the press that gave the command, or when it was given otherwise: a tap's time.
  ///   - provisional: the press, if ``takeBack(_:for:effective:now:)`` may follow.
  ///   - effective: the first instant no output has committed. A start puts the first beat there; a change of tempo or
  ///     signature holds from there on. A stop is at once, whatever it says.
  ///   - now: the present, not after `effective`.
  /// - Returns: what to answer, where the beat itself is no answer.
  @discardableResult
  public mutating func apply(
    _ command: Command, pressed: Instant, provisional: Press? = nil, effective: Instant, now: Instant
  ) -> Reply? {
    let order = Order(command: command, pressed: pressed, press: provisional, effective: effective, now: now)
    remember(order)
    return carryOut(order)
  }

  mutating func carryOut(_ order: Order) -> Reply? {
    let (command, pressed, effective, now) = (order.command, order.pressed, order.effective, order.now)
    let (old, wasPlaying) = (settings, timeline.isPlaying)
    settings = settings.after(command, homeTempo: rules.homeTempo)
    var reply: Reply?
    switch command {
    case .togglePlaying: timeline.isPlaying ? stop() : start(at: effective)
    case .start: if !timeline.isPlaying { start(at: effective) }
    case .stop: stop()
    case .tap: tap(pressed, effective: effective, now: now)
    case .tellTempo: reply = .tempo(settings.tempo)
    case .tellSignature: reply = .signature(settings.signature)
    case .nextPreset: reply = recall(place: nextPlace, effective: effective, now: now)
    case .previousPreset: reply = recall(place: previousPlace, effective: effective, now: now)
    case .recallPreset(let place): reply = recall(place: place, effective: effective, now: now)
    case .storePreset(let place): reply = store(at: place)
    case .setTempo, .stepTempo, .resetTempo, .setNumerator, .nextNumerator, .previousNumerator, .setDenominator,
      .nextDenominator, .previousDenominator, .toggleSilence:
      catchUp(effective: effective, now: now)
    }
    let isUnchanged =
      settings.tempo == old.tempo && settings.signature == old.signature && timeline.isPlaying == wasPlaying
    if command != .tap, !isUnchanged { taps.reset() }
    return reply
  }

  /// Takes into the timeline what waited for room. To be called at ``deadline``; does nothing when nothing waits.
  public mutating func catchUp(effective: Instant, now: Instant) {
    guard isBehind else {
      awaitsBarLine = false
      return
    }
    guard timeline.hasRoom(at: now) else { return }
    let (tempo, signature) = (settings.tempo, settings.signature)
    timeline =
      awaitsBarLine
      ? timeline.changedAtBarLine(to: tempo, signature, from: effective, now: now)
      : timeline.changed(to: tempo, signature, from: effective, now: now)
    awaitsBarLine = false
  }

  private mutating func start(at firstBeat: Instant) {
    timeline = Timeline(
      session: newSession(), firstBeat: firstBeat, tempo: settings.tempo, signature: settings.signature,
      countIn: rules.countIn)
  }

  /// The number of a session, which tells it from all others.
  mutating func newSession() -> UInt32 {
    sessions &+= 1
    return sessions
  }

  mutating func stop() {
    timeline = .stopped
    awaitsBarLine = false
  }
}

/// What a display shows of the metronome.
public struct MetronomeState: Hashable, Sendable {
  public var isPlaying: Bool
  public var tempo: Tempo
  public var signature: Signature
  /// Lights only.
  public var isSilent: Bool

  public init(isPlaying: Bool, tempo: Tempo, signature: Signature, isSilent: Bool = false) {
    self.isPlaying = isPlaying
    self.tempo = tempo
    self.signature = signature
    self.isSilent = isSilent
  }
}

extension Metronome {
  /// Changes the presets as a request says.
  ///
  /// - Returns: the command that it comes to besides; of a recall, that is all of it.
  public mutating func carryOut(_ request: PresetRequest) throws(PresetError) -> Command? {
    if case .recall(let name) = request {
      guard let place = presets.place(of: name) else { throw .noSuchPreset(name) }
      return .recallPreset(place)
    }
    var saved = savedState
    try saved.carryOut(request)
    presets = saved.presets
    recalled = saved.recalled
    history?.before.presets = presets
    history?.before.recalled = recalled
    return nil
  }
}

extension Metronome {
  /// Takes the tap of a finger. From the third on the tempo follows, and while it plays the phase, too; stopped it starts
  /// playing if ``Rules/tapStarts`` says so.
  ///
  /// What is tapped are notes of the signature that is heard: while a preset waits for its bar line, still the one before.
  mutating func tap(_ instant: Instant, effective: Instant, now: Instant) {
    guard let estimate = taps.take(instant) else { return }
    let heard = timeline.signature(at: instant) ?? settings.signature
    settings.tempo = estimate.tempo(in: heard, rounds: rules.tapRounds)
    let (tempo, signature) = (settings.tempo, settings.signature)
    if !timeline.isPlaying {
      guard rules.tapStarts else { return }
      timeline = Timeline(
        session: newSession(), tapped: estimate, firstBeat: effective, tempo: tempo, signature: signature)
    } else if !awaitsBarLine, let tapped = timeline.tapped(estimate, to: tempo, signature, from: effective, now: now) {
      timeline = tapped
    } else {
      catchUp(effective: effective, now: now)
    }
  }
}

extension Metronome {
  /// Takes over what another configuration says, while it plays or not.
  ///
  /// The rules hold from now on: bars are counted in before the next start, and a run of taps goes on. Tempo and signature
  /// change as commands change them; where the limit does not allow the signature any more it comes down to it. Presets
  /// stay as they are, and are limited when they are recalled.
  ///
  /// - Parameters:
  ///   - rules: what the other configuration allows.
  ///   - limit: how many beats a bar may have.
  ///   - tempo: nil: it stays.
  ///   - signature: nil: it stays.
  ///   - effective: as in ``apply(_:pressed:provisional:effective:now:)``.
  ///   - now: the present, not after `effective`.
  public mutating func reconfigure(
    rules: Rules, limit: NumeratorLimit, tempo: Tempo? = nil, signature: Signature? = nil, effective: Instant,
    now: Instant
  ) {
    self.rules = rules
    let old = settings
    settings.limit = limit
    settings.tempo = tempo ?? settings.tempo
    settings.signature = (signature ?? settings.signature).limited(by: limit)
    guard settings != old else { return }
    // Undoing a press would bring back the old limit.
    history = nil
    guard settings.tempo != old.tempo || settings.signature != old.signature else { return }
    taps.reset()
    catchUp(effective: effective, now: now)
  }
}
