/// The buttons of the box, by what they are for.
public enum Button: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
  case play
  case slower
  case faster
  case numerator
  case denominator
  case tap
}
