import MetronomeCore

/// The server of the phone page, without its sockets: the host passes in connections, bytes and messages of the box, and does what the
/// server asks for. Used by one thread. Nothing waits, and everything is bounded: see ``Limits``.
public final class PageServer {
  public struct Options: Sendable {
    public var hosts: HostRules
    /// Whether clients of this machine may command the box without pairing: for the simulation.
    public var trustsLocal = false

    public init(hosts: HostRules, trustsLocal: Bool = false) { (self.hosts, self.trustsLocal) = (hosts, trustsLocal) }
  }

  /// A connection, and what is known of its client.
  struct Client {
    var connection: Connection
    /// The phone whose token the client sent with the handshake.
    var phone: Pairing.Phone?
    var topics: Set<String> = []
    var commands = Limits.commands
  }

  let options: Options
  private let assets: Assets
  private let random: () -> [UInt8]
  var clients: [Int: Client] = [:]
  private var lastNumber = 0
  /// Which phones may command the box.
  public internal(set) var pairing: Pairing
  /// Whether the host must store the phones; the host clears it.
  public var hasNewPhones = false
  var box = BoxLink()

  /// - Parameters:
  ///   - assets: the files of the page.
  ///   - pairing: the phones that are paired.
  ///   - random: returns 16 bytes that nobody can guess.
  public init(_ options: Options, assets: Assets, pairing: Pairing, random: @escaping () -> [UInt8]) {
    (self.options, self.assets, self.pairing, self.random) = (options, assets, pairing, random)
  }

  // MARK: Connections

  /// The numbers of all connections.
  public var numbers: [Int] { Array(clients.keys) }

  public subscript(number: Int) -> Connection? { clients[number]?.connection }

  /// Takes a new connection in. If there are too many, it ends the one that has been without a request longest and is no WebSocket.
  ///
  /// - Returns: its number.
  public func accept(from peer: Endpoint, to local: Endpoint, at now: Instant) -> Int {
    let same = clients.values.count { $0.connection.peer.address == peer.address && !$0.connection.isEnded }
    if same >= Limits.connectionsPerAddress { endOldest { $0.peer.address == peer.address } }
    if clients.values.count(where: { !$0.connection.isEnded }) >= Limits.connections { endOldest { _ in true } }
    lastNumber += 1
    clients[lastNumber] = Client(connection: Connection(from: peer, to: local, at: now))
    return lastNumber
  }

  private func endOldest(where isCandidate: (Connection) -> Bool) {
    // WebSockets are so few that there is always another connection.
    let oldest = clients.filter { !$1.connection.isWebSocket && !$1.connection.isEnded && isCandidate($1.connection) }
      .min { ($0.value.connection.idleSince, $0.key) < ($1.value.connection.idleSince, $1.key) }
    if let oldest { clients[oldest.key]?.connection.end() }
  }

  /// Takes received bytes in, and answers them.
  public func receive(_ bytes: some Collection<UInt8>, on number: Int, at now: Instant) {
    clients[number]?.connection.receive(bytes, at: now)
    answer(number, at: now)
  }

  /// The client sends nothing more.
  public func receiveEnd(on number: Int) { clients[number]?.connection.receiveEnd() }

  /// The connection is broken.
  public func end(_ number: Int) { clients[number]?.connection.end() }

  /// The host has sent the first bytes of the output of a connection.
  public func didSend(_ count: Int, on number: Int, at now: Instant) {
    clients[number]?.connection.didSend(count, at: now)
    answer(number, at: now)
  }

  /// Forgets a connection that has ended, after its socket was closed.
  public func remove(_ number: Int) {
    precondition(clients[number]?.connection.isEnded != false, "the connection has not ended")
    clients[number] = nil
  }

  /// When ``step(at:)`` must be called even if nothing happens.
  public var deadline: Instant? {
    (clients.values.map(\.connection.deadline) + [box.deadline].compactMap(\.self)).min()
  }

  /// Does what is due.
  public func step(at now: Instant) {
    for number in clients.keys { clients[number]?.connection.step(at: now) }
    for (number, message) in box.expire(at: now) { send(message, to: number) }
  }

  private func answer(_ number: Int, at now: Instant) {
    while let event = clients[number]?.connection.next(at: now) {
      switch event {
      case .request(let request): answer(request, on: number, at: now)
      case .message(let text): answer(text, of: number, at: now)
      }
    }
  }

  /// Sends a message to a page.
  func send(_ message: ControlMessage, to number: Int) {
    clients[number]?.connection.send(WebSocketFrame.text(message.bytes))
  }

  /// Sends a message to all pages that subscribe to a topic; nil: to all pages.
  func publish(_ message: ControlMessage, to topic: String?) {
    let frame = WebSocketFrame.text(message.bytes)
    for (number, client) in clients where topic.map(client.topics.contains) ?? true {
      clients[number]?.connection.send(frame)
    }
  }

  // MARK: Requests

