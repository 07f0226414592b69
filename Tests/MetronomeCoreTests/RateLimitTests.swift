import MetronomeCore
import Testing

@Suite struct RateLimitTests {
  private let start = Instant.zero + .seconds(1_000)

  @Test func aBurstAndThenOneForEachInterval() {
    var limit = RateLimit(perSecond: 20, burst: 20)
    func admitted(_ count: Int, at now: Instant) -> Int { (0..<count).count { _ in limit.admit(at: now) } }
    #expect(admitted(30, at: start) == 20)
    #expect(limit.opensAt == start + .milliseconds(50))
    #expect(admitted(1, at: start + .milliseconds(49)) == 0)
    #expect(admitted(2, at: start + .milliseconds(50)) == 1)
    #expect(admitted(30, at: start + .seconds(100)) == 20)
  }

  @Test func theIntervalDoublesUpToTheLongest() {
    var limit = RateLimit(every: .seconds(60), burst: 1, growingTo: .seconds(3_600))
    var (now, pauses) = (start, [Int64]())
    for _ in 0..<8 {
      let isAdmitted = limit.admit(at: now)
      #expect(isAdmitted && !limit.allows(at: limit.opensAt - Nanoseconds(1)))
      pauses.append((limit.opensAt - now).count / 1_000_000_000)
      now = limit.opensAt
    }
    #expect(pauses == [60, 120, 240, 480, 960, 1_920, 3_600, 3_600])
  }
}
