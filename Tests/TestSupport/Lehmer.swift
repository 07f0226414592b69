/// A small random generator with a seed, for property tests: `MetronomeCore` has no random generator.
public struct Lehmer: Sendable {
  private var state: UInt64

  public init(seed: UInt64) { state = seed &* 2 &+ 0x9E37_79B9_7F4A_7C15 | 1 }

  public mutating func below(_ bound: Int) -> Int {
    state = state &* 0xDA94_2042_E4DD_58B5
    return Int((state >> 33) % UInt64(bound))
  }
}
