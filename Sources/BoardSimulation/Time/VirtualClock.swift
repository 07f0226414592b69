import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Synchronization

/// A clock that advances only when its owner advances it.
public final class VirtualClock: MonotonicClock {
  /// A span in which time synchronization makes the clock run at a different rate from the raw clock.
  public struct Slew: Hashable, Sendable {
    public var span: Range<Instant>
    /// The rate difference from the raw clock, in parts per billion (10⁻⁹); positive is faster.
    public var ratePPB: Int64

    public init(_ span: Range<Instant>, ratePPB: Int64) {
      self.span = span
      self.ratePPB = ratePPB
    }
  }

  public private(set) var now: Instant
  private let slews: [Slew]

  /// The slews must be in order and must not overlap.
  public init(startingAt start: Instant = .zero, slews: [Slew] = []) {
    now = start
    self.slews = slews
  }

  public var pair: ClockPair { ClockPair(monotonic: now, raw: raw(of: now)) }

  /// Advances the clock. Moving it back is a programming error.
  public func advance(to instant: Instant) {
    precondition(instant >= now, "time does not go back: from \(now.nanoseconds) to \(instant.nanoseconds) ns")
    now = instant
  }

  /// The reading of the raw clock at an instant.
  func raw(of instant: Instant) -> Instant {
    slews.reduce(into: instant) { raw, slew in
      let slewed = min(instant, slew.span.upperBound) - slew.span.lowerBound
      if slewed > .zero { raw = raw - slewed.gained(slew) }
    }
  }

  /// The instant at which the raw clock has this reading.
  func instant(ofRaw raw: Instant) -> Instant {
    slews.reduce(raw) { instant, slew in
      let whole = slew.span.upperBound - slew.span.lowerBound
      let slewed = min(instant - slew.span.lowerBound, whole - whole.gained(slew))
      return slewed > .zero ? instant + slewed.gain(slew) : instant
    }
  }
}

extension Nanoseconds {
  /// How much longer this span is on the slewed clock than on the raw clock.
  fileprivate func gained(_ slew: VirtualClock.Slew) -> Nanoseconds {
    let rate = Double(slew.ratePPB) / 1e9
    return Nanoseconds(Int64((Double(count) * rate / (1 + rate)).rounded()))
  }

  /// How much further the slewed clock advances in this span of raw time.
  fileprivate func gain(_ slew: VirtualClock.Slew) -> Nanoseconds {
    Nanoseconds(Int64((Double(count) * Double(slew.ratePPB) / 1e9).rounded()))
  }
}

/// A crystal that ticks at nearly its nominal rate, as the raw clock sees it.
struct Crystal {
  /// Ticks in 10⁹ · 10⁹ ns.
  private let ticks: UInt64
  private static let span: UInt64 = 1_000_000_000_000_000_000
  let start: Instant

  /// - Parameter rate: nominal ticks per second, up to 1,000,000.
  init(rate: Int, driftPPB: Int64, start: Instant) {
    ticks = UInt64(rate) * UInt64(1_000_000_000 + driftPPB)
    self.start = start
  }

  /// How many whole ticks have passed. A century at 192,000 Hz does not overflow.
  func ticks(until now: Instant) -> Int64 {
    Int64(Crystal.span.dividingFullWidth(UInt64((now - start).count).multipliedFullWidth(by: ticks)).quotient)
  }

  /// The instant of a tick, rounded up, so that the tick has passed by then.
  func instant(ofTick tick: Int64) -> Instant {
    let (quotient, remainder) = ticks.dividingFullWidth(UInt64(tick).multipliedFullWidth(by: Crystal.span))
    return start + Nanoseconds(Int64(quotient) + (remainder > 0 ? 1 : 0))
  }

  /// The instant that lies a fraction of a tick period after a tick, rounded to the nearest nanosecond.
  func instant(ofTick tick: Int64, fraction: Double) -> Instant {
    let (quotient, remainder) = ticks.dividingFullWidth(UInt64(tick).multipliedFullWidth(by: Crystal.span))
    let rest = (Double(remainder) + fraction * Double(Crystal.span)) / Double(ticks)
    return start + Nanoseconds(Int64(quotient) + Int64(rest.rounded()))
  }
}

extension Array {
  /// Inserts an element after all elements that are not later. Searches from the end: most elements arrive in order.
  mutating func insertInOrder(_ element: Element, by instant: (Element) -> Instant) {
    insert(element, at: lastIndex { instant($0) <= instant(element) }.map { $0 + 1 } ?? 0)
  }
}

/// When a loop of a simulation wakes up.
struct Wake {
  /// The instant of the next wake-up, for a deadline or because the loop was woken; nil: the loop sleeps until it is woken.
  var instant: Instant?
  /// No wake-up comes before this instant, whatever wakes the loop.
  private var barrier: Instant?
  /// When the loop would have woken up without the delay.
  private var due: Instant?
  /// Delays that are still to come, in order of time.
  private var delays: [(instant: Instant, time: Nanoseconds)] = []

  /// Moves the wake-up to an earlier instant, never to a later one.
  mutating func bring(forwardTo instant: Instant) { self.instant = min(self.instant ?? instant, instant) }

  /// Cancels the wake-up and the current delay; later delays remain.
  mutating func clear() { (instant, barrier, due) = (nil, nil, nil) }

  /// See `Simulation.delay(_:by:from:)`.
  mutating func delay(by time: Nanoseconds, from instant: Instant) {
    delays.insertInOrder((instant, time)) { $0.instant }
  }

  /// The loop sleeps until this instant, whatever wakes it. That is no delay.
  mutating func pause(until instant: Instant) { barrier = instant }

  /// When the loop actually wakes up for an event at this instant: not before the end of a delay or a pause.
  func notBefore(_ instant: Instant) -> Instant { barrier.map { max($0, instant) } ?? instant }

  /// Applies the next delay if the loop is about to wake up, and returns whether a delay was due.
  mutating func holdUp(at instant: Instant) -> Bool {
    guard barrier == nil, let delay = delays.first, delay.instant <= instant else { return false }
    delays.removeFirst()
    barrier = instant + delay.time
    due = instant
    return true
  }

  /// Ends the current delay, and returns how long it was.
  mutating func release(at now: Instant) -> Nanoseconds {
    defer { (barrier, due) = (nil, nil) }
    return wakeDelay(at: now)
  }

  /// By how much the current delay has postponed the wake-up so far; zero if there is no delay.
  func wakeDelay(at now: Instant) -> Nanoseconds { due.map { now - $0 } ?? .zero }
}

/// The loops that are woken at an instant.
final class RungLoops: Sendable {
  private let bits = Atomic<UInt16>(0)

  /// May be called on any thread.
  func insert(_ loop: Loop) { bits.bitwiseOr(1 << UInt16(loop.rawValue), ordering: .relaxed) }

  /// Removes all loops, and returns them in stepping order.
  @discardableResult
  func removeAll() -> [Loop] {
    guard bits.load(ordering: .relaxed) != 0 else { return [] }
    let bits = bits.exchange(0, ordering: .relaxed)
    return Loop.allCases.filter { bits & (1 << UInt16($0.rawValue)) != 0 }
  }
}

/// Random numbers that depend only on the seed, on every machine.
///
/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014). The standard library's
/// generator cannot be seeded.
public struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
