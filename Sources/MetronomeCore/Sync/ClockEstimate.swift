/// Counts the clocks of a MIDI source, and estimates their tempo. Knows nothing of start, stop and position.
///
/// A `ClockLoop` filters the instants of clocks that come when they are expected. A clock that comes half a clock too early or too
/// late stays undecided, with those after it, until one of two hypotheses holds (a change detector over two models, as in F. Gustafsson,
/// "Adaptive Filtering and Change Detection", 2000, chapter 1):
///
/// - The grid goes on: two clocks that follow each other fit it. What came between is late, held back or doubled, and what did
///   not come is lost. The position is that of the grid.
/// - The tempo is new: three intervals are equal, and differ from the old ones by more than the jitter. Every clock counts.
///
/// A tempo that is slower by a whole factor looks like lost clocks. It takes as many equal intervals, at least three, as would have
/// lost five clocks, or eight after recent losses: five or eight at half the tempo, three or four at a third.
struct ClockEstimate: Sendable {
  /// A source is lost after this silence, or after six clocks if that is longer.
  private static let patience = Nanoseconds.milliseconds(250)
  /// Clocks until the tempo counts as known.
  private static let locking = 12
  /// How many clocks may stay undecided: more than a stall of 40 clocks leaves behind.
  private static let most = 64
  /// How many of them may come at the pace of a clock, before the grid counts as another one.
  private static let mostRegular = 12
  /// The longest interval that gives a tempo at once, in nanoseconds: a clock at 20 quarters per minute.
  private static let longest = 125_000_000.0
  /// How far a clock may be from the grid, in clocks.
  private static let tolerance = 0.25

  private(set) var loop: ClockLoop?
  /// The number of new tempi so far.
  private(set) var changes = 0
  var isLost = false
  /// The last clocks that arrived, and how many of them are undecided.
  private var arrivals: [(instant: Instant, number: Int?)] = []
  private(set) var undecided = 0
  /// How many clocks were decided since the first.
  private var clocks = 0
  /// Whether a start or continue came before one of them, so that the first one already counts.
  private var isStarted = false
  /// Whether the tempo is presumed, until the next clock measures it.
  private var isPresumed = false
  /// The mean change from an interval to the next, in nanoseconds: the jitter, which a ramp hardly increases.
  private var noise = 0.0
  /// How often clocks were lost, and doubled, within about 64 clocks.
  private var losses = 0.0
  private var doubles = 0.0

  var state: SourceState {
    guard let loop, isHeard else { return .waiting }
    if isLost { return .lost }
    let milliBPM = Int((60_000_000_000_000.0 / (loop.period * 24) / 100).rounded()) * 100
    return clocks < ClockEstimate.locking ? .locking : .locked(Tempo(clampingMilliBPM: milliBPM))
  }

  private var isHeard: Bool { isStarted || clocks >= 2 }

  /// When the source counts as lost if no clock comes; nil: it cannot be lost now.
  var deadline: Instant? {
    guard let last = arrivals.last?.instant, let loop, !isLost, isHeard else { return nil }
    return last + max(ClockEstimate.patience, Nanoseconds(Int64(loop.period * 6)))
  }

  /// The instant of the next clock, if the clocks run evenly at an instant.
  func next(at now: Instant) -> Instant? {
    guard let loop, case .locked = state, undecided == 0 else { return nil }
    let next = loop.instant + Nanoseconds(Int64(loop.fraction + loop.period))
    return Double((now - next).count) <= jitter(of: loop) ? next : nil
  }

  /// The first clock of all, or after a start or continue. It is the next one of the grid if it fits; otherwise the source begins its
  /// clock anew there. Returns whether it fits. `presumed` is the duration of a clock until the source has given one, in nanoseconds.
  mutating func begin(at instant: Instant, presumed: Double, isStart: Bool = true) -> Bool {
    isStarted = isStarted || isStart
    if let next = next(at: instant), var loop, abs(Double((instant - next).count)) <= jitter(of: loop) {
      arrivals.append((instant, nil))
      loop.measure(instant)
      return accept(loop, 1) == 1
    }
    if loop == nil { loop = ClockLoop(at: instant, period: presumed) } else { loop?.restart(at: instant) }
    clocks = max(clocks, 1)
    (arrivals, undecided, isPresumed, isLost) = ([(instant, clocks)], 0, true, false)
    return false
  }

