/// Position and tempo of a MIDI source, from its messages: what it says (`SourceTransport`), and how its clock runs
/// (`ClockEstimate`).
///
/// The first clock after a start or continue is the position. If the clocks already run evenly, its instant is known in advance. A
/// song position while the source plays takes effect at the next bar line. After a stop the clocks go on to give the tempo.
public struct ClockFollower: Sendable {
  private static let clocksInQuarter: Int64 = 24

  /// The metre at whose bar line a song position takes effect.
  public var metre = Metre(.initial)
  /// The tempo until the source has given one, in thousandths of a quarter per minute.
  public var presumedMilliQuarters = 120_000
  private let latency: Nanoseconds
  private var transport = SourceTransport.stopped(at: 0)
  private var estimate = ClockEstimate()
  /// The number of the last clock. After a stop it goes on, and means nothing.
  private var position: Int64 = -1
  private var epoch = 0
  private var starts = 0
  /// The song position of the last jump while playing.
  private var lastTarget: Int64 = 0
  /// When the first clock after a start is expected; nil: it is not known, or not awaited.
  private var announced: Instant?
  /// Whether the last first clock was not on the grid of those before it: after a stop, and (true) while running, as in a loop. Such
  /// starts of a source that begins its clock anew are not announced again.
  private var startsAnew: Set<Bool> = []
  /// Whether the source was running at the last clock.
  private var wasRunning = false

  /// `latency`: how late the input reports a message.
  public init(latency: Nanoseconds = .zero) { self.latency = latency }

  public var state: SourceState { estimate.state }

  /// When ``check(at:)`` must be called; nil: not before the next message.
  public var deadline: Instant? { (withdrawal ?? estimate.deadline).map { $0 + latency } }

  /// When an announced start is given up, because its clock has not come.
  private var withdrawal: Instant? { announced.map { $0 + Nanoseconds(Int64(estimate.loop?.period ?? 0)) } }

  /// Notices that the clocks have stopped. Returns an observation if a start that was announced has not happened.
  public mutating func check(at now: Instant) -> BeatObservation? {
    guard let deadline, now >= deadline else { return nil }
    guard announced != nil, let loop = estimate.loop else {
      estimate.isLost = true
      return nil
    }
    (announced, startsAnew) = (nil, startsAnew.union([wasRunning]))
    return observation(of: position, at: loop, isPlaying: false)
  }

  /// Receives a message. Returns where the source is after a clock, or will be at the first clock after a start; nil while this is
  /// not known.
  public mutating func receive(_ message: ClockMessage) -> BeatObservation? {
    let instant = message.instant - latency
    let before = transport
    transport.receive(message.kind, last: max(position + Int64(estimate.undecided), lastTarget - 1))
    if case .stopped = transport { announced = nil }
    switch (message.kind, before, transport) {
    case (.clock, .armed(let target), _): return begin(at: instant, target)
    case (.clock, _, _): return clock(at: instant)
    case (_, _, .armed(let target)) where transport != before: return announce(target, at: instant)
    default: return nil
    }
  }

  private mutating func announce(_ target: Int64, at instant: Instant) -> BeatObservation? {
    announced = startsAnew.contains(wasRunning) ? nil : estimate.next(at: instant)
    guard let announced, var loop = estimate.loop else { return nil }
    (epoch, starts, position) = (epoch + 1, starts + 1, target)
    loop.restart(at: announced)
    return observation(of: position, at: loop, isPlaying: true)
  }

  /// The first clock after a start or continue.
  private mutating func begin(at instant: Instant, _ target: Int64) -> BeatObservation? {
    let isMeasured = announced != nil || estimate.next(at: instant) != nil
    let isOnGrid = estimate.begin(at: instant, presumed: presumed)
    if isMeasured { startsAnew = isOnGrid ? startsAnew.subtracting([wasRunning]) : startsAnew.union([wasRunning]) }
    (position, wasRunning, lastTarget) = (target, true, 0)
    if announced == nil { starts += 1 }
    if announced == nil || !isOnGrid { epoch += 1 }
    announced = nil
    return estimate.loop.map { observation(of: position, at: $0, isPlaying: true) }
  }

