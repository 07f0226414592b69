import BoardSimulation
import MetronomeCore
import MetronomeEngine

/// A box that does nothing but follow the transport of a MIDI source shows the source's beats, each once and in its place, as
/// ``SourceModel`` counts them. Around a jump of the tempo and a start of another clock, two beats may be off.
final class SourceChecker: Checker {
  /// How far a beat may be from the source's.
  private static let tolerance = Nanoseconds.milliseconds(2)
  /// How late the first beat may be.
  private static let firstTolerance = Nanoseconds.milliseconds(3)
  /// A beat of the source.
  private struct Expected {
    var due: Instant
    var number: Int64
    var early: Nanoseconds
    var late: Nanoseconds
    var isShown = false
  }

  private let metre: Metre
  private let latency: Nanoseconds
  private let clocks: [SourceModel.Clock]
  /// The duration of a clock that is presumed, and until when.
  private let presumed: (period: Nanoseconds, until: Instant)
  private var expected: [Expected] = []
  /// Times in which beats may be off.
  private var loose: [ClosedRange<Instant>] = []
  /// The first expected beat that may still be shown.
  private var next = 0
  private var last: (beat: Beat, session: UInt32)?

  /// nil: the life does more than follow a source.
  init?(_ scene: Scene, _ script: Script) {
    let options = scene.options
    guard let source = options.source, source.hasTransport, options.score == nil, options.rules.countIn == 0,
      script.isOnlyOfSource, options.settings.bar.rhythm.pattern == nil, options.rules.autoStop == nil
    else { return nil }
    metre = options.settings.bar.metre
    latency = source.latency
    let model = SourceModel(script, metre: metre)
    guard !model.isAmbiguous else { return nil }
    clocks = model.clocks
    presumed = (.init(2_500_000_000_000 / Int64(options.settings.milliQuartersPerMinute)), model.givesTempo)
    super.init(scene)
    let jitter = clocks.map(\.jitter).max() ?? .zero
    for stop in model.stops {
      // A click or light that is committed may still come; one that is not does not.
      let first = stop + min(latency, .zero) - jitter - SourceChecker.tolerance
      loose.append(first...stop + max(latency, .zero) + .milliseconds(1) + lineLead)
    }
    expect()
  }

  private var beatLength: Int64 { Int64(96 * metre.notesInBeat / metre.signature.denominator) }

  /// Collects the beats that must be shown, and the times in which they may be off.
  private func expect() {
    var calm = 0
    var began = Instant.never
    /// How far the grid may be off after a silence, for two beats.
    var drift = (size: Nanoseconds.zero, until: Instant.never)
    for (index, clock) in clocks.enumerated() {
      let before = index > 0 ? clocks[index - 1] : nil
      let isUneven = clock.jitter > .zero || before == nil || before?.number == nil && clock.isAnew
      if clock.isJump || clock.isRamp || clock.hasJumped || clock.number == nil || clock.isAnew && isUneven {
        calm = 0
        began = min(began == .never ? clock.due : began, clock.due)
      }
      if clock.isFirst, clock.isAnew || clock.wasAwaited {
        // The start may have been announced for another instant: up to a clock earlier, as the message itself is.
        let early = before.map { max($0.due, clock.due - $0.period * 30) } ?? clock.due
        loose.append(early...clock.due + SourceChecker.firstTolerance + clock.jitter + lineLead)
      }
      if clock.drift > .zero { drift = (clock.drift, clock.due + clock.period * beatLength * 2) }
      guard let number = clock.number, number % beatLength == 0 else { continue }
      let isLate = clock.isFirst || calm < 2
      if calm < 2, began != .never {
        loose.append(began - clock.period * 2...clock.due + clock.period * beatLength * 3 / 4)
        calm += 1
        if calm == 2 { began = .never }
        continue
      }
      if clock.isFirst, clock.isAnew || clock.wasAwaited { continue }
      let late = isLate ? SourceChecker.firstTolerance + lineLead : SourceChecker.tolerance
      let spread = clock.jitter + (clock.due <= drift.until ? drift.size : .zero)
      expected.append(
        Expected(due: clock.due, number: number, early: SourceChecker.tolerance + spread, late: late + spread))
    }
    if let end = clocks.last {
      let last = end.due + end.period / 2
      loose.append((began == .never ? last : min(began - end.period * 2, last))...Instant(nanoseconds: .max / 2))
    }
  }

  /// How late the first beat may be because its clock must have arrived.
  private var lineLead: Nanoseconds { scene.simulation.engine.lead.ofSource.duration + max(latency, .zero) }

  override func see(_ event: TraceEvent) {
    guard case .beat(let beat) = event.what else { return }
    let instant = beat.instant + latency
    if let last, last.session == scene.timeline.session { checkDistance(beat, last.beat) }
    last = (beat, scene.timeline.session)
    while next < expected.count, expected[next].due + expected[next].late < instant { pass() }
    guard next < expected.count, instant >= expected[next].due - expected[next].early, !expected[next].isShown else {
      if !isLoose(instant) { scene.breach(.followsSource, "beat \(beat.index) is no beat of the source") }
      return
    }
    expected[next].isShown = true
    let number = expected[next].number / beatLength
    let beats = Int64(metre.beatsInBar)
    if beat.bar * beats + Int64(beat.position) != number, !isLoose(instant) {
      scene.breach(
        .followsSource,
        "beat \(beat.index) is in bar \(beat.bar), place \(beat.position), but the source is at \(number)")
    }
  }

  override func end() { while next < expected.count, expected[next].due + .seconds(1) < scene.now { pass() } }

  /// A beat of the source is over.
  private func pass() {
    let beat = expected[next]
    next += 1
    if !beat.isShown, !isLoose(beat.due) {
      scene.breach(
        .followsSource, "the source's beat \(beat.number / beatLength) at \(beat.due.nanoseconds) is not shown")
    }
  }

  private func isLoose(_ instant: Instant) -> Bool { loose.contains { $0.contains(instant) } }

  /// Two beats are never nearer than 0.6 of the shorter period.
  private func checkDistance(_ beat: Beat, _ before: Beat) {
    let near = clocks.filter {
      $0.due >= before.instant + latency - $0.period * beatLength * 3 && $0.due <= beat.instant + latency + $0.period
    }
    guard var period = near.map(\.period).min() else { return }
    if before.instant + latency < presumed.until { period = min(period, presumed.period) }
    let jitter = near.map(\.jitter).max() ?? .zero
    // A ramp's tempo is that of its clocks, the box's that of the last three.
    let shortest = Nanoseconds((period.count * beatLength - jitter.count * beatLength / 2) * 57 / 100)
    if beat.instant - before.instant < shortest {
      scene.breach(
        .followsSource, "beat \(beat.index) is \((beat.instant - before.instant).count) ns after the one before")
    }
  }
}

extension Script {
  /// Whether the script consists of the messages of a MIDI source.
  fileprivate var isOnlyOfSource: Bool { count == clocks.count && count > 0 }
}
