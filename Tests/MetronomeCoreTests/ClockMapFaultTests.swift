import MetronomeCore
import Testing

/// The clock map with readings that are late, wrong, or from another stream.
@Suite struct ClockMapFaultTests {
  static let card = PerfectCard(ppm: 60)
  static let last = card.lastReadFrame

  /// The map's error in nanoseconds at the frame one second after `frame`; positive is late.
  static func lateness(_ map: ClockMap, after frame: Int64, shift: Nanoseconds = .zero) -> Int64 {
    (map.instant(ofFrame: frame + 48_000) - card.instant(ofFrame: frame + 48_000) - shift).count
  }

  @Test func readingWithoutProgressIsIgnored() {
    var map = Self.card.lockedMap()
    let before = map
    let now = Self.card.instant(ofFrame: Self.last)
    map.observe(frame: Self.last, at: now + .milliseconds(1))
    map.observe(frame: Self.last - 256, at: now + .milliseconds(1))
    map.observe(frame: Self.last + 10, at: now)
    map.observe(frame: Self.last + 10, at: now - .milliseconds(1))
    #expect(map == before)
  }

  @Test func threeOutliersAreIgnored() {
    var map = Self.card.lockedMap()
    let frame = Self.last + 48_000
    let before = map.instant(ofFrame: frame)
    for index in Int64(1)...3 {
      let read = Self.last + 256 * index
      map.observe(frame: read, at: Self.card.instant(ofFrame: read) + .milliseconds(36))
    }
    #expect(map.instant(ofFrame: frame) == before)
    map.observe(frame: Self.last + 1_024, at: Self.card.instant(ofFrame: Self.last + 1_024))
    #expect(abs(Self.lateness(map, after: Self.last)) <= 10)
    #expect(map.health.isLocked)
  }

  @Test func wrongFirstReadingIsDiscardedAfterFourMore() {
    var map = ClockMap(rate: 48_000)
    map.observe(frame: 0, at: Self.card.instant(ofFrame: 0) + .seconds(3_600))
    for frame in stride(from: Int64(256), through: 1_024, by: 256) {
      map.observe(frame: frame, at: Self.card.instant(ofFrame: frame))
    }
    #expect(map.instant(ofFrame: 1_024) == Self.card.instant(ofFrame: 1_024))
  }

  @Test(arguments: [-36, 36, 5_000])
  func fourthOutlierMovesThePhaseAndKeepsTheRate(milliseconds: Int64) {
    var map = Self.card.lockedMap()
    let rate = map.health.ratePPM
    let shift = Nanoseconds.milliseconds(milliseconds)
    // The stream can only jump ahead if the two readings are far enough apart.
    let first = Self.last + 48_000
    for index in Int64(0)..<4 {
      map.observe(frame: first + 256 * index, at: Self.card.instant(ofFrame: first + 256 * index) + shift)
    }
    #expect(abs(Self.lateness(map, after: first, shift: shift)) <= 10)
    #expect(map.health.ratePPM == rate)
    #expect(!map.health.isLocked)
  }

  @Test func slightlyLateReadingMovesTheMapByLessThanAMicrosecond() {
    var map = Self.card.lockedMap()
    let read = Self.last + 256
    map.observe(frame: read, at: Self.card.instant(ofFrame: read) + .microseconds(1_900))
    #expect(abs((map.instant(ofFrame: read + 1_024) - Self.card.instant(ofFrame: read + 1_024)).count) < 1_000)
  }

  @Test func reopenedCardRestartsAtFrameZeroAndKeepsTheRate() {
    var map = Self.card.lockedMap()
    let rate = map.health.ratePPM
    let before = map.instant(ofFrame: Self.last + 1_000)
    map.reseed()
    #expect(map.instant(ofFrame: Self.last + 1_000) == before)
    #expect(!map.health.isLocked)
    let now = Self.card.instant(ofFrame: Self.last) + .seconds(3)
    map.observe(frame: 0, at: now)
    #expect(map.instant(ofFrame: 0) == now)
    #expect(map.health.ratePPM == rate)
    let second = Self.card.instant(ofFrame: Self.last + 48_000) - Self.card.instant(ofFrame: Self.last)
    #expect(abs((map.instant(ofFrame: 48_000) - now - second).count) <= 10)
  }

  static let gaps: [Int64] = [1, 9, 60, 3_600, 86_400 * 365]

  @Test(arguments: gaps)
  func mapFollowsTheCardAfterAGap(seconds: Int64) {
    var map = Self.card.lockedMap()
    let first = Self.last + 48_000 * seconds
    for index in Int64(0)..<2_000 {
      let frame = first + index * 256
      map.observe(frame: frame, at: Self.card.instant(ofFrame: frame))
      let late = map.instant(ofFrame: frame + 1_024) - Self.card.instant(ofFrame: frame + 1_024)
      #expect(abs(late.count) <= 100, "period \(index)")
    }
    #expect(abs(map.health.ratePPM - 60) < 0.001)
  }

  @Test(arguments: [Int64(1), 2, 5, 9])
  func sparseReadingsKeepTheLoopStable(seconds: Int64) {
    var map = ClockMap(rate: 48_000)
    let step = seconds * 48_000
    for index in Int64(0)..<1_000 {
      map.observe(frame: index * step, at: Self.card.instant(ofFrame: index * step))
      #expect(abs(map.health.ratePPM) < 150)
    }
    #expect(abs(map.health.ratePPM - 60) < 0.001)
  }

  @Test func suddenRateChangeIsFollowed() {
    let fast = PerfectCard(ppm: 50)
    let slow = PerfectCard(ppm: -50)
    var map = fast.lockedMap()
    let last = fast.lastReadFrame
    let turn = fast.instant(ofFrame: last) - slow.instant(ofFrame: last)
    for index in Int64(1)...6_000 {
      let frame = last + index * 256
      map.observe(frame: frame, at: slow.instant(ofFrame: frame) + turn)
      let late = map.instant(ofFrame: frame + 1_024) - slow.instant(ofFrame: frame + 1_024) - turn
      #expect(abs(late.count) <= (index * 256 < 480_000 ? 150_000 : 20_000), "period \(index)")
    }
  }
}
