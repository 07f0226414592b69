import HardwareAbstraction
import MetronomeEngine
import Testing

/// The kind of an error is set where the error occurs. The kind alone determines the reported cause.
@Suite struct HardwareErrorTests {
  /// The cause follows the kind of the error. Only the watchdog detects a stalled card: a call that timed out does not prove a
  /// stall.
  @Test(arguments: [
    (HardwareError(.openAudio, .timedOut, errno: 110), AudioAbsence.Cause.failed),
    (HardwareError(.readAudioPosition, .stalled), .frozen), (HardwareError(.readAudioPosition, .racing), .racing),
    (HardwareError(.writeAudio, .deaf), .deaf), (HardwareError(.openAudio, .other, errno: 11), .failed),
    (HardwareError(.openAudio, .busy), .inUse), (HardwareError(.openAudio, .gone), .gone),
  ])
  func causeFollowsTheKindOfTheError(error: HardwareError, cause: AudioAbsence.Cause) {
    #expect(AudioAbsence(error).cause == cause)
  }
}
