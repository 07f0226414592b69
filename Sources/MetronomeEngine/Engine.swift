import HardwareAbstraction
import MetronomeCore

/// What the engine is to play, and how it is to show it.
public struct EngineOptions: Hashable, Sendable {
  public var settings: Settings
  public var pattern: OutputPattern
  public var sounds: ClickSounds

  public init(
    settings: Settings = Settings(), pattern: OutputPattern = OutputPattern(), sounds: ClickSounds = ClickSounds()
  ) {
    self.settings = settings
    self.pattern = pattern
    self.sounds = sounds
  }
}

/// The three loops over one board. Whoever holds it calls their steps: each on a thread of its own on the real board, all
/// in order of their deadlines in the simulation.
public struct Engine<B: Board, Observer: EngineObserver> {
  public let control: ControlLoop<B.Buttons, Observer>
  public let beats: BeatLoop<B.Lines, Observer>
  /// nil when the board has no sound.
  public let audio: AudioLoop<B.Audio, Observer>?
  /// Where the newest timeline can be read by any thread.
  public let publication: TimelinePublication
  public let lead: Lead

  /// - Parameter lead: for a board beside which something else sounds; nil: what the board's own sound needs.
  public init(board: B, options: EngineOptions, observer: Observer, lead: Lead? = nil) {
    let publication = TimelinePublication()
    let lead = lead ?? Lead(board.audio?.format)
    self.publication = publication
    self.lead = lead
    control = ControlLoop(
      settings: options.settings, buttons: board.buttons, lead: lead, publication: publication, observer: observer)
    beats = BeatLoop(lines: board.lines, pattern: options.pattern, publication: publication, observer: observer)
    audio = board.audio.map {
      AudioLoop(output: $0, sounds: options.sounds, publication: publication, observer: observer)
    }
  }
}
