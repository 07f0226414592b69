import CLibrary
import HardwareAbstraction
import MetronomeCore

#if canImport(Glibc)
  /// A socket of whole messages beside the state: who has the folder listens on it, others ask there.
  enum RequestSocket {
    static let name = "control"
    /// More than any request or reply.
    static let longestMessage = 65_536

    /// - Returns: a descriptor, or a negative error number. It never waits.
    static func open() -> Int32 {
      let kind = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
      let descriptor = socket(AF_UNIX, kind, 0)
      return descriptor < 0 ? -errno : descriptor
    }

    /// Calls with the address of the socket in a folder. Where the folder's path is too long for an address, the way
    /// leads through the open descriptor.
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

    /// The message that has come, or nil if there is none, or the other end is gone.
    static func receive(from descriptor: Int32) -> [UInt8]? {
      var bytes = [UInt8](repeating: 0, count: longestMessage)
      let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      return count > 0 ? Array(bytes[..<count]) : nil
    }

    /// - Returns: whether it is on its way, whole.
    @discardableResult
    static func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
      let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
      return CLibrary.send(descriptor, bytes, bytes.count, flags) == bytes.count
    }
  }
#endif

#if canImport(Glibc)
  /// Answers requests of other programs, for who has a state folder: each client one.
  ///
  /// It never waits, neither for a client that says nothing nor for one that does not listen. One thread only.
  public final class RequestServer {
    private static let mostClients = 16
    /// Of clients that are not accepted yet.
    private static let backlog: Int32 = 64
    /// A client that has said nothing for so long is let go.
    private static let patience = Nanoseconds.seconds(2)

    private let folder: FileFolder
    private let listener: Int32
    private var clients: [(descriptor: Int32, deadline: Instant)] = []

    /// Listens in a folder which this process has locked: a socket that is there was left by one that is gone.
    ///
    /// - Throws: `HardwareError` with operation `saveState`.
    public init(in folder: FileFolder) throws(HardwareError) {
      listener = try RequestServer.listener(in: folder)
      self.folder = folder
    }

    /// A socket that listens. What was refused is looked at before anything else is called: of a server that cannot be made
    /// nothing is left, and it may be gone before its last line.
    private static func listener(in folder: FileFolder) throws(HardwareError) -> Int32 {
      let listener = RequestSocket.open()
      guard listener >= 0 else { throw refusal(-listener, folder) }
      unlinkat(folder.descriptor, RequestSocket.name, 0)
      // Who is of the folder's group may ask; before that only the owner may.
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

    /// To be polled for reading.
    public var descriptors: [Int32] { clients.map(\.descriptor) + [listener] }

    /// Answers what there is to answer.
    ///
    /// - Returns: when to call again though no descriptor can be read; nil: not before.
    public func serve(at now: Instant, _ answer: ([UInt8]) -> [UInt8]) -> Instant? {
      for _ in 0..<RequestServer.backlog {
        guard let client = accept() else { break }
        // Nobody keeps another out by saying nothing. Who is let go so asks again.
        if clients.count == RequestServer.mostClients { close(clients.removeFirst().descriptor) }
        clients.append((client, now + RequestServer.patience))
        // Most have said it by now, and so are gone by the time the next one is looked at.
        serveClients(at: now, answer)
      }
      serveClients(at: now, answer)
      return clients.map(\.deadline).min()
    }

    private func serveClients(at now: Instant, _ answer: ([UInt8]) -> [UInt8]) {
      clients.removeAll { client in
        let ready = RequestServer.canBeRead(client.descriptor)
        guard ready || now >= client.deadline else { return false }
        if let request = RequestSocket.receive(from: client.descriptor) {
          RequestSocket.send(answer(request), to: client.descriptor)
        }
        close(client.descriptor)
        return true
      }
    }

    private func accept() -> Int32? {
      let client = CLibrary.accept(listener, nil, nil)
      guard client >= 0 else { return nil }
      _ = fcntl(client, F_SETFD, FD_CLOEXEC)
      return client
    }

    private static func canBeRead(_ descriptor: Int32) -> Bool {
      var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      return poll(&polled, 1, 0) > 0
    }

    private static func refusal(_ errno: Int32, _ folder: FileFolder) -> HardwareError {
      HardwareError(.saveState, errno: errno, detail: "\(folder.path): no socket can be had there")
    }
  }
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
