/// A call to the system that failed for want of memory, descriptors or threads: nothing a metronome can go on without.
public struct SystemError: Error, Hashable, Sendable {
  /// The call, as its manual page is named.
  public var call: String
  /// Positive.
  public var errno: Int32

  public init(_ call: String, errno: Int32) {
    self.call = call
    self.errno = errno
  }
}

/// Whether the system granted what makes the timing better but can be done without.
public enum Grant: Hashable, Sendable {
  case granted
  case refused(errno: Int32)
}