  private func answer(_ request: HTTPRequest, on number: Int, at now: Instant) {
    guard let client = clients[number] else { return }
    guard let host = request.single("host") else {
      return respond(
        HTTPResponse(400, why: "A request needs one Host."), to: request, on: number, at: now, closes: true)
    }
    guard options.hosts.accepts(host: host, on: client.connection.local) else {
      let why = "This is not \(printable(host)). Use the address or the name of the box."
      return respond(HTTPResponse(421, why: why), to: request, on: number, at: now, closes: true)
    }
    switch request.path {
    case "/socket": openSocket(request, host, number, at: now)
    case "/pair", "/forget":
      respond(command(request, host, client, at: now), to: request, on: number, at: now)
    default:
      let response = assets.response(to: request) ?? HTTPResponse(404, why: "There is no such file.")
      respond(response, to: request, on: number, at: now)
    }
  }

  private func respond(
    _ response: HTTPResponse, to request: HTTPRequest, on number: Int, at now: Instant, closes: Bool = false
  ) {
    var response = response
    response.isHead = request.method == "HEAD"
    response.closes = closes || request.closesConnection
    clients[number]?.connection.respond(response, at: now)
  }

  private func openSocket(_ request: HTTPRequest, _ host: String, _ number: Int, at now: Instant) {
    guard let client = clients[number] else { return }
    if let refusal = refusal(of: request, host, client) {
      return respond(refusal, to: request, on: number, at: now)
    }
    let phone = pairing.phone(withOneOf: request.cookies("token"))
    clients[number]?.phone = phone
    clients[number]?.connection.upgrade(key: request.single("sec-websocket-key") ?? "", at: now)
    send(welcome(clients[number], at: now), to: number)
    send(box.status, to: number)
  }

  private func refusal(of request: HTTPRequest, _ host: String, _ client: Client) -> HTTPResponse? {
    guard request.method == "GET" else {
      return HTTPResponse(405, why: "A WebSocket begins with GET.", ["Allow": "GET"])
    }
    guard request.isVersion11, request.lists("upgrade", "websocket"), request.lists("connection", "upgrade"),
      request.single("sec-websocket-version") == "13"
    else {
      return HTTPResponse(
        426, why: "This is a WebSocket of version 13.",
        ["Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"])
    }
    guard let key = request.single("sec-websocket-key"), Encoding.isKey(key), request.bodyLength == 0 else {
      return HTTPResponse(400, why: "The handshake of the WebSocket is invalid.")
    }
    guard options.hosts.accepts(origin: request.single("origin"), host: host) else { return PageServer.foreignOrigin }
    let sockets = clients.values.filter(\.connection.isWebSocket)
    let own = sockets.count { $0.connection.peer.address == client.connection.peer.address }
    guard sockets.count < Limits.sockets, own < Limits.socketsPerAddress else {
      return HTTPResponse(503, why: "Too many pages are open.")
    }
    return nil
  }

  private static let foreignOrigin = HTTPResponse(403, why: "Only the page of the box may do this.")

  /// Answers the requests that change something.
  private func command(_ request: HTTPRequest, _ host: String, _ client: Client, at now: Instant) -> HTTPResponse {
    guard request.method == "POST" else { return HTTPResponse(405, why: "Use POST.", ["Allow": "POST"]) }
    guard options.hosts.accepts(origin: request.single("origin"), host: host) else { return PageServer.foreignOrigin }
    if request.path == "/pair" { return pair(client, at: now) }
    guard isTrusted(client) || pairing.phone(withOneOf: request.cookies("token")) != nil else {
      return HTTPResponse(403, why: "Only a paired phone may do this.")
    }
    let paired = clients.filter { isPaired($1) }.keys
    pairing.forgetAll()
    hasNewPhones = true
    for number in paired { send(welcome(clients[number], at: now), to: number) }
    return HTTPResponse(204, ["Set-Cookie": "token=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0"])
  }

  private func pair(_ client: Client, at now: Instant) -> HTTPResponse {
    switch pairing.pair(from: client.connection.peer.address, random: random, at: now) {
    case .tooMany: return HTTPResponse(429, why: "Too many attempts. Wait a few seconds.", ["Retry-After": "5"])
    case .shut: return HTTPResponse(403, why: "Hold the button or buttons for pairing on the box, then try again.")
    case .paired(let token):
      hasNewPhones = true
      // The box closes the window, too, so that it stays closed if this server connects again.
      box.queue(ControlMessage("paired", ["at": String(now.nanoseconds)]))
      publish(ControlMessage("pairing", ["window": "0"]), to: "pairing")
      let cookie = "token=\(token); HttpOnly; SameSite=Strict; Path=/; Max-Age=31536000"
      return HTTPResponse(204, ["Set-Cookie": cookie])
    }
  }

  // MARK: Rights

  private func isTrusted(_ client: Client) -> Bool { options.trustsLocal && client.connection.peer.isLoopback }

  func isPaired(_ client: Client) -> Bool { isTrusted(client) || client.phone.map(pairing.isPaired) ?? false }

  private func welcome(_ client: Client?, at now: Instant) -> ControlMessage {
    let (paired, trusted) = client.map { (isPaired($0), isTrusted($0)) } ?? (false, false)
    return ControlMessage(
      "welcome",
      [
        "v": "1", "paired": paired ? "1" : "0", "trusted": trusted ? "1" : "0",
        "window": String(pairing.window(at: now)),
      ])
  }
}

/// A value of a header for a message.
private func printable(_ text: String) -> String {
  String(decoding: text.utf8.prefix(80).map { $0 > 0x20 && $0 < 0x7F ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
}
