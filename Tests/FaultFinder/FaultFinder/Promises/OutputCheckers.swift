import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// Every beat that an output shows is reported.
final class ReportChecker: Checker {
  private var session: UInt32?
  /// The indices of the beats reported last.
  private var reported: [Int64] = []
  /// Outputs that switched on in this step.
  private var rises: [OutputLine] = []
  /// Until this instant lines may switch on again for an earlier beat.
  private var excused = Instant.zero

  override func see(_ event: TraceEvent) {
    switch event.what {
    case .beat(let beat):
      followSession()
      reported.append(beat.index)
      if reported.count > 2_048 { reported.removeFirst(1_024) }
    case .line(let output, true): rises.append(output)
    case .fault(let error): if error.operation == .setLines { excused = scene.now + .seconds(1) }
    case .state, .line, .click, .hit, .button, .skipped, .missed, .underrun, .audio, .display, .ended, .began, .midi,
      .lostClocks:
      break
    }
  }

  override func look(after loop: Simulation.Loop?, _ changes: Scene.Changes) {
    defer { rises = [] }
    guard loop == .beats, !rises.isEmpty, scene.timeline.isPlaying else { return }
    followSession()
    guard scene.now > excused, scene.signal?.end ?? .zero <= scene.now, scene.simulation.board.chip.isThere else {
      return
    }
    for output in rises {
      let view = scene.now + scene.latencies[output.output]
      guard let beat = scene.timeline.lastBeat(atOrBefore: view), !reported.contains(beat.index) else { continue }
      scene.breach(
        .shownBeatsAreReported, "\(BoxNames.standard[output]) shows beat \(beat.index), which was not reported")
    }
  }

  override func switched(isOn: Bool) { session = nil }

  private func followSession() {
    guard scene.timeline.session != session else { return }
    session = scene.timeline.session
    reported = []
  }
}

/// The lead is no longer than the present outputs need.
final class LeadChecker: Checker {
  /// The time that the largest card opened so far needs for its buffer and the start of a click.
  private var buffer: Nanoseconds?

  override func look(after loop: Simulation.Loop?, _ changes: Scene.Changes) {
    guard scene.isOn else { return }
    if let format = scene.simulation.board.audio?.card?.format {
      let frames = Int64(format.bufferFrames + 64)
      buffer = max(buffer ?? .zero, Nanoseconds((frames * 1_000_000_000 + Int64(format.rate) - 1) / Int64(format.rate)))
    }
    var longest = scene.earliness + .milliseconds(2)
    if let buffer { longest = max(longest, buffer + scene.latencies.audio + .milliseconds(3)) }
    // A start goes ahead of the first beat.
    if let midi = scene.options.midi.map(\.latency).max() {
      longest = max(longest, max(midi, .zero) + .milliseconds(4))
    }
    let lead = scene.simulation.engine.lead.current.duration
    if lead > longest {
      scene.breach(
        .leadAsNeeded, "a press waits \(lead.count) ns, but the outputs need at most \(longest.count) ns")
    }
  }

  override func switched(isOn: Bool) { buffer = nil }
}

/// Every traced click is in the recording of what the card plays, starting at its own frame of the stream.
final class TapeChecker: Checker {
  /// A start or stop may cut off clicks mixed before it. A time limit, because the trace does not state the frame at which the
  /// audio loop follows the change.
  private static let horizon = Nanoseconds.milliseconds(1_500)
  /// The most clicks that sound at once. More of them in one period replace the earliest, which then do not begin.
  private static let mostClicks = 16

  private let tape: Tape
  private var clicks: [(instant: Instant, take: Int, frame: Int64)] = []
  /// The last clicks that were judged.
  private var judged: [(take: Int, frame: Int64)] = []
  private var session: UInt32?
  private var sessionChange = Instant.never

  init(_ scene: Scene, _ tape: Tape) {
    self.tape = tape
    super.init(scene)
    tape.card = { [unowned scene] in scene.simulation.board.audio?.card }
  }

  override func see(_ event: TraceEvent) {
    guard case .click(let position, _, _) = event.what, let take = tape.take() else { return }
    clicks.append((.zero + event.time, take, position.whole))
  }

