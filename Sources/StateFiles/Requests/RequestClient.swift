import HardwareAbstraction

#if canImport(Glibc)
  import Glibc
#endif

extension FileFolder {
  /// What became of a request.
  public enum Outcome: Hashable, Sendable {
    case answered([UInt8])
    /// Nobody listens.
    case nobody
    /// Who listens does not answer.
    case silence
    /// One may not ask.
    case refused(errno: Int32)
  }

  /// Asks who has this folder, and waits for the answer.
  ///
  /// - Parameter milliseconds: for how long.
  public func ask(_ request: [UInt8], patience milliseconds: Int32 = 2_000) -> Outcome {
    #if canImport(Glibc)
      let descriptor = RequestSocket.open()
      guard descriptor >= 0 else { return .refused(errno: -descriptor) }
      defer { close(descriptor) }
      guard RequestSocket.withAddress(in: self, { connect(descriptor, $0, $1) }) == 0 else {
        // EAGAIN: so many are before this one that it would have to wait.
        switch errno {
        case ENOENT, ECONNREFUSED, ENOTSOCK: return .nobody
        case EAGAIN: return .silence
        default: return .refused(errno: errno)
        }
      }
      guard RequestSocket.send(request, to: descriptor) else { return .silence }
      var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&polled, 1, milliseconds) > 0 else { return .silence }
      return RequestSocket.receive(from: descriptor).map(Outcome.answered) ?? .silence
    #else
      return .nobody
    #endif
  }
}
