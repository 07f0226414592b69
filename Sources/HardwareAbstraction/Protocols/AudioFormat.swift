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
