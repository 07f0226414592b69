import BoardSimulation

/// Random changes of the stored scores: what is added under which name, and what is removed.
public struct ScoreChanges: Sequence, IteratorProtocol {
  public struct Change: Hashable, Sendable {
    public var name: String
    /// Identifies the text of the score; nil: the score is removed.
    public var number: UInt64?

    public init(name: String, number: UInt64?) {
      self.name = name
      self.number = number
    }

    /// The bytes of the score; nil: the score is removed.
    public var bytes: [UInt8]? { number.map(Change.bytes) }

    /// No two numbers have bytes of which a mixture would be a third number's: each line has the number.
    private static func bytes(_ number: UInt64) -> [UInt8] {
      let line = "\(number % 99 + 1) 120 # \(number)\n"
      return Array(String(repeating: line, count: Int(number % 997) + 1).utf8)
    }
  }

  public static let names = ["Blue in Green", "a", "b", "set list"]
  private var random: SeededRandom

  public init(seed: UInt64) { random = SeededRandom(seed: seed) }

  public mutating func next() -> Change? {
    let name = ScoreChanges.names[Int.random(in: 0..<ScoreChanges.names.count, using: &random)]
    let isRemoval = Int.random(in: 0..<4, using: &random) == 0
    return Change(name: name, number: isRemoval ? nil : UInt64.random(in: 0..<1 << 40, using: &random))
  }
}
