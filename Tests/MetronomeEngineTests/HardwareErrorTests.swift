import HardwareAbstraction
import MetronomeEngine
import Testing

/// What a failure means is decided where it happens, and by nothing else after that.
@Suite struct HardwareErrorTests {
  @Test(arguments: [
    // ENOENT, ENXIO, ENODEV
    (HardwareError.Operation.openAudio, Int32(2), HardwareError.Kind.gone), (.openAudio, 6, .gone),
    (.setLines, 19, .gone),
    // EPERM, EACCES, EBUSY, EINVAL
    (.openChip, 1, .denied), (.openChip, 13, .denied), (.requestLines, 16, .busy), (.openAudio, 22, .invalid),
    // ENOTTY and EBADFD: a card that was unplugged, or a file that is no chip
    (.writeAudio, 25, .gone), (.readAudioPosition, 77, .gone), (.openChip, 25, .unsupported), (.openChip, 77, .other),
    // EPIPE, ESTRPIPE, ETIMEDOUT
    (.readAudioPosition, 32, .underrun), (.readAudioPosition, 86, .suspended), (.openAudio, 110, .timedOut),
    // ENOSPC, EROFS, EDQUOT, ENOTUNIQ, EIO
    (.saveState, 28, .full), (.saveState, 30, .readOnly), (.saveState, 122, .full), (.openChip, 76, .ambiguous),
    (.saveState, 5, .other),
  ])
  func anErrorNumberHasAKind(operation: HardwareError.Operation, errno: Int32, kind: HardwareError.Kind) {
    #expect(HardwareError(operation, errno: errno).kind == kind)
  }

  /// Only the watchdog knows that a card stands still: a call that timed out says nothing of that.
  @Test(arguments: [
    (HardwareError(.openAudio, errno: 110), AbsenceOfSound.Cause.failed),
    (HardwareError(.readAudioPosition, .stalled), .frozen), (HardwareError(.readAudioPosition, .racing), .racing),
    (HardwareError(.writeAudio, .deaf), .deaf), (HardwareError(.openAudio, errno: 11), .failed),
    (HardwareError(.openAudio, .busy), .inUse), (HardwareError(.openAudio, .gone), .gone),
  ])
  func theCauseOfSilenceIsTheKindOfTheError(error: HardwareError, cause: AbsenceOfSound.Cause) {
    #expect(AbsenceOfSound(error).cause == cause)
  }
}
