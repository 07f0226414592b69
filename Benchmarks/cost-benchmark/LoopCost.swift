import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import ThreadMeter

/// The resource usage of a loop on its thread, over many steps.
struct LoopCost {
  private(set) var steps = 0
  /// Processor time in nanoseconds, including that of the fakes and of moving the clock.
  private(set) var processorTime: Int64 = 0
  /// The longest step in nanoseconds of real time, including interruptions by other threads.
  private(set) var worstStep: Int64 = 0
  /// The usage in the first second, in which the runtime allocates its caches for generic types; nil if not counted.
  private(set) var first: Usage?
  /// The usage of all later steps: the steady state. nil if not counted, or if there were no later steps.
  private(set) var later: Usage?
  /// The duration played.
  private(set) var played = Nanoseconds.zero
  /// The number of clicks placed, or beats shown.
  private(set) var beats = 0
  private(set) var underruns = 0
  /// How often another thread changed the tempo during the run.
  private(set) var changes = 0

  /// The share of a core that the loop uses.
  var share: Double { Double(processorTime) / Double(played.count) }

  /// A disturbance of a loop while it plays.
  enum Disturbance {
    case none
    /// After every `every` steps the loop is called late by `delay`, and plays a new timeline from then on.
    case restart(every: Int, delay: Nanoseconds, timeline: (Instant) -> Timeline)
    /// Another thread changes the tempo about every second.
    case tempo
  }

  /// The cost of the audio loop over this number of periods of 256 frames, at 48,000 Hz with four periods in the buffer. Then
  /// the card fails.
  static func ofAudio(
    periods: Int, _ timeline: Timeline, _ sounds: ClickSounds, _ tally: Tally = Tally(),
    disturbed disturbance: Disturbance = .none
  ) -> LoopCost {
    let format = AudioFormat(rate: 48_000, channels: 2, sampleFormat: .s16, periodFrames: 256, bufferFrames: 1_024)
    let clock = SteppedClock()
    let port = ExactPort(format, limit: periods * format.periodFrames, clock: clock)
    let publication = TimelinePublication()
    let audio = Audio(
      port: port, clock: clock, sounds: sounds, publication: publication, plan: OutputPlan(), lead: SharedLead(),
      observer: tally, wake: Waker { _ in })
    publication.publish(timeline)
    _ = audio.cards.step(at: clock.now)
    var cost = LoopCost()
    cost.run(clock, publication, timeline, disturbance, step: audio.loop.step)
    audio.cards.end()
    cost.beats = tally.clicks
    cost.underruns = tally.underruns
    return cost
  }

  /// The cost of the beat loop over this number of beats. `shown` changes what the lines show.
  static func ofBeats(
    _ beats: Int, _ timeline: Timeline, _ latencies: OutputLatencies, _ tally: Tally = Tally(),
    disturbed disturbance: Disturbance = .none, shown: (inout Projections) -> Void = { _ in }
  ) -> LoopCost {
    let publication = TimelinePublication()
    var projections = Projections(latencies: latencies)
    shown(&projections)
    let loop = BeatLoop(
      lines: Levels(), publication: publication, plan: OutputPlan(projections), observer: tally)
    publication.publish(timeline)
    var cost = LoopCost()
    cost.run(SteppedClock(), publication, timeline, disturbance) { now in
      let deadline = loop.step(at: now)
      return tally.beats < beats ? deadline : nil
    }
    cost.beats = tally.beats
    return cost
  }

  /// Runs a loop from deadline to deadline until it has none.
  private mutating func run(
    _ clock: SteppedClock, _ publication: TimelinePublication, _ timeline: Timeline, _ disturbance: Disturbance,
    step: (Instant) -> Instant?
  ) {
    let changer: TempoChanger? = if case .tempo = disturbance { TempoChanger(publication, timeline) } else { nil }
    defer { changer?.end() }
    let (start, startOfTime) = (ThreadMeter.processorTime, clock.now)
    var next: Instant? = clock.now
    while let now = next {
      clock.advance(to: now)
      changer?.setTime(now)
      let (before, began) = (Usage.now, ThreadMeter.time)
      next = step(now)
      worstStep = max(worstStep, ThreadMeter.time - began)
      // When the card finally fails, an error is reported: that is not steady state.
      if next != nil, let before, let after = Usage.now { count(after - before, now - startOfTime) }
      steps += 1
      if case .restart(let every, let delay, let timeline) = disturbance, steps % every == 0 {
        publication.publish(timeline(clock.now))
        next = next.map { $0 + delay }
      }
      // 1,000 steps play more than a second.
      if let changer, steps % 1_000 == 0 {
        changer.wait(for: changes)
        changes = changer.count
      }
    }
    processorTime = ThreadMeter.processorTime - start
    played = clock.now - startOfTime
  }

  private mutating func count(_ usage: Usage, _ elapsed: Nanoseconds) {
    if elapsed < .seconds(1) { first = (first ?? Usage()) + usage } else { later = (later ?? Usage()) + usage }
  }
}

/// Unconnected lines.
private final class Levels: OutputLines {
  private var levels = LineSet.inactive

  func set(_ levels: LineSet) throws(HardwareError) { self.levels = levels }

  func release() { levels = .inactive }
}
