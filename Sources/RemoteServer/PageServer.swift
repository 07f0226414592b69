import ControlSocket
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
    /// See ``Endpoint/network``.
    let network: String
    /// The token of a paired or asking phone that the client sent with its last request, as its hash.
    var phone: Pairing.Hash?
    var topics: Set<String> = []
    var commands = Limits.commands

    init(_ connection: Connection) { (self.connection, network) = (connection, connection.peer.network) }
  }

  let options: Options
  private let assets: Assets
  private let random: () -> [UInt8]
  var clients: [Int: Client] = [:]
  private var lastNumber = 0
  /// Which phones may command the box.
  public internal(set) var pairing: Pairing
  /// What happened to the phones, for the log, since the host last cleared it. If there is a line, it must store the phones.
  public var notices: [String] = []
  private let date: () -> Int64
  var box = BoxLink()

  /// - Parameters:
  ///   - assets: the files of the page.
  ///   - pairing: the phones that are paired.
  ///   - random: returns 16 bytes that nobody can guess.
  ///   - date: returns the time in seconds since 1970.
  public init(
    _ options: Options, assets: Assets, pairing: Pairing, random: @escaping () -> [UInt8],
    date: @escaping () -> Int64 = { 0 }
  ) {
    (self.options, self.assets, self.pairing, self.random) = (options, assets, pairing, random)
    self.date = date
  }

  // MARK: Connections

  /// The numbers of all connections.
  public var numbers: [Int] { Array(clients.keys) }

  public subscript(number: Int) -> Connection? { clients[number]?.connection }

  /// Takes a new connection in. If there are too many, it ends one that has been without a request longest and is no WebSocket.
  ///
  /// - Returns: its number.
  public func accept(from peer: Endpoint, to local: Endpoint, at now: Instant) -> Int {
    lastNumber += 1
    clients[lastNumber] = Client(Connection(from: peer, to: local, at: now))
    makeRoom(for: lastNumber)
    return lastNumber
  }

  /// Whether the client is a paired phone, which is served first.
  public func isPaired(_ number: Int) -> Bool { clients[number].map(isPaired) ?? false }

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
    (clients.values.map(\.connection.deadline) + [box.deadline, pairing.deadline].compactMap(\.self)).min()
  }

  /// Does what is due.
  public func step(at now: Instant) {
    for number in clients.keys { clients[number]?.connection.step(at: now) }
    for (number, message) in box.expire(at: now) { send(message, to: number) }
    if box.isConnected, let number = pairing.numberToShow(at: now) {
      box.queue(ControlMessage("show", ["number": String(number)]))
    }
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
    guard var client = clients[number] else { return }
    guard let host = request.host else {
      return respond(
        HTTPResponse(400, why: "A request needs one Host."), to: request, on: number, at: now, closes: true)
    }
    if let probe = Probe.response(to: request, host: host) {
      return respond(probe, to: request, on: number, at: now, closes: true)
    }
    guard options.hosts.accepts(host: host, on: client.connection.local) else {
      let why = "This is not \(printable(host)). Use the address or the name of the box."
      return respond(HTTPResponse(421, why: why), to: request, on: number, at: now, closes: true)
    }
    // Each token costs a hash.
    let phone = pairing.known(Array(request.cookies("token").prefix(16)))
    if phone != client.phone {
      client.phone = phone
      clients[number]?.phone = phone
      makeRoom(for: number)
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
    if let refusal = refusal(of: request, host) {
      return respond(refusal, to: request, on: number, at: now)
    }
    guard hasRoomForSocket(client, at: now) else {
      return respond(HTTPResponse(503, why: "Too many pages are open."), to: request, on: number, at: now)
    }
    clients[number]?.connection.upgrade(key: request.single("sec-websocket-key") ?? "", at: now)
    send(welcome(clients[number], at: now), to: number)
    send(box.status, to: number)
  }

  private func refusal(of request: HTTPRequest, _ host: String) -> HTTPResponse? {
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
    return options.hosts.accepts(origin: request.single("origin"), host: host) ? nil : PageServer.foreignOrigin
  }

  private static let foreignOrigin = HTTPResponse(403, why: "Only the page of the box may do this.")

  /// Answers the requests that change something.
  private func command(_ request: HTTPRequest, _ host: String, _ client: Client, at now: Instant) -> HTTPResponse {
    guard request.method == "POST" else { return HTTPResponse(405, why: "Use POST.", ["Allow": "POST"]) }
    guard options.hosts.accepts(origin: request.single("origin"), host: host) else { return PageServer.foreignOrigin }
    if request.path == "/pair" { return ask(request, client, at: now) }
    guard isPaired(client) else {
      return HTTPResponse(403, why: "Only a paired phone may do this.")
    }
    if request.target == "/forget" { return forgetAllPhones(at: now) }
    return forget(request.query("phone") ?? "", at: now)
  }

  /// A phone asks to be paired.
  private func ask(_ request: HTTPRequest, _ client: Client, at now: Instant) -> HTTPResponse {
    let asker = Pairing.Asker(
      network: client.network, address: client.connection.peer.address, browser: request.single("user-agent") ?? "")
    defer { pairing.takeDisplaced().map { hash in welcome(clients.filter { $1.phone == hash }.keys, at: now) } }
    switch pairing.ask(as: client.phone, name: request.query("name") ?? "", from: asker, random: random, at: now) {
    case .refused:
      let why = "Too many attempts, or too many phones ask to be paired. Wait a minute, then try again."
      return HTTPResponse(429, why: why, ["Retry-After": "60"])
    case .paired: return HTTPResponse(204)
    case .asks(let number, let token):
      var response = HTTPResponse(202, why: String(number))
      if let token {
        let cookie = "token=\(token); HttpOnly; SameSite=Strict; Path=/; Max-Age=31536000"
        response.fields.append(HTTPRequest.Field(name: "Set-Cookie", value: cookie))
      }
      return response
    }
  }

  private func forgetAllPhones(at now: Instant) -> HTTPResponse {
    forgetAll(at: now)
    return HTTPResponse(204, ["Set-Cookie": "token=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0"])
  }

  /// Forgets one phone.
  private func forget(_ key: String, at now: Instant) -> HTTPResponse {
    let paired = clients.filter { isPaired($1) }.keys
    guard let name = pairing.forget(key: key) else { return HTTPResponse(404, why: "There is no such phone.") }
    notices.append("a phone was forgotten: \(name)")
    welcome(paired, at: now)
    return HTTPResponse(204)
  }

  /// All phones must be paired again.
  func forgetAll(at now: Instant) {
    let paired = clients.filter { isPaired($1) }.keys
    pairing.forgetAll()
    notices.append("all phones were forgotten")
    welcome(paired, at: now)
  }

  /// The person at the box has confirmed a number.
  func confirm(_ number: Int, at now: Instant) {
    guard let phone = pairing.confirm(number, date: date(), at: now) else { return }
    notices.append("a phone was paired: \(phone.name)")
    welcome(clients.filter { isPaired($1) }.keys, at: now)
  }

  // MARK: Rights

  func isTrusted(_ client: Client) -> Bool { options.trustsLocal && client.connection.peer.isLoopback }

  func isPaired(_ client: Client) -> Bool { isTrusted(client) || client.phone.map(pairing.isPaired) ?? false }

  /// Tells pages again what they may do.
  private func welcome(_ numbers: some Sequence<Int>, at now: Instant) {
    for number in numbers { send(welcome(clients[number], at: now), to: number) }
  }

  private func welcome(_ client: Client?, at now: Instant) -> ControlMessage {
    let (paired, trusted) = client.map { (isPaired($0), isTrusted($0)) } ?? (false, false)
    return ControlMessage(
      "welcome",
      [
        "v": "1", "paired": paired ? "1" : "0", "trusted": trusted ? "1" : "0",
        "number": client?.phone.flatMap { pairing.number(of: $0, at: now) }.map(String.init),
      ])
  }
}

/// A value of a header for a message.
private func printable(_ text: String) -> String {
  String(decoding: text.utf8.prefix(80).map { $0 > 0x20 && $0 < 0x7F ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
}
