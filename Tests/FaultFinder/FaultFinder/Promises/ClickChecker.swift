import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// Each click sounds once, on a beat that was audible when the click was written. No click is missing while card and loops
/// work.
final class ClickChecker: Checker {
  /// The longest part that is cut off the start of a click when the clock map moves.
  private static let tolerance = Nanoseconds.microseconds(1_100)
  /// The tolerance for a card with a constant rate, once that rate is known.
  private static let evenTolerance = Nanoseconds.microseconds(60)
  /// The longest time between a beat and its click, in either order.
  private static let timeout = Nanoseconds.seconds(3)

  /// The longest time between two steps of the audio loop: a buffer lasts at most a second.
  private static let longestPause = Nanoseconds.milliseconds(1_200)

  /// How long a fault of card or loop may explain a loss: a card may refuse a thousand writes.
  private static let recoveryTime = Nanoseconds.seconds(600)

  /// The beats that have clicked recently, in the order of their clicks.
  private var heard: [Instant] = []
  /// Beats that were shown and must click, in order.
  private var dues: [Beat] = []
  /// Until this instant a beat may have no click for a known reason.
  private var excused = Instant.zero + .milliseconds(500)
  private var hasCard = false
  /// The last step of the audio loop.
  private var lastStep = Instant.zero
  private let facts: Court.Facts
  /// From this instant on the sound was written with the card's rate known.
  private var learned = Instant.ever
  private(set) var count = 0

  init(_ scene: Scene, _ facts: Court.Facts) {
    self.facts = facts
    super.init(scene)
  }

  override func see(_ event: TraceEvent) {
    expire(before: .zero + event.time - ClickChecker.timeout)
    switch event.what {
    case .click(_, let level, _): hear(level, at: .zero + event.time)
    case .beat(let beat): expect(beat)
    case .audio(let state): follow(state)
    case .missed(let clicks): lose("\(clicks) clicks were missed")
    case .underrun: lose("the card underran")
    case .fault(let error): if error.operation != .saveState, error.operation != .loadState { excuse() }
    case .state, .skipped: excuse()
    case .line, .hit, .button, .ended, .began: break
    }
  }

  override func look(after loop: Simulation.Loop?, _ changes: Scene.Changes) {
    if changes.hasTimeline { excuse() }
    if loop == .audio { noteStep() }
    if loop == .audio || loop == .cards, scene.lateness > .milliseconds(1) { excuse() }
  }

  override func reconfigured() { excuse() }

  override func switched(isOn: Bool) {
    dues = []
    hasCard = false
    learned = .ever
    excuse()
  }

  /// Frames written now sound within the lead; earlier frames have been played by then.
  private func excuse() {
    excused = max(excused, scene.now + scene.lead.duration + .milliseconds(1_600))
    dues = []
  }

  private func lose(_ loss: @autoclosure () -> String) {
    excuse()
    let isTroubled = facts.troubles.contains { $0 <= scene.now && scene.now - $0 < ClickChecker.recoveryTime }
    if !isTroubled { scene.breach(.everyClick, "\(loss()), although card and loop keep running") }
  }

  private func follow(_ state: AudioState) {
    switch state {
    case .locked:
      hasCard = true
      learned = min(learned, scene.now + buffer)
    case .locking:
      hasCard = true
      learned = .ever
    case .off, .waiting: hasCard = false
    }
    excuse()
  }

  private func expect(_ beat: Beat) {
    guard hasCard, beat.instant > excused, !hasClicked(beat), !scene.simulation.engine.control.state.isSilent else {
      return
    }
    dues.append(beat)
  }

  private func noteStep() {
    if isHanging { excuse() }
    lastStep = scene.now
  }

  /// Whether the audio loop is stalled. It counts the clicks missed meanwhile when it continues.
  private var isHanging: Bool { scene.now - lastStep > ClickChecker.longestPause }

  /// A click is reported with the next later event, so all clicks before this instant have been reported.
  private func expire(before instant: Instant) {
    if isHanging { return excuse() }
    while let due = dues.first, due.instant < instant {
      dues.removeFirst()
      if due.instant > excused, instant > excused {
        scene.breach(.everyClick, "beat \(due.index) at \(due.instant.nanoseconds) has no click")
      }
    }
  }

  /// Searches from the end: the latest clicks are the ones looked up.
  private func hasClicked(_ beat: Beat) -> Bool {
    for instant in heard.reversed() {
      if instant == beat.instant { return true }
      if instant < beat.instant { return false }
    }
    return false
  }

  private func hear(_ level: Level, at instant: Instant) {
    count += 1
    guard let beat = beat(near: instant) else {
      if mayBeLate { return }
      return scene.breach(.clicksOnTheBeat, "the click at \(instant.nanoseconds) is not on a beat")
    }
    if (beat.position == 0) != (level == .strong) {
      scene.breach(.clicksOnTheBeat, "the click of beat \(beat.index), place \(beat.position), is \(level)")
    }
    if hasClicked(beat) {
      scene.breach(.noClickTwice, "beat \(beat.index) at \(beat.instant.nanoseconds) clicks twice")
    }
    heard.append(beat.instant)
    if heard.count > 512 { heard.removeFirst(256) }
    dues.removeAll { $0.index == beat.index && $0.instant == beat.instant }
  }

  /// The beat of a recent timeline that a click at an instant may belong to.
  private func beat(near instant: Instant) -> Beat? {
    let tolerance = tolerance(at: instant)
    for latency in [scene.latencies.audio] + scene.latencies(past: ClickChecker.timeout).map(\.audio) {
      for publication in scene.publications.reversed() where publication.timeline.isPlaying {
        guard let beat = publication.timeline.nearest(to: instant + latency) else { continue }
        let distance = (instant + latency) - beat.instant
        if distance < tolerance, Nanoseconds.zero - tolerance < distance { return beat }
      }
    }
    return nil
  }

  /// The allowed distance of a click from its beat. While the card's rate is unknown, its nominal rate is used for the buffered
  /// time.
  private func tolerance(at instant: Instant) -> Nanoseconds {
    guard facts.isEven else { return ClickChecker.tolerance }
    guard instant < learned else { return ClickChecker.evenTolerance }
    return ClickChecker.evenTolerance + Nanoseconds(buffer.count / 1_000 * facts.driftPPB / 1_000_000)
  }

  /// The longest time that the card has buffered.
  private var buffer: Nanoseconds {
    guard let format = scene.simulation.board.audio?.card?.format else { return .seconds(1) }
    return .seconds(1) * Int64(format.bufferFrames) / Int64(format.rate)
  }

  /// Whether a click may sound at once because the latency of the sound has increased.
  private var mayBeLate: Bool {
    scene.latencies(past: ClickChecker.timeout).contains { $0.audio < scene.latencies.audio }
  }
}

extension Timeline {
  /// The beat nearest to an instant.
  fileprivate func nearest(to instant: Instant) -> Beat? {
    guard let after = firstBeat(atOrAfter: instant) else { return nil }
    guard let before = lastBeat(atOrBefore: instant) else { return after }
    return instant - before.instant <= after.instant - instant ? before : after
  }
}
