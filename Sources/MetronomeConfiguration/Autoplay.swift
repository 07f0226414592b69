/// Whether the metronome plays from the moment the box is switched on.
public enum Autoplay: String, Hashable, Sendable, CaseIterable {
  case never = "false"
  case always = "true"
  /// If it played when the box was switched off.
  case last

  /// Whether it plays now.
  ///
  /// - Parameter remembered: whether it played when the box was switched off; false if nobody knows.
  public func plays(remembered: Bool) -> Bool {
    switch self {
    case .never: false
    case .always: true
    case .last: remembered
    }
  }
}
