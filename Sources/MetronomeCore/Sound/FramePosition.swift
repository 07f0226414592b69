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

  /// The beginning of a frame, if that is nearer than 1/16,384 of one: at 48,000 Hz 1.3 ns, about what the clocks are told
  /// apart by. A sound that begins there need not be interpolated.
  public var snapped: FramePosition {
    let least = 1.0 / 16_384
    if fraction < least { return FramePosition(whole: whole) }
    return fraction > 1 - least ? FramePosition(whole: whole + 1) : self
  }
}