  /// Counts a clock. Returns by how many the newest decided clock follows the one before; nil: it is undecided. `isSame`: whether
  /// the count is certain.
  mutating func receive(_ instant: Instant, presumed: Double) -> (clocks: Int64, isSame: Bool)? {
    guard var loop else {
      _ = begin(at: instant, presumed: presumed, isStart: false)
      return (1, true)
    }
    arrivals.append((instant, nil))
    if arrivals.count > ClockEstimate.most + 8 { arrivals.removeFirst() }
    undecided += 1
    measureNoise(loop.period)
    if let period = newPeriod(loop) {
      // One interval is no grid yet.
      let count = clocks(at: period, after: clocks < 4 ? period : loop.period)
      loop.restart(at: instant, period: period)
      return (accept(loop, count, isNew: true), true)
    }
    if undecided == 1, abs(loop.clocks(until: instant) - 1) < 0.5 {
      loop.measure(instant)
      return (accept(loop, 1), true)
    }
    // A tempo that was only presumed has no grid.
    if clocks > 1, let count = onGrid(loop) { return (count, true) }
    return onOtherGrid(loop)
  }

  /// How far a clock may be from its place, in nanoseconds.
  private func jitter(of loop: ClockLoop) -> Double { min(max(4 * loop.deviation, loop.period / 64), loop.period / 8) }

  /// Gaps and doubles are no jitter.
  private mutating func measureNoise(_ period: Double) {
    let last = intervals(2)
    guard last.count == 2, last.allSatisfy({ (0.25...1.75).contains($0 / period) }) else { return }
    let most = clocks < ClockEstimate.locking ? period / 8 : max(4 * noise, period / 50)
    noise += (min(abs(last[1] - last[0]), most) - noise) / Double(min(max(clocks, 1), 32))
  }

  /// `isNew`: the clocks are on another grid from here on. What was counted before is not counted again.
  private mutating func accept(_ loop: ClockLoop, _ count: Int64, isNew: Bool = false) -> Int64 {
    if isNew { changes += 1 }
    if isNew, clocks > 1 { arrivals = arrivals.map { ($0.instant, nil) } }
    self.loop = loop
    clocks += Int(count)
    arrivals[arrivals.count - 1].number = clocks
    (undecided, isPresumed, isLost) = (0, false, false)
    (losses, doubles) = (losses * 63 / 64, doubles * 63 / 64)
    return count
  }

  /// The tempo of the newest clocks, if it is a new one, in nanoseconds per clock. After a clock that began anew one interval gives it.
  private func newPeriod(_ loop: ClockLoop) -> Double? {
    let isFirst = isPresumed && undecided == 1
    guard let period = evenInterval(over: isFirst ? 1 : 3, loop), period >= ClockLoop.shortest else { return nil }
    if clocks == 1 { return period <= ClockEstimate.longest ? period : nil }
    let (change, factor) = (abs(period - loop.period), period / loop.period)
    let least = min(max(3 * noise / 2, loop.period / 50), loop.period / 5)
    let isPossible = clocks < ClockEstimate.locking || (0.25...4).contains(factor)
    guard change > (isFirst ? max(jitter(of: loop), 3 * noise) : least), isPossible else { return nil }
    guard factor > 1.5, abs(factor - factor.rounded()) < 0.1 else { return period }
    // If the grid went on, so many clocks were lost.
    let lost = (losses > 0.5 ? 8 : 5) / (factor.rounded() - 1)
    return evenInterval(over: max(3, Int(lost.rounded(.up))), loop)
  }

  /// By how many the newest clock follows the last decided one, at another tempo: the cheapest explanation of the last arrivals
  /// (dynamic programming, as in A. Viterbi, "Error bounds for convolutional codes", 1967). The grid of the old tempo goes on up to a
  /// clock, and that of the new one begins there. A clock that was lost or doubled costs 1, at most 3 in one gap, because a stall drops many
  /// at once. One that is on no grid costs 1.6, or 0.1 in a burst, and one that is off its place 8 times as much as that, in clocks. The
  /// costs were chosen by 2,000 random sources of each kind in MIDI.md.
  private func clocks(at period: Double, after old: Double) -> Int64 {
    let known = intervals(arrivals.count).dropLast(undecided)
    let start = known.indices.filter { known[$0] >= ClockLoop.shortest / 2 }.suffix(ClockEstimate.locking).first ?? 0
    let run = Array(arrivals[start...].drop { $0.number == nil })
    guard let first = run.first?.number else { return Int64(undecided) }
    let gaps = intervals(run.count - 1)
    var best = [[(cost: Double, number: Int)]](repeating: [(.infinity, 0), (.infinity, 0)], count: run.count)
    best[0] = [(0, first), (0, first)]
    for newest in run.indices.dropFirst() {
      for (last, grid) in (0..<newest).flatMap({ [($0, 0), ($0, 1)] }) where best[last][grid].cost < .infinity {
        let time = Double((run[newest].instant - run[last].instant).count)
        let alone = (last + 1..<newest).count { min(gaps[$0 - 1], gaps[$0]) >= ClockLoop.shortest / 2 }
        for before in 0...(grid == 0 ? min(max(Int(time / old), 0) + 1, ClockEstimate.most) : 0) {
          let after = ((time - Double(before) * old) / period).rounded()
          let off = abs(time - Double(before) * old - after * period)
          let (unit, count) = (after > 0 ? period : old, before + Int(after))
          guard after >= 0, count > 0, off < min(max(8 * noise, unit / 5), unit / 4) else { continue }
          let lost = Double(min(abs(count - newest + last), 3))
          let cost = lost + 0.1 * Double(newest - last) + 1.5 * Double(alone) + 8 * off / unit + best[last][grid].cost
          let other = best[newest][min(Int(after), 1)].cost
          if cost < other { best[newest][min(Int(after), 1)] = (cost, best[last][grid].number + count) }
        }
      }
    }
    let (cost, number) = best[run.count - 1][1]
    return cost < .infinity ? Int64(number - clocks) : Int64(undecided)
  }

