import BoardSimulation
import HardwareAbstraction

/// Notes where sound sets in on a card with two channels of 16 bits, and keeps nothing else: for many hours of it.
final class OnsetTape: SoundRecording {
  /// A hundredth of full scale: above what an interpolated click rings before its beginning.
  private static let audible: UInt16 = 1 << 9
  /// After a hundredth of a second in which nothing was audible, what is audible is a new sound.
  private static let pause: Int64 = 480

  private(set) var onsets: [Int64] = []
  private var frame: Int64 = 0
  private var lastAudible = -pause - 1

  func append(_ frames: UnsafeRawBufferPointer, format: AudioFormat) {
    precondition(format.bytesPerFrame == 4 && format.sampleFormat == .s16, "it takes two channels of 16 bits")
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
