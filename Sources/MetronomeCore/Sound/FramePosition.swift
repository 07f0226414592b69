/// A place in a stream of sound, between two frames if need be.
public struct FramePosition: Hashable, Sendable, BitwiseCopyable {
  /// The frame that is sounding, counted from the stream's first.
  public var whole: Int64
  /// How much of that frame is over, 0..<1.
  public var fraction: Double

  public init(whole: Int64, fraction: Double = 0) {
    self.whole = whole
    self.fraction = fraction
  }

  /// A whole number of frames and any number of them more, however negative or large the rest.
  init(_ whole: Int64, plus rest: Double) {
    let floor = rest.rounded(.down)
    let fraction = rest - floor
    // Just below a whole number, the difference itself rounds up to one.
    self.init(whole: whole + Int64(floor) + (fraction < 1 ? 0 : 1), fraction: fraction < 1 ? fraction : 0)
  }
}
