import BoardSimulation
import MetronomeCore

/// A run of 125 s in which all filters get the same readings.
///
/// The error of a filter is that of the next click it would place, a buffer of four periods after the newest reading: the
/// difference between the filter's time and the true time of that frame.
public struct ClockTrial: Sendable {
  public enum Filter: Int, CaseIterable, Sendable {
    case jack, zita, map
  }

  public static let span = 125.0
  /// The time in seconds after which a filter should have settled.
  public static let settled = 30.0
  /// The largest extra error in microseconds from a 500 ppm slew of the monotonic clock.
  public static let allowedSlew = 100.0
  private static let ahead = 4 * Card.period

  /// The error of each filter at each period, in nanoseconds.
  private var errors: [[Double]]

  public init(noise: Noise, card: Card = Card(), seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var filters = Filters()
    let periods = Int64(Self.span * Double(Card.rate) / Double(Card.period))
    errors = Array(repeating: [], count: Filter.allCases.count)
    for index in 0..<periods {
      let reading = noise.reading(ofPeriod: index, from: card, using: &random)
      filters.observe(reading, card: card)
      let click = index * Card.period + Self.ahead
      let truth = card.monotonic(Double(click) * card.nanosecondsPerFrame)
      for filter in Filter.allCases {
        errors[filter.rawValue].append(filters.time(ofFrame: click, by: filter) - truth)
      }
    }
  }

  /// The largest error of a filter from `second` on, in microseconds.
  public func worst(_ filter: Filter, from second: Double = ClockTrial.settled) -> Double {
    let first = Int(second * Double(Card.rate) / Double(Card.period))
    return errors[filter.rawValue][first...].reduce(0) { max($0, $1.magnitude) } / 1e3
  }

  /// The largest amount, in microseconds, by which a filter is worse than in another run at the same time.
  public func excess(_ filter: Filter, over other: ClockTrial) -> Double {
    zip(errors[filter.rawValue], other.errors[filter.rawValue]).reduce(0) { max($0, ($1.0 - $1.1).magnitude) } / 1e3
  }
}

/// All filters side by side.
private struct Filters {
  /// The clock reading at the start: that of a computer with an uptime of some days.
  private static let start = Instant(nanoseconds: 500_000_000_000_000)

  private var jack = ReferenceLoop.jack
  private var zita = ReferenceLoop.zita
  private var map = ClockMap(rate: Card.rate)
  private var bridge = ClockBridge()

  mutating func observe(_ reading: Reading, card: Card) {
    let time = card.monotonic(reading.raw)
    jack.observe(frame: reading.frame, at: time)
    zita.observe(frame: reading.frame, at: time)
    let instant = Self.start + Nanoseconds(Int64(time.rounded()))
    bridge.observe(ClockPair(monotonic: instant, raw: Self.start + Nanoseconds(Int64(reading.raw.rounded()))))
    map.observe(frame: reading.frame, at: bridge.raw(of: instant))
  }

  func time(ofFrame frame: Int64, by filter: ClockTrial.Filter) -> Double {
    switch filter {
    case .jack: jack.time(ofFrame: frame)
    case .zita: zita.time(ofFrame: frame)
    case .map: Double((bridge.monotonic(of: map.instant(ofFrame: frame)) - Self.start).count)
    }
  }
}
