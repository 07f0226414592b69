import BoardSimulation
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
  /// How often the steps of the first second allocated, in which the runtime of an older Swift makes what it keeps of
  /// generic types when they are first met in a process; nil where nobody counts.
  private(set) var firstAllocations: UInt64?
  /// How often all later steps allocated together; nil where nobody counts, or there were none.
  private(set) var allocations: UInt64?
  /// How much was played.
  private(set) var played = Nanoseconds.zero
  /// Clicks placed, or beats shown.
  private(set) var beats = 0
  private(set) var underruns = 0

  /// What share of a core the loop takes.
  var share: Double { Double(processorTime) / Double(played.count) }

  /// Something that happens to the audio loop.
  struct Disturbance {
    /// After how many steps, each time.
    var every: Int
    /// By how much the loop is called late then.
    var delay: Nanoseconds
    /// What is played from then on.
    var timeline: (Instant) -> Timeline
  }

  /// Of the audio loop over so many periods of 256 frames, at 48,000 Hz with four in the buffer. Then the card fails.
  static func ofAudio(
    periods: Int, _ timeline: Timeline, _ sounds: ClickSounds, _ tally: Tally = Tally(),
    disturbed disturbance: Disturbance? = nil
  ) -> LoopCost {
    let format = AudioFormat(rate: 48_000, channels: 2, sampleFormat: .s16, periodFrames: 256, bufferFrames: 1_024)
    let clock = VirtualClock()
    let port = ExactPort(format, life: periods * format.periodFrames, clock: clock)
    let publication = TimelinePublication()
    let sound = Sound(
      port: port, clock: clock, sounds: sounds, publication: publication, plan: OutputPlan(), lead: SharedLead(),
      observer: tally)
    publication.publish(timeline)
    _ = sound.keeper.step(at: clock.now)
    var cost = LoopCost()
    cost.run(clock, step: sound.loop.step) { steps in
      guard let disturbance, steps % disturbance.every == 0 else { return .zero }
      publication.publish(disturbance.timeline(clock.now))
      return disturbance.delay
    }
    sound.keeper.end()
    cost.beats = tally.clicks
    cost.underruns = tally.underruns
    return cost
  }

  /// Of the beat loop over so many beats.
  static func ofBeats(_ beats: Int, _ timeline: Timeline, _ latencies: OutputLatencies) -> LoopCost {
    let clock = VirtualClock()
    let publication = TimelinePublication()
    let tally = Tally()
    let loop = BeatLoop(
      lines: Levels(), patterns: Publication(OutputPattern()), publication: publication,
      plan: OutputPlan(OutputPlan.Settings(latencies: latencies)), observer: tally)
    publication.publish(timeline)
    var cost = LoopCost()
    cost.run(clock) { now in
      let deadline = loop.step(at: now)
      return tally.beats < beats ? deadline : nil
    }
    cost.beats = tally.beats
    return cost
  }

  /// Runs a loop from deadline to deadline until it has none.
  ///
  /// - Parameter pause: between two steps: how late the next one is, after so many.
  private mutating func run(
    _ clock: VirtualClock, step: (Instant) -> Instant?, pause: (Int) -> Nanoseconds = { _ in .zero }
  ) {
    let (start, startOfTime) = (ThreadMeter.processorTime, clock.now)
    var next: Instant? = clock.now
    while let now = next {
      clock.advance(to: now)
      let (allocated, began) = (ThreadMeter.allocations, ThreadMeter.time)
      next = step(now)
      worstStep = max(worstStep, ThreadMeter.time - began)
      if let allocated, let all = ThreadMeter.allocations { count(all - allocated, now - startOfTime) }
      steps += 1
      let delay = pause(steps)
      next = next.map { $0 + delay }
    }
    processorTime = ThreadMeter.processorTime - start
    played = clock.now - startOfTime
  }

  private mutating func count(_ allocated: UInt64, _ elapsed: Nanoseconds) {
    if elapsed < .seconds(1) {
      firstAllocations = (firstAllocations ?? 0) + allocated
    } else {
      allocations = (allocations ?? 0) + allocated
    }
  }
}

/// Lines that nothing hangs on.
private final class Levels: OutputLines {
  private var levels = OutputLevels.inactive

  func set(_ levels: OutputLevels) throws(HardwareError) { self.levels = levels }

  func release() { levels = .inactive }
}
