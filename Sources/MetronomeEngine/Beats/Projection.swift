import HardwareAbstraction
import MetronomeCore

/// How an output shows the timeline: its latency, whether it is muted, and its pulse on each beat. The beat loop uses the
/// projections of the lines, the audio loop the sound card's.
public struct Projection: Hashable, Sendable, BitwiseCopyable {
  /// The beats that an output shows, by their names in the configuration.
  public enum Beats: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
    case every
    /// Of a bar.
    case first, last
    /// The even beats, at which a pendulum is on the left. The first beat after the start is one of them.
    case left
    case right

    /// `isLast`: whether the beat is the last of its bar.
    func contains(_ beat: Beat, isLast: Bool) -> Bool {
      switch self {
      case .every: true
      case .first: beat.position == 0
      case .last: isLast
      case .left: beat.index & 1 == 0
      case .right: beat.index & 1 == 1
      }
    }

    // A comparison would compare the names, which counts references.
    var dependsOnNextBeat: Bool {
      switch self {
      case .last: true
      case .every, .first, .left, .right: false
      }
    }
  }

  /// How early the output is sent.
  public var latency = Nanoseconds.zero
  /// Whether silent mode mutes the output.
  public var isHeard = false
  /// Whether the output stays inactive. After unmuting, it is active from its next beat on.
  public var isMuted = false
  /// The factor of the clicks' samples, from the player's ``Volume``: above 0, at most 1. Lines ignore it.
  public var gain: Float = 1
  /// The player's set of clicks. Lines ignore it.
  public var set = Voice.Sound.click
  /// Whether the beat loop plays it; false for a place without an output.
  public var isUsed: Bool
  public var beats: Beats
  /// How long a beat or hit of each level switches the output on. A click lasts as long as its sound.
  public var pulses: PerLevel<Pulse>
  /// The hits within beats that a line shows, unless they are too close together. It shows every beat.
  public var hits: ShownHits
  /// What is on during a pulse of each level: for an RGB light the lines of its color, for other outputs their own.
  public var parts: PerLevel<LineParts>
  private let output: Output
  public var blinkCodes: BlinkCodes

  public enum BlinkCodes: UInt8, Hashable, Sendable, BitwiseCopyable {
    case none, all
    /// Only audible blink codes.
    case sounding
  }

  /// The default: flashes that are easy to see and to distinguish, a short beep, and a pendulum that swings from beat to beat.
  public init(_ output: Output) {
    switch output {
    case .light:
      self.init(output, Projection.pulses(100, 70, 50, 20), showsHits: true, showsGaps: true, blinkCodes: .all)
    case .pendulum: self.init(output, PerLevel(repeating: .wholeBeat), showsGaps: true, beats: .right)
    case .buzzer: self.init(output, Projection.pulses(40, 28, 20, 8), showsHits: true, blinkCodes: .sounding)
    case .audio, .secondAudio:
      self.init(output, PerLevel(repeating: .wholeBeat))
      isHeard = true
      return
    default: self.init(output, Projection.pulses(100, 70, 50, 20), showsHits: true, showsGaps: true)
    }
    isHeard = OutputSet.standardHeard.contains(output)
    isUsed = OutputSet.standard.contains(output)
    parts = PerLevel(repeating: .main)
  }

  /// The default of an output that shows these beats: one side of a pendulum, or flashes. Only an output that shows every beat
  /// also shows hits within beats.
  public init(_ output: Output, showing beats: Beats) {
    self.init(output)
    switch (self.beats, beats) {
    case (.every, .every), (.left, .left), (.left, .right), (.right, .left), (.right, .right): break
    case (_, .left), (_, .right): pulses = PerLevel(repeating: .wholeBeat)
    case (.left, _), (.right, _): pulses = Projection(.light).pulses
    case (.every, _), (.first, _), (.last, _): break
    }
    switch beats {
    case .every: hits.levels = output == .pendulum ? Projection(.light).hits.levels : hits.levels
    case .first, .last, .left, .right: hits.levels = PerLevel(repeating: false)
    }
    self.beats = beats
  }

  private init(
    _ output: Output, _ pulses: PerLevel<Pulse>, showsHits: Bool = false, showsGaps: Bool = false,
    beats: Beats = .every,
    blinkCodes: BlinkCodes = .none
  ) {
    self.pulses = pulses
    hits = ShownHits(levels: PerLevel { showsHits && ($0 == .strong || $0 == .medium) }, gaps: showsGaps)
    self.beats = beats
    self.blinkCodes = blinkCodes
    isUsed = false
    parts = PerLevel(repeating: .none)
    self.output = output
  }

  /// Pulses in milliseconds.
  private static func pulses(_ strong: Int64, _ medium: Int64, _ weak: Int64, _ ghost: Int64) -> PerLevel<Pulse> {
    var pulses = PerLevel<Pulse>(repeating: .atMost(.zero))
    pulses.strong = .atMost(.milliseconds(strong))
    pulses.medium = .atMost(.milliseconds(medium))
    pulses.weak = .atMost(.milliseconds(weak))
    pulses.ghost = .atMost(.milliseconds(ghost))
    return pulses
  }

  /// When an output that a beat or a hit within it switches on at `start` switches off again; `start` itself if the output does
  /// not show it. `next` is when the output switches on again, and `nextBeat` is the next beat.
  func end(
    of level: Level, in beat: Beat, isLast: Bool, from start: Instant, next: Instant, nextBeat: Instant
  ) -> Instant {
    guard beats.contains(beat, isLast: isLast) else { return start }
    switch pulses[level] {
    case .atMost(let width): return level == .rest ? start : start + min(width, (next - start) / 2)
    case .wholeBeat: return nextBeat
    }
  }

  /// The levels of the hits within beats that switch it on. A hit without a pulse is not shown, and ends no other pulse.
  var hitLevels: PerLevel<Bool> {
    var levels = hits.levels
    if case .atMost(.zero) = pulses.strong { levels.strong = false }
    if case .atMost(.zero) = pulses.medium { levels.medium = false }
    if case .atMost(.zero) = pulses.weak { levels.weak = false }
    if case .atMost(.zero) = pulses.ghost { levels.ghost = false }
    return levels
  }

  /// The shortest time between a hit of this level and its neighbors at which their pulses can be distinguished: twice the pulse
  /// of the next louder level.
  func shortestGap(of level: Level) -> Nanoseconds {
    let louder: Level =
      switch level {
      case .strong, .medium: .strong
      case .weak: .medium
      case .ghost, .rest: .weak
      }
    if case .atMost(let width) = pulses[louder] { return width * 2 }
    return .zero
  }

  /// The lines that any level switches on.
  var allLines: LineSet { parts.strong.union(parts.medium).union(parts.weak).union(parts.ghost).lines(of: output) }

  /// The lines that are on during a pulse of this level.
  func lines(at level: Level) -> LineSet { parts[level].lines(of: output) }

  /// The lines that must be off before a pulse begins, so that it has a rising edge; none for an output that is on for whole
  /// beats.
  var endedLines: LineSet {
    switch beats {
    case .every: return allLines
    case .left, .right: return .inactive
    case .first, .last:
      if case .wholeBeat = pulses.strong { return .inactive }
      return allLines
    }
  }

  func shows(_ new: BlinkCode) -> Bool {
    switch blinkCodes {
    case .none: false
    case .all: true
    case .sounding: new.hasAudio
    }
  }
}

