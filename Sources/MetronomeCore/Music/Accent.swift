/// How much weight a beat has. More levels may follow; nothing counts on there being two.
public enum Accent: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
  /// The first beat of a bar.
  case first
  /// Any other.
  case regular
}
