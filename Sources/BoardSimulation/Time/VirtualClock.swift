import HardwareAbstraction
import MetronomeCore

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
