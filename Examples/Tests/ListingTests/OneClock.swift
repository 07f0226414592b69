import MetronomeCore
import Testing

/// The listings of "One clock for light and sound".
@Suite struct OneClock {
  @Test func theMapFindsTheCardsRate() {
    var map = ClockMap(rate: 48_000)
    // A card that runs 60 ppm fast, asked every 10 ms for twenty seconds; it answers in whole frames.
    for reading in 0..<2_000 {
      let instant = Instant.zero + Nanoseconds.milliseconds(10) * Int64(reading)
      let frame = (Double(reading) * 480 * 1.00006).rounded()
      map.observe(frame: Int64(frame), at: instant)
    }
    #expect(map.health.isLocked)
    #expect(map.health.ratePPM.rounded() == 60)

    let beat = Timeline(session: 1, firstBeat: .zero, tempo: .initial, signature: .initial).knownBeat(40)
    let place = map.frame(at: beat.instant).snapped
    var kernel = [Float](repeating: 0, count: FractionalDelay.taps)
    FractionalDelay.compute(fraction: place.fraction, into: &kernel)
    // 20 s · 48,000 frames · 1.00006 = 960,057.6 frames.
    #expect(place.whole == 960_057)
  }
}
