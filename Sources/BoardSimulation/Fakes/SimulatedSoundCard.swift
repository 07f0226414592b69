import HardwareAbstraction
import MetronomeCore

/// A sound card with a crystal of its own, which plays what is written to it, or silence when nothing is.
///
/// As the real one it starts with a buffer of silence when it is opened, takes only what its buffer holds, reports the
/// frame that sounds and since when, and runs on when it runs dry: the frames it then plays in silence are gone.
public final class SimulatedSoundCard: AudioOutput {
  /// What is the matter with it.
  private enum Trouble: Equatable {
    case none
    case asleep(wakes: Bool)
    case failing(errno: Int32)
    case frozen(at: Int64)
    case closed
  }

  public let format: AudioFormat
  private let clock: VirtualClock
  private let faults: FaultInjector
  private let recorder: TraceRecorder
  private var driftPPB: Int64
  /// How its crystal will run otherwise.
  private var drifts: ArraySlice<(from: Instant, ppb: Int64)>
  private var crystal: Crystal
  /// The frame that the crystal's first tick begins.
  private var firstFrame: Int64 = 0
  /// Frames of the stream so far, the first buffer of silence and those lost in silence included.
  private var frame: Int64
  /// The frame after the last one that it took.
  private(set) var writtenUntil: Int64
  private var queue: PlayQueue
  /// The frame until which ``queue`` has played.
  private var playedUntil: Int64 = 0
  private var trouble = Trouble.none
  private var hasStopped = false
  /// How many writes to come take nothing.
  private var refusals = 0

  /// - Parameters:
  ///   - driftPPB: how much faster than nominal the crystal runs, in parts per thousand million.
  ///   - recording: takes in what sounds; nil to let it fade away.
  init(
    format: AudioFormat, driftPPB: Int64 = 0, recording: SoundRecording? = nil, clock: VirtualClock,
    faults: FaultInjector, recorder: TraceRecorder
  ) {
    self.recorder = recorder
    self.format = format
    self.clock = clock
    self.faults = faults
    queue = PlayQueue(format, recording: recording)
    drifts = faults.drifts[...]
    self.driftPPB = driftPPB
    while let next = drifts.first, next.from <= clock.now {
      self.driftPPB = next.ppb
      drifts.removeFirst()
    }
    crystal = Crystal(rate: format.rate, driftPPB: self.driftPPB, start: clock.pair.raw)
    frame = Int64(format.bufferFrames)
    writtenUntil = frame
    queue.appendSilence(frames: format.bufferFrames)
  }

  /// When a point of the stream sounds, to the nearest nanosecond.
  public func instant(of position: FramePosition) -> Instant {
    clock.instant(ofRaw: crystal.instant(ofTick: position.whole - firstFrame, fraction: position.fraction))
  }

  public func status() throws(HardwareError) -> AudioStatus {
    try meetFaults(.readAudioPosition)
    let sounding = self.sounding
    play(until: sounding)
    frame = max(frame, sounding)
    let delay = frame - sounding
    return AudioStatus(
      instant: clock.instant(ofRaw: crystal.instant(ofTick: sounding - firstFrame)), frame: frame, delay: delay,
      available: format.bufferFrames - Int(delay))
  }

