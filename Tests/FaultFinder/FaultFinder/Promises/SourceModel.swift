import BoardSimulation
import MetronomeCore

/// Where a MIDI source is, computed from the lines of a script alone: by counting, without a filter.
///
/// Clocks that come on one grid count, whether they arrive, arrive late, twice, or not at all.
struct SourceModel {
  struct Clock {
    /// When it is due.
    var due: Instant
    /// The number of the clock in the song; nil: the source is stopped, or its position cannot be known.
    var number: Int64?
    /// How late it may arrive.
    var jitter = Nanoseconds.zero
    /// How far the grid that goes on without clocks may be off: *n* clocks, each late by up to the jitter, give the tempo to within
    /// the jitter / (*n* - 1), and a program cannot know better what adds up over a silence.
    var drift = Nanoseconds.zero
    /// The duration of a clock.
    var period: Nanoseconds
    /// Whether the tempo is changing, and by how much beats may be off.
    var isRamp = false
    /// Whether it is the first one after a start or continue, or of another tempo.
    var isFirst = false
    var isJump = false
    /// Whether it is not on the grid of those before it.
    var isAnew = false
    /// Whether it is the first one, and the start came when a clock that was left out could still come.
    var wasAwaited = false
    /// Whether a song position has taken effect since the clock before.
    var hasJumped = false
  }

  private enum Transport {
    case stopped(Int64?)
    case armed(Int64?)
    case running
  }

  /// Silence that is longer than this many clocks leaves the position open.
  private static let longestStall: Int64 = 45
  /// After this many clocks the tempo is known, also if they come late.
  private static let locking: Int64 = 12

  private(set) var clocks: [Clock] = []
  /// Whether no single source sends this: lines of clocks overlap, a clock may arrive before or after a message, or a burst has
  /// other clocks than those of a stall.
  private(set) var isAmbiguous = false
  /// When the source stopped, or left its place for another one.
  private(set) var stops: [Instant] = []
  /// When the second clock of all is due: until then the tempo is presumed.
  private(set) var givesTempo = Instant.ever
  private var transport = Transport.stopped(0)
  private var last: Clock?
  /// When the last start or continue came.
  private var armed = Instant.never
  /// How many clocks have arrived at this tempo, and how many of a burst after the last one that was in time.
  private var arrived: Int64 = 0
  private var held: Int64 = 0
  /// The duration of a clock before the last change of the tempo. The box plays this tempo until it knows the new one.
  private var earlier: Nanoseconds?
  /// For how many more clocks the box may be catching up.
  private var behind: Int64 = 0
  /// How many clocks were due since the last one that arrived.
  private var silence: Int64 = 0
  private var isPlugged = true
  /// When the count becomes open.
  private var doubts: [Instant] = []
  /// The song position that takes effect at the next bar line, and the length of a bar in clocks.
  private var jump: Int64?
  private let bar: Int64
  private let beat: Int64

  init(_ script: Script, metre: Metre) {
    beat = Int64(96 * metre.notesInBeat / metre.signature.denominator)
    bar = beat * Int64(metre.beatsInBar)
    var events: [(time: Instant, order: Int, what: ScriptedClock)] = []
    for (order, line) in script.clocks.enumerated() {
      let begin = Instant.zero + line.time
      // Clocks of a burst were due before.
      guard case .clocks(let from, let to, let time, let flaws) = line.what, time > .microseconds(1) else {
        events.append((begin, order, line.what))
        continue
      }
      if flaws.loss > 0, let instant = SourceModel.otherTempo(line.what, from, at: begin) { doubts.append(instant) }
      for clock in ScriptedClock.clocks(from: from, to: to, for: time).actions(at: begin) {
        events.append((clock.instant, order, .clocks(from: from, to: to, for: time, flaws)))
      }
    }
    events.sort { ($0.time, $0.order) < ($1.time, $1.order) }
    var line = -1
    for event in events {
      if case .clocks(_, _, let time, _) = event.what, time <= .microseconds(1) {
        held += 1
        if case .running = transport {} else { isAmbiguous = true }
      } else if case .clocks(let from, let to, let time, let flaws) = event.what {
        let begin = Instant.zero + script.clocks[event.order].time
        let part = Double((event.time - begin).count) / Double(time.count)
        let tempo = Double(from) + Double(to - from) * part
        let period = Nanoseconds(Int64(2_500_000_000_000 / tempo))
        count(
          Clock(due: event.time, number: nil, jitter: flaws.jitter, period: period, isRamp: from != to),
          isNewLine: event.order != line, isLossy: flaws.loss > 0)
        if event.order < line { isAmbiguous = true }
        line = event.order
      } else {
        receive(event.what, at: event.time)
      }
    }
    if held > 0 { isAmbiguous = true }
  }