  /// The newest intervals between clocks, in nanoseconds.
  private func intervals(_ count: Int) -> [Double] {
    let run = arrivals.suffix(count + 1)
    return zip(run, run.dropFirst()).map { Double(($1.instant - $0.instant).count) }
  }

  /// The mean of the newest intervals, if they are equal up to the jitter. The first does not begin with a clock that came at once
  /// after another one: it may have been held back.
  private func evenInterval(over count: Int, _ loop: ClockLoop) -> Double? {
    let run = intervals(count)
    guard run.count == count, intervals(count + 1)[0] >= ClockLoop.shortest / 2 else { return nil }
    let mean = run.reduce(0, +) / Double(count)
    let most = min(max(mean / 8, min(2 * noise, mean / 4)), max(abs(mean - loop.period) / 2, loop.period / 16))
    return run.allSatisfy { abs($0 - mean) <= most } ? mean : nil
  }

  /// Whether three of the undecided clocks in a row came at once.
  private var hasBurst: Bool { intervals(undecided).split { $0 >= ClockLoop.shortest / 2 }.contains { $0.count >= 3 } }

  /// Decides that the grid goes on: the newest clock and one just before it fit. Returns by how many clocks.
  private mutating func onGrid(_ old: ClockLoop) -> Int64? {
    let offsets = arrivals.suffix(undecided).map { old.clocks(until: $0.instant) }
    func fits(_ offset: Double) -> Bool { abs(offset - offset.rounded()) < ClockEstimate.tolerance }
    let newest = offsets[offsets.count - 1]
    let intervals = intervals(undecided).map { $0 / old.period }
    // More clocks than the grid has, at the pace of clocks, are no doubles, and fewer without a gap are not lost.
    let regular = Double(intervals.count { $0 >= ClockEstimate.tolerance })
    let hasGap = intervals.contains { $0 > 1.4 }
    guard fits(newest), newest > 0.5, regular <= newest.rounded(), hasGap || Double(undecided) >= newest.rounded(),
      offsets.suffix(undecided < 4 ? 2 : 4).contains(where: { fits($0) && $0.rounded() == newest.rounded() - 1 })
    else { return nil }
    var (loop, grid) = (old, Int64(0))
    for (offset, (instant, _)) in zip(offsets, arrivals.suffix(undecided))
    where fits(offset) && offset.rounded() > Double(grid) {
      loop.skip(Int64(offset.rounded()) - grid - 1)
      loop.measure(instant)
      grid = Int64(offset.rounded())
    }
    let count = Int64(undecided)
    if hasGap { losses += 1 }
    // A burst of more clocks than the grid has room for: the source stood still when it began.
    let isBurst = count > grid && hasBurst && doubles <= 0.5
    if !isBurst { doubles += Double(max(0, count - grid)) }
    return accept(loop, isBurst ? count : grid, isNew: isBurst)
  }

