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

/// What the sound card granted. Frames are interleaved: one sample of each channel.
public struct AudioFormat: Hashable, Sendable {
  /// Frames a second, nominally: the card's own crystal may differ by 100 ppm.
  public var rate: Int
  /// 1 to 8.
  public var channels: Int
  public var sampleFormat: SampleFormat
  /// How many frames are written at a time.
  public var periodFrames: Int
  /// How many frames the card's buffer takes.
  public var bufferFrames: Int

  public init(rate: Int, channels: Int, sampleFormat: SampleFormat, periodFrames: Int, bufferFrames: Int) {
    self.rate = rate
    self.channels = channels
    self.sampleFormat = sampleFormat
    self.periodFrames = periodFrames
    self.bufferFrames = bufferFrames
  }

  public var bytesPerFrame: Int { channels * sampleFormat.byteCount }

  /// How long the full buffer plays, rounded up: what may lie between writing a frame and hearing it.
  public var bufferDuration: Nanoseconds { duration(ofFrames: bufferFrames) }

  /// How long a period plays, rounded up.
  public var periodDuration: Nanoseconds { duration(ofFrames: periodFrames) }

  /// How long so many frames play, rounded up.
  public func duration(ofFrames frames: Int) -> Nanoseconds {
    Nanoseconds((Int64(frames) * 1_000_000_000 + Int64(rate) - 1) / Int64(rate))
  }
}

/// Where the stream of frames stands at an instant.
public struct AudioStatus: Hashable, Sendable, BitwiseCopyable {
  /// When this was so.
  public var instant: Instant
  /// The number of the frame that the next write begins with, counted from the start of the stream. It runs ahead of what
  /// was written when the card ran dry and played silence of its own.
  public var frame: Int64
  /// How many frames lie between the one that sounds at ``instant`` and ``frame``: frame `frame - delay` sounds now.
  public var delay: Int64
  /// How many frames a write would take without waiting.
  public var available: Int

  public init(instant: Instant, frame: Int64, delay: Int64, available: Int) {
    self.instant = instant
    self.frame = frame
    self.delay = delay
    self.available = available
  }
}

/// A running stream of sound. It runs, silent, from the moment it is opened.
///
/// Used by one thread at a time. No call waits. After one has thrown, the stream is to be given back to its port.
public protocol AudioOutput: AnyObject {
  /// What the card granted; it does not change.
  var format: AudioFormat { get }

  /// - Throws: `HardwareError` with operation `readAudioPosition`, of the kind `suspended` for a card that sleeps and
  ///   `underrun` for one that has stopped: ``AudioPort/resume(_:)`` starts it again.
  func status() throws(HardwareError) -> AudioStatus

  /// Hands frames to the card.
  ///
  /// - Parameter frames: whole frames in ``format``. Of more than there is room for, the first are taken.
  /// - Returns: how many frames the card took.
  /// - Throws: `HardwareError` with operation `writeAudio`.
  func write(_ frames: UnsafeRawBufferPointer) throws(HardwareError) -> Int
}

/// Where a sound card is plugged in: it may be there, be in use, be gone, and come back.
///
/// Used by one thread, which has the time: every call may wait, and none is for a real-time thread.
public protocol AudioPort: AnyObject {
  associatedtype Output: AudioOutput

  /// What is waited for while there is no card, in the terms of whoever has to plug it in: `hw:CARD=Headphones`.
  var name: String { get }

  /// Opens the card. It runs, silent. One output is open at a time.
  ///
  /// - Throws: `HardwareError` with operation `openAudio`.
  func open() throws(HardwareError) -> Output

  /// Starts a card again that slept or has stopped, with silence. Its frame numbers go on as if it had run.
  ///
  /// - Throws: `HardwareError` with operation `openAudio`; the output is then to be closed.
  func resume(_ output: Output) throws(HardwareError)

  /// Gives an output back, whatever state it is in.
  func close(_ output: Output)
}

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
