import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// A beat that an output shows is told.
final class ToldChecker: Checker {
  private var session: UInt32?
  /// The numbers of the beats told of late.
  private var told: [Int64] = []
  /// Outputs that went on in this step.
  private var rises: [Output] = []
  /// Until when lines may go on again for a beat of before.
  private var excused = Instant.zero

  override func see(_ event: TraceEvent) {
    switch event.what {
    case .beat(let beat):
      followSession()
      told.append(beat.index)
      if told.count > 2_048 { told.removeFirst(1_024) }
    case .line(let output, true): rises.append(output)
    case .fault(let error): if error.operation == .setLines { excused = scene.now + .seconds(1) }
    case .state, .line, .click, .button, .skipped, .missed, .underrun, .audio, .ended, .began: break
    }
  }

  override func look(after loop: Simulation.Loop?, _ changes: Scene.Changes) {
    defer { rises = [] }
    guard loop == .beats, !rises.isEmpty, scene.timeline.isPlaying else { return }
    followSession()
    guard scene.now > excused, scene.signal.end <= scene.now, scene.simulation.board.chip.isThere else { return }
    for output in rises {
      let view = scene.now + scene.latencies[output]
      guard let beat = scene.timeline.lastBeat(atOrBefore: view), !told.contains(beat.index) else { continue }
      scene.breach(.shownIsTold, "\(output.rawValue) shows beat \(beat.index), and nobody is told")
    }
  }

  override func switched(isOn: Bool) { session = nil }

  private func followSession() {
    guard scene.timeline.session != session else { return }
    session = scene.timeline.session
    told = []
  }
}

/// The lead is what the outputs that are there need.
final class LeadChecker: Checker {
  /// What the largest of the cards that were open needs for its buffer and the beginning of a click.
  private var buffer: Nanoseconds?

  override func look(after loop: Simulation.Loop?, _ changes: Scene.Changes) {
    guard scene.isOn else { return }
    if let format = scene.simulation.board.sound?.card?.format {
      let frames = Int64(format.bufferFrames + 64)
      buffer = max(buffer ?? .zero, Nanoseconds((frames * 1_000_000_000 + Int64(format.rate) - 1) / Int64(format.rate)))
    }
    var longest = scene.earliness + .milliseconds(2)
    if let buffer { longest = max(longest, buffer + scene.latencies.audio + .milliseconds(3)) }
    let lead = scene.simulation.engine.lead.current.duration
    if lead > longest {
      scene.breach(
        .leadAsNeeded, "a press waits for \(lead.count) ns, and the outputs need \(longest.count) at the most")
    }
  }

  override func switched(isOn: Bool) { buffer = nil }
}

/// A click that is traced is to be heard on the recording of what the card plays.
final class TapeChecker: Checker {
  /// How far a sound may lie from its click: what a clock that is slewed makes of a buffer, and a few frames.
  private static let before = Nanoseconds.milliseconds(1)
  private static let after = Nanoseconds.milliseconds(3)
  /// What was laid before a stop or a start may break off with it.
  private static let horizon = Nanoseconds.milliseconds(1_500)

  private let tape: Tape
  private var clicks: [Instant] = []
  private var session: UInt32?
  private var sessionChange = Instant.never

  init(_ scene: Scene, _ tape: Tape) {
    self.tape = tape
    super.init(scene)
    tape.now = { [unowned scene] in scene.now }
  }

  override func see(_ event: TraceEvent) {
    if case .click = event.what { clicks.append(.zero + event.time) }
  }

  override func look(after loop: Simulation.Loop?, _ changes: Scene.Changes) {
    if scene.timeline.session != session || changes.isSwitched {
      session = scene.timeline.session
      sessionChange = scene.now
    }
    while let click = clicks.first, click + TapeChecker.after < tape.reached {
      clicks.removeFirst()
      let isExcused = click > sessionChange - TapeChecker.horizon && click < sessionChange + TapeChecker.horizon
      if !isExcused, !tape.hasSound(from: click - TapeChecker.before, to: click + TapeChecker.after) {
        scene.breach(.heardAsTold, "the click at \(click.nanoseconds) is not heard")
      }
    }
  }
}

/// When something is to be heard of a card.
final class Tape: SoundRecording {
  /// Sounds closer than this are one.
  private static let gap = Nanoseconds.microseconds(500)

  var now: () -> Instant = { .zero }
  /// What was played until then is known.
  private(set) var reached = Instant.zero
  private var sounds: [ClosedRange<Instant>] = []

  func append(_ frames: UnsafeRawBufferPointer, format: AudioFormat) {
    let end = now()
    let count = frames.count / format.bytesPerFrame
    for frame in 0..<count {
      let sample = frames.loadUnaligned(fromByteOffset: frame * format.bytesPerFrame, as: Int16.self)
      if sample != 0 { add(end - Nanoseconds(Int64(count - frame) * 1_000_000_000 / Int64(format.rate))) }
    }
    reached = end
  }

  func appendSilence(frames: Int64) { reached = now() }

  func hasSound(from start: Instant, to end: Instant) -> Bool {
    sounds.reversed().contains { $0.lowerBound <= end && $0.upperBound >= start }
  }

  private func add(_ instant: Instant) {
    if let last = sounds.last, instant - last.upperBound < Tape.gap {
      sounds[sounds.count - 1] = last.lowerBound...max(last.upperBound, instant)
    } else {
      sounds.append(instant...instant)
    }
  }
}
