import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import ThreadMeter

/// What a loop used on its thread, over many steps.
struct LoopCost {
  private(set) var steps = 0
  /// Nanoseconds; those of the fakes and of moving the clock, too.
  private(set) var processorTime: Int64 = 0
  /// Nanoseconds that the longest step took, with whatever else the machine did meanwhile.
  private(set) var worstStep: Int64 = 0
  /// What the steps of the first second used, in which the runtime makes what it keeps of generic types when they are
  /// first met in a process; nil where nobody counts.
  private(set) var first: Usage?
  /// What all later steps used together: the steady state. nil where nobody counts, or there were none.
  private(set) var later: Usage?
  /// How much was played.
  private(set) var played = Nanoseconds.zero
  /// Clicks placed, or beats shown.
  private(set) var beats = 0
  private(set) var underruns = 0
  /// How often another thread changed the tempo meanwhile.
  private(set) var changes = 0

  /// What share of a core the loop takes.
  var share: Double { Double(processorTime) / Double(played.count) }

  /// What happens to a loop while it plays.
  enum Disturbance {
    case none
    /// After so many steps, each time, the loop is called so late, and plays something else from then on.
    case anew(every: Int, delay: Nanoseconds, timeline: (Instant) -> Timeline)
    /// Another thread changes the tempo about every second.
    case tempo
  }

  /// Of the audio loop over so many periods of 256 frames, at 48,000 Hz with four in the buffer. Then the card fails.
  static func ofAudio(
    periods: Int, _ timeline: Timeline, _ sounds: ClickSounds, _ tally: Tally = Tally(),
    disturbed disturbance: Disturbance = .none
  ) -> LoopCost {
    let format = AudioFormat(rate: 48_000, channels: 2, sampleFormat: .s16, periodFrames: 256, bufferFrames: 1_024)
    let clock = SteppedClock()
    let port = ExactPort(format, life: periods * format.periodFrames, clock: clock)
    let publication = TimelinePublication()
    let sound = Sound(
      port: port, clock: clock, sounds: sounds, publication: publication, plan: OutputPlan(), lead: SharedLead(),
      observer: tally, wake: { _ in })
    publication.publish(timeline)
    _ = sound.keeper.step(at: clock.now)
    var cost = LoopCost()
    cost.run(clock, publication, timeline, disturbance, step: sound.loop.step)
    sound.keeper.end()
    cost.beats = tally.clicks
    cost.underruns = tally.underruns
    return cost
  }

  /// Of the beat loop over so many beats.
  static func ofBeats(
    _ beats: Int, _ timeline: Timeline, _ latencies: OutputLatencies, _ tally: Tally = Tally(),
    disturbed disturbance: Disturbance = .none
  ) -> LoopCost {
    let publication = TimelinePublication()
    let loop = BeatLoop(
      lines: Levels(), publication: publication,
      plan: OutputPlan(Projections(latencies: latencies)), observer: tally)
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
      changer?.tell(now)
      let (before, began) = (Usage.now, ThreadMeter.time)
      next = step(now)
      worstStep = max(worstStep, ThreadMeter.time - began)
      // At the end of the card's life an error is handed on: that is no steady state.
      if next != nil, let before, let after = Usage.now { count(after - before, now - startOfTime) }
      steps += 1
      if case .anew(let every, let delay, let timeline) = disturbance, steps % every == 0 {
        publication.publish(timeline(clock.now))
        next = next.map { $0 + delay }
      }
      // In so many steps more than a second is played.
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

/// Lines that nothing hangs on.
private final class Levels: OutputLines {
  private var levels = OutputSet.inactive

  func set(_ levels: OutputSet) throws(HardwareError) { self.levels = levels }

  func release() { levels = .inactive }
}
