import CLibrary
import MetronomeCore

/// What a client may do: see `Documentation/ControlSocket.md`.
public enum ControlRole: String, Hashable, Sendable {
  case owner, link, remote, member

  /// Whether a client with this role may send a message.
  package func allows(_ word: String) -> Bool {
    switch self {
    case .owner: true
    case .link: ["hello", "subscribe", "do", "source"].contains(word)
    case .remote: word != "source"
    case .member: !["source", "show"].contains(word)
    }
  }
}

/// A group of messages to which clients subscribe.
public enum ControlTopic: String, CaseIterable, Hashable, Sendable {
  case state, timeline, pairing, wishes
}

/// A connected client.
public struct ControlClient: Sendable {
  /// Differs between any two clients of a server.
  public let number: UInt64
  public let role: ControlRole
  /// Whether it has sent a valid `hello`.
  public var isGreeted = false
  public var topics: Set<ControlTopic> = []
  /// Set to close the connection after the answers were sent.
  public var isDismissed = false

  /// The user, as the kernel reports it; nil: unknown.
  fileprivate let user: uid_t?
  fileprivate let descriptor: Int32
  /// Without a `hello` until then it is disconnected.
  fileprivate let deadline: Instant
  /// How often it may send a message.
  fileprivate var rate = RateLimit(perSecond: 50, burst: 100)

  fileprivate init(_ number: UInt64, _ role: ControlRole, of user: uid_t?, _ descriptor: Int32, at now: Instant) {
    (self.number, self.role, self.user, self.descriptor) = (number, role, user, descriptor)
    deadline = now + ControlServer.greetingTime
  }

  /// A client without a connection, which has sent `hello`. Its messages are passed on directly.
  package init(role: ControlRole) {
    (number, self.role, user, descriptor, deadline) = (0, role, nil, -1, .zero)
    isGreeted = true
  }
}

/// How many clients there may be. Root and the owner of the metronome have places of their own, which nobody can occupy.
package struct ControlPlaces {
  static let perUser = 12
  /// Of all users other than root and the owner together.
  static let ofOthers = 24

  /// The user of this process.
  let owner: uid_t

  package init(owner: uid_t) { self.owner = owner }

  /// What becomes of a new client.
  package enum Admission: Hashable {
    case free, refused
    /// The client with this index gives way: it has not sent `hello` yet, so it is not known to be a client at all.
    case inPlaceOf(Int)
  }

  /// - Parameters:
  ///   - user: that of the new client; nil: unknown.
  ///   - clients: the connected ones.
  package func admission(
    of user: uid_t?, beside clients: [(user: uid_t?, isGreeted: Bool)]
  ) -> Admission {
    let own = clients.indices.filter { clients[$0].user == user }
    let others = clients.indices.filter { !isPrivileged(clients[$0].user) }
    let rivals = own.count >= ControlPlaces.perUser ? own : others
    let isFull = own.count >= ControlPlaces.perUser || !isPrivileged(user) && others.count >= ControlPlaces.ofOthers
    guard isFull else { return .free }
    return rivals.first { !clients[$0].isGreeted }.map(Admission.inPlaceOf) ?? .refused
  }

  func isPrivileged(_ user: uid_t?) -> Bool { user == 0 || user == owner }
}

