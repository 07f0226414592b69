import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Synchronization

/// A clock that stands still until it is moved.
public final class VirtualClock: MonotonicClock {
  /// A stretch in which the network's time lets the clock run at another pace than the raw one.
  public struct Slew: Hashable, Sendable {
    public var span: Range<Instant>
    /// By how much it runs faster, in parts per thousand million of the raw clock's pace.
    public var ratePPB: Int64

    public init(_ span: Range<Instant>, ratePPB: Int64) {
      self.span = span
      self.ratePPB = ratePPB
    }
  }

  public private(set) var now: Instant
  private let slews: [Slew]

  /// - Parameters:
  ///   - start: what it shows until it is moved.
  ///   - slews: in order, none within another.
  public init(startingAt start: Instant = .zero, slews: [Slew] = []) {
    now = start
    self.slews = slews
  }

  public var pair: ClockPair { ClockPair(monotonic: now, raw: raw(of: now)) }

  /// Moves the clock on. Going back is a programming error, as it is impossible on the real one.
  public func advance(to instant: Instant) {
    precondition(instant >= now, "time does not go back: from \(now.nanoseconds) to \(instant.nanoseconds) ns")
    now = instant
  }

  /// What the raw clock shows at an instant.
  func raw(of instant: Instant) -> Instant {
    slews.reduce(into: instant) { raw, slew in
      let slewed = min(instant, slew.span.upperBound) - slew.span.lowerBound
      if slewed > .zero { raw = raw - slewed.gained(slew) }
    }
  }

  /// At which instant the raw clock shows this.
  func instant(ofRaw raw: Instant) -> Instant {
    slews.reduce(raw) { instant, slew in
      let slewed = min(instant - slew.span.lowerBound, (slew.span.upperBound - slew.span.lowerBound).raw(slew))
      return slewed > .zero ? instant + slewed.gain(slew) : instant
    }
  }
}

extension Nanoseconds {
  /// By how much so much time of a slewed clock is more than it was on the raw one.
  fileprivate func gained(_ slew: VirtualClock.Slew) -> Nanoseconds {
    let rate = Double(slew.ratePPB) / 1e9
    return Nanoseconds(Int64((Double(count) * rate / (1 + rate)).rounded()))
  }

  /// By how much a slewed clock moves on more in so much raw time.
  fileprivate func gain(_ slew: VirtualClock.Slew) -> Nanoseconds {
    Nanoseconds(Int64((Double(count) * Double(slew.ratePPB) / 1e9).rounded()))
  }

  /// So much time of a slewed clock, on the raw one.
  fileprivate func raw(_ slew: VirtualClock.Slew) -> Nanoseconds { self - gained(slew) }
}

/// When a loop of a simulation wakes up.
struct Wake {
  private struct Delay {
    var instant: Instant
    var time: Nanoseconds
  }

  /// For a deadline or because somebody has rung; nil: not before somebody rings.
  var instant: Instant?
  /// Before which it does not wake up, whoever rings.
  private var barrier: Instant?
  /// When it would have woken up that is delayed.
  private var due: Instant?
  /// Those to come, in order of time.
  private var delays: [Delay] = []

  /// Somebody rings. A thread that is waking up already does not wake up later for another ring.
  mutating func bring(forwardTo instant: Instant) { self.instant = min(self.instant ?? instant, instant) }

  /// It is not to wake up any more; the delays to come are still to come.
  mutating func clear() { (instant, barrier, due) = (nil, nil, nil) }

  /// See `Simulation.delay(_:by:from:)`.
  mutating func delay(by time: Nanoseconds, from instant: Instant) {
    let later = delays.lastIndex { $0.instant <= instant }.map { $0 + 1 } ?? 0
    delays.insert(Delay(instant: instant, time: time), at: later)
  }

  /// When it really wakes up for something at an instant.
  func notBefore(_ instant: Instant) -> Instant { barrier.map { max($0, instant) } ?? instant }

  /// Delays it, if it is to be delayed, when it is about to wake up.
  ///
  /// - Returns: whether it is.
  mutating func holdUp(at instant: Instant) -> Bool {
    guard barrier == nil, let delay = delays.first, delay.instant <= instant else { return false }
    delays.removeFirst()
    barrier = instant + delay.time
    due = instant
    return true
  }

  /// It has woken up.
  ///
  /// - Returns: how long it was delayed.
  mutating func release(at now: Instant) -> Nanoseconds {
    defer { (barrier, due) = (nil, nil) }
    return heldUp(at: now)
  }

  /// How long it has been delayed by now, if it is about to wake up.
  func heldUp(at now: Instant) -> Nanoseconds { due.map { now - $0 } ?? .zero }
}

/// The loops that are woken at an instant.
final class RungLoops: Sendable {
  private let bits = Atomic<UInt8>(0)

  /// Any thread.
  func insert(_ loop: Loop) { bits.bitwiseOr(1 << UInt8(loop.index), ordering: .relaxed) }

  /// - Returns: those that were in it, in the order in which they are stepped.
  @discardableResult
  func removeAll() -> [Loop] {
    guard bits.load(ordering: .relaxed) != 0 else { return [] }
    let bits = bits.exchange(0, ordering: .relaxed)
    return Loop.allCases.filter { bits & (1 << UInt8($0.index)) != 0 }
  }
}

extension Loop {
  /// Its place among all of them.
  var index: Int {
    switch self {
    case .control: 0
    case .beats: 1
    case .audio: 2
    case .cards: 3
    case .state: 4
    }
  }
}

/// Random numbers that are the same for the same seed, on every machine.
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
