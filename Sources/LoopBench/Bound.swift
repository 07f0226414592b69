/// What one figure may be at the most, against another loop's in the same run or by itself.
public struct Bound: Hashable, Sendable {
  public var text: String
  public var most: Double
  /// nil where it was not measured.
  public var found: Double?

  public init(_ text: String, most: Double, found: Double?) {
    self.text = text
    self.most = most
    self.found = found
  }

  /// nil where it was not measured.
  public var isMet: Bool? { found.map { $0 <= most } }

  /// What the beat loop is held to.
  public static func all(_ loops: [LoopFigures]) -> [Bound] {
    func figures(_ loop: Contender) -> LoopFigures? { loops.first { $0.loop == loop } }
    func lateness(_ loop: Contender, _ share: Double) -> Double? {
      ratio(figures(loop)?.lateness(share), figures(.cyclictest)?.lateness(share))
    }
    let drift = ratio(figures(.spinning)?.drift.map(abs), figures(.python)?.drift.map(abs))
    return [
      Bound("p50 of wake-ups by the timer, of cyclictest's", most: 1.15, found: lateness(.timer, 0.5)),
      Bound("p99 of wake-ups by the timer, of cyclictest's", most: 1.25, found: lateness(.timer, 0.99)),
      Bound("p50 of edges, of cyclictest's wake-ups", most: 0.05, found: lateness(.spinning, 0.5)),
      Bound("p99 of edges, of cyclictest's wake-ups", most: 0.1, found: lateness(.spinning, 0.99)),
      Bound("drift of edges, of the Python loop's", most: 0.001, found: drift),
      Bound("of a processor, at 300 BPM with four edges a beat", most: 0.005, found: figures(.playing)?.processorShare),
    ]
  }

  private static func ratio(_ value: Double?, _ other: Double?) -> Double? {
    guard let value, let other, other > 0 else { return nil }
    return value / other
  }
}
