import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// Each click sounds once, on a hit that was audible when the click was written, at the hit's level. No click is missing while
/// card and loops work. No silent hit clicks.
final class ClickChecker: Checker {
  /// The longest part that is cut off the start of a click when the clock map moves.
  private static let tolerance = Nanoseconds.microseconds(1_100)
  /// The tolerance for a card with a constant rate, once that rate is known.
  private static let evenTolerance = Nanoseconds.microseconds(60)
  /// The longest time between a hit and its click, in either order.
  private static let timeout = Nanoseconds.seconds(3)

  /// The longest time between two steps of the audio loop: a buffer lasts at most a second.
  private static let longestPause = Nanoseconds.milliseconds(1_200)

  /// How long a fault of card or loop may explain a loss: a card may refuse a thousand writes.
  private static let recoveryTime = Nanoseconds.seconds(600)

  /// A voice and the instant of its hit.
  private struct Sounded: Hashable {
    var voice: Int
    var instant: Instant

    init(_ hit: Hit) { (voice, instant) = (hit.voice, hit.instant) }
  }

  /// The hits that have clicked recently, in the order of their clicks.
  private var heard: [Sounded] = []
  /// Hits that must click, in order.
  private var dues: [Hit] = []
  /// Until this instant a hit may have no click for a known reason.
  private var excused = Instant.zero + .milliseconds(500)
  private var hasCard = false
  /// The last step of the audio loop.
  private var lastStep = Instant.zero
  private let facts: Court.Facts
  /// From this instant on the sound was written with the card's rate known.
  private var learned = Instant.ever
  private var state: MetronomeState?
  private(set) var count = 0

  init(_ scene: Scene, _ facts: Court.Facts) {
    self.facts = facts
    super.init(scene)
  }

  override func see(_ event: TraceEvent) {
    expire(before: .zero + event.time - ClickChecker.timeout)
    switch event.what {
    case .click(_, let level, _): hear(level, at: .zero + event.time)
    case .hit(let hit): expect(hit)
    case .audio(let state): follow(state)
    case .missed(let clicks):
      if isTooSoon(clicks) { excuse() } else { lose("\(clicks) clicks were missed") }
    case .underrun: lose("the card underran")
    case .fault(let error): if error.operation != .saveState, error.operation != .loadState { excuse() }
    case .skipped: excuse()
    case .state(let state):
      if self.state.map({ !state.continues($0) }) ?? true { excuse() }
      self.state = state
    case .line, .beat, .button, .display, .ended, .began, .midi, .lostClocks: break
    }
  }

  override func look(after loop: Simulation.Loop?, _ changes: Scene.Changes) {
    if changes.hasOtherBeats { excuse() }
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

  private func expect(_ hit: Hit) {
    let isSilent = scene.simulation.engine.control.state.isSilent
    guard hasCard, !hit.isSilent, hit.instant > excused, !hasClicked(hit), !isSilent else { return }
    dues.append(hit)
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
        scene.breach(.everyClick, "\(due.text) has no click")
      }
    }
  }

  /// Searches from the end: the latest clicks are the ones looked up.
  private func hasClicked(_ hit: Hit) -> Bool {
    for sounded in heard.reversed() {
      if sounded == Sounded(hit) { return true }
      if sounded.instant < hit.instant - .milliseconds(10) { return false }
    }
    return false
  }

  private func hear(_ level: Level, at instant: Instant) {
    count += 1
    let near = hits(near: instant) + lateStarts(at: instant)
    guard !near.isEmpty else {
      if mayBeLate { return }
      return scene.breach(.clicksOnTheBeat, "the click at \(instant.nanoseconds) is not on a beat or a hit")
    }
    guard near.contains(where: { !$0.isSilent }) else {
      return scene.breach(.silencesKept, "\(near[0].text) is silent, but clicks")
    }
    let possible = near.filter { $0.level == level && !$0.isSilent }
    guard let first = possible.first else {
      return scene.breach(.clicksOnTheBeat, "the click of \(near[0].text) is \(level), not \(near[0].level)")
    }
    let hit = possible.first { !hasClicked($0) } ?? first
    if hasClicked(hit) { scene.breach(.noClickTwice, "\(hit.text) clicks twice") }
    heard.append(Sounded(hit))
    if heard.count > 4_096 { heard.removeFirst(2_048) }
    dues.removeAll { Sounded($0) == Sounded(hit) }
  }

  /// The hits of recent timelines that a click at an instant may belong to: the nearest first, and of the newest timeline first.
  private func hits(near instant: Instant) -> [Hit] {
    let tolerance = tolerance(at: instant)
    var found: [Hit] = []
    for latency in [scene.latencies.audio] + scene.latencies(past: ClickChecker.timeout).map(\.audio) {
      for publication in scene.publications.reversed() where publication.timeline.isPlaying {
        let hits = publication.timeline.hits(near: instant + latency, tolerance)
        found += hits.filter { !found.contains($0) }
      }
    }
    return found
  }

  /// The recent starts by a source, whose first beat is within the lead: it comes too soon for the card.
  private var soonStarts: [Scene.Publication] {
    guard scene.options.source?.hasTransport == true else { return [] }
    return zip(scene.publications, scene.publications.dropFirst()).compactMap { before, publication in
      guard publication.timeline.session != before.timeline.session,
        let first = publication.timeline.beat(publication.timeline.first)
      else { return nil }
      return first.instant < publication.instant + publication.lead ? publication : nil
    }
  }

  /// The first beats of such starts within the lead before an instant: a card clicks them as soon as it can.
  private func lateStarts(at instant: Instant) -> [Hit] {
    let heard = instant + scene.latencies.audio
    return soonStarts.reversed().compactMap { publication in
      let first = publication.timeline.hit(of: 0, after: Position(-1))
      return first.flatMap { $0.instant <= heard && heard <= $0.instant + publication.lead ? $0 : nil }
    }
  }

  /// Whether so many clicks may be missed now, since a source has started as many beats within the lead.
  private func isTooSoon(_ clicks: Int64) -> Bool {
    soonStarts.contains { publication in
      let effective = publication.instant + publication.lead
      let next = publication.timeline.firstBeat(atOrAfter: effective)?.index ?? publication.timeline.first
      return scene.now <= effective && clicks <= next - publication.timeline.first
    }
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

extension Hit {
  fileprivate var text: String { "the hit of voice \(voice) at beat \(position), \(instant.nanoseconds) ns," }
}

extension Timeline {
  /// The hits less than `tolerance` from an instant, the nearest first.
  fileprivate func hits(near instant: Instant, _ tolerance: Nanoseconds) -> [Hit] {
    let before = lastBeat(atOrBefore: instant - tolerance).map { Position($0.index) } ?? Position(-1)
    var hits: [Hit] = []
    for voice in 0..<voiceCount {
      var position = before
      while let hit = self.hit(of: voice, after: position), hit.instant < instant + tolerance {
        if hit.instant > instant - tolerance { hits.append(hit) }
        position = hit.position
      }
    }
    func distance(_ hit: Hit) -> Nanoseconds { max(hit.instant - instant, instant - hit.instant) }
    return hits.sorted { distance($0) < distance($1) }
  }
}
