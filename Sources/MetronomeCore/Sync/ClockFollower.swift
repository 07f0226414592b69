/// The state of a ``ClockFollower``.
public enum FollowState: Hashable, Sendable {
  /// No clock has arrived yet.
  case waiting
  case locking
  /// The tempo in thousandths of a quarter per minute.
  case locked(Int)
  /// No clock has arrived for a while. The last tempo is held.
  case lost(Int)
}

/// Estimates position and tempo of a MIDI clock from its messages.
///
/// Clocks are counted, and a delay-locked loop filters their instants: see `ClockLoop`. A start (FA) arms; the next clock is
/// position 0. A continue (FB) arms at the last song position, or where the source stopped. A song position (F2) while the source
/// plays takes effect at the next bar line. After a stop (FC) the clocks go on to give the tempo. A clock that follows the one before
/// in less than a quarter of a clock is a double, and ignored, unless four of them show a much faster tempo. After a gap the missing
/// clocks, and those of a burst, are counted if they fit the same grid; otherwise a new ``BeatObservation/epoch`` begins.
public struct ClockFollower: Sendable {
  private static let clocksInQuarter: Int64 = 24
  /// A source is lost after this silence, or after six clocks if that is longer.
  private static let patience = Nanoseconds.milliseconds(250)
  /// How many clocks after a gap decide at the earliest whether they fit the grid.
  private static let deciding = 4
  /// How many may be undecided before the grid counts as another one.
  private static let mostUndecided = 12
  /// Clocks until the tempo counts as known.
  private static let locking = 12

  /// The metre at whose bar line a song position takes effect.
  public var metre = Metre(.initial)
  private let latency: Nanoseconds
  private var loop: ClockLoop?
  /// The number of the last clock, from the start of the song.
  private var position: Int64 = 0
  private var epoch = 0
  private var isPlaying = false
  /// The number of the next clock, from which the song goes on.
  private var armed: Int64?
  /// Where a continue goes on while the source is stopped.
  private var resumes: Int64 = 0
  /// The position that replaces the one at the next bar line.
  private var jump: Int64?
  /// The instant of the last message, and of the last clock.
  private var lastClock: Instant?
  private var clocks = 0
  private var isLost = false
  /// How many clocks in a row followed the one before much too soon.
  private var shorts = 0
  /// The clocks since a gap, before it is known how many are missing.
  private var afterGap: [Instant] = []

  /// `latency`: how late the input reports a message.
  public init(latency: Nanoseconds = .zero) { self.latency = latency }

  public var state: FollowState {
    guard let loop, clocks >= 2 else { return .waiting }
    let milliBPM = Int((60_000_000_000_000.0 / (loop.period * 24) / 100).rounded()) * 100
    if isLost { return .lost(milliBPM) }
    return clocks < ClockFollower.locking ? .locking : .locked(milliBPM)
  }

  /// When ``check(at:)`` must be called; nil: not before the next clock.
  public var deadline: Instant? {
    guard let lastClock, !isLost, clocks >= 2 else { return nil }
    return lastClock + latency + silence
  }

  private var silence: Nanoseconds {
    max(ClockFollower.patience, Nanoseconds(Int64((loop?.period ?? 0) * 6)))
  }

  /// Notices that the clocks have stopped.
  public mutating func check(at now: Instant) {
    guard let deadline, now >= deadline else { return }
    isLost = true
    afterGap = []
  }

  /// Receives a message. Returns the position and tempo after a clock; nil while the tempo is not known.
  public mutating func receive(_ message: ClockMessage) -> BeatObservation? {
    let instant = message.instant - latency
    switch message.kind {
    case .start: (armed, jump) = (0, nil)
    case .continue: (armed, jump) = (resumes, nil)
    case .songPosition(let sixteenths):
      resumes = Int64(sixteenths) * 6
      if isPlaying { jump = resumes }
    case .stop:
      if isPlaying || armed != nil { resumes = armed ?? jump ?? max(position + 1, 0) }
      (isPlaying, armed, jump) = (false, nil, nil)
    case .clock: return clock(at: instant)
    }
    return nil
  }

  private mutating func clock(at instant: Instant) -> BeatObservation? {
    defer { lastClock = max(lastClock ?? instant, instant) }
    guard let last = lastClock, var loop, clocks >= 2 else { return firstClocks(at: instant) }
    let interval = Double((instant - last).count)
    if isLost || !afterGap.isEmpty || interval > 1.5 * loop.period {
      return afterGap(instant, loop)
    }
    if interval >= loop.period / 4 {
      shorts = 0
      count(1)
      loop.measure(instant)
    } else {
      shorts = interval < ClockLoop.shortest ? 0 : shorts + 1
      guard shorts == ClockFollower.deciding else { return nil }
      // Not doubles, but a much faster tempo.
      count(Int64(shorts))
      shorts = 0
      loop = ClockLoop(at: instant, period: interval)
    }
    self.loop = loop
    return observation(loop)
  }

