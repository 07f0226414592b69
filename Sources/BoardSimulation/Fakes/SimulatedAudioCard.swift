import HardwareAbstraction
import MetronomeCore

/// A sound card with its own crystal. It plays the frames written to it, or silence.
///
/// Like a real card it starts with a buffer of silence, accepts no more than its buffer holds, reports the frame that is
/// playing and since when, and continues after an underrun: frames that were played as silence are lost.
public final class SimulatedAudioCard: AudioOutput {
  private enum Trouble: Equatable {
    case none
    case asleep(wakes: Bool)
    case failing(HardwareError.Kind, errno: Int32)
    case frozen(at: Int64)
    case closed
  }

  public let format: AudioFormat
  private let clock: VirtualClock
  private let faults: FaultInjector
  private let recorder: TraceRecorder
  private var driftPPB: Int64
  /// Later changes of its crystal's rate.
  private var drifts: ArraySlice<(from: Instant, ppb: Int64)>
  private var crystal: Crystal
  /// The stream frame at the crystal's first tick.
  private var firstFrame: Int64 = 0
  /// Frames of the stream so far, including the first buffer of silence and the frames lost to silence.
  private var frame: Int64
  /// The frame after the last one accepted.
  private(set) var writtenUntil: Int64
  private var queue: PlayQueue
  /// The frame after the last one played. During playback of a block, the first frame of that block.
  package private(set) var playedUntil: Int64 = 0
  private var trouble = Trouble.none
  private var hasStopped = false
  /// The number of writes that it will still refuse.
  private var refusals = 0

  fileprivate init(
    format: AudioFormat, recording: AudioRecording?, clock: VirtualClock, faults: FaultInjector, recorder: TraceRecorder
  ) {
    self.recorder = recorder
    self.format = format
    self.clock = clock
    self.faults = faults
    queue = PlayQueue(format: format, recording: recording)
    driftPPB = faults.plan.drifts.last { $0.from <= clock.now }?.ppb ?? 0
    drifts = faults.plan.drifts.drop { $0.from <= clock.now }
    crystal = Crystal(rate: format.rate, driftPPB: driftPPB, start: clock.pair.raw)
    frame = Int64(format.bufferFrames)
    writtenUntil = frame
    queue.appendSilence(frames: format.bufferFrames)
  }

  /// When a position of the stream sounds, to the nearest nanosecond.
  public func instant(of position: FramePosition) -> Instant {
    clock.instant(ofRaw: crystal.instant(ofTick: position.whole - firstFrame, fraction: position.fraction))
  }

  public func status() throws(HardwareError) -> AudioStatus {
    try applyFaults(.readAudioPosition)
    let sounding = self.sounding
    play(until: sounding)
    frame = max(frame, sounding)
    let delay = frame - sounding
    return AudioStatus(
      instant: clock.instant(ofRaw: crystal.instant(ofTick: sounding - firstFrame)), frame: frame, delay: delay,
      available: format.bufferFrames - Int(delay))
  }

  public func write(_ frames: UnsafeRawBufferPointer) throws(HardwareError) -> Int {
    precondition(frames.count % format.bytesPerFrame == 0, "a write must consist of whole frames")
    try applyFaults(.writeAudio)
    if hasStopped { return 0 }
    guard refusals == 0 else {
      refusals -= 1
      return 0
    }
    play(until: sounding)
    let queued = max(0, frame - sounding)
    let taken = min(frames.count / format.bytesPerFrame, format.bufferFrames - Int(queued))
    queue.append(UnsafeRawBufferPointer(rebasing: frames[..<(taken * format.bytesPerFrame)]))
    frame += Int64(taken)
    if taken > 0 { writtenUntil = frame }
    return taken
  }

  /// Resumes playback, with silence, after a suspend or a stop.
  func resume() throws(HardwareError) {
    if case .asleep(let wakes) = trouble {
      guard wakes else { throw HardwareError(.openAudio, .other, errno: 5) }
      trouble = .none
    } else if !hasStopped {
      preconditionFailure("only a stopped card can be resumed")
    }
    restart()
  }

  func close() {
    if case .frozen = trouble { queue.drop() }
    trouble = .closed
    play(until: sounding)
    queue.drop()
  }

  /// The number of the frame that the card plays now, even if no frame with this number was written.
  private var sounding: Int64 {
    if case .frozen(let frame) = trouble { return frame }
    return firstFrame + crystal.ticks(until: clock.pair.raw)
  }

  /// Restarts the card with a buffer of silence. The frame numbers continue as if it had kept running.
  private func restart() {
    hasStopped = false
    if case .frozen = trouble {
      trouble = .none
      queue.drop()
    }
    cutOff()
    queue.appendSilence(frames: format.bufferFrames)
    let buffer = Int64(format.bufferFrames)
    frame = max(frame, sounding + buffer)
    writtenUntil = frame
    crystal = Crystal(rate: format.rate, driftPPB: driftPPB, start: clock.pair.raw)
    firstFrame = frame - buffer
    playedUntil = firstFrame
  }

  private func play(until sounding: Int64) {
    queue.play(frames: sounding - playedUntil)
    playedUntil = max(playedUntil, sounding)
  }

