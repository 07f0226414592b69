/// The outputs of the box.
public enum Output: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
  /// Flashes on every beat.
  case light
  /// A second light, on for odd beats and off for even ones: side by side with the first they swing.
  case pendulum
  /// Sounds on every beat.
  case buzzer
}

/// Which outputs are active, all of them at one instant. Active means lit or sounding, whatever level the line has then.
public struct OutputLevels: OptionSet, Hashable, Sendable, BitwiseCopyable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public init(_ output: Output) {
    switch output {
    case .light: self = .light
    case .pendulum: self = .pendulum
    case .buzzer: self = .buzzer
    }
  }

  public static let light = OutputLevels(rawValue: 1)
  public static let pendulum = OutputLevels(rawValue: 2)
  public static let buzzer = OutputLevels(rawValue: 4)
  /// All off.
  public static let inactive: OutputLevels = []
}
