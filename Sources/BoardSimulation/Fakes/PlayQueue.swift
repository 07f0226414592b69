import HardwareAbstraction

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