  /// When lost clocks begin that leave five equal intervals at half the tempo, or three at less, and none was lost before: no program can
  /// tell this from a new tempo, which has to be followed after three.
  private static func otherTempo(_ line: ScriptedClock, _ tempo: Int, at begin: Instant) -> Instant? {
    let period = 2_500_000_000_000 / Int64(tempo)
    let arrivals = line.actions(at: begin).compactMap { if case .clock(let clock) = $0 { clock.instant } else { nil } }
    let numbers = [-1] + arrivals.map { (($0 - begin).count + period / 4) / period }
    let steps = zip(numbers, numbers.dropFirst()).map { $1 - $0 }.filter { $0 > 0 }
    guard let first = steps.firstIndex(where: { $0 > 1 }) else { return nil }
    let run = steps[first...].prefix { $0 == steps[first] }
    return run.count >= (steps[first] == 2 ? 5 : 3) ? begin + Nanoseconds(period * Int64(first)) : nil
  }

  private mutating func receive(_ message: ScriptedClock, at instant: Instant) {
    switch message {
    case .unplug: isPlugged = false
    case .plug: isPlugged = true
    case .clocks: break
    case .start, .continue, .stop, .position:
      if let last, instant <= last.due + last.jitter { isAmbiguous = true }
      guard isPlugged else { break }
      change(message, at: instant)
    }
  }

  private mutating func change(_ message: ScriptedClock, at instant: Instant) {
    // Beats that the box plays in a silence are its own.
    if case .running = transport, let last, instant - last.due > last.period * 3 / 2 { loosen(after: last) }
    switch (message, transport) {
    case (.start, .running):
      stops.append(instant)
      transport = .armed(0)
    case (.start, .armed(let position)): arm(at: 0, insteadOf: position, instant)
    case (.start, .stopped): transport = .armed(0)
    case (.continue, .stopped(let position)): transport = .armed(position)
    case (.stop, .armed(let position)):
      stops.append(instant)
      transport = .stopped(position)
    case (.stop, .running):
      stops.append(instant)
      // If the number is not known, nobody knows whether the jump has happened.
      transport = .stopped(last?.number.map { jump ?? $0 + 1 })
    case (.position(let sixteenths), .stopped): transport = .stopped(Int64(sixteenths) * 6)
    case (.position(let sixteenths), .armed(let position)):
      arm(at: Int64(sixteenths) * 6, insteadOf: position, instant)
    case (.position(let sixteenths), .running): jump = Int64(sixteenths) * 6
    default: break
    }
    if case .running = transport {} else { jump = nil }
    if case .armed = transport { armed = instant }
  }

  /// The beat of the other position may be committed already, or shown if the input is known to be late.
  private mutating func arm(at position: Int64, insteadOf other: Int64?, _ instant: Instant) {
    if position != other { stops.append(instant) }
    transport = .armed(position)
  }

