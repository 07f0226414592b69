import MetronomeCore
import Testing

@Suite struct SignatureTests {
  private func signature(_ numerator: Int, _ denominator: Int, _ limit: NumeratorLimit = .denominator) -> Signature {
    Signature(numerator, over: denominator, limit: limit)!
  }

  @Test func initialSignatureIsFourFour() { #expect(Signature.initial.description == "4/4") }

  @Test(arguments: [(5, 4), (0, 4), (-1, 4), (33, 32), (3, 3), (2, 2), (1, 1), (4, 64), (Int.max, 4)])
  func limitRejectsSignaturesOutsideIt(numerator: Int, denominator: Int) {
    #expect(Signature(numerator, over: denominator, limit: .denominator) == nil)
  }

  @Test(arguments: [(5, 4), (12, 8), (3, 2), (1, 1), (32, 1), (32, 32)])
  func commonSignaturesAreAllowedWithoutALimit(numerator: Int, denominator: Int) {
    #expect(Signature(numerator, over: denominator, limit: .none)?.description == "\(numerator)/\(denominator)")
  }

  @Test func denominatorLimitsTheNumerator() {
    var bar = signature(24, 32)
    var shown: [String] = []
    for denominator in [16, 8, 4] {
      bar = bar.with(denominator: denominator, limit: .denominator)
      shown.append(bar.description)
    }
    #expect(shown == ["16/16", "8/8", "4/4"])
  }

  @Test func numeratorStepsAndWraps() {
    var bar = signature(2, 4)
    let shown = (0..<4).map { _ in
      bar = bar.nextNumerator(limit: .denominator)
      return bar.description
    }
    #expect(shown == ["3/4", "4/4", "1/4", "2/4"])
    #expect(signature(32, 8, .none).nextNumerator(limit: .none).description == "1/8")
    #expect(signature(8, 8, .none).nextNumerator(limit: .none).description == "9/8")
  }

  @Test func denominatorStepsAndWraps() {
    var bar = signature(4, 4)
    let limited = (0..<4).map { _ in
      bar = bar.nextDenominator(limit: .denominator)
      return bar.description
    }
    #expect(limited == ["4/8", "4/16", "4/32", "4/4"])
    let free = (0..<6).map { _ in
      bar = bar.nextDenominator(limit: .none)
      return bar.description
    }
    #expect(free == ["4/8", "4/16", "4/32", "4/1", "4/2", "4/4"])
    #expect(signature(24, 32).nextDenominator(limit: .denominator).description == "4/4")
  }

  @Test func otherDenominatorsAreIgnored() {
    #expect(signature(3, 4).with(denominator: 5, limit: .none).description == "3/4")
    #expect(signature(3, 4).with(denominator: 2, limit: .denominator).description == "3/4")
  }
}
