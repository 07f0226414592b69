/// An error from the hardware, or from the kernel on its behalf.
public struct HardwareError: Error, Hashable, Sendable {
  public enum Operation: String, Hashable, Sendable, CaseIterable {
    case openChip, requestLines, setLines, readEdges, openAudio, readAudioPosition, writeAudio, loadState, saveState,
      writeDisplay
  }

  /// The kind of failure, which alone decides how the loops react. The back end sets it where the error occurs.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The device is missing or was unplugged. It may return.
    case gone
    /// Another program uses the device.
    case busy
    /// This process may not use the device.
    case denied
    /// The card is suspended until it is resumed.
    case suspended
    /// After an underrun the card has stopped until it is resumed.
    case underrun
    /// The card has stopped counting frames.
    case stalled
    /// The card counts frames faster than it can play them.
    case racing
    /// The card accepts no frames although it reports free space.
    case deaf
    /// Several devices match.
    case ambiguous
    /// The hardware is present, but lacks something that the configuration requires.
    case invalid
    /// The device or its driver does not support the operation.
    case unsupported
    /// The file system cannot be written to.
    case readOnly
    /// The disk, or a quota, is full.
    case full
    case timedOut
    case other
  }

  public var operation: Operation
  public var kind: Kind
  /// The kernel's error number, positive: `EIO`, `ENODEV`, … For messages only. nil if there is no number.
  public var errno: Int32?
  /// Details for the user: which line, which program holds the line, how to fix the problem. May be empty. Always empty on the
  /// real-time threads, which must not allocate text.
  public var detail: String

  public init(_ operation: Operation, _ kind: Kind, errno: Int32? = nil, detail: String = "") {
    self.operation = operation
    self.kind = kind
    self.errno = errno
    self.detail = detail
  }

  /// A short human-readable reason: the system's text for the error number, or the detail if there is no number.
  public func reason(_ description: (Int32) -> String) -> String { errno.map(description) ?? detail }
}
