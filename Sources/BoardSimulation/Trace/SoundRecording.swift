import HardwareAbstraction

/// Takes in what a simulated sound card plays, frame by frame.
public protocol SoundRecording: AnyObject {
  func append(_ frames: UnsafeRawBufferPointer, format: AudioFormat)
  func appendSilence(frames: Int64)
}
