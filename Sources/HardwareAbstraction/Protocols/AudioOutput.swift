import MetronomeCore

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

/// A running stream of sound. It runs, silent, from the moment the board is opened.
///
/// Used by one thread. No call waits.
public protocol AudioOutput: AnyObject {
  /// What the card granted; it does not change.
  var format: AudioFormat { get }

  /// - Throws: `HardwareError` with operation `readAudioPosition`.
  func status() throws(HardwareError) -> AudioStatus

  /// Hands frames to the card.
  ///
  /// - Parameter frames: whole frames in ``format``. Of more than there is room for, the first are taken.
  /// - Returns: how many frames the card took.
  /// - Throws: `HardwareError` with operation `writeAudio`.
  func write(_ frames: UnsafeRawBufferPointer) throws(HardwareError) -> Int
}
