import HardwareAbstraction
import MetronomeCore

/// Where the simulated sound card is plugged in.
public final class SimulatedSoundPort: AudioPort {
  public let name = "simulated card"
  /// The card that is open.
  public private(set) var card: SimulatedSoundCard?
  /// How often a card was opened. At most one of them is open.
  public private(set) var openings = 0

  private let clock: VirtualClock
  private let faults: FaultInjector
  private let driftPPB: Int64
  private let recording: SoundRecording?
  private let recorder: TraceRecorder
  private var format: AudioFormat
  /// When the sound of the card before ended.
  private var recordedUntil: Instant

  /// - Parameters:
  ///   - format: what the card grants.
  ///   - start: from when on the recording is to be filled.
  init(
    format: AudioFormat, driftPPB: Int64, recording: SoundRecording?, clock: VirtualClock, faults: FaultInjector,
    recorder: TraceRecorder, since start: Instant
  ) {
    self.format = format
    self.driftPPB = driftPPB
    self.recording = recording
    self.clock = clock
    self.faults = faults
    self.recorder = recorder
    recordedUntil = start
  }

  /// The card that is opened next grants something else.
  func grant(_ format: AudioFormat) { self.format = format }

  public func open() throws(HardwareError) -> SimulatedSoundCard {
    precondition(card == nil, "a card is opened that is open")
    try faults.strike(.openAudio)
    // What befell it while it was closed befell nobody.
    while faults.nextCardFault() != nil {}
    let format = faults.grantedFormat ?? format
    recordSilence(at: format.rate)
    let card = SimulatedSoundCard(
      format: format, driftPPB: driftPPB, recording: recording, clock: clock, faults: faults, recorder: recorder)
    recorder.join(card, at: clock.now)
    self.card = card
    openings += 1
    return card
  }

  public func resume(_ output: SimulatedSoundCard) throws(HardwareError) {
    precondition(output === card, "a card is woken that is not open")
    try output.wake()
  }

  public func close(_ output: SimulatedSoundCard) {
    precondition(output === card, "a card is closed that is not open")
    output.close()
    recorder.join(nil, at: clock.now)
    recordedUntil = clock.now
    card = nil
  }

  /// Of the time since the last card was closed.
  private func recordSilence(at rate: Int) {
    let silence = clock.now - recordedUntil
    recording?.appendSilence(frames: silence.count / 1_000 * Int64(rate) / 1_000_000)
  }
}
