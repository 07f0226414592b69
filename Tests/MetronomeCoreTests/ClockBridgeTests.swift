import MetronomeCore
import Testing

@Suite struct ClockBridgeTests {
  static let zero = Instant(nanoseconds: 123_456_789_012_345)

  /// The readings of both clocks at this raw time after the start. The monotonic clock is 5 s ahead and runs fast by `ppm`.
  static func pair(after raw: Nanoseconds, ppm: Int64) -> ClockPair {
    ClockPair(
      monotonic: zero + .seconds(5) + raw + Nanoseconds(raw.count / 1_000_000 * ppm),
      raw: zero + raw)
  }

  static func bridge(ppm: Int64) -> ClockBridge {
    var bridge = ClockBridge()
    for index in Int64(0)...1_000 { bridge.observe(pair(after: .milliseconds(5 * index), ppm: ppm)) }
    return bridge
  }

  @Test func identicalClocksConvertWithoutChange() {
    var bridge = ClockBridge()
    for index in Int64(0)..<1_000 {
      for instant in [Self.zero, Self.zero + .seconds(3_600), .zero, Self.zero + Nanoseconds(index)] {
        #expect(bridge.raw(of: instant) == instant)
        #expect(bridge.monotonic(of: instant) == instant)
      }
      let now = Self.zero + .milliseconds(5 * index)
      bridge.observe(ClockPair(monotonic: now, raw: now))
    }
  }

  @Test(arguments: [-500, -40, 0, 40, 500])
  func steadySlewConvertsExactly(ppm: Int64) {
    let bridge = Self.bridge(ppm: ppm)
    for milliseconds in Int64(-1_000)...1_000 {
      let pair = Self.pair(after: .seconds(5) + .milliseconds(milliseconds), ppm: ppm)
      #expect(bridge.raw(of: pair.monotonic) == pair.raw)
      #expect(bridge.monotonic(of: pair.raw) == pair.monotonic)
    }
  }

  @Test func roundTripIsExactToOneNanosecond() {
    let bridge = Self.bridge(ppm: 500)
    for index in Int64(-1_000)...1_000 {
      let instant = Self.zero + Nanoseconds(index * 1_000_003)
      let back = bridge.monotonic(of: bridge.raw(of: instant)) - instant
      #expect(abs(back.count) <= 1)
    }
  }

  @Test func errorAfterTheOnsetOfASlewIsSmallAndEndsWithinASecond() {
    var bridge = Self.bridge(ppm: 0)
    for index in Int64(1)...400 {
      let now = Nanoseconds.milliseconds(5 * index)
      func slewed(_ span: Nanoseconds) -> ClockPair {
        var pair = Self.pair(after: .seconds(5) + span, ppm: 0)
        pair.monotonic = pair.monotonic + Nanoseconds(span.count / 2_000)
        return pair
      }
      bridge.observe(slewed(now))
      let ahead = slewed(now + .milliseconds(30))
      let error = abs((bridge.raw(of: ahead.monotonic) - ahead.raw).count)
      #expect(error <= (index <= 200 ? 15_000 : 1), "\(now.count) ns after the onset")
    }
  }

  @Test func readingsWithoutProgressAreIgnored() {
    var bridge = Self.bridge(ppm: 40)
    let before = bridge
    bridge.observe(Self.pair(after: .seconds(5), ppm: 40))
    bridge.observe(Self.pair(after: .seconds(1), ppm: 40))
    bridge.observe(ClockPair(monotonic: Self.zero, raw: Self.zero + .seconds(60)))
    #expect(bridge == before)
  }
}
