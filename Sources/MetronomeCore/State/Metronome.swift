/// The metronome itself: settings, presets and a timeline, changed by commands.
///
/// A pure value. It is told with every command from when on the change may take effect, because only the outputs know
/// what they have committed.
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
  /// What it was before the last command.
  var before: Before?
  private var sessions: UInt32 = 0

  /// Stopped, with these settings.
  ///
  /// - Parameters:
  ///   - settings: tempo, signature and mode to begin with.
  ///   - rules: what no hand changes.
  ///   - presets: those that there are.
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

  /// What is to be remembered now.
  public var memory: Memory {
    Memory(
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
  ///   - effective: the first instant no output has committed. A start puts the first beat there; a change of tempo or
  ///     signature holds from there on. A stop is at once, whatever it says.
  ///   - now: the present, not after `effective`.
  /// - Returns: what to answer, where the beat itself is no answer.
  @discardableResult
  public mutating func apply(_ command: Command, pressed: Instant, effective: Instant, now: Instant) -> Reply? {
    before = Before(self, press: pressed)
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
