/// What is asked of the sound card. It grants what it can.
public struct AudioRequest: Hashable, Sendable {
  public enum Device: Hashable, Sendable {
    /// The first card that plays and is not a screen's. Without one there is no sound.
    case auto
    /// No sound.
    case none
    /// A card's id (`Headphones`) or any ALSA PCM name (`hw:CARD=Headphones,DEV=0`). Without it the board is not had.
    case named(String)
  }

  public var device: Device
  /// Frames a second.
  public var rate: Int
  /// Frames in a period, and periods in the buffer.
  public var period: Int
  public var periods: Int

  /// 48,000 Hz, which on a Raspberry Pi divides the crystal evenly, and 21.3 ms of buffer.
  public init(device: Device = .auto, rate: Int = 48_000, period: Int = 256, periods: Int = 4) {
    self.device = device
    self.rate = rate
    self.period = period
    self.periods = periods
  }
}
