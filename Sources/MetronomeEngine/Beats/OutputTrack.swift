import HardwareAbstraction
import MetronomeCore

/// The outputs of one latency on their way along the timeline.
///
/// It looks at the timeline from ahead: at an instant t it shows what the timeline says for t + latency. All its
/// instants are of the timeline but those it is given and answers with, which are the clock's. What it shows is a
/// function of the timeline, the beat that was begun last and the time.
struct OutputTrack: BitwiseCopyable {
  /// A pulse begun later than this lasts as long as one on time; below, it ends where it should have ended.
  private static let unseenLateness = Nanoseconds.milliseconds(1)

  /// Which outputs follow it.
  var outputs: OutputLevels
  var latency: Nanoseconds
  /// The number of the beat to be begun next.
  var nextIndex: Int64 = 0
  /// The beat on show; nil before the first and when it was skipped.
  var current: Beat?
  /// Where its pulses are counted from.
  var currentStart = Instant.zero
  /// What the beat on show has not switched off yet. What is off stays off: a beat that becomes longer when half of it has
  /// gone by does not flash twice.
  var lit = OutputLevels.inactive
  /// Whether the last step began a beat.
  var hasBegun = false

  /// Begins the beat that has come, if one has, or skips it when half of it has gone by: the phase is kept, there is never
  /// a burst.
  ///
  /// - Returns: the numbers of the beats that it left out; nil if no beat has come.
  mutating func begin(_ timeline: Timeline, oldest: Int64, at now: Instant) -> Range<Int64>? {
    hasBegun = false
    // The timeline may have forgotten beats of a time in which nobody looked at it. They are left out like the others.
    let first = max(nextIndex, timeline.first)
    nextIndex = max(nextIndex, oldest)
    let view = now + latency
    guard let beat = timeline.lastBeat(atOrBefore: view), beat.index >= nextIndex else { return nil }
    let lateness = view - beat.instant
    let isTooLate = lateness > (timeline.knownBeat(beat.index + 1).instant - beat.instant) / 2
    let skipped = first..<(isTooLate ? beat.index + 1 : beat.index)
    nextIndex = beat.index + 1
    current = isTooLate ? nil : beat
    lit = isTooLate ? .inactive : outputs
    currentStart = lateness > OutputTrack.unseenLateness ? view : beat.instant
    hasBegun = !isTooLate
    return skipped
  }

  /// Switches off in ``lit`` what has been on for long enough.
  ///
  /// - Parameter muted: nobody is woken for what is not seen.
  /// - Returns: when it wants to be looked at again.
  mutating func darken(
    _ timeline: Timeline, _ pattern: OutputPattern, muted: OutputLevels, at now: Instant
  ) -> Instant {
    let view = now + latency
    let next = timeline.knownBeat(nextIndex).instant
    guard let current else { return next - latency }
    let ends = pattern.ends(of: current, from: currentStart, next: next)
    lit.formIntersection(ends.levels(at: view))
    return ends.next(of: lit.subtracting(muted), after: view, before: next) - latency
  }

  /// Whether another one does the same at the same instants from now on.
  func isInStep(with other: OutputTrack) -> Bool {
    latency == other.latency && nextIndex == other.nextIndex && current == other.current
      && currentStart == other.currentStart
  }
}

/// The tracks that the outputs follow, one for all those that are sent equally early. In place: no allocation but the
/// first.
struct OutputTracks: ~Copyable {
  /// One for each output at the most.
  private static let capacity = 3

  private let tracks: UnsafeMutableBufferPointer<OutputTrack>
  private(set) var count = 1

  /// All outputs on one track, at its start.
  init() {
    tracks = .allocate(capacity: OutputTracks.capacity)
    tracks.initialize(repeating: OutputTrack(outputs: [.light, .pendulum, .buzzer], latency: .zero))
  }

  deinit { tracks.deallocate() }

  subscript(index: Int) -> OutputTrack {
    get { tracks[index] }
    set { tracks[index] = newValue }
  }

  /// How early the output is sent that is sent first.
  var longestLatency: Nanoseconds {
    var longest = tracks[0].latency
    for index in 1..<count { longest = max(longest, tracks[index].latency) }
    return longest
  }

  /// Puts every track back to its start.
  mutating func rewind() {
    for index in 0..<count {
      tracks[index] = OutputTrack(outputs: tracks[index].outputs, latency: tracks[index].latency)
    }
  }

