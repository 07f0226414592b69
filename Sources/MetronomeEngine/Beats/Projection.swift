import HardwareAbstraction
import MetronomeCore

/// What an output makes of the timeline: how early it is sent, whether it keeps quiet, and what it shows of a beat.
///
/// The engine holds one for each output. The beat loop plays those of the lines, the audio loop that of the sound card.
public struct Projection: Hashable, Sendable, BitwiseCopyable {
  /// Which beats an output shows.
  public enum Beats: UInt8, Hashable, Sendable, BitwiseCopyable {
    case all
    /// Beats alternate from the start of playing, even first.
    case odd

    func contains(_ beat: Beat) -> Bool {
      switch self {
      case .all: true
      case .odd: beat.index & 1 == 1
      }
    }
  }

  /// How early it is sent.
  public var latency = Nanoseconds.zero
  /// Whether it stays inactive. One that may be active again is so from its next beat on.
  public var isMuted = false
  public var beats: Beats
  /// How long it is on from a beat of each level on. A click lasts as long as its sound.
  public var pulses: PerLevel<Pulse>
  /// Whether a signal's beeps are its own, and its flashes.
  public var signal: Signals

  /// What an output tells beside the beats.
  public enum Signals: UInt8, Hashable, Sendable, BitwiseCopyable {
    case none
    case all
    /// Those that are to be heard.
    case sounding
  }

  /// As the box shows the beat: a flash that the eye catches and tells apart, a beep that stays dry, and a pendulum that
  /// swings from beat to beat.
  public init(_ output: Output) {
    switch output {
    case .light:
      self.init(PerLevel(strong: .atMost(.milliseconds(100)), weak: .atMost(.milliseconds(50))), signal: .all)
    case .pendulum: self.init(PerLevel(repeating: .wholeBeat), beats: .odd)
    case .buzzer:
      self.init(PerLevel(strong: .atMost(.milliseconds(40)), weak: .atMost(.milliseconds(20))), signal: .sounding)
    case .audio: self.init(PerLevel(repeating: .wholeBeat))
    }
  }

  private init(_ pulses: PerLevel<Pulse>, beats: Beats = .all, signal: Signals = .none) {
    self.pulses = pulses
    self.beats = beats
    self.signal = signal
  }

  /// When the output goes off again that a beat switches on at `start`; `start` itself if the beat leaves it off.
  func end(of beat: Beat, from start: Instant, next: Instant) -> Instant {
    guard beats.contains(beat) else { return start }
    switch pulses[beat.level] {
    case .atMost(let width): return start + min(width, (next - start) / 2)
    case .wholeBeat: return next
    }
  }

  func tells(_ new: BlinkCode) -> Bool {
    switch signal {
    case .none: false
    case .all: true
    case .sounding: new.hasSound
    }
  }
}

/// How long an output is active from a beat on.
public enum Pulse: Hashable, Sendable, BitwiseCopyable {
  /// So long, but never longer than half the way to the next beat, so that the next one is seen to rise. Zero: not at all.
  case atMost(Nanoseconds)
  /// Until the next beat.
  case wholeBeat
}

/// How long each output is on from a beat of each level on.
public typealias OutputPattern = PerOutput<PerLevel<Pulse>>

extension PerOutput<PerLevel<Pulse>> {
  /// As ``Projection/init(_:)`` has it.
  ///
  /// - Parameter others: those of some outputs that are not so.
  public init(_ others: [Output: PerLevel<Pulse>] = [:]) { self.init { others[$0] ?? Projection($0).pulses } }
}

/// Those of all outputs.
public typealias Projections = PerOutput<Projection>

extension PerOutput<Projection> {
  /// - Parameters:
  ///   - latencies: how late the outputs are.
  ///   - muted: those that keep quiet.
  ///   - present: those that are there. A line that is not is sent as early as the first that is, and so delays nothing.
  public init(
    _ pattern: OutputPattern = OutputPattern(), latencies: OutputLatencies = .none, muted: OutputSet = [],
    present: OutputSet = .all
  ) {
    let latest = latencies.latest(of: present.intersection(Output.lines))
    self.init { output in
      var projection = Projection(output)
      projection.pulses = pattern[output]
      projection.latency = present.contains(output) ? latencies[output] : latest
      projection.isMuted = muted.contains(output)
      return projection
    }
    if !present.contains(.audio) { audio.latency = .zero }
  }

  public var latencies: OutputLatencies { map(\.latency) }

  /// The lines that keep quiet.
  public var mutedLines: OutputSet {
    var muted = OutputSet.inactive
    for output in Output.lines where self[output].isMuted { muted.insert(output) }
    return muted
  }
}

/// What the outputs make of the timeline, published by one thread while the beat and audio loops play.
public typealias OutputPlan = Publication<Projections>

extension Publication where Value == Projections {
  public convenience init() { self.init(Projections()) }

  /// The newest. On the thread that publishes.
  public var newest: Projections {
    var newest = Projections()
    var seen: UInt64 = 0
    _ = read(into: &newest, seen: &seen)
    return newest
  }

  /// Publishes the newest with a change. One thread only.
  public func change(_ change: (inout Projections) -> Void) {
    var projections = newest
    change(&projections)
    publish(projections)
  }

  /// Publishes others, and leaves it as it is who keeps quiet.
  func replace(_ projections: Projections) {
    change { newest in
      let before = newest
      newest = projections
      for output in OutputSet.all { newest[output].isMuted = before[output].isMuted }
    }
  }

  /// Lets some outputs keep quiet, and the others sound again.
  public func mute(_ outputs: OutputSet) {
    change { projections in for output in OutputSet.all { projections[output].isMuted = outputs.contains(output) } }
  }
}
