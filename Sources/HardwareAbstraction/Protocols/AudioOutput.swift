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
  /// The card had stopped and was started anew since it was asked before: its frames hold to time otherwise than they did,
  /// and where it stands now is a guess.
  public var isRestarted: Bool

  public init(instant: Instant, frame: Int64, delay: Int64, available: Int, isRestarted: Bool = false) {
    self.instant = instant
    self.frame = frame
    self.delay = delay
    self.available = available
    self.isRestarted = isRestarted
  }
}

/// A running stream of sound. It runs, silent, from the moment it is opened.
///
/// Used by one thread at a time. No call waits. After one has thrown, the stream is to be given back to its port.
public protocol AudioOutput: AnyObject {
  /// What the card granted; it does not change.
  var format: AudioFormat { get }

  /// - Throws: `HardwareError` with operation `readAudioPosition`; of a card that sleeps with `ESTRPIPE`.
  func status() throws(HardwareError) -> AudioStatus

  /// Hands frames to the card.
  ///
  /// - Parameter frames: whole frames in ``format``. Of more than there is room for, the first are taken.
  /// - Returns: how many frames the card took.
  /// - Throws: `HardwareError` with operation `writeAudio`.
  func write(_ frames: UnsafeRawBufferPointer) throws(HardwareError) -> Int
}
