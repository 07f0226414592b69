import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// Clicks sound on the beats that were to be heard when they were written, each once, and all of them while all is well.
final class ClickChecker: Checker {
  /// A click that comes late because the map has moved is cut off by so much at the most.
  private static let tolerance = Nanoseconds.microseconds(1_100)
  /// With a card that goes evenly, once its rate is known.
  private static let evenTolerance = Nanoseconds.microseconds(60)
  /// How long a beat may wait for its click, and a click for its beat.
  private static let patience = Nanoseconds.seconds(3)

  /// From one step of the audio loop to the next: a buffer lasts a second at the most.
  private static let longestPause = Nanoseconds.milliseconds(1_200)

  /// How long something that befell card or loop may be the reason for a loss: a card that refuses a thousand times.
  private static let convalescence = Nanoseconds.seconds(600)

  /// When the beats fall that clicked of late, in the order in which they did.
  private var heard: [Instant] = []
  /// Beats that were shown and are to be heard, in order.
  private var dues: [Beat] = []
  /// Until when something may be the reason that a beat does not click.
  private var excused = Instant.zero + .milliseconds(500)
  private var hasCard = false
  /// Of the audio loop.
  private var lastStep = Instant.zero
  private let facts: Court.Facts
  /// From when on what sounds was written with the card's rate known.
  private var learned = Instant.ever
  private(set) var count = 0

  init(_ scene: Scene, _ facts: Court.Facts) {
    self.facts = facts
    super.init(scene)
  }

  override func see(_ event: TraceEvent) {
    expire(before: .zero + event.time - ClickChecker.patience)
    switch event.what {
    case .click(_, let level): hear(level, at: .zero + event.time)
    case .beat(let beat): expect(beat)
    case .audio(let state): follow(state)
    case .missed(let clicks): lose("\(clicks) clicks are missed")
    case .underrun: lose("the card runs dry")
    case .fault(let error): if error.operation != .saveState, error.operation != .loadState { excuse() }
    case .state, .skipped: excuse()
    case .line, .button, .ended, .began: break
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

  /// What is written now sounds within the lead; what was written before did.
  private func excuse() {
    excused = max(excused, scene.now + scene.lead.duration + .milliseconds(1_600))
    dues = []
  }

  private func lose(_ loss: @autoclosure () -> String) {
    excuse()
    let isTroubled = facts.troubles.contains { $0 <= scene.now && scene.now - $0 < ClickChecker.convalescence }
    if !isTroubled { scene.breach(.everyClick, "\(loss()), and card and loop go on") }
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

  /// Whether the audio loop makes no steps. What it misses meanwhile it counts when it goes on.
  private var isHanging: Bool { scene.now - lastStep > ClickChecker.longestPause }

  /// A click is told of with the next event after it: by then those before have been.
  private func expire(before instant: Instant) {
    if isHanging { return excuse() }
    while let due = dues.first, due.instant < instant {
      dues.removeFirst()
      if due.instant > excused, instant > excused {
        scene.breach(.everyClick, "beat \(due.index) at \(due.instant.nanoseconds) does not click")
      }
    }
  }

  /// From the back: those that clicked last are those that are asked for.
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
      return scene.breach(.clicksOnTheBeat, "a click at \(instant.nanoseconds) is on no beat")
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

  /// The beat of a timeline of late that a click at an instant may be for.
  private func beat(near instant: Instant) -> Beat? {
    let tolerance = tolerance(at: instant)
    for latency in [scene.latencies.audio] + scene.latencies(past: ClickChecker.patience).map(\.audio) {
      for publication in scene.publications.reversed() where publication.timeline.isPlaying {
        guard let beat = publication.timeline.nearest(to: instant + latency) else { continue }
        let distance = (instant + latency) - beat.instant
        if distance < tolerance, Nanoseconds.zero - tolerance < distance { return beat }
      }
    }
    return nil
  }

  /// How far a click may lie from its beat. A card whose rate is not known yet is taken at its word for what it is ahead.
  private func tolerance(at instant: Instant) -> Nanoseconds {
    guard facts.isEven else { return ClickChecker.tolerance }
    guard instant < learned else { return ClickChecker.evenTolerance }
    return ClickChecker.evenTolerance + Nanoseconds(buffer.count / 1_000 * facts.driftPPB / 1_000_000)
  }

  /// How much the card is ahead at the most.
  private var buffer: Nanoseconds {
    guard let format = scene.simulation.board.sound?.card?.format else { return .seconds(1) }
    return .seconds(1) * Int64(format.bufferFrames) / Int64(format.rate)
  }

  /// Whether one may sound at once because clicks are sent earlier from now on.
  private var mayBeLate: Bool {
    scene.latencies(past: ClickChecker.patience).contains { $0.audio < scene.latencies.audio }
  }
}

extension Timeline {
  /// The beat that is nearest to an instant.
  fileprivate func nearest(to instant: Instant) -> Beat? {
    guard let after = firstBeat(atOrAfter: instant) else { return nil }
    guard let before = lastBeat(atOrBefore: instant) else { return after }
    return instant - before.instant <= after.instant - instant ? before : after
  }
}