  override func look(after loop: Simulation.Loop?, _ changes: Scene.Changes) {
    tape.take()
    if scene.timeline.session != session || changes.isSwitched {
      session = scene.timeline.session
      sessionChange = scene.now
    }
    while let click = clicks.first, let isHeard = tape.isHeard(from: click.frame, in: click.take) {
      let period = tape.period(of: click.take)
      var inPeriod = clicks.prefix { $0.take == click.take && $0.frame <= click.frame + period }.count
      clicks.removeFirst()
      judged.append((click.take, click.frame))
      judged.removeAll { $0.take != click.take || $0.frame < click.frame - period }
      // Of the last period of a card only the clicks before its end are traced. As many were mixed as in the period before.
      if clicks.first(where: { $0.frame > click.frame + period })?.take != click.take {
        inPeriod = max(inPeriod, judged.count)
      }
      let isAtSessionChange =
        click.instant > sessionChange - TapeChecker.horizon && click.instant < sessionChange + TapeChecker.horizon
      let isExcused = isAtSessionChange || inPeriod > TapeChecker.mostClicks
      if !isHeard, !isExcused {
        scene.breach(
          .heardAsTraced,
          "the click at \(click.instant.nanoseconds) is not in the recording from frame \(click.frame) on")
      }
    }
  }
}

/// The frames of a card's stream that are audible.
final class Tape: AudioRecording {
  /// The output of one card.
  private struct Take {
    let card: SimulatedAudioCard
    /// Frames that are not silent.
    var sounds: [ClosedRange<Int64>] = []
    /// The frames at which the card underran or was cut off.
    var cuts: [Int64] = []
    /// The frame after the last one played.
    var end: Int64 = 0
  }

  /// The longest time in milliseconds from a click's frame to the first nonzero sample: the start of a sound may be too weak
  /// for 16 bits, and the start of a late click is cut off (see ``ClickChecker``).
  private static let onset: Int64 = 3

  /// The card that is open.
  var card: () -> SimulatedAudioCard? = { nil }
  private var takes: [Take] = []
  /// Whether the card was playing written frames just before.
  private var isFed = false

  /// The index of the last card's take. A reload that turns audio off removes the card from the board before the card manager
  /// closes it: until then it plays on.
  @discardableResult func take() -> Int? {
    if let card = card(), takes.last?.card !== card { takes.append(Take(card: card)) }
    return takes.indices.last
  }

  func append(_ frames: UnsafeRawBufferPointer, format: AudioFormat) {
    guard let take = take() else { return }
    let first = takes[take].card.playedUntil
    let count = frames.count / format.bytesPerFrame
    for place in 0..<count where frames.loadUnaligned(fromByteOffset: place * format.bytesPerFrame, as: Int16.self) != 0
    {
      let frame = first + Int64(place)
      if let last = takes[take].sounds.last, last.upperBound + 1 == frame {
        takes[take].sounds[takes[take].sounds.count - 1] = last.lowerBound...frame
      } else {
        takes[take].sounds.append(frame...frame)
      }
    }
    takes[take].end = first + Int64(count)
    if count > 0 { isFed = true }
  }

  func appendSilence(frames: Int64) {
    guard let take = take() else { return }
    if isFed { takes[take].cuts.append(takes[take].end) }
    isFed = false
    takes[take].end += frames
  }

  func drop() {
    guard let take = take() else { return }
    takes[take].cuts.append(takes[take].card.playedUntil)
    isFed = false
  }

  /// The frames of a period of the take's card.
  func period(of take: Int) -> Int64 { Int64(takes[take].card.format.periodFrames) }

  /// Whether a click is audible from a frame on, or was cut off; nil while the card may still play it, or clicks of the same period may
  /// still be traced. A click that would start after a cut is not excused.
  func isHeard(from frame: Int64, in take: Int) -> Bool? {
    let isOver = take < takes.count - 1
    let period = period(of: take)
    let take = takes[take]
    let frames = frame...frame + Tape.onset * Int64(take.card.format.rate) / 1_000
    guard take.end > frames.upperBound + 2 * period else { return isOver ? true : nil }
    return take.sounds.reversed().contains { $0.overlaps(frames) }
      || take.cuts.reversed().contains(where: frames.contains)
  }
}