  /// Leaves some outputs dark until their next beat.
  mutating func extinguish(_ outputs: OutputLevels) {
    for index in 0..<count { tracks[index].lit.subtract(outputs) }
  }

  /// Sends each output as early as the plan says, from where it is. What was muted until now is off until its next beat.
  mutating func follow(_ plan: OutputPlan, unmuted: OutputLevels) {
    let light = track(of: .light, plan, unmuted)
    let pendulum = track(of: .pendulum, plan, unmuted)
    let buzzer = track(of: .buzzer, plan, unmuted)
    count = 0
    join(light)
    join(pendulum)
    join(buzzer)
  }

  private func track(of output: Output, _ plan: OutputPlan, _ unmuted: OutputLevels) -> OutputTrack {
    let level = OutputLevels(output)
    var index = 0
    while !tracks[index].outputs.contains(level) { index += 1 }
    var track = tracks[index]
    track.outputs = level
    track.lit.formIntersection(level.subtracting(unmuted))
    track.latency = plan.latency(of: output)
    return track
  }

  private mutating func join(_ track: OutputTrack) {
    for index in 0..<count where tracks[index].isInStep(with: track) {
      tracks[index].outputs.formUnion(track.outputs)
      tracks[index].lit.formUnion(track.lit)
      return
    }
    tracks[count] = track
    count += 1
  }
}

/// How long an output is active from a beat on.
public enum Pulse: Hashable, Sendable, BitwiseCopyable {
  /// So long, but never longer than half the way to the next beat, so that the next one is seen to rise. Zero: not at all.
  case atMost(Nanoseconds)
  /// Until the next beat.
  case wholeBeat

  func end(from beat: Instant, to next: Instant) -> Instant {
    switch self {
    case .atMost(let width): beat + min(width, (next - beat) / 2)
    case .wholeBeat: next
    }
  }
}

/// What each output does on a beat.
public struct OutputPattern: Hashable, Sendable, BitwiseCopyable {
  /// A pulse for each accent.
  public struct Pulses: Hashable, Sendable, BitwiseCopyable {
    public var first: Pulse
    public var regular: Pulse

    public init(first: Pulse, regular: Pulse) {
      self.first = first
      self.regular = regular
    }

    subscript(accent: Accent) -> Pulse {
      switch accent {
      case .first: first
      case .regular: regular
      }
    }
  }

  public var light: Pulses
  /// Of odd beats; on even ones the pendulum is off.
  public var pendulum: Pulses
  public var buzzer: Pulses

  /// A flash that the eye catches and tells apart, a beep that stays dry, and a pendulum that swings from beat to beat.
  public init(
    light: Pulses = Pulses(first: .atMost(.milliseconds(100)), regular: .atMost(.milliseconds(50))),
    pendulum: Pulses = Pulses(first: .wholeBeat, regular: .wholeBeat),
    buzzer: Pulses = Pulses(first: .atMost(.milliseconds(40)), regular: .atMost(.milliseconds(20)))
  ) {
    self.light = light
    self.pendulum = pendulum
    self.buzzer = buzzer
  }

  /// When each output goes off again that a beat switches on at `start`; `start` itself for one that it leaves off.
  func ends(of beat: Beat, from start: Instant, next: Instant) -> PulseEnds {
    // Not a comparison: Swift 6.0 compares the texts of the two, and lets go of them, on every beat.
    let pendulumEnd =
      switch beat.parity {
      case .odd: pendulum[beat.accent].end(from: start, to: next)
      case .even: start
      }
    return PulseEnds(
      light: light[beat.accent].end(from: start, to: next), pendulum: pendulumEnd,
      buzzer: buzzer[beat.accent].end(from: start, to: next))
  }
}

/// When the outputs that one beat switched on go off again.
struct PulseEnds {
  var light: Instant
  var pendulum: Instant
  var buzzer: Instant

  /// What is on at an instant.
  func levels(at now: Instant) -> OutputLevels {
    var levels = OutputLevels.inactive
    if light > now { levels.insert(.light) }
    if pendulum > now { levels.insert(.pendulum) }
    if buzzer > now { levels.insert(.buzzer) }
    return levels
  }

  /// The next of some of them after an instant, or `end` if none is left before it.
  func next(of outputs: OutputLevels, after now: Instant, before end: Instant) -> Instant {
    var next = end
    if light > now, outputs.contains(.light) { next = min(next, light) }
    if pendulum > now, outputs.contains(.pendulum) { next = min(next, pendulum) }
    if buzzer > now, outputs.contains(.buzzer) { next = min(next, buzzer) }
    return next
  }
}