/// Which hits within beats a line shows: those with one of these levels in one of these voices.
public struct ShownHits: Hashable, Sendable, BitwiseCopyable {
  public var levels: PerLevel<Bool>
  public var voices: VoiceSet
  /// Whether the line also shows the beats, and the hits within them, that a gap or a random drop silences.
  public var gaps: Bool

  public init(levels: PerLevel<Bool>, voices: VoiceSet = .all, gaps: Bool = false) {
    self.levels = levels
    self.voices = voices
    self.gaps = gaps
  }

  var isEmpty: Bool { voices == [] || !(levels.strong || levels.medium || levels.weak || levels.ghost) }

  func includes(voice: Int) -> Bool { voices.contains(VoiceSet(voice)) }
}

/// How long an output is active from a beat on.
public enum Pulse: Hashable, Sendable, BitwiseCopyable {
  /// This long, but at most half the time to the next beat, so that beats stay distinct. Zero: never on.
  case atMost(Nanoseconds)
  /// Until the next beat.
  case wholeBeat
}

public typealias OutputPattern = OutputArray<PerLevel<Pulse>>

extension OutputArray<PerLevel<Pulse>> {
  /// The pulses of ``Projection/init(_:)``, except for the outputs in `others`.
  public init(_ others: [Output: PerLevel<Pulse>] = [:]) { self.init { others[$0] ?? Projection($0).pulses } }
}

