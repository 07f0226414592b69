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

  /// What the failure means to the caller. Decided where the error happens; the loops decide by it and by nothing else.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// There is no such device, or it was unplugged. It may come back.
    case gone
    /// Another program uses it.
    case busy
    /// This process may not use it.
    case denied
    /// The card sleeps until it is resumed.
    case suspended
    /// The card ran dry and has stopped until it is resumed.
    case underrun
    /// The card has stopped counting frames.
    case stalled
    /// The card counts frames faster than it can play them.
    case racing
    /// The card takes no frames although it reports room.
    case deaf
    /// Several devices match.
    case ambiguous
    /// The hardware is there, but lacks what the configuration asks for.
    case invalid
    /// The device, or its driver, cannot do this at all.
    case unsupported
    /// The file system cannot be written to.
    case readOnly
    /// The disk, or a quota, is full.
    case full
    /// The call gave up waiting.
    case timedOut
    case other
  }

  public var operation: Operation
  public var kind: Kind
  /// The kernel's error number, positive: `EIO`, `ENODEV`, … For people only. 0: the kernel reported none.
  public var errno: Int32
  /// What a person needs to know beyond that: which line, who holds it, what to do. Empty where there is nothing to add,
  /// and always on the real-time threads, where no text may be made.
  public var detail: String

  public init(_ operation: Operation, _ kind: Kind, errno: Int32 = 0, detail: String = "") {
    self.operation = operation
    self.kind = kind
    self.errno = errno
    self.detail = detail
  }

  /// An error of the kernel's, of the kind that this error number has by default. For the back ends.
  public init(_ operation: Operation, errno: Int32, detail: String = "") {
    self.init(operation, Kind(errno, of: operation), errno: errno, detail: detail)
  }
}

extension HardwareError.Kind {
  /// What an error number of Linux (`asm-generic/errno.h`) means. Numbers, because simulated boards run on other systems.
  fileprivate init(_ errno: Int32, of operation: HardwareError.Operation) {
    self =
      switch (operation, errno) {
      // ENOTTY, EBADFD: an ALSA device whose card was unplugged
      case (.openAudio, 25), (.readAudioPosition, 25), (.writeAudio, 25): .gone
      case (.openAudio, 77), (.readAudioPosition, 77), (.writeAudio, 77): .gone
      // ENOENT, ENXIO, ENODEV
      case (_, 2), (_, 6), (_, 19): .gone
      // EPERM, EACCES
      case (_, 1), (_, 13): .denied
      // EBUSY
      case (_, 16): .busy
      // EINVAL
      case (_, 22): .invalid
      // ENOTTY, ENOSYS, EOPNOTSUPP
      case (_, 25), (_, 38), (_, 95): .unsupported
      // ENOSPC, EDQUOT
      case (_, 28), (_, 122): .full
      // EROFS
      case (_, 30): .readOnly
      // EPIPE
      case (.readAudioPosition, 32): .underrun
      // ENOTUNIQ
      case (_, 76): .ambiguous
      // ESTRPIPE
      case (_, 86): .suspended
      // ETIMEDOUT
      case (_, 110): .timedOut
      default: .other
      }
  }
}