#if canImport(Glibc)
  /// Serves the clients of a control socket. No socket call blocks; only the lookup of the companions' users, at most once a second,
  /// reads files. The size and the rate of a client's messages and its unread output are bounded. Used by one thread only.
  public final class ControlServer {
    /// The maximum number of clients that are not accepted yet.
    private static let backlog: Int32 = 256
    fileprivate static let greetingTime = Nanoseconds.seconds(2)
    /// How many messages of a client one call reads, so that no client delays the others for long.
    private static let mostAtOnce = 8

    private let address: ControlAddress
    private let listener: Int32
    /// The users of the companions; nil: there is no such user. A companion may be installed later.
    private var link: uid_t?
    private var remote: uid_t?
    private var lookedUpAt: Instant?
    /// The users are looked up at most this often, because that reads files.
    private static let lookUpInterval = Nanoseconds.seconds(1)
    private let places = ControlPlaces(owner: geteuid())
    private var clients: [ControlClient] = []
    private var accepted: UInt64 = 0
    /// The number of requests that were answered with `refused`.
    public private(set) var refusedMessages = 0
    /// The number of clients that were disconnected because their buffer was full.
    public private(set) var droppedClients = 0

    /// Listens at an address. Replaces the socket of an earlier process: the caller makes sure that it has ended.
    ///
    /// - Throws: ``SocketError``.
    public init(at address: ControlAddress) throws(SocketError) {
      let listener = MessageSocket.open()
      guard listener >= 0 else { throw SocketError("the control socket cannot be created", errno: -listener) }
      unlinkat(address.descriptor, ControlAddress.name, 0)
      // `listen` comes last, so that nobody can connect before the mode is set.
      let isListening =
        address.with { bind(listener, $0, $1) } == 0
        && fchmodat(address.descriptor, ControlAddress.name, 0o660, 0) == 0
        && listen(listener, ControlServer.backlog) == 0
      let error = errno
      guard isListening else {
        close(listener)
        throw SocketError("the control socket cannot be created in \(shownName(address.folder))", errno: error)
      }
      (self.address, self.listener) = (address, listener)
    }

    deinit {
      for client in clients { close(client.descriptor) }
      close(listener)
      unlinkat(address.descriptor, ControlAddress.name, 0)
    }

    private func lookUpUsers(at now: Instant) {
      if let last = lookedUpAt, now - last < ControlServer.lookUpInterval { return }
      lookedUpAt = now
      (link, remote) = (ControlServer.user("metronome-link"), ControlServer.user("metronome-remote"))
    }

    private static func user(_ name: String) -> uid_t? { getpwnam(name)?.pointee.pw_uid }

    /// The descriptors that the caller must poll for reading. Those of clients above their rate are left out.
    public func descriptors(at now: Instant) -> [Int32] {
      clients.filter { $0.rate.allows(at: now) }.map(\.descriptor) + [listener]
    }

    /// When the caller must call ``serve(at:_:)`` even if no descriptor is readable; nil: never.
    public func deadline(at now: Instant) -> Instant? {
      clients.compactMap { client in
        if !client.isGreeted { return client.deadline }
        return client.rate.allows(at: now) ? nil : client.rate.opensAt
      }.min()
    }

    /// Whether anybody subscribes to a topic.
    public func hasSubscribers(_ topic: ControlTopic) -> Bool { clients.contains { $0.topics.contains(topic) } }

    /// Answers pending messages. `answer` gets a message, and returns what to send back; an empty message stands for one that was
    /// too long.
    public func serve(at now: Instant, _ answer: (inout ControlClient, [UInt8]) -> [ControlMessage]) {
      acceptClients(at: now, answer)
      for index in clients.indices { serve(&clients[index], at: now, answer) }
      dropDismissed()
    }

    /// Sends a late answer. A client that is no longer connected gets nothing.
    public func send(_ messages: [ControlMessage], to client: UInt64) {
      guard let index = clients.firstIndex(where: { $0.number == client }) else { return }
      for message in messages where !clients[index].isDismissed { send(message.bytes, to: &clients[index]) }
      dropDismissed()
    }

    /// Sends a message to all subscribers of a topic.
    public func publish(_ message: @autoclosure () -> ControlMessage, to topic: ControlTopic) {
      guard hasSubscribers(topic) else { return }
      let bytes = message().bytes
      for index in clients.indices where clients[index].topics.contains(topic) { send(bytes, to: &clients[index]) }
      dropDismissed()
    }

    private func acceptClients(
      at now: Instant, _ answer: (inout ControlClient, [UInt8]) -> [ControlMessage]
    ) {
      for _ in 0..<ControlServer.backlog {
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else { return }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        let user = ControlServer.user(of: descriptor)
        switch places.admission(of: user, beside: clients.map { ($0.user, $0.isGreeted) }) {
        case .free: break
        case .inPlaceOf(let index): close(clients.remove(at: index).descriptor)
        case .refused:
          close(descriptor)
          continue
        }
        accepted += 1
        clients.append(ControlClient(accepted, role(of: user, at: now), of: user, descriptor, at: now))
        // Its `hello` has often arrived by now. Then it does not give way to the next one.
        serve(&clients[clients.count - 1], at: now, answer)
      }
    }

    /// The user at the other end of a connection.
    private static func user(of descriptor: Int32) -> uid_t? {
      // struct ucred: process, user, group.
      var peer: (pid_t, uid_t, gid_t) = (0, 0, 0)
      var size = socklen_t(MemoryLayout.size(ofValue: peer))
      return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.1 : nil
    }

    private func role(of user: uid_t?, at now: Instant) -> ControlRole {
      guard let user else { return .member }
      if places.isPrivileged(user) { return .owner }
      lookUpUsers(at: now)
      switch user {
      case link: return .link
      case remote: return .remote
      default: return .member
      }
    }

    private func serve(
      _ client: inout ControlClient, at now: Instant, _ answer: (inout ControlClient, [UInt8]) -> [ControlMessage]
    ) {
      for _ in 0..<ControlServer.mostAtOnce where !client.isDismissed && client.rate.allows(at: now) {
        switch MessageSocket.receive(from: client.descriptor, longest: ControlMessage.longestRequest) {
        case .nothing:
          if !client.isGreeted, now >= client.deadline { client.isDismissed = true }
          return
        case .closed: client.isDismissed = true
        case .tooLong: reply([], to: &client, at: now, answer)
        case .message(let bytes): reply(bytes, to: &client, at: now, answer)
        }
      }
    }

    private func reply(
      _ bytes: [UInt8], to client: inout ControlClient, at now: Instant,
      _ answer: (inout ControlClient, [UInt8]) -> [ControlMessage]
    ) {
      client.rate.count(at: now)
      let answers = answer(&client, bytes)
      if answers.last?.word == "refused" { refusedMessages += 1 }
      let isLast = client.isDismissed
      for message in answers where !client.isDismissed || isLast { send(message.bytes, to: &client) }
    }

    /// A client whose buffer is full is disconnected.
    private func send(_ bytes: [UInt8], to client: inout ControlClient) {
      guard !MessageSocket.send(bytes, to: client.descriptor) else { return }
      if !client.isDismissed { droppedClients += 1 }
      client.isDismissed = true
    }

    private func dropDismissed() {
      clients.removeAll { client in
        if client.isDismissed { close(client.descriptor) }
        return client.isDismissed
      }
    }
  }
#endif