public typealias Projections = OutputArray<Projection>

extension OutputArray<Projection> {
  /// A line that is not `present` gets the longest latency of the present lines, so that it does not delay the beats.
  public init(
    _ pattern: OutputPattern = OutputPattern(), latencies: OutputLatencies = .none, muted: OutputSet = [],
    present: OutputSet = .standard.union([.audio])
  ) {
    let latest = latencies.latest(of: present.intersection(.onLines))
    self.init { output in
      var projection = Projection(output)
      projection.pulses = pattern[output]
      projection.isUsed = projection.isUsed || present.intersection(.onLines).contains(output)
      let isAbsent = projection.isUsed && !present.contains(output)
      projection.latency = isAbsent ? latest : latencies[output]
      projection.isMuted = muted.contains(output)
      return projection
    }
    for card: Output in [.audio, .secondAudio] where !present.contains(card) { self[card].latency = .zero }
  }

  public var latencies: OutputLatencies { map(\.latency) }

  /// The outputs that the beat loop plays.
  var used: OutputSet {
    var used = OutputSet.none
    for output in OutputSet.onLines where self[output].isUsed { used.insert(output) }
    return used
  }

  public var mutedLines: LineSet {
    var muted = LineSet.inactive
    for output in used where self[output].isMuted { muted.formUnion(self[output].allLines) }
    return muted
  }
}

/// The projections that the beat and audio loops use; one thread publishes them.
public typealias OutputPlan = Publication<Projections>

extension Publication where Value == Projections {
  public convenience init() { self.init(Projections()) }

  /// The newest projections. On the publishing thread.
  public var newest: Projections {
    var newest = Projections()
    var seen: UInt64 = 0
    _ = read(into: &newest, seen: &seen)
    return newest
  }

  /// Changes the newest projections and publishes them. One thread only.
  public func change(_ change: (inout Projections) -> Void) {
    var projections = newest
    change(&projections)
    publish(projections)
  }

  /// Publishes other projections; muted outputs stay muted, and volume and set stay.
  func replace(_ projections: Projections) {
    change { newest in
      let before = newest
      newest = projections
      for output in OutputSet.all {
        let isHeard = newest[output].isHeard
        newest[output].isMuted =
          isHeard == before[output].isHeard ? before[output].isMuted : isHeard && before.audio.isMuted
      }
      (newest.audio.gain, newest.audio.set) = (before.audio.gain, before.audio.set)
      (newest.secondAudio.gain, newest.secondAudio.set) = (before.audio.gain, before.audio.set)
    }
  }

  /// Sets the volume of the clicks, and their set.
  func use(_ volume: Volume, _ set: Voice.Sound) {
    change { projections in
      (projections.audio.gain, projections.audio.set) = (volume.gain, set)
      (projections.secondAudio.gain, projections.secondAudio.set) = (volume.gain, set)
    }
  }

  /// Mutes the outputs that are heard, or unmutes all.
  func silence(_ isSilent: Bool) {
    change { projections in
      for output in OutputSet.all { projections[output].isMuted = isSilent && projections[output].isHeard }
    }
  }

  /// Mutes some outputs, and unmutes the others.
  public func mute(_ outputs: OutputSet) {
    change { projections in for output in OutputSet.all { projections[output].isMuted = outputs.contains(output) } }
  }
}
