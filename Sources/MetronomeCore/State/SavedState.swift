/// Whether the state is on disk.
public enum Saving: Hashable, Sendable {
  case done
  /// It will be saved within two seconds.
  case pending
  /// It cannot be saved now; saving is retried.
  case refused(Cause)

  public enum Cause: Hashable, Sendable {
    /// The kernel's error number.
    case errno(Int32)
    /// A message of one line; not empty.
    case detail(String)

    /// The reason for the user. `description` gives the system's text for an error number.
    public func text(_ description: (Int32) -> String) -> String {
      switch self {
      case .errno(let errno): description(errno)
      case .detail(let text): text
      }
    }
  }
}

/// The state that a metronome restores at power-on.
public struct SavedState: HasMusic, Hashable, Sendable {
  public var music: Music
  public var isPlaying: Bool
  /// Whether only the lights are on.
  public var isSilent: Bool
  public var volume: Volume
  public var presets: PresetList
  /// The place of the preset that was recalled last, counted from 1; nil if no preset was recalled or it was deleted.
  public var recalled: Int?
  /// The place in the score that is loaded; nil: none is.
  public var place: SavedPlace?

  public init(
    _ music: Music = Music(), isPlaying: Bool = false, isSilent: Bool = false, volume: Volume = .full,
    presets: PresetList = PresetList(),
    recalled: Int? = nil, place: SavedPlace? = nil
  ) {
    self.music = music
    self.isPlaying = isPlaying
    self.isSilent = isSilent
    self.volume = volume
    self.presets = presets
    self.recalled = recalled
    self.place = place
  }
}