  /// The duration of a clock until the source has given one, in nanoseconds.
  private var presumed: Double { 2_500_000_000_000 / Double(presumedMilliQuarters) }

  private mutating func clock(at instant: Instant) -> BeatObservation? {
    guard let decided = estimate.receive(instant, presumed: presumed) else { return nil }
    if !decided.isSame { epoch += 1 }
    position += decided.clocks
    if case .running(let jump?) = transport { jumpAtBarLine(to: jump, after: position - decided.clocks) }
    if case .running = transport { wasRunning = true } else { wasRunning = false }
    guard let loop = estimate.loop, wasRunning || estimate.state != .waiting else { return nil }
    return observation(of: position, at: loop, isPlaying: wasRunning)
  }

  /// If the target is a beat, once the bar's last beat has begun, so that the next beat already has its new place.
  private mutating func jumpAtBarLine(to target: Int64, after last: Int64) {
    let beat = metre.beatInMicroquarters * ClockFollower.clocksInQuarter / 1_000_000
    let bar = beat * Int64(metre.beatsInBar)
    // Until the bar line of the last jump another position may replace it.
    let barLine = last < lastTarget ? lastTarget : (last.floorDivided(by: bar) + 1) * bar
    guard barLine - position < (target % beat == 0 ? beat : 1) else { return }
    (position, lastTarget, epoch) = (target + position - barLine, target, epoch + 1)
    transport = .running(jump: nil)
  }

  private func observation(of position: Int64, at loop: ClockLoop, isPlaying: Bool) -> BeatObservation {
    // The position is rounded down, and the instant is that of the rounded position to less than 1 ns at 20 BPM.
    let scaled = position * 1_000_000
    let quarter = scaled.floorDivided(by: ClockFollower.clocksInQuarter)
    let rest = Double(scaled - quarter * ClockFollower.clocksInQuarter) / 1_000_000
    let whole = loop.instant + Nanoseconds(Int64((loop.fraction - rest * loop.period).rounded(.down)))
    return BeatObservation(
      epoch: epoch, starts: starts, changes: estimate.changes, quarter: quarter, instant: whole,
      period: Int64(loop.period * 24 * 1_000_000), spread: Nanoseconds(Int64(loop.deviation)), isPlaying: isPlaying)
  }
}

/// What a MIDI source has said about its position, apart from the estimate of its clock. Positions are numbers of clocks, 24 per
/// quarter, from the start of the song.
///
/// The table in Documentation/MIDI.md has an entry for each message in each state.
enum SourceTransport: Equatable, Sendable {
  /// A continue goes on with this clock.
  case stopped(at: Int64)
  /// The next clock is this one, whenever it comes.
  case armed(at: Int64)
  /// The song position to go to at the next bar line; nil: it goes on.
  case running(jump: Int64?)

  /// `last` is the number of the last clock.
  mutating func receive(_ message: ClockMessage.Kind, last: Int64) {
    switch (message, self) {
    case (.start, _): self = .armed(at: 0)

    case (.continue, .stopped(let position)): self = .armed(at: position)
    case (.continue, .armed), (.continue, .running): break

    case (.stop, .stopped): break
    case (.stop, .armed(let position)): self = .stopped(at: position)
    case (.stop, .running(let jump)): self = .stopped(at: jump ?? last + 1)

    case (.songPosition(let sixteenths), .stopped): self = .stopped(at: Int64(sixteenths) * 6)
    case (.songPosition(let sixteenths), .armed): self = .armed(at: Int64(sixteenths) * 6)
    case (.songPosition(let sixteenths), .running): self = .running(jump: Int64(sixteenths) * 6)

    case (.clock, .armed): self = .running(jump: nil)
    case (.clock, .stopped), (.clock, .running): break
    }
  }
}
