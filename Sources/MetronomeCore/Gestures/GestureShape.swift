/// Which gestures there are with a button, without what they mean.
struct GestureShape: Hashable, Sendable, BitwiseCopyable {
  enum Short: Hashable, Sendable, BitwiseCopyable {
    case nothing
    case atEdge
    case onRelease
  }

  enum Hold: Hashable, Sendable, BitwiseCopyable {
    case nothing
    case long
    case repeats
  }

  var button: Button
  var short: Short
  var hold: Hold
  /// The buttons that have a chord with it: a bit for each, by its index.
  var partners: UInt16
}