  private func applyFaults(_ operation: HardwareError.Operation) throws(HardwareError) {
    precondition(trouble != .closed, "the card is closed")
    followDrift()
    try faults.strike(operation)
    while let fault = faults.nextCardFault() { apply(fault) }
    switch trouble {
    // EPIPE. A stopped card accepts no frames.
    case .none, .frozen, .closed:
      if hasStopped, operation == .readAudioPosition { throw HardwareError(operation, .underrun, errno: 32) }
    case .asleep: throw HardwareError(operation, .suspended, errno: 86)
    case .failing(let kind, let errno): throw HardwareError(operation, kind, errno: errno)
    }
  }

  private func followDrift() {
    while let next = drifts.first, next.from <= clock.now {
      drifts.removeFirst()
      driftPPB = next.ppb
      // A stalled card gets its new rate when it is restarted.
      if case .frozen = trouble { continue }
      // From the frame that is playing at that instant, so that no frame starts twice.
      let ticks = crystal.ticks(until: max(clock.raw(of: next.from), crystal.start))
      crystal = Crystal(rate: format.rate, driftPPB: driftPPB, start: crystal.instant(ofTick: ticks))
      firstFrame += ticks
    }
  }

  private func apply(_ fault: CardFault) {
    switch fault {
    case .stops:
      cutOff()
      hasStopped = true
    case .sleeps(let wakes):
      cutOff()
      trouble = .asleep(wakes: wakes)
    case .fails(let kind, let errno): trouble = .failing(kind, errno: errno)
    case .acceptsNothing(let times): refusals = times
    case .freezes:
      cutOff()
      trouble = .frozen(at: sounding)
    }
  }

  /// The queued frames are never played.
  private func cutOff() {
    play(until: sounding)
    queue.drop()
    recorder.dropClicks(at: clock.now)
  }

  /// Whether frames written now will be played.
  var isPlaying: Bool { if case .frozen = trouble { false } else { true } }
}

/// The frames written to a simulated card and not played yet. They are recorded as they are played; frames left when the card
/// stops are never heard.
private struct PlayQueue {
  let format: AudioFormat
  /// nil: nothing is recorded.
  let recording: AudioRecording?
  var bytes: [UInt8] = []
  /// How many of ``bytes`` have been played.
  var played = 0

  mutating func append(_ frames: UnsafeRawBufferPointer) { if recording != nil { bytes.append(contentsOf: frames) } }

  mutating func appendSilence(frames: Int) {
    if recording != nil { bytes.append(contentsOf: repeatElement(0, count: frames * format.bytesPerFrame)) }
  }

  /// Plays this many frames; silence follows the queued ones.
  mutating func play(frames: Int64) {
    guard let recording, frames > 0 else { return }
    let queued = (bytes.count - played) / format.bytesPerFrame
    let count = Int(min(frames, Int64(queued)))
    let end = played + count * format.bytesPerFrame
    bytes.withUnsafeBytes { recording.append(UnsafeRawBufferPointer(rebasing: $0[played..<end]), format: format) }
    played = end
    if played * 2 > bytes.count {
      bytes.removeFirst(played)
      played = 0
    }
    if Int64(count) < frames { recording.appendSilence(frames: frames - Int64(count)) }
  }

  /// The remaining frames are never played.
  mutating func drop() {
    recording?.drop()
    bytes.removeAll(keepingCapacity: true)
    played = 0
  }
}

/// The port that the simulated sound card is plugged into.
public final class SimulatedAudioPort: AudioPort {
  public let name: String
  /// The card that is open.
  public private(set) var card: SimulatedAudioCard?
  /// How many times a card was opened. At most one is open.
  public private(set) var openings = 0

  /// The format that the next opened card grants.
  var format: AudioFormat
  private let recording: AudioRecording?
  private let clock: VirtualClock
  private let faults: FaultInjector
  private let recorder: TraceRecorder
  /// The recording is complete up to this instant while no card is open.
  private var recordedUntil: Instant

  init(
    _ format: AudioFormat, name: String, recording: AudioRecording?, since start: Instant, clock: VirtualClock,
    faults: FaultInjector, recorder: TraceRecorder
  ) {
    self.name = name
    self.format = format
    self.recording = recording
    self.clock = clock
    self.faults = faults
    self.recorder = recorder
    recordedUntil = start
  }

  public func open() throws(HardwareError) -> SimulatedAudioCard {
    precondition(card == nil, "the card is already open")
    try faults.strike(.openAudio)
    // Faults of a closed card have no effect.
    while faults.nextCardFault() != nil {}
    let format = faults.grantedFormat ?? format
    recording?.appendSilence(frames: (clock.now - recordedUntil).count / 1_000 * Int64(format.rate) / 1_000_000)
    let card = SimulatedAudioCard(
      format: format, recording: recording, clock: clock, faults: faults, recorder: recorder)
    recorder.join(card, at: clock.now)
    self.card = card
    openings += 1
    return card
  }

  public func resume(_ output: SimulatedAudioCard) throws(HardwareError) {
    precondition(output === card, "only the open card can be resumed")
    try output.resume()
  }

  public func close(_ output: SimulatedAudioCard) {
    precondition(output === card, "only the open card can be closed")
    output.close()
    recorder.join(nil, at: clock.now)
    recordedUntil = clock.now
    card = nil
  }
}
