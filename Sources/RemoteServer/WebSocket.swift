/// What a client sent through a WebSocket.
public enum WebSocketMessage: Hashable, Sendable {
  case text(String)
  case ping([UInt8])
  case pong
  /// nil: without a code.
  case close(UInt16?)
  /// A frame that does not end its text. It is reported so that it counts, even if it is empty.
  case fragment
}

/// Why a WebSocket must be closed: the code of the closing frame.
public enum WebSocketFault: UInt16, Error, Hashable, Sendable {
  case protocolError = 1002
  case binaryMessage = 1003
  case invalidText = 1007
  case tooManyMessages = 1008
  case tooLong = 1009
}

/// Reads the frames of a client (RFC 6455). Its memory is bounded. How the bytes are split into pieces makes no difference.
public struct WebSocketReader: Sendable {
  /// The longest message in bytes, and so the longest frame.
  public static let longest = 4_096

  private var header: [UInt8] = []
  private var payload: [UInt8] = []
  /// The fragments of a message that is not complete; nil: none has begun.
  private var fragments: [UInt8]?

  public init() {}

  /// Reads bytes until a frame is complete, and removes what it read from the front of `input`. Call it again after a message: more
  /// may follow in the input.
  ///
  /// - Returns: the next message, one for each frame; nil: it needs more bytes, and `input` is empty.
  /// - Throws: ``WebSocketFault``. No message can be read after it.
  public mutating func next(in input: inout ArraySlice<UInt8>) throws(WebSocketFault) -> WebSocketMessage? {
    while !isHeaderComplete {
      guard let byte = input.popFirst() else { return nil }
      header.append(byte)
      try checkHeader()
    }
    let length = payloadLength
    let read = min(length - payload.count, input.count)
    payload += input.prefix(read)
    input = input.dropFirst(read)
    guard payload.count == length else { return nil }
    return try completeFrame()
  }

  private var lengthCode: UInt8 { header.count < 2 ? 0 : header[1] & 0x7F }

  private var isHeaderComplete: Bool { header.count == (lengthCode == 126 ? 8 : 6) }

  private var payloadLength: Int { lengthCode == 126 ? Int(header[2]) << 8 | Int(header[3]) : Int(lengthCode) }

  private var isFinal: Bool { header[0] & 0x80 != 0 }

  private var isControl: Bool { header[0] & 0x08 != 0 }

  /// Checks what the last byte of the header has completed.
  private func checkHeader() throws(WebSocketFault) {
    switch header.count {
    case 1:
      guard header[0] & 0x70 == 0 else { throw .protocolError }
      switch header[0] & 0x0F {
      case 0: if fragments == nil { throw .protocolError }
      case 1: if fragments != nil { throw .protocolError }
      case 2: throw .binaryMessage
      case 8, 9, 10: if !isFinal { throw .protocolError }
      default: throw .protocolError
      }
    case 2:
      // Clients must mask; control frames have at most 125 bytes.
      guard header[1] & 0x80 != 0, !isControl || lengthCode < 126 else { throw .protocolError }
      if lengthCode == 127 { throw .tooLong }
      try checkLength()
    case 4 where lengthCode == 126:
      // The shortest form of the length is required.
      guard payloadLength >= 126 else { throw .protocolError }
      try checkLength()
    default: break
    }
  }

  private func checkLength() throws(WebSocketFault) {
    guard header.count == 4 || lengthCode < 126, !isControl else { return }
    if payloadLength + (fragments?.count ?? 0) > WebSocketReader.longest { throw .tooLong }
  }

  private mutating func completeFrame() throws(WebSocketFault) -> WebSocketMessage {
    let mask = header.suffix(4).map { $0 }
    let bytes = payload.enumerated().map { $1 ^ mask[$0 & 3] }
    let (kind, isLast) = (header[0] & 0x0F, isFinal)
    header = []
    payload = []
    switch kind {
    case 8: return .close(try closingCode(bytes))
    case 9: return .ping(bytes)
    case 10: return .pong
    default:
      let message = (fragments ?? []) + bytes
      fragments = isLast ? nil : message
      guard isLast else { return .fragment }
      guard let text = String(validating: message, as: UTF8.self) else { throw .invalidText }
      return .text(text)
    }
  }

  private func closingCode(_ bytes: [UInt8]) throws(WebSocketFault) -> UInt16? {
    if bytes.isEmpty { return nil }
    guard bytes.count >= 2 else { throw .protocolError }
    let code = UInt16(bytes[0]) << 8 | UInt16(bytes[1])
    switch code {
    case 1000...1003, 1007...1011, 3000...4999: break
    default: throw .protocolError
    }
    guard String(validating: bytes.dropFirst(2), as: UTF8.self) != nil else { throw .invalidText }
    return code
  }
}

/// The frames that the server sends, without masks.
public enum WebSocketFrame {
  /// A whole message. It has less than 65,536 bytes.
  public static func text(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let count = bytes.count
    precondition(count < 1 << 16, "a message is too long for a frame")
    let length = count < 126 ? [UInt8(count)] : [126, UInt8(count >> 8), UInt8(count & 0xFF)]
    return [0x81] + length + bytes
  }

  public static let ping: [UInt8] = [0x89, 0]

  /// - Parameter payload: that of the ping, at most 125 bytes.
  public static func pong(_ payload: [UInt8]) -> [UInt8] { [0x8A, UInt8(payload.count)] + payload }

  public static func close(_ code: UInt16?) -> [UInt8] {
    guard let code else { return [0x88, 0] }
    return [0x88, 2, UInt8(code >> 8), UInt8(code & 0xFF)]
  }

  /// The code of a page that has given way to another.
  static let tryAgainLater: UInt16 = 1013

  /// The answer to the key of a handshake.
  public static func acceptance(of key: String) -> String {
    Encoding.base64(SHA1.hash(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
  }
}