  private mutating func firstClocks(at instant: Instant) -> BeatObservation? {
    // A clock before the start may have come at any time before.
    if armed != nil { clocks = 0 }
    isLost = false
    count(1)
    guard let last = lastClock, clocks == 2 else { return nil }
    guard instant > last else {
      clocks = 1
      return nil
    }
    loop = ClockLoop(from: last, to: instant)
    return loop.map { observation($0) }
  }

  /// Collects the clocks after a gap, then decides how many are missing.
  private mutating func afterGap(_ instant: Instant, _ loop: ClockLoop) -> BeatObservation? {
    afterGap.append(instant)
    guard armed != nil || afterGap.count >= ClockFollower.deciding else { return nil }
    return decide(loop)
  }

  /// nil: more clocks are needed to decide.
  private mutating func decide(_ old: ClockLoop) -> BeatObservation? {
    var loop = old
    // How many periods each clock is later than if none were missing. The median ignores a single late clock.
    let offsets = afterGap.enumerated().map { number, instant in
      (Double((instant - old.instant).count) - old.fraction) / old.period - Double(number + 1)
    }
    let median = offsets.sorted()[(offsets.count - 1) / 2]
    let missing = max(0, median.rounded())
    // Another clock may be missing among the last ones.
    let later = offsets.suffix(2).map { $0.rounded() }
    let isAgreed = later[0] == later[later.count - 1] || later[later.count - 1] < missing
    if armed == nil, !isAgreed, afterGap.count < ClockFollower.mostUndecided { return nil }
    let intervals = zip(afterGap.dropFirst(), afterGap).map { Double(($0 - $1).count) }.sorted()
    let interval = intervals.isEmpty ? old.period : intervals[intervals.count / 2]
    let fits = abs(median - missing) < 0.25 && abs(interval - old.period) < old.period / 4
    let last = afterGap[afterGap.count - 1]
    if armed != nil {
      count(1)
      loop.restart(at: last)
    } else if fits {
      // A clock that is later by whole periods, and stays so, follows others that are missing.
      var skipped = 0.0
      for (number, instant) in afterGap.enumerated() {
        let wanted = max(skipped, number == 0 ? missing : min(offsets[number].rounded(), later[later.count - 1]))
        if wanted > skipped {
          loop.skip(Int64(wanted - skipped))
          count(Int64(wanted - skipped))
          skipped = wanted
        }
        count(1)
        loop.measure(instant)
      }
    } else if afterGap.count < ClockFollower.mostUndecided {
      return nil
    } else {
      // The source counts from elsewhere, or at another tempo.
      epoch += 1
      count(Int64(afterGap.count))
      loop = ClockLoop(at: last, period: interval)
    }
    afterGap = []
    isLost = false
    self.loop = loop
    return observation(loop)
  }

  /// Counts clocks. The first clock after a start or continue has its position.
  private mutating func count(_ number: Int64) {
    clocks += Int(number)
    if let armed {
      (position, self.armed, isPlaying) = (armed + number - 1, nil, true)
      epoch += 1
      return
    }
    position += number
    guard let target = jump else { return }
    // Once the bar's last beat has begun, so that the next beat already has its new place.
    let beat = metre.beatInMicroquarters * ClockFollower.clocksInQuarter / 1_000_000
    let barLine = -(-position).floorDivided(by: beat * Int64(metre.beatsInBar)) * beat * Int64(metre.beatsInBar)
    guard barLine - position < beat else { return }
    (position, jump) = (target + position - barLine, nil)
    epoch += 1
  }

  private func observation(_ loop: ClockLoop) -> BeatObservation {
    // The position is rounded down, and the instant is that of the rounded position to less than 1 ns at 20 BPM.
    let scaled = position * 1_000_000
    let quarter = scaled.floorDivided(by: ClockFollower.clocksInQuarter)
    let rest = Double(scaled - quarter * ClockFollower.clocksInQuarter) / 1_000_000
    let whole = loop.instant + Nanoseconds(Int64((loop.fraction - rest * loop.period).rounded(.down)))
    return BeatObservation(
      epoch: epoch, quarter: quarter, instant: whole, period: Int64(loop.period * 24 * 1_000_000),
      spread: Nanoseconds(Int64(loop.deviation)), isPlaying: isPlaying)
  }
}
