import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// Light, pendulum and buzzer show the beats, each advanced by its latency, and switch off again. They show the silent beats if
/// they show gaps.
final class LineChecker: Checker {
  /// An active line, since it switched on.
  private struct Pulse {
    var start: Instant
    var beat: Beat
  }

  /// A beat that a line still has to show.
  private struct Due {
    var beat: Beat
    var output: OutputLine
    var instant: Instant
  }

  private var pulses: [OutputLine: Pulse] = [:]
  private var dues: [Due] = []
  /// Until this instant something other than the beats may explain the levels of the lines.
  private var excused = Instant(nanoseconds: .min)
  private var session: UInt32?
  /// The lines that switched in this step.
  private var news: [(output: OutputLine, isActive: Bool)] = []
  private var state: MetronomeState?

  override func see(_ event: TraceEvent) {
    switch event.what {
    case .beat(let beat): expect(beat)
    case .line(let output, let isActive): news.append((output, isActive))
    case .fault(let error): if error.operation == .setLines { excuse(for: .milliseconds(200)) }
    case .skipped: excuse(for: .seconds(2))
    case .state(let state):
      if self.state.map({ !state.continues($0) }) ?? true { excuse(for: .seconds(2)) }
      self.state = state
    case .click, .hit, .button, .missed, .underrun, .audio, .display, .ended, .began, .midi, .lostClocks: break
    }
  }

  override func look(after loop: Simulation.Loop?, _ changes: Scene.Changes) {
    if loop == .beats, scene.lateness > .zero { excuse(for: .seconds(2)) }
    // Changes by the chip, the wiring or the end of the metronome belong to no beat.
    for (output, isActive) in news {
      guard loop == .beats else {
        pulses[output] = nil
        continue
      }
      if isActive { rise(output) } else { fall(output) }
    }
    news = []
    if changes.hasOtherBeats || scene.signal?.end ?? .zero > scene.now || !scene.simulation.board.chip.isThere {
      excuse(for: .seconds(2))
    }
    guard loop == .beats else { return }
    if scene.timeline.session != session {
      session = scene.timeline.session
      dues = []
    }
    while let due = dues.first, due.instant <= scene.now {
      dues.removeFirst()
      if !isExcused { missing(due) }
    }
    for (output, pulse) in pulses where !isExcused { checkLength(of: output, pulse, isOver: false) }
  }

  override func reconfigured() { excuse(for: .seconds(2)) }

  override func switched(isOn: Bool) {
    excuse(for: .seconds(2))
    dues = []
    pulses = [:]
  }

  private var isExcused: Bool { scene.now < excused }

  private func excuse(for time: Nanoseconds) {
    excused = max(excused, scene.now + time)
    pulses = [:]
  }

  private func expect(_ beat: Beat) {
    for output in scene.lines where isToBeSeen(output, beat) {
      let due = Due(beat: beat, output: output, instant: beat.instant - scene.latencies[output.output])
      let place = dues.lastIndex { $0.instant <= due.instant }.map { $0 + 1 } ?? 0
      dues.insert(due, at: place)
    }
  }

  private func isToBeSeen(_ output: OutputLine, _ beat: Beat) -> Bool {
    guard scene.wiring.outputs[output] != nil, width(of: output, beat) > .zero, !beat.isSilent || showsGaps(output)
    else { return false }
    let isSilent = scene.simulation.engine.control.state.isSilent
    if isSilent, scene.options.heard.contains(output.output) { return false }
    let parts = scene.options.colored.contains(output.output) ? scene.options.colors[beat.level].parts : .main
    guard parts.lines(of: output.output).contains(output) else { return false }
    switch scene.options.shownBeats[output.output] {
    case .every: return true
    case .first: return beat.position == 0
    case .last: return scene.timeline.beat(beat.index + 1)?.position == 0
    case .left: return beat.index & 1 == 0
    case .right: return beat.index & 1 == 1
    }
  }

  private func showsGaps(_ output: OutputLine) -> Bool { scene.options.hits[output.output].gaps }

  /// Whether a hit within a beat may be shown: at a rest of the main voice that of another, otherwise a strong or medium one.
  private func showsHit(at view: Instant) -> Bool {
    let timeline = scene.timeline
    guard let beat = timeline.lastBeat(atOrBefore: view) else { return false }
    if beat.level == .rest { return true }
    return (0..<timeline.voiceCount).contains { voice in
      var position = Position(beat.index)
      while let hit = timeline.hit(of: voice, after: position), hit.instant <= view {
        if hit.level == .strong || hit.level == .medium { return true }
        position = hit.position
      }
      return false
    }
  }

  /// Whether a voice has a strong or medium hit between two beats.
  private func hasHit(from beat: Beat, before next: Beat) -> Bool {
    let timeline = scene.timeline
    return (0..<timeline.voiceCount).contains { voice in
      var position = Position(beat.index)
      while let hit = timeline.hit(of: voice, after: position), hit.position < Position(next.index) {
        if hit.level == .strong || hit.level == .medium { return true }
        position = hit.position
      }
      return false
    }
  }

  private func rise(_ output: OutputLine) {
    let view = scene.now + scene.latencies[output.output]
    if !isExcused {
      guard let place = dues.firstIndex(where: { $0.output == output && $0.instant <= scene.now }) else {
        if let beat = scene.timeline.lastBeat(atOrBefore: view), beat.isSilent, !showsGaps(output) {
          return scene.breach(
            .silencesKept, "\(BoxNames.standard[output]) switched on at the silent beat \(beat.index)")
        }
        if showsHit(at: view) { return }
        return scene.breach(.linesAgree, "\(BoxNames.standard[output]) switched on without a beat")
      }
      dues.remove(at: place)
    } else if let place = dues.firstIndex(where: { $0.output == output && $0.instant <= scene.now }) {
      dues.remove(at: place)
    }
    if !isExcused, let beat = scene.timeline.lastBeat(atOrBefore: view) {
      pulses[output] = Pulse(start: scene.now, beat: beat)
    }
  }

  private func fall(_ output: OutputLine) {
    guard let pulse = pulses.removeValue(forKey: output), !isExcused else { return }
    checkLength(of: output, pulse, isOver: true)
  }

  private func checkLength(of output: OutputLine, _ pulse: Pulse, isOver: Bool) {
    guard let next = scene.timeline.beat(pulse.beat.index + 1) else { return }
    let width = width(of: output, pulse.beat, before: next)
    let length = scene.now - pulse.start
    // A hit that is shown before the next beat may end the pulse earlier: unit tests have the exact rule.
    if isOver, length < width, hasHit(from: pulse.beat, before: next) { return }
    if isOver ? length != width : length >= width {
      scene.breach(.pulsesEnd, "\(BoxNames.standard[output]) is on for \(length.count) ns, not \(width.count) ns")
    }
  }

  private func width(of output: OutputLine, _ beat: Beat, before next: Beat? = nil) -> Nanoseconds {
    let pulses = scene.options.pattern[output.output]
    let gap = next.map { $0.instant - beat.instant }
    switch pulses[beat.level] {
    case .wholeBeat: return gap ?? .seconds(60)
    case .atMost where beat.level == .rest: return .zero
    case .atMost(let width): return min(width, gap.map { $0 / 2 } ?? width)
    }
  }

  private func missing(_ due: Due) {
    scene.breach(
      .linesAgree,
      "\(BoxNames.standard[due.output]) is not on for beat \(due.beat.index) at \(due.beat.instant.nanoseconds)")
  }
}
