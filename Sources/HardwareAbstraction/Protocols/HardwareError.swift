/// Something the hardware, or the kernel on its behalf, refused.
public struct HardwareError: Error, Hashable, Sendable {
  /// What was asked of it.
  public enum Operation: String, Hashable, Sendable, CaseIterable {
    case openChip
    case requestLines
    case setLines
    case readEdges
    case openAudio
    case readAudioPosition
    case writeAudio
    case loadState
    case saveState
  }

  public var operation: Operation
  /// The kernel's error number, positive: `EIO`, `ENODEV`, …
  public var errno: Int32
  /// What a person needs to know beyond that: which line, who holds it, what to do. Empty where there is nothing to add,
  /// and always on the real-time threads, where no text may be made.
  public var detail: String

  public init(_ operation: Operation, errno: Int32, detail: String = "") {
    self.operation = operation
    self.errno = errno
    self.detail = detail
  }
}
