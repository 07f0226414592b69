import HardwareAbstraction

/// What the configuration says, or what is wrong with it.
public struct ConfigurationFacts: Hashable, Sendable {
  public enum Outcome: Hashable, Sendable {
    /// - volume: of the clicks, 0 to 1.
    case good(Wiring, AudioRequest, volume: Double = 0.8)
    /// - problem: with file, line and column.
    case bad(problem: String, remedy: String)
  }

  /// The file it was read from; nil: the built-in one.
  public var path: String?
  public var outcome: Outcome

  public init(path: String? = nil, outcome: Outcome = .good(.standard, AudioRequest())) {
    self.path = path
    self.outcome = outcome
  }

  public var wiring: Wiring? {
    guard case .good(let wiring, _, _) = outcome else { return nil }
    return wiring
  }

  public var audio: AudioRequest? {
    guard case .good(_, let audio, _) = outcome else { return nil }
    return audio
  }

  public var volume: Double? {
    guard case .good(_, _, let volume) = outcome else { return nil }
    return volume
  }
}
