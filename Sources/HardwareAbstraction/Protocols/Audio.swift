import MetronomeCore

/// How one sample of one channel is stored.
public enum SampleFormat: String, Hashable, Sendable, CaseIterable {
  /// 16 bits signed, little-endian.
  case s16
  /// 32 bits signed, little-endian.
  case s32
  /// 24 bits signed, little-endian, in three bytes.
  case s24
  /// 32 bits floating point, little-endian; full scale is 1.
  case float

  public var byteCount: Int {
    switch self {
    case .s16: 2
    case .s24: 3
    case .s32, .float: 4
    }
  }
}

/// The format that the sound card granted. A frame has one sample of each channel, interleaved.
public struct AudioFormat: Hashable, Sendable {
  /// Nominal frames per second: the card's crystal may differ by 100 ppm.
  public var rate: Int
  /// 1 to 32.
  public var channels: Int
  public var sampleFormat: SampleFormat
  /// The number of frames in a write.
  public var periodFrames: Int
  /// The number of frames in the card's buffer.
  public var bufferFrames: Int

  public init(rate: Int, channels: Int, sampleFormat: SampleFormat, periodFrames: Int, bufferFrames: Int) {
    self.rate = rate
    self.channels = channels
    self.sampleFormat = sampleFormat
    self.periodFrames = periodFrames
    self.bufferFrames = bufferFrames
  }

  public var bytesPerFrame: Int { channels * sampleFormat.byteCount }
  /// The duration of the full buffer, rounded up: the longest delay from writing a frame to hearing it.
  public var bufferDuration: Nanoseconds { duration(ofFrames: bufferFrames) }

  public var periodDuration: Nanoseconds { duration(ofFrames: periodFrames) }

  /// The duration of this number of frames, rounded up.
  public func duration(ofFrames frames: Int) -> Nanoseconds {
    Nanoseconds((Int64(frames) * 1_000_000_000 + Int64(rate) - 1) / Int64(rate))
  }
}

/// The position of the frame stream at an instant.
public struct AudioStatus: Hashable, Sendable, BitwiseCopyable {
  /// When the position was read.
  public var instant: Instant
  /// The number of the first frame of the next write, counted from the start of the stream. After an underrun it exceeds the
  /// number of frames written, because the card has played silence.
  public var frame: Int64
  /// The number of queued frames: at ``instant``, frame `frame - delay` is being played.
  public var delay: Int64
  /// The number of frames that a write would accept.
  public var available: Int

  public init(instant: Instant, frame: Int64, delay: Int64, available: Int) {
    self.instant = instant
    self.frame = frame
    self.delay = delay
    self.available = available
  }
}

/// An open playback stream. It runs from the moment it is opened, and is silent until the first write. Used by one thread at a
/// time. No call blocks. After a call has thrown, the port must resume or close the stream.
public protocol AudioOutput: AnyObject {
  /// The granted format; constant.
  var format: AudioFormat { get }

  /// Reads the card's playback position. Throws a `HardwareError` with operation `readAudioPosition`. Its kind is `suspended`
  /// or `underrun` if ``AudioPort/resume(_:)`` can restart the card.
  func status() throws(HardwareError) -> AudioStatus

  /// Writes whole frames in ``format``, and returns how many of them the card accepted, from the first on. Throws a
  /// `HardwareError` with operation `writeAudio`.
  func write(_ frames: UnsafeRawBufferPointer) throws(HardwareError) -> Int
}

/// Opens one sound card, which may be in use by another program, unplugged, or plugged in again. Every call may block. Used by
/// one thread, never a real-time one.
public protocol AudioPort: AnyObject {
  associatedtype Output: AudioOutput

  /// The name of the card for messages, even if the card is missing: `hw:CARD=Headphones`.
  var name: String { get }

  /// Opens the card, which then plays silence. Only one output may be open. Throws a `HardwareError` with operation
  /// `openAudio`.
  func open() throws(HardwareError) -> Output

  /// Restarts a suspended or stopped card with silence. Its frame numbers continue as if it had kept running. Throws a
  /// `HardwareError` with operation `openAudio`; the output must then be closed.
  func resume(_ output: Output) throws(HardwareError)

  /// Closes an output, in any state.
  func close(_ output: Output)
}

/// The requested audio parameters. The card grants the nearest parameters that it supports.
public struct AudioRequest: Hashable, Sendable {
  public enum Device: Hashable, Sendable {
    /// The first card with playback that is not HDMI. Without such a card there is no sound.
    case auto
    case none
    /// A card's id (`Headphones`) or any ALSA PCM name (`hw:CARD=Headphones,DEV=0`). If the card is missing, the board cannot
    /// be opened.
    case named(String)
  }

  public var device: Device
  /// Frames per second.
  public var rate: Int
  /// Frames in a period.
  public var period: Int
  public var periods: Int
  /// The channels that are used: the card is opened with as many, or with the next higher number that it has.
  public var channels = 2

  /// More channels are never opened.
  public static let mostChannels = 32

  /// 48,000 Hz, an integer fraction of a Raspberry Pi's crystal frequency, and a buffer of 21.3 ms.
  public init(device: Device = .auto, rate: Int = 48_000, period: Int = 256, periods: Int = 4) {
    self.device = device
    self.rate = rate
    self.period = period
    self.periods = periods
  }
}
