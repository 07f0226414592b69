import MetronomeCore
import Testing

/// The clock map with the readings of a perfect card. Nothing is random, so each bound allows only for the rounding of the
/// arithmetic.
@Suite struct ClockMapTests {
  static let rates = [44_100, 48_000, 96_000]
  static let ahead: Int64 = 1 << 40
  static let start = Instant(nanoseconds: 1 << 58)

  @Test(arguments: rates)
  func nominalRateAppliesBeforeTheFirstObservation(rate: Int) {
    let map = ClockMap(rate: rate)
    #expect(map.instant(ofFrame: 0) == .zero)
    #expect(map.instant(ofFrame: Int64(rate) * 3_600) == .zero + .seconds(3_600))
    #expect(map.frame(at: .zero + .seconds(10)) == FramePosition(whole: Int64(rate) * 10))
    #expect(map.frame(at: .zero - .milliseconds(10)) == FramePosition(whole: -Int64(rate) / 100))
    #expect(map.health == ClockMap.Health(ratePPM: 0, deviation: .microseconds(2), isLocked: false))
  }

  @Test func frameStartIsRoundedUpToTheNanosecond() {
    let map = ClockMap(rate: 48_000)
    #expect(map.instant(ofFrame: 1).nanoseconds == 20_834)
    #expect(map.frame(at: Instant(nanoseconds: 20_833)).whole == 0)
    #expect(map.frame(at: Instant(nanoseconds: 20_834)).whole == 1)
    #expect(map.frame(at: Instant(nanoseconds: -1)).whole == -1)
  }

  @Test(arguments: rates)
  func exactReadingsLeaveNoErrorAfter265Days(rate: Int) {
    var map = ClockMap(rate: rate)
    let tenMilliseconds = Int64(rate) / 100
    for index in 0..<Int64(100_000) {
      let frame = Self.ahead + index * tenMilliseconds
      let instant = Self.start + .milliseconds(10 * index)
      map.observe(frame: frame, at: instant)
      #expect(map.instant(ofFrame: frame + 100 * tenMilliseconds) == instant + .seconds(1))
      #expect(map.frame(at: instant + .seconds(1)) == FramePosition(whole: frame + 100 * tenMilliseconds))
    }
    #expect(map.instant(ofFrame: Self.ahead) == Self.start)
    #expect(map.health == ClockMap.Health(ratePPM: 0, deviation: .microseconds(2), isLocked: true))
  }

  @Test func roundedReadingsCauseAtMostOneNanosecondOfError() {
    var map = ClockMap(rate: 48_000)
    let card = PerfectCard(ppm: 0)
    for index in 0..<Int64(100_000) {
      map.observe(frame: index * 256, at: card.instant(ofFrame: index * 256))
      let late = map.instant(ofFrame: index * 256 + 1_024) - card.instant(ofFrame: index * 256 + 1_024)
      #expect(abs(late.count) <= 1)
    }
  }

  @Test(arguments: [-200.0, 0, 12.3, 200])
  func roundTripReturnsTheSameFrame(ppm: Double) {
    let card = PerfectCard(ppm: ppm)
    let map = card.lockedMap()
    let nanosecond = 1 / map.nanosecondsPerFrame
    for step in Int64(-2_000)...2_000 {
      let frame = card.lastReadFrame + step * 86_399_111
      let back = map.frame(at: map.instant(ofFrame: frame))
      let difference = Double(back.whole - frame) + back.fraction
      #expect(difference > -1e-6 && difference < nanosecond + 1e-6, "frame \(frame): off by \(difference)")
    }
  }

  @Test(arguments: [-200.0, -50, 60, 200])
  func rateConvergesToAThousandthOfAPPM(ppm: Double) {
    let card = PerfectCard(ppm: ppm)
    let map = card.lockedMap()
    #expect(abs(map.health.ratePPM - ppm) < 0.001)
    #expect(map.health.isLocked)
    let frame = card.lastReadFrame + 1_024
    let late = map.instant(ofFrame: frame) - card.instant(ofFrame: frame)
    #expect(abs(late.count) <= 10)
  }

  @Test func mapConvergesWithinSeconds() {
    for (ppm, second) in [(60.0, Int64(1)), (-60, 1), (200, 3), (-200, 3)] {
      let card = PerfectCard(ppm: ppm)
      var map = ClockMap(rate: 48_000)
      for index in 0..<Int64(10_000) {
        map.observe(frame: index * 256, at: card.instant(ofFrame: index * 256))
        guard index * 256 >= 48_000 * second else { continue }
        let late = map.instant(ofFrame: index * 256 + 1_024) - card.instant(ofFrame: index * 256 + 1_024)
        #expect(abs(late.count) <= 50_000, "\(ppm) ppm, period \(index)")
      }
    }
  }
}