  public func write(_ frames: UnsafeRawBufferPointer) throws(HardwareError) -> Int {
    precondition(frames.count % format.bytesPerFrame == 0, "a write of a part of a frame")
    try meetFaults(.writeAudio)
    if hasStopped { return 0 }
    if refusals > 0 {
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

  /// Lets it go on, silent, after it slept or stopped.
  func wake() throws(HardwareError) {
    if case .asleep(let wakes) = trouble {
      guard wakes else { throw HardwareError(.openAudio, errno: 5) }
      trouble = .none
    } else if !hasStopped {
      preconditionFailure("a card is woken that does not sleep")
    }
    restart()
    recorder.dropClicks(before: .max, at: clock.now)
  }

  func close() {
    if case .frozen = trouble { queue.drop() }
    trouble = .closed
    play(until: sounding)
  }

  /// The frame that sounds now, or would if there was one.
  private var sounding: Int64 {
    if case .frozen(let frame) = trouble { return frame }
    return firstFrame + crystal.ticks(until: clock.pair.raw)
  }

  /// Starts the card anew with a buffer of silence. The numbers of the frames go on as if it had run.
  private func restart() {
    hasStopped = false
    if case .frozen = trouble {
      trouble = .none
      queue.drop()
    }
    fallSilent()
    queue.appendSilence(frames: format.bufferFrames)
    let buffer = Int64(format.bufferFrames)
    let next = max(frame, sounding + buffer)
    frame = next
    writtenUntil = next
    crystal = Crystal(rate: format.rate, driftPPB: driftPPB, start: clock.pair.raw)
    firstFrame = next - buffer
    playedUntil = firstFrame
    recorder.dropClicks(before: next, at: clock.now)
    recorder.retimeClicks()
  }

  private func play(until sounding: Int64) {
    queue.play(frames: sounding - playedUntil)
    playedUntil = max(playedUntil, sounding)
  }

  private func meetFaults(_ operation: HardwareError.Operation) throws(HardwareError) {
    precondition(trouble != .closed, "sound is asked of a card that was given back")
    followDrift()
    try faults.strike(operation)
    while let fault = faults.nextCardFault() { take(fault) }
    switch trouble {
    // EPIPE; a write takes nothing then.
    case .none, .frozen, .closed:
      if hasStopped, operation == .readAudioPosition { throw HardwareError(operation, .underrun, errno: 32) }
    case .asleep: throw HardwareError(operation, .suspended, errno: 86)
    case .failing(let errno): throw HardwareError(operation, errno: errno)
    }
  }

  private func followDrift() {
    while let next = drifts.first, next.from <= clock.now {
      drifts.removeFirst()
      driftPPB = next.ppb
      // One that stands still runs otherwise when it is started anew.
      if case .frozen = trouble { continue }
      // From the frame on that sounds then, so that none begins twice.
      let ticks = crystal.ticks(until: max(clock.raw(of: next.from), crystal.start))
      crystal = Crystal(rate: format.rate, driftPPB: driftPPB, start: crystal.instant(ofTick: ticks))
      firstFrame += ticks
    }
  }

  private func take(_ fault: CardFault) {
    switch fault {
    case .stops:
      fallSilent()
      hasStopped = true
    case .sleeps(let wakes):
      fallSilent()
      trouble = .asleep(wakes: wakes)
    case .fails(let errno): trouble = .failing(errno: errno)
    case .takesNothing(let times): refusals = times
    case .freezes:
      fallSilent()
      recorder.dropClicks(before: .max, at: clock.now)
      trouble = .frozen(at: sounding)
    }
  }

  /// What is in the queue will not sound.
  private func fallSilent() {
    play(until: sounding)
    queue.drop()
    recorder.dropClicks(before: writtenUntil, at: clock.now)
  }

  /// Whether what is written will sound.
  var isPlaying: Bool { if case .frozen = trouble { false } else { true } }
}

/// A crystal that ticks at nearly its nominal rate, as the raw clock sees it.
struct Crystal {
  /// Ticks in 10⁹ · 10⁹ ns.
  private let ticks: UInt64
  private static let span: UInt64 = 1_000_000_000_000_000_000
  let start: Instant

  /// - Parameter rate: nominal ticks a second, up to 1,000,000.
  init(rate: Int, driftPPB: Int64, start: Instant) {
    ticks = UInt64(rate) * UInt64(1_000_000_000 + driftPPB)
    self.start = start
  }

  /// How many whole ticks have passed. A century at 192,000 Hz fits.
  func ticks(until now: Instant) -> Int64 {
    Int64(Crystal.span.dividingFullWidth(UInt64((now - start).count).multipliedFullWidth(by: ticks)).quotient)
  }

  /// When a tick comes, rounded up, so that so many have passed by then.
  func instant(ofTick tick: Int64) -> Instant {
    let (quotient, remainder) = ticks.dividingFullWidth(UInt64(tick).multipliedFullWidth(by: Crystal.span))
    return start + Nanoseconds(Int64(quotient) + (remainder > 0 ? 1 : 0))
  }

  /// When a fraction of a tick's time after it has passed, rounded to the nearest.
  func instant(ofTick tick: Int64, fraction: Double) -> Instant {
    let (quotient, remainder) = ticks.dividingFullWidth(UInt64(tick).multipliedFullWidth(by: Crystal.span))
    let rest = (Double(remainder) + fraction * Double(Crystal.span)) / Double(ticks)
    return start + Nanoseconds(Int64(quotient) + Int64(rest.rounded()))
  }
}

/// What was written to a simulated card and does not sound yet. It is handed to the recording as it sounds; what is left when
/// the card stops is heard by nobody.
struct PlayQueue {
  private let recording: SoundRecording?
  private let format: AudioFormat
  private var bytes: [UInt8] = []
  /// How much of ``bytes`` has sounded.
  private var played = 0

  /// - Parameter recording: nil: nothing is kept.
  init(_ format: AudioFormat, recording: SoundRecording?) {
    self.format = format
    self.recording = recording
  }

  mutating func append(_ frames: UnsafeRawBufferPointer) {
    if recording != nil { bytes.append(contentsOf: frames) }
  }

  mutating func appendSilence(frames: Int) {
    if recording != nil { bytes.append(contentsOf: repeatElement(0, count: frames * format.bytesPerFrame)) }
  }

  /// So many frames sound; when there are no more, silence.
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

  /// What is left will not sound.
  mutating func drop() {
    bytes.removeAll(keepingCapacity: true)
    played = 0
  }
}
