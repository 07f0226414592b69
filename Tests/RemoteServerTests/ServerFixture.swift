import ControlSocket
import MetronomeCore
import RemoteServer

/// A server without sockets, in virtual time, and its clients.
final class ServerFixture {
  let server: PageServer
  var now = Instant(nanoseconds: 1_000_000_000_000)
  private var tokens: UInt8 = 0
  static let local = Endpoint("10.77.0.1", 80)

  init(trustsLocal: Bool = false) {
    var assets = Assets()
    _ = assets.add("index.html", Array("<p>page</p>".utf8))
    _ = assets.add("page.js", [UInt8](repeating: 0x61, count: 100_000))
    var token: UInt8 = 0
    server = PageServer(
      PageServer.Options(hosts: HostRules(hostName: "box"), trustsLocal: trustsLocal), assets: assets,
      pairing: Pairing(),
      random: {
        token += 1
        return [UInt8](repeating: token, count: 16)
      }, date: { 1_796_000_000 })
  }

  /// The token of the phone with a number, in the order of pairing.
  static func token(_ number: Int) -> String { String(repeating: "0\(number)", count: 16) }

  func connect(from address: String = "10.77.0.2", to local: Endpoint = local) -> Int {
    server.accept(from: Endpoint(address, 50_000), to: local, at: now)
  }

  func receive(_ text: String, on number: Int) { server.receive(Array(text.utf8), on: number, at: now) }

  /// Takes everything that a connection sends.
  func sent(_ number: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while let connection = server[number], connection.hasOutput {
      bytes += connection.output
      server.didSend(connection.output.count, on: number, at: now)
    }
    return bytes
  }

  func sentText(_ number: Int) -> String { String(decoding: sent(number), as: UTF8.self) }

  /// The status of the answer to a request, which is sent on a new connection.
  func status(
    _ method: String = "GET", _ target: String, _ fields: [String] = ["Host: box"], from address: String = "10.77.0.2"
  ) -> Int {
    let answer = self.answer(method, target, fields, from: address)
    return Int(answer.dropFirst(9).prefix(3)) ?? 0
  }

  func answer(_ method: String, _ target: String, _ fields: [String], from address: String = "10.77.0.2") -> String {
    let number = connect(from: address)
    receive(request(method, target, fields), on: number)
    defer { server.end(number) }
    return sentText(number)
  }

  func request(_ method: String, _ target: String, _ fields: [String]) -> String {
    (["\(method) \(target) HTTP/1.1"] + fields).joined(separator: "\r\n") + "\r\n\r\n"
  }

  static func handshake(host: String = "box", token: String? = nil) -> [String] {
    [
      "Host: \(host)", "Origin: http://\(host)", "Connection: Upgrade", "Upgrade: websocket",
      "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ] + (token.map { ["Cookie: token=\($0)"] } ?? [])
  }

  /// Opens a page, and discards the handshake and the first messages.
  func openPage(token: String? = nil, from address: String = "10.77.0.2") -> Int {
    let number = connect(from: address)
    receive(request("GET", "/socket", ServerFixture.handshake(token: token)), on: number)
    _ = sent(number)
    return number
  }

  /// Sends a text message in a frame with an empty mask.
  func send(_ message: String, on number: Int) {
    let count = message.utf8.count
    let (high, low) = (UInt8(count >> 8), UInt8(truncatingIfNeeded: count))
    let length: [UInt8] = count < 126 ? [0x80 | low] : [0xFE, high, low]
    let mask: [UInt8] = [0, 0, 0, 0]
    server.receive([0x81] + length + mask + Array(message.utf8), on: number, at: now)
  }

  /// The text messages that a page receives; other frames by their first byte.
  func messages(_ number: Int) -> [String] {
    var bytes = sent(number)[...]
    var messages: [String] = []
    while bytes.count >= 2 {
      let (kind, code) = (bytes[bytes.startIndex], Int(bytes[bytes.startIndex + 1]))
      bytes = bytes.dropFirst(2)
      var count = code
      if code == 126 {
        count = bytes.prefix(2).reduce(0) { $0 << 8 | Int($1) }
        bytes = bytes.dropFirst(2)
      }
      let payload = bytes.prefix(count)
      messages.append(kind == 0x81 ? String(decoding: payload, as: UTF8.self) : "frame \(kind) \(Array(payload))")
      bytes = bytes.dropFirst(count)
    }
    return messages
  }

  /// What a page receives after a message.
  func replies(to message: String, on number: Int) -> [String] {
    send(message, on: number)
    return messages(number)
  }

  func connectBox() {
    server.boxDidConnect()
    _ = server.takeRequests()
  }

  func box(_ message: String) {
    guard let parsed = try? ControlMessage(parsing: message.utf8) else { preconditionFailure("not a message") }
    server.receive(parsed, at: now)
  }

  /// The requests that the box gets.
  func requests() -> [String] { server.takeRequests().map(\.description) }

  func advance(_ time: Nanoseconds) {
    now = now + time
    server.step(at: now)
  }

  /// Pairs the next phone, as a person at the box does.
  func pair() {
    let number = ask(from: "10.77.9.\(tokens)")
    tokens += 1
    box("pairing window=120")
    box("pairing window=0 confirmed=\(number)")
    _ = server.takeRequests()
  }

  /// A phone asks to be paired. Returns its number.
  func ask(from address: String, in browser: String = "") -> String {
    let fields = ["Host: box", "Origin: http://box", "User-Agent: \(browser)"]
    let text = answer("POST", "/pair?name=My+phone", fields, from: address)
    return String(text.split(separator: "\r\n\r\n").last ?? "").split(separator: "\n").map(String.init).first ?? ""
  }
}
