import MetronomeCore

/// A connection of a client, from its first request to its end, without the socket: the host passes in what it received, and sends
/// ``output``. Everything in it is bounded.
public struct Connection: Sendable {
  /// What the server must answer.
  public enum Event: Hashable, Sendable {
    /// Answer it with ``respond(_:at:)`` or ``upgrade(key:at:)`` before the next event.
    case request(HTTPRequest)
    /// A text message of a WebSocket.
    case message(String)
  }

  private enum Phase: Sendable {
    case http
    case webSocket
    /// The last answer is being sent; what is received is discarded.
    case closing
    case ended
  }

  public let peer: Endpoint
  public let local: Endpoint
  /// Since when the connection waits for a complete request; of a WebSocket, when it was opened.
  public private(set) var idleSince: Instant
  private var phase = Phase.http
  private var parser = HTTPParser()
  private var reader = WebSocketReader()
  private var input: ArraySlice<UInt8> = []
  /// What is to be sent, and how much of the first piece was sent.
  private var pieces: [[UInt8]] = []
  private var sent = 0
  private var outputCount: Int { pieces.reduce(-sent) { $0 + $1.count } }
  /// When the phase times out; of a WebSocket, when it is dead.
  private var timeout: Instant
  private var pingAt = Instant.zero
  private var messages = Limits.messages
  private var hasAnswered = false
  private var isInputOver = false

  public init(from peer: Endpoint, to local: Endpoint, at now: Instant) {
    (self.peer, self.local, idleSince, timeout) = (peer, local, now, now + Limits.requestTime)
  }

  public var isWebSocket: Bool { phase == .webSocket }
  public var isEnded: Bool { phase == .ended }
  /// Whether everything was sent, and the host must shut the sending side down.
  public var isDone: Bool { phase == .closing && pieces.isEmpty }
  /// Whether the host may read more from the socket.
  public var wantsInput: Bool { !isInputOver && input.count < Limits.input && (phase != .http || pieces.isEmpty) }
  public var hasOutput: Bool { phase != .ended && !pieces.isEmpty }
  /// The next bytes to send.
  public var output: ArraySlice<UInt8> { pieces.first?[sent...] ?? [] }

  /// When ``step(at:)`` must be called.
  public var deadline: Instant { isWebSocket ? min(timeout, pingAt) : timeout }

  /// Takes received bytes in.
  public mutating func receive(_ bytes: some Collection<UInt8>, at now: Instant) {
    switch phase {
    case .http:
      // The time of the first request began with the connection.
      let isNext = hasAnswered && pieces.isEmpty && input.isEmpty && !parser.hasBegun
      if isNext { timeout = now + Limits.requestTime }
    case .webSocket: timeout = now + Limits.silence
    case .closing, .ended: return
    }
    input += bytes
  }

  /// The other end sends nothing more.
  public mutating func receiveEnd() {
    isInputOver = true
    // A client may end its side after a request, and still read the answer.
    if phase == .http, !pieces.isEmpty { phase = .closing }
    if phase != .closing || pieces.isEmpty { end() }
  }

  /// The next event of the bytes that were received; nil: more bytes are needed, or an answer must be sent first.
  public mutating func next(at now: Instant) -> Event? {
    // The slice would keep its whole buffer.
    defer { if input.isEmpty { input = [] } }
    switch phase {
    case .http:
      guard pieces.isEmpty else { return nil }
      do throws(HTTPFault) { return try parser.next(in: &input).map(Event.request) } catch {
        respond(error.response, at: now)
        return nil
      }
    case .webSocket:
      do throws(WebSocketFault) { return try nextMessage(at: now) } catch {
        close(error.rawValue, at: now)
        return nil
      }
    case .closing, .ended:
      input = []
      return nil
    }
  }

  private mutating func nextMessage(at now: Instant) throws(WebSocketFault) -> Event? {
    while phase == .webSocket, let message = try reader.next(in: &input) {
      // Every frame counts, also one without a payload.
      guard messages.admit(at: now) else { throw .tooManyMessages }
      switch message {
      case .text(let text): return .message(text)
      case .ping(let payload): append(WebSocketFrame.pong(payload))
      case .pong, .fragment: break
      case .close(let code): close(code, at: now)
      }
    }
    return nil
  }

  /// Answers a request.
  public mutating func respond(_ response: HTTPResponse, at now: Instant) {
    pieces.append(response.head)
    if !response.isHead, !response.body.isEmpty { pieces.append(response.body) }
    hasAnswered = true
    (idleSince, timeout) = (now, now + Limits.answerTime)
    if response.closes { phase = .closing }
  }

  /// Makes the connection a WebSocket.
  ///
  /// - Parameter key: the key of the handshake.
  public mutating func upgrade(key: String, at now: Instant) {
    let fields: KeyValuePairs = [
      "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": WebSocketFrame.acceptance(of: key),
    ]
    pieces.append(HTTPResponse(101, fields).head)
    phase = .webSocket
    (idleSince, timeout, pingAt) = (now, now + Limits.silence, now + Limits.pingInterval)
  }

  /// Sends a frame to a WebSocket. A page that does not read is disconnected.
  public mutating func send(_ frame: [UInt8]) { if phase == .webSocket { append(frame) } }

  /// Closes a WebSocket, as soon as everything was sent.
  public mutating func close(_ code: UInt16?, at now: Instant) {
    guard phase == .webSocket else { return }
    append(WebSocketFrame.close(code))
    guard phase == .webSocket else { return }
    (phase, timeout) = (.closing, now + Limits.closingTime)
  }

  /// Ends the connection at once.
  public mutating func end() {
    phase = .ended
    pieces = []
    sent = 0
  }

  private mutating func append(_ frame: [UInt8]) {
    guard outputCount + frame.count <= Limits.output else { return end() }
    pieces.append(frame)
  }

  /// The host has sent the first bytes of the output.
  public mutating func didSend(_ count: Int, at now: Instant) {
    sent += count
    while let first = pieces.first, sent >= first.count {
      sent -= first.count
      pieces.removeFirst()
    }
    guard pieces.isEmpty else { return }
    switch phase {
    case .http: timeout = now + (input.isEmpty ? Limits.idleTime : Limits.requestTime)
    case .closing where isInputOver: end()
    case .closing: timeout = now + Limits.closingTime
    case .webSocket, .ended: break
    }
  }

  /// Does what is due.
  public mutating func step(at now: Instant) {
    switch phase {
    case .http where now >= timeout:
      guard pieces.isEmpty, parser.hasBegun else { return end() }
      var response = HTTPResponse(408, why: "The request took longer than 5 seconds.")
      response.closes = true
      respond(response, at: now)
      timeout = now + Limits.closingTime
    case .webSocket where now >= timeout: end()
    case .webSocket where now >= pingAt:
      append(WebSocketFrame.ping)
      pingAt = now + Limits.pingInterval
    case .closing where now >= timeout: end()
    case .http, .webSocket, .closing, .ended: break
    }
  }
}
