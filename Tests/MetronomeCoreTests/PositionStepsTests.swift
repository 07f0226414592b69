import MetronomeCore
import Testing

/// Cards that tell their position in steps, read at moments that a loop of 256 frames happens to come by.
@Suite struct PositionStepsTests {
  /// A stream of 48 kHz nominally, whose position moves in steps, and who reads it when.
  struct Stream: CustomTestStringConvertible {
    let ppm: Double
    let step: Int64
    /// Whether the reader's timer runs by the card, so that it always sees the same phases of a step, or by the system.
    let readerFollowsCard: Bool
    /// How long after its timer the reader reads, in nanoseconds.
    let delay: Double

    var testDescription: String {
      "\(ppm) ppm in steps of \(step), read \(readerFollowsCard ? "by the card" : "by the system"), \(delay) ns late"
    }

    var nanosecondsPerFrame: Double { 1e9 / 48_000 / (1 + ppm * 1e-6) }

    /// When the reader reads for the given time, in nanoseconds since the first frame.
    func time(ofReading index: Int) -> Double {
      Double(index) * 256 * (readerFollowsCard ? nanosecondsPerFrame : 1e9 / 48_000) + delay
    }

    func position(at time: Double) -> Int64 { Int64(time / nanosecondsPerFrame) / step * step }
  }

  static let start = Instant(nanoseconds: 1_000_000_000_000)

  /// The largest error of a map fed with the stream's sharpened readings from 10 s to 100 s, in nanoseconds.
  static func worst(_ stream: Stream) -> Double {
    var steps = PositionSteps(step: Int(stream.step), rate: 48_000)
    var map = ClockMap(rate: 48_000)
    var worst = 0.0
    for index in 0..<18_750 {
      let time = stream.time(ofReading: index)
      let reading = steps.sharpen(
        frame: stream.position(at: time), at: start + Nanoseconds(Int64(time)),
        nanosecondsPerFrame: map.nanosecondsPerFrame)
      if let reading { map.observe(frame: reading.frame, at: reading.instant) }
      guard time > 10e9 else { continue }
      let frame = Int64(time / stream.nanosecondsPerFrame) + 1_024
      let error = Double((map.instant(ofFrame: frame) - start).count) - Double(frame) * stream.nanosecondsPerFrame
      worst = max(worst, error.magnitude)
    }
    return worst
  }

  /// A card read with up to 50 µs of jitter by the system's timer, that turns to another rate after 60 of 120 s.
  static func worstTurning(from first: Double, to second: Double) -> Double {
    var steps = PositionSteps(step: 48, rate: 48_000)
    var map = ClockMap(rate: 48_000)
    var random = Lehmer(seed: 1)
    var worst = 0.0
    for index in 0..<22_500 {
      let time = Double(index) * 256e9 / 48_000 + Double(random.below(50_000))
      // The card's own time: a microsecond more or less for each second and ppm.
      let own = time + min(time, 60e9) * first * 1e-6 + max(time - 60e9, 0) * second * 1e-6
      let reading = steps.sharpen(
        frame: Int64(own / 1e6) * 48, at: start + Nanoseconds(Int64(time)),
        nanosecondsPerFrame: map.nanosecondsPerFrame)
      if let reading { map.observe(frame: reading.frame, at: reading.instant) }
      guard time > 10e9 else { continue }
      let position = map.frame(at: start + Nanoseconds(Int64(time)))
      worst = max(worst, ((Double(position.whole) + position.fraction) * 1e9 / 48_000 - own).magnitude)
    }
    return worst
  }

  static let turns: [(Double, Double)] = [(50, -50), (-50, 50), (200, 200), (-200, -200), (0, 0), (3, -3)]

  @Test(arguments: turns)
  func aCardInStepsThatTurnsIsFollowed(from first: Double, to second: Double) {
    #expect(Self.worstTurning(from: first, to: second) < 240_000)
  }

