#if canImport(Glibc)
  import Glibc
  import HardwareAbstraction
  import MetronomeCore

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
      let client = Glibc.accept(listener, nil, nil)
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
