import ControlSocket
import MetronomeCore
import RemoteServer

/// Invariants of the parsers of the phone page's server.
enum RemotePromises {
  private static let now = Instant(nanoseconds: 1_000_000_000_000)

  // MARK: HTTP

  /// The split into pieces makes no difference, what is accepted is well-formed, and no request makes the server do anything for a
  /// client that has no token: no pairing, and no message to the box.
  static func checkHTTP(_ bytes: [UInt8]) {
    let (requests, fault) = requests(of: bytes, pieces: .max)
    for pieces in [1, 7] {
      let again = RemotePromises.requests(of: bytes, pieces: pieces)
      require(again.0 == requests && again.1 == fault, "pieces of \(pieces) bytes are read differently")
    }
    for request in requests { check(request) }
    let (server, number) = newServer()
    server.receive(bytes, on: number, at: now)
    let answers = answers(of: server, number)
    require(answers.isEmpty || answers.starts(with: "HTTP/1.1 ".utf8), "an answer that is no HTTP")
    require(server.pairing.phones.isEmpty, "a phone is paired without a window")
    checkRequests(to: server)
  }

  private static func requests(of bytes: [UInt8], pieces: Int) -> ([HTTPRequest], HTTPFault?) {
    var parser = HTTPParser()
    var requests: [HTTPRequest] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      var piece = rest.prefix(pieces)
      rest = rest.dropFirst(pieces)
      do throws(HTTPFault) {
        while let request = try parser.next(in: &piece) { requests.append(request) }
      } catch {
        return (requests, error)
      }
      require(piece.isEmpty, "\(piece.count) bytes are not read")
    }
    return (requests, nil)
  }

  private static func check(_ request: HTTPRequest) {
    require(!request.method.isEmpty, "a request without a method")
    require(request.target.utf8.first == UInt8(ascii: "/"), "the target \(request.target.debugDescription)")
    require(request.target.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a control character in the target")
    require((0...HTTPParser.longestBody).contains(request.bodyLength), "a body of \(request.bodyLength) bytes")
    for field in request.fields {
      require(!field.name.isEmpty && field.name == field.name.lowercased(), "the field \(field.name.debugDescription)")
      require(!field.value.utf8.contains { $0 == 0x0A || $0 == 0x0D || $0 == 0 }, "a line break in \(field.name)")
    }
  }

  // MARK: WebSocket

  /// The split into pieces makes no difference, messages have a limit, and a page that is not paired cannot command the box.
  static func checkWebSocket(_ bytes: [UInt8]) {
    let (messages, fault) = messages(of: bytes, pieces: .max)
    for pieces in [1, 7] {
      let again = RemotePromises.messages(of: bytes, pieces: pieces)
      require(again.0 == messages && again.1 == fault, "pieces of \(pieces) bytes are read differently")
    }
    for case .text(let text) in messages {
      require(text.utf8.count <= WebSocketReader.longest, "a message of \(text.utf8.count) bytes")
    }
    for case .ping(let payload) in messages { require(payload.count <= 125, "a ping of \(payload.count) bytes") }
    let (server, number) = newServer()
    server.receive(handshake, on: number, at: now)
    require(server[number]?.isWebSocket == true, "the handshake is refused")
    server.boxDidConnect()
    _ = server.takeRequests()
    server.receive(bytes, on: number, at: now)
    _ = answers(of: server, number)
    checkRequests(to: server)
  }

  private static let handshake = Array(
    """
    GET /socket HTTP/1.1\r
    Host: box\r
    Origin: http://box\r
    Connection: Upgrade\r
    Upgrade: websocket\r
    Sec-WebSocket-Version: 13\r
    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
    \r

    """.utf8)

  private static func messages(of bytes: [UInt8], pieces: Int) -> ([WebSocketMessage], WebSocketFault?) {
    var reader = WebSocketReader()
    var messages: [WebSocketMessage] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      var piece = rest.prefix(pieces)
      rest = rest.dropFirst(pieces)
      do throws(WebSocketFault) {
        while let message = try reader.next(in: &piece) { messages.append(message) }
      } catch {
        return (messages, error)
      }
      require(piece.isEmpty, "\(piece.count) bytes are not read")
    }
    return (messages, nil)
  }

  // MARK: The server

  private static func newServer() -> (PageServer, Int) {
    var assets = Assets()
    _ = assets.add("index.html", Array("<p>page</p>".utf8))
    let server = PageServer(
      PageServer.Options(hosts: HostRules(hostName: "box")), assets: assets, pairing: Pairing(),
      random: { [UInt8](repeating: 1, count: 16) })
    return (server, server.accept(from: Endpoint("10.77.0.2", 50_000), to: Endpoint("10.77.0.1", 80), at: now))
  }

  /// Takes everything that a connection sends.
  private static func answers(of server: PageServer, _ number: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while let connection = server[number], connection.hasOutput {
      bytes += connection.output
      server.didSend(connection.output.count, on: number, at: now)
    }
    return bytes
  }

  /// Only lists are passed to the box, in messages that it reads.
  private static func checkRequests(to server: PageServer) {
    for request in server.takeRequests() {
      let isList = ["presets", "scores", "song", "songs"].contains(request.word)
      require(isList, "a visitor's \(request.word) is passed to the box")
      require(request.bytes.count <= ControlMessage.longestRequest, "a request of \(request.bytes.count) bytes")
      let again = try? ControlMessage(parsing: request.bytes)
      require(again == request, "the request \(request) is read differently")
    }
  }
}
