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

  /// Asks who has this folder, and waits for the answer. One that is too busy to take the request is asked again.
  ///
  /// - Parameter milliseconds: for how long, in all.
  public func ask(_ request: [UInt8], patience milliseconds: Int32 = 2_000) -> Outcome {
    #if canImport(Glibc)
      let end = FileFolder.milliseconds + Int(milliseconds)
      while true {
        if let outcome = askOnce(request, until: end) { return outcome }
        guard FileFolder.milliseconds < end else { return .silence }
        usleep(10_000)
      }
    #else
      return .nobody
    #endif
  }

  #if canImport(Glibc)
    /// - Returns: nil when it has not been taken, and can be asked again.
    private func askOnce(_ request: [UInt8], until end: Int) -> Outcome? {
      let descriptor = RequestSocket.open()
      guard descriptor >= 0 else { return .refused(errno: -descriptor) }
      defer { close(descriptor) }
      guard RequestSocket.withAddress(in: self, { connect(descriptor, $0, $1) }) == 0 else {
        // EAGAIN: so many are before this one that it would have to wait.
        switch errno {
        case ENOENT, ECONNREFUSED, ENOTSOCK: return .nobody
        case EAGAIN: return nil
        default: return .refused(errno: errno)
        }
      }
      guard RequestSocket.send(request, to: descriptor) else { return nil }
      var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&polled, 1, Int32(max(end - FileFolder.milliseconds, 0))) > 0 else { return .silence }
      return RequestSocket.receive(from: descriptor).map(Outcome.answered)
    }

    private static var milliseconds: Int {
      var now = timespec()
      clock_gettime(CLOCK_MONOTONIC, &now)
      return Int(now.tv_sec) * 1_000 + Int(now.tv_nsec) / 1_000_000
    }
  #endif
}
