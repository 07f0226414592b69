import CLibrary
import HardwareAbstraction
import MetronomeCore

#if canImport(Glibc)
  /// The message socket in a state folder. The process that has locked the folder listens; other processes send requests.
  enum RequestSocket {
    static let name = "control"
    /// More than any request or reply.
    static let longestMessage = 163_840

    /// - Returns: a non-blocking descriptor, or a negative error number.
    static func open() -> Int32 {
      let kind = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
      let descriptor = socket(AF_UNIX, kind, 0)
      return descriptor < 0 ? -errno : descriptor
    }

    /// Calls `body` with the address of the socket in a folder. The address uses the open descriptor if the path is too long.
    static func withAddress<Result>(
      in folder: FileFolder, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let room = MemoryLayout.size(ofValue: address.sun_path)
      var path = folder.path + "/" + name
      if path.utf8.count >= room { path = "/proc/self/fd/\(folder.descriptor)/\(name)" }
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(room - 1)) }
      return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
    }

    /// The received message, or nil if there is no message or the other end is closed.
    static func receive(from descriptor: Int32) -> [UInt8]? {
      var bytes = [UInt8](repeating: 0, count: longestMessage)
      let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      return count > 0 ? Array(bytes[..<count]) : nil
    }

    /// Whether the other end is closed.
    static func isClosed(_ descriptor: Int32) -> Bool {
      var polled = pollfd(fd: descriptor, events: 0, revents: 0)
      return poll(&polled, 1, 0) > 0 && polled.revents & Int16(POLLHUP) != 0
    }

    static func canBeRead(_ descriptor: Int32, timeout milliseconds: Int32 = 0) -> Bool {
      var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      return poll(&polled, 1, milliseconds) > 0
    }

    /// - Returns: whether the whole message was sent.
    @discardableResult
    static func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
      let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
      return CLibrary.send(descriptor, bytes, bytes.count, flags) == bytes.count
    }
  }

  /// Answers one request per client, in the process that has locked a state folder. It never waits. Used by one thread only.
  public final class RequestServer {
    private static let maxClients = 16
    /// The maximum number of clients that are not accepted yet.
    private static let backlog: Int32 = 64
    /// A client that sends nothing for this time is closed.
    private static let clientTimeout = Nanoseconds.seconds(2)

    private let folder: FileFolder
    private let listener: Int32
    private var clients: [(descriptor: Int32, deadline: Instant)] = []

    /// Listens in a folder that this process has locked. Replaces the socket of an earlier process.
    ///
    /// - Throws: `HardwareError` with operation `saveState`.
    public init(in folder: FileFolder) throws(HardwareError) {
      listener = try RequestServer.listener(in: folder)
      self.folder = folder
    }

    private static func listener(in folder: FileFolder) throws(HardwareError) -> Int32 {
      let listener = RequestSocket.open()
      guard listener >= 0 else { throw refusal(-listener, folder) }
      unlinkat(folder.descriptor, RequestSocket.name, 0)
      // The group of the folder may send requests; before `fchmodat` only the owner can.
      let isListening =
        RequestSocket.withAddress(in: folder) { bind(listener, $0, $1) } == 0
        && fchmodat(folder.descriptor, RequestSocket.name, 0o660, 0) == 0 && listen(listener, backlog) == 0
      let error = errno
      guard isListening else {
        close(listener)
        throw refusal(error, folder)
      }
      return listener
    }

    deinit {
      for client in clients { close(client.descriptor) }
      close(listener)
      unlinkat(folder.descriptor, RequestSocket.name, 0)
    }

    /// The descriptors that the caller must poll for reading.
    public var descriptors: [Int32] { clients.map(\.descriptor) + [listener] }

    /// Answers all pending requests. Returns when the caller must call again even if no descriptor is readable; nil: never.
    public func serve(at now: Instant, _ answer: ([UInt8]) -> [UInt8]) -> Instant? {
      for _ in 0..<RequestServer.backlog {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { break }
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        // A client that sends nothing must not block others. A client that is closed here retries.
        if clients.count == RequestServer.maxClients { close(clients.removeFirst().descriptor) }
        clients.append((client, now + RequestServer.clientTimeout))
        serveClients(at: now, answer)
      }
      serveClients(at: now, answer)
      return clients.map(\.deadline).min()
    }

    private func serveClients(at now: Instant, _ answer: ([UInt8]) -> [UInt8]) {
      clients.removeAll { client in
        guard RequestSocket.canBeRead(client.descriptor) || now >= client.deadline else { return false }
        // A client that timed out has reported that nothing was done, so its request must not be carried out.
        if !RequestSocket.isClosed(client.descriptor), let request = RequestSocket.receive(from: client.descriptor) {
          RequestSocket.send(answer(request), to: client.descriptor)
        }
        close(client.descriptor)
        return true
      }
    }

    private static func refusal(_ errno: Int32, _ folder: FileFolder) -> HardwareError {
      folder.refusal(.saveState, errno, "the control socket cannot be created")
    }
  }
#endif

extension FileFolder {
  /// The outcome of a request.
  public enum Outcome: Hashable, Sendable {
    case answered([UInt8])
    /// No process listens.
    case nobody
    /// No answer before the timeout; the request is withdrawn.
    case silence
    case refused(errno: Int32)
  }

  /// Sends a request to the process that has locked this folder, and waits for the answer. Retries a busy process until the
  /// timeout.
  public func ask(_ request: [UInt8], timeout milliseconds: Int32 = 2_000) -> Outcome {
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
    /// - Returns: nil if the server was busy.
    private func askOnce(_ request: [UInt8], until end: Int) -> Outcome? {
      let descriptor = RequestSocket.open()
      guard descriptor >= 0 else { return .refused(errno: -descriptor) }
      defer { close(descriptor) }
      guard RequestSocket.withAddress(in: self, { connect(descriptor, $0, $1) }) == 0 else {
        // EAGAIN: the backlog is full.
        switch errno {
        case ENOENT, ECONNREFUSED, ENOTSOCK: return .nobody
        case EAGAIN: return nil
        default: return .refused(errno: errno)
        }
      }
      guard RequestSocket.send(request, to: descriptor) else { return nil }
      let timeout = Int32(max(end - FileFolder.milliseconds, 0))
      guard RequestSocket.canBeRead(descriptor, timeout: timeout) else { return .silence }
      return RequestSocket.receive(from: descriptor).map(Outcome.answered)
    }

    private static var milliseconds: Int {
      var now = timespec()
      clock_gettime(CLOCK_MONOTONIC, &now)
      return Int(now.tv_sec) * 1_000 + Int(now.tv_nsec) / 1_000_000
    }
  #endif
}
