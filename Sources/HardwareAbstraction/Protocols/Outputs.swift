/// The lines that light and sound. Held, all inactive, from the moment the board has them until they are released.
///
/// They may come late, go and come back: what is set meanwhile is no error, and shown as soon as they are there. Used by one
/// thread at a time. Some of the outputs may have no line; what is said of them is dropped.
public protocol OutputLines: AnyObject {
  /// Sets every output at once, in one call to the hardware.
  ///
  /// - Throws: `HardwareError` with operation `setLines` when the chip refuses. The lines then stand as they stood.
  func set(_ levels: OutputLevels) throws(HardwareError)

  /// Makes every output inactive and gives the lines back. After it nothing may be set; it may be called again.
  func release()
}

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