  /// Decides that the source goes on at another phase. Its position is a guess if it was silent before.
  private mutating func onOtherGrid(_ old: ClockLoop) -> (clocks: Int64, isSame: Bool)? {
    var loop = old
    let intervals = intervals(undecided)
    let regular = intervals.count { $0 >= old.period * ClockEstimate.tolerance }
    let even = undecided < 4 ? nil : evenInterval(over: 3, old).flatMap { abs($0 / old.period - 1) > 0.125 ? nil : $0 }
    guard even != nil || regular > ClockEstimate.mostRegular || undecided >= ClockEstimate.most else { return nil }
    let now = arrivals[arrivals.count - 1].instant
    loop.restart(at: now, period: even ?? intervals.sorted()[intervals.count / 2])
    let wasSilent = intervals[0] > 1.5 * loop.period && !hasBurst
    let count = wasSilent ? max(Int64(old.clocks(until: now).rounded()), 1) : clocks(at: loop.period, after: old.period)
    return (accept(loop, count, isNew: true), !wasSilent)
  }
}

/// A second-order delay-locked loop over the instants of clocks (F. Adriaensen, "Using a DLL to filter time", LAC 2005), with
/// errors clamped at four mean deviations.
///
/// Its bandwidth is 0.4 / (time since the lock), at most 4 Hz and at least 0.02 Hz: it locks at once, and averages over ever more
/// clocks. It widens again if eight errors in a row are above two mean deviations on the same side (a small change of tempo), and by
/// half if the mean error is 0.9 mean deviations (a ramp). The deviation is estimated from differences of neighboring errors,
/// which a ramp does not increase. The constants are chosen by simulation; the benchmark prints the result.
struct ClockLoop: Sendable {
  private static let widest = 4.0
  private static let narrowest = 0.02
  private static let narrowing = 0.4
  private static let run = 8
  /// The duration of a clock at 999 quarters per minute, in nanoseconds.
  static let shortest = 2_502_502.0

  /// The filtered instant of the last clock: whole nanoseconds, and the rest.
  private(set) var instant: Instant
  private(set) var fraction = 0.0
  /// The duration of a clock, in nanoseconds.
  private(set) var period: Double
  /// The mean deviation of the clocks, in nanoseconds.
  private(set) var deviation = 0.0
  /// How many clocks gave it.
  private var measured = 0.0
  /// The time since the loop was widest, in seconds.
  private var age = 0.0
  private var mean = 0.0
  private var before = 0.0
  /// How many errors in a row were large, negative for early clocks.
  private var large = 0

  init(at instant: Instant, period: Double) { (self.instant, self.period) = (instant, ClockLoop.clamped(period)) }

  /// Garbage must not make time run backward: the tempo stays between 1 and 999 quarters per minute.
  private static func clamped(_ period: Double) -> Double { min(max(period, shortest), 2_500_000_000) }

  /// Counts clocks that were not measured, and so make the loop no narrower.
  mutating func skip(_ number: Int64) { move(by: Double(number) * period) }

  /// The same source from another instant on, perhaps at another tempo.
  mutating func restart(at instant: Instant, period: Double? = nil) {
    let old = self
    self = ClockLoop(at: instant, period: period ?? self.period)
    (deviation, measured) = (old.deviation, old.measured)
  }

  /// The time from the last clock to an instant, in clocks.
  func clocks(until instant: Instant) -> Double { (Double((instant - self.instant).count) - fraction) / period }

  mutating func measure(_ clock: Instant) {
    let error = Double((clock - instant).count) - fraction - period
    if measured == 0 { deviation = abs(error) + 1_000 }
    measured += 1
    watchForChange(error)
    // A few clocks may be near to their places by chance.
    let limit = measured < 8 ? max(4 * deviation, period / 16) : 4 * deviation
    let clamped = min(max(error, -limit), limit)
    mean += (clamped - mean) / 16
    if abs(mean) > 0.9 * deviation, age > 0.3 { (age, mean) = (age / 2, mean / 2) }
    deviation += max(0.03, 1 / (measured + 1)) * (min(abs(error - before) * 0.707_106_781, limit) - deviation)
    deviation = max(deviation, 1_000)
    before = error
    let bandwidth = max(ClockLoop.narrowest, min(ClockLoop.widest, ClockLoop.narrowing / (age + 1e-9)))
    let omega = min(2 * Double.pi * bandwidth * period / 1e9, 0.6)
    move(by: period + 1.414_213_562 * omega * clamped)
    age += period / 1e9
    period = ClockLoop.clamped(period + omega * omega * clamped)
  }

  private mutating func watchForChange(_ error: Double) {
    large = abs(error) <= 2 * deviation ? 0 : error > 0 ? max(large, 0) + 1 : min(large, 0) - 1
    guard abs(large) >= ClockLoop.run else { return }
    (age, large, deviation) = (0, 0, abs(error))
  }

  private mutating func move(by time: Double) {
    let sum = fraction + time
    let whole = sum.rounded(.down)
    instant = instant + Nanoseconds(Int64(whole))
    fraction = sum - whole
  }
}