  private mutating func count(_ new: Clock, isNewLine: Bool, isLossy: Bool) {
    var clock = new
    let gap = last.map { (clock.due - $0.due).count } ?? 0
    let before = last?.period.count ?? clock.period.count
    let steps = max(1, (gap + before / 2) / before)
    let isOnGrid = abs(gap - steps * before) <= before / 16
    clock.isAnew = last == nil || !isOnGrid
    if held > 0, held != steps - 1 { isAmbiguous = true }
    let isOtherTempo = isNewLine && abs(clock.period.count - before) > before / 1_000
    // The beat after a stall must not be too near to one at the presumed tempo.
    // The box may be behind by a stall at a new tempo, and gains at most 0.4 of a beat with each beat.
    if steps > 1, isTempoNew { behind = max(beat, steps * 5 / 2) }
    clock.isJump = isOtherTempo || steps > 1 && arrived == 1 || behind > 0
    behind -= 1
    clock.drift = drift(of: clock, after: silence + steps - 1)
    switch transport {
    case .stopped: break
    case .armed(let position) where isPlugged && !isLossy:
      (clock.number, clock.isFirst, transport) = (position, true, .running)
      clock.wasAwaited = last.map { steps > 1 && armed < $0.due + $0.period * 33 / 32 + $0.jitter * 2 } ?? false
    case .armed where isPlugged: transport = .running
    case .armed: break
    case .running:
      let isWhole = steps == 1 && isPlugged && !isLossy
      let canCount = steps <= SourceModel.longestStall && isTempoKnown(clock) && (jump == nil || steps == 1)
      // One interval of a tempo may as well be two clocks of the next one.
      let isOpen = isOtherTempo && arrived < 3 || doubts.contains { (last?.due ?? $0) < $0 && $0 <= clock.due }
      let isCounted = isOnGrid && !isOpen && (isWhole || canCount)
      clock.number = isCounted ? last?.number.map { $0 + steps } : nil
      if let last {
        if !isCounted, last.number != nil { loosen(after: last) }
        if isCounted || isTempoNew { fillIn(steps, after: last, gap) }
      }
      if let target = jump, let number = clock.number { takeJump(to: target, &clock, number) }
    }
    if arrived > 0, isPlugged { givesTempo = min(givesTempo, clock.due) }
    if isOtherTempo { earlier = last?.period }
    last = clock
    clocks.append(clock)
    arrived = (isOtherTempo || clock.isRamp ? 0 : arrived) + (isPlugged ? 1 : 0)
    (silence, held) = (isPlugged ? 0 : silence + steps, 0)
  }

  /// Whether the clocks before this one give the tempo well enough to count those that do not arrive.
  private func isTempoKnown(_ clock: Clock) -> Bool {
    guard clock.jitter > .zero else {
      return arrived >= SourceModel.locking || held > 3 || last?.isFirst == false && !isTempoNew
    }
    return arrived >= SourceModel.locking && clock.drift < clock.period / 2
  }

  private func drift(of clock: Clock, after silence: Int64) -> Nanoseconds {
    Nanoseconds(clock.jitter.count * silence / max(arrived - 1, 1))
  }

  /// The beats after a clock cannot be known.
  private mutating func loosen(after last: Clock) {
    clocks.append(Clock(due: last.due, number: nil, period: last.period))
  }

  /// Whether the box may not know the tempo after its last change.
  private var isTempoNew: Bool { earlier != nil && arrived < SourceModel.locking }

  /// Adds the clocks of a stall, which arrive late or not at all. At once after the very first clock the beats are at the presumed tempo,
  /// and soon after a change of the tempo they are at the one before.
  private mutating func fillIn(_ steps: Int64, after last: Clock, _ gap: Int64) {
    for step in 1..<max(steps, 1) {
      var clock = Clock(
        due: last.due + Nanoseconds(gap * step / steps), number: last.number.map { $0 + step }, jitter: last.jitter,
        period: last.period
      )
      if arrived == 1 || isTempoNew { clock.number = nil }
      if isTempoNew, let earlier { clock.period = min(clock.period, earlier) }
      clock.drift = drift(of: clock, after: silence + step)
      clocks.append(clock)
    }
  }

  /// The jump replaces the bar line; beats before it keep their numbers.
  private mutating func takeJump(to target: Int64, _ clock: inout Clock, _ number: Int64) {
    guard number % bar == 0 else { return }
    (clock.number, clock.hasJumped, jump) = (target, true, nil)
  }
}