  /// Without any jitter, so that the phases of a step at which it is read repeat, or turn as slowly as can be.
  static let milliseconds: [Stream] = [-200, -60, -20, -5, -1, 0, 1, 5, 20, 60, 200].flatMap { ppm in
    (0..<10).map { 25e3 + 100e3 * Double($0) }.flatMap { delay in
      [true, false].map { Stream(ppm: ppm, step: 48, readerFollowsCard: $0, delay: delay) }
    }
  }

  @Test(arguments: milliseconds)
  func stepsOfAMillisecondLeaveAFifthOfOne(_ stream: Stream) {
    #expect(Self.worst(stream) < 220_000)
  }

  static let tenMilliseconds: [Stream] = [-200, -60, 0, 60, 200].flatMap { ppm in
    [true, false].map { Stream(ppm: ppm, step: 480, readerFollowsCard: $0, delay: 100e3) }
  }

  @Test(arguments: tenMilliseconds)
  func stepsOfTenMillisecondsLeaveAThirdOfOne(_ stream: Stream) {
    #expect(Self.worst(stream) < 350_000)
  }

  @Test(arguments: [1, 8])
  func aCardThatIsExactOrAsGoodAsIsBelieved(step: Int) {
    var steps = PositionSteps(step: step, rate: 48_000)
    for index in Int64(0)..<100 {
      let instant = Self.start + .milliseconds(index * (index % 3))
      let reading = steps.sharpen(frame: 48 * index, at: instant, nanosecondsPerFrame: 20_833)
      #expect(reading?.frame == 48 * index)
      #expect(reading?.instant == instant)
    }
  }

  /// What the middle of a lone step makes of a reading: it was half a step ago that the card was there.
  static func isMiddle(_ reading: (frame: Int64, instant: Instant)?, of frame: Int64, at instant: Instant) -> Bool {
    reading?.frame == frame + 24 && reading?.instant == instant
  }

  @Test(arguments: [Int64(48_000), -480])
  func threeReadingsFarOffAreDroppedAndTheFourthBeginsAnew(by frames: Int64) {
    var steps = PositionSteps(step: 48, rate: 48_000)
    func sharpen(_ milliseconds: Int64, jumped: Bool) -> (frame: Int64, instant: Instant)? {
      steps.sharpen(
        frame: 48 * milliseconds + (jumped ? frames : 0), at: Self.start + .milliseconds(milliseconds),
        nanosecondsPerFrame: 1e9 / 48_000)
    }
    for index in Int64(0)..<100 { #expect(sharpen(index, jumped: false) != nil) }
    for index in Int64(100)..<103 { #expect(sharpen(index, jumped: true) == nil) }
    #expect(Self.isMiddle(sharpen(103, jumped: true), of: 48 * 103 + frames, at: Self.start + .milliseconds(103)))
  }

  @Test func aFirstReadingOfAnotherTimeIsForgottenAfterFour() {
    var steps = PositionSteps(step: 48, rate: 48_000)
    _ = steps.sharpen(frame: 0, at: Self.start + .seconds(3_600), nanosecondsPerFrame: 20_833)
    for index in Int64(1)...3 {
      #expect(steps.sharpen(frame: 256 * index, at: Self.start, nanosecondsPerFrame: 20_833) == nil)
    }
    let reading = steps.sharpen(frame: 1_024, at: Self.start, nanosecondsPerFrame: 20_833)
    #expect(Self.isMiddle(reading, of: 1_024, at: Self.start))
  }

  @Test func afterAResetTheFirstReadingStandsAlone() {
    var steps = PositionSteps(step: 48, rate: 48_000)
    for index in Int64(0)..<100 {
      _ = steps.sharpen(frame: 256 * index, at: Self.start + .milliseconds(5 * index), nanosecondsPerFrame: 20_833)
    }
    steps.reset()
    let reading = steps.sharpen(frame: 0, at: Self.start, nanosecondsPerFrame: 20_833)
    #expect(Self.isMiddle(reading, of: 0, at: Self.start))
  }
}
