/// The metronome itself: settings and a timeline, changed by commands.
///
/// A pure value. It is told with every command from when on the change may take effect, because only the outputs know
/// what they have committed.
public struct Metronome: Sendable {
  public private(set) var settings: Settings
  public private(set) var timeline = Timeline.stopped
  private var sessions: UInt32 = 0
  /// The settings the timeline ends in. They lag behind ``settings`` while the timeline has no room.
  private var played: Settings

  /// Stopped, with these settings.
  public init(_ settings: Settings = Settings()) {
    self.settings = settings
    played = settings
  }

  public var state: MetronomeState {
    MetronomeState(isPlaying: timeline.isPlaying, tempo: settings.tempo, signature: settings.signature)
  }

  /// When a change that found no room in the timeline can be taken in, or nil if none waits.
  public var deadline: Instant? { timeline.isPlaying && played != settings ? timeline.nextRoom : nil }

  /// Carries out a command.
  ///
  /// - Parameters:
  ///   - effective: the first instant no output has committed. A start puts the first beat there; a change of tempo or
  ///     signature holds from there on. A stop is at once, whatever it says.
  ///   - now: the present, not after `effective`.
  public mutating func apply(_ command: Command, effective: Instant, now: Instant) {
    settings = settings.after(command)
    switch command {
    case .togglePlaying: timeline.isPlaying ? stop() : start(at: effective)
    case .start: if !timeline.isPlaying { start(at: effective) }
    case .stop: stop()
    case .setTempo, .stepTempo, .setNumerator, .nextNumerator, .setDenominator, .nextDenominator:
      catchUp(effective: effective, now: now)
    case .resetTempo, .tap, .previousNumerator, .previousDenominator, .toggleSilence, .tellTempo, .tellSignature,
      .nextPreset, .previousPreset, .recallPreset, .storePreset:
      break
    }
  }

  /// Takes into the timeline what waited for room. To be called at ``deadline``; does nothing when nothing waits.
  public mutating func catchUp(effective: Instant, now: Instant) {
    guard played != settings, timeline.hasRoom(at: now) else { return }
    timeline = timeline.changed(to: settings.tempo, settings.signature, from: effective, now: now)
    played = settings
  }

  private mutating func start(at firstBeat: Instant) {
    sessions &+= 1
    timeline = Timeline(
      session: sessions, firstBeat: firstBeat, tempo: settings.tempo, signature: settings.signature)
    played = settings
  }

  private mutating func stop() {
    timeline = .stopped
    played = settings
  }
}
