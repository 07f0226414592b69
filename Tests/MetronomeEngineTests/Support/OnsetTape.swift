import BoardSimulation
import HardwareAbstraction

/// Records only the onsets of sounds on a 16-bit stereo card, so that it can record many hours.
final class OnsetTape: AudioRecording {
  /// A hundredth of full scale: above the pre-ringing of an interpolated click.
  private static let audible: UInt16 = 1 << 9
  /// A sound after 10 ms of silence is a new onset.
  private static let pause: Int64 = 480

  private(set) var onsets: [Int64] = []
  private var frame: Int64 = 0
  private var lastAudible = -pause - 1

  func append(_ frames: UnsafeRawBufferPointer, format: AudioFormat) {
    precondition(format.bytesPerFrame == 4 && format.sampleFormat == .s16, "only 16-bit stereo is supported")
    for word in frames.bindMemory(to: UInt32.self) {
      if word != 0, Int16(truncatingIfNeeded: word).magnitude >= OnsetTape.audible {
        if frame - lastAudible > OnsetTape.pause { onsets.append(frame) }
        lastAudible = frame
      }
      frame += 1
    }
  }

  func appendSilence(frames: Int64) { frame += frames }
}
