/// A request of HTTP/1.1. The body is read and ignored.
public struct HTTPRequest: Hashable, Sendable {
  public struct Field: Hashable, Sendable {
    /// In lowercase.
    public var name: String
    /// Without spaces around it.
    public var value: String
  }

  public let method: String
  /// The path and the query, as sent.
  public let target: String
  /// The host and port of a target in absolute form (RFC 9112, 3.2.2), as in `GET http://box/ HTTP/1.1`; nil: in origin form.
  public let authority: String?
  /// Whether it is HTTP/1.1 and not 1.0.
  public let isVersion11: Bool
  public let fields: [Field]
  /// The length of the body in bytes.
  public private(set) var bodyLength = 0

  /// The target without the query.
  public var path: String { String(target.prefix { $0 != "?" }) }

  /// The decoded value of a parameter of the query; nil: it is missing, or no UTF-8.
  public func query(_ name: String) -> String? {
    guard let query = target.split(separator: "?", maxSplits: 1).dropFirst().first else { return nil }
    let text = query.split(separator: "&").first { $0.hasPrefix(name + "=") }?.dropFirst(name.count + 1)
    guard let text else { return nil }
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"),
        let code = Encoding.bytes(hexadecimal: String(decoding: rest.prefix(2), as: UTF8.self).lowercased()),
        code.count == 1
      {
        bytes += code
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// The host and port that the request is for: those of the target, or else of the field `Host`; nil: that field is missing, or it
  /// appears more than once.
  public var host: String? { single("host").map { authority ?? $0 } }

  /// The value of a field; nil: it is missing, or it appears more than once.
  public func single(_ name: String) -> String? {
    let values = values(name)
    return values.count == 1 ? values[0] : nil
  }

  public func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

  /// Whether a field that is a list contains a word, in any case.
  public func lists(_ name: String, _ word: String) -> Bool {
    values(name).contains { value in
      value.split(separator: ",").contains { trimmed($0).lowercased() == word }
    }
  }

  /// Whether the client wants the connection to be closed after the answer.
  public var closesConnection: Bool { !isVersion11 || lists("connection", "close") }

  /// The values of a cookie.
  public func cookies(_ name: String) -> [String] {
    values("cookie").flatMap { $0.split(separator: ";") }.compactMap { pair in
      let text = trimmed(pair)
      return text.hasPrefix(name + "=") ? String(text.dropFirst(name.count + 1)) : nil
    }
  }
}

/// Why bytes are no request that is accepted: the status of the answer.
public enum HTTPFault: Int, Error, Hashable, Sendable {
  case badRequest = 400
  case bodyTooLong = 413
  case headerTooLong = 431
  case codedBody = 501
  case otherVersion = 505
}

/// Reads requests from a stream of bytes. Its memory is bounded. How the bytes are split into pieces makes no difference.
public struct HTTPParser: Sendable {
  /// The longest header in bytes, with the request line and the empty line.
  public static let longestHeader = 8_192
  /// The longest body in bytes.
  public static let longestBody = 1_024

  private var header: [UInt8] = []
  /// The bytes of the body that are still to come, after a header was read.
  private var request: HTTPRequest?
  private var bodyLeft = 0
  /// Whether an empty line before the request line was ignored.
  private var hasSkippedLine = false

  public init() {}

  /// Whether a request has begun and is not complete.
  public var hasBegun: Bool { !header.isEmpty || request != nil }

  /// Reads bytes until a request is complete, and removes what it read from the front of `input`. Call it again after a request: more
  /// may follow in the input.
  ///
  /// - Returns: the next request; nil: it needs more bytes, and `input` is empty.
  /// - Throws: ``HTTPFault``. No request can be read after it.
  public mutating func next(in input: inout ArraySlice<UInt8>) throws(HTTPFault) -> HTTPRequest? {
    while true {
      if let request {
        let read = min(bodyLeft, input.count)
        input = input.dropFirst(read)
        bodyLeft -= read
        guard bodyLeft == 0 else { return nil }
        self.request = nil
        return request
      }
      guard let byte = input.popFirst() else { return nil }
      try append(byte)
      // Some clients send an empty line after a body (RFC 9112, 2.2). Only one is ignored.
      if byte == 0x0A, header.count == 2 {
        guard !hasSkippedLine else { throw .badRequest }
        (hasSkippedLine, header) = (true, [])
      }
      guard byte == 0x0A, header.count >= 4, header.suffix(4).elementsEqual([0x0D, 0x0A, 0x0D, 0x0A]) else { continue }
      let complete = try HTTPRequest(header: header.dropLast(4))
      (hasSkippedLine, header) = (false, [])
      (request, bodyLeft) = (complete, complete.bodyLength)
    }
  }

  private mutating func append(_ byte: UInt8) throws(HTTPFault) {
    let isAfterReturn = header.last == 0x0D
    guard isAfterReturn == (byte == 0x0A), byte >= 0x20 && byte != 0x7F || [0x09, 0x0A, 0x0D].contains(byte) else {
      throw .badRequest
    }
    guard header.count < HTTPParser.longestHeader else { throw .headerTooLong }
    header.append(byte)
  }
}

extension HTTPRequest {
  /// Parses a header without the empty line at its end. Its lines end with CR and LF.
  fileprivate init(header: ArraySlice<UInt8>) throws(HTTPFault) {
    // Line feeds appear only after returns, so that splitting at them is enough. Bytes above 127 are allowed only in values.
    let lines = header.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
      line.last == 0x0D ? line.dropLast() : line
    }
    let words = lines[0].split(separator: 0x20, omittingEmptySubsequences: false)
    guard words.count == 3, isToken(words[0]), words[1].allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw .badRequest
    }
    let version = String(decoding: words[2], as: UTF8.self)
    guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
      throw version.hasPrefix("HTTP/") ? .otherVersion : .badRequest
    }
    var fields: [Field] = []
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")), isToken(line[..<colon]) else { throw .badRequest }
      let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
      fields.append(Field(name: name, value: trimmed(String(decoding: line[(colon + 1)...], as: UTF8.self))))
    }
    method = String(decoding: words[0], as: UTF8.self)
    (authority, target) = try HTTPRequest.parts(of: String(decoding: words[1], as: UTF8.self))
    isVersion11 = version == "HTTP/1.1"
    self.fields = fields
    bodyLength = try checkedBodyLength()
  }

  /// The authority of a target in absolute form, and its path and query.
  private static func parts(of target: String) throws(HTTPFault) -> (authority: String?, target: String) {
    if target.hasPrefix("/") { return (nil, target) }
    let scheme = "http://"
    guard target.lowercased().hasPrefix(scheme) else { throw .badRequest }
    let rest = target.dropFirst(scheme.count)
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    guard !authority.isEmpty else { throw .badRequest }
    let path = rest.dropFirst(authority.count)
    return (String(authority), path.hasPrefix("/") ? String(path) : "/" + path)
  }

  private func checkedBodyLength() throws(HTTPFault) -> Int {
    let lengths = values("content-length")
    guard values("transfer-encoding").isEmpty else { throw lengths.isEmpty ? .codedBody : .badRequest }
    guard let length = lengths.first else { return 0 }
    guard lengths.count == 1, !length.isEmpty, length.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw .badRequest
    }
    guard length.utf8.count <= 9, let count = Int(length), count <= HTTPParser.longestBody else { throw .bodyTooLong }
    return count
  }
}

/// The characters of methods and field names (RFC 9110, 5.6.2).
private func isToken(_ bytes: ArraySlice<UInt8>) -> Bool {
  !bytes.isEmpty
    && bytes.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"): true
      default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
      }
    }
}

/// A text without spaces and tabs around it.
private func trimmed(_ text: some StringProtocol) -> String {
  var bytes = Substring(text).utf8[...]
  while let first = bytes.first, first == 0x20 || first == 0x09 { bytes = bytes.dropFirst() }
  while let last = bytes.last, last == 0x20 || last == 0x09 { bytes = bytes.dropLast() }
  return String(Substring(bytes))
}

/// An answer. Every answer has the headers that protect the page.
public struct HTTPResponse: Hashable, Sendable {
  public var status: Int
  public var fields: [HTTPRequest.Field]
  /// Shared with the asset, not copied.
  public var body: [UInt8]
  /// Whether the body is left out, but not its length: the answer to HEAD.
  public var isHead = false
  /// Whether the connection ends after it.
  public var closes = false

  public init(_ status: Int, _ fields: KeyValuePairs<String, String> = [:], body: [UInt8] = []) {
    (self.status, self.body) = (status, body)
    self.fields = fields.map { HTTPRequest.Field(name: $0, value: $1) }
  }

  /// An answer with a sentence for people.
  public init(_ status: Int, why: String, _ fields: KeyValuePairs<String, String> = [:]) {
    self.init(status, fields, body: Array((why + "\n").utf8))
    self.fields.append(HTTPRequest.Field(name: "Content-Type", value: "text/plain; charset=utf-8"))
  }

  /// The bytes before the body.
  public var head: [UInt8] {
    var text = "HTTP/1.1 \(status) \(HTTPResponse.reasons[status] ?? "Unknown")\r\n"
    for field in HTTPResponse.protection + fields { text += "\(field.name): \(field.value)\r\n" }
    // These have no body, and no length either.
    if status != 101, status != 204, status != 304 { text += "Content-Length: \(body.count)\r\n" }
    if status != 101, closes { text += "Connection: close\r\n" }
    return Array((text + "\r\n").utf8)
  }

  private static let protection: [HTTPRequest.Field] = [
    ("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"),
    ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cache-Control", "no-cache"),
  ].map { HTTPRequest.Field(name: $0.0, value: $0.1) }

  private static let reasons = [
    101: "Switching Protocols", 200: "OK", 202: "Accepted", 204: "No Content", 304: "Not Modified", 400: "Bad Request",
    403: "Forbidden",
    404: "Not Found", 405: "Method Not Allowed", 408: "Request Timeout", 413: "Content Too Large",
    421: "Misdirected Request", 426: "Upgrade Required", 429: "Too Many Requests",
    431: "Request Header Fields Too Large", 500: "Internal Server Error", 501: "Not Implemented",
    503: "Service Unavailable", 505: "HTTP Version Not Supported",
  ]
}

extension HTTPFault {
  var response: HTTPResponse {
    var response = HTTPResponse(rawValue, why: why)
    response.closes = true
    return response
  }

  private var why: String {
    switch self {
    case .badRequest: "This is no valid request of HTTP/1.1."
    case .bodyTooLong: "A body has at most \(HTTPParser.longestBody) bytes."
    case .headerTooLong: "A header has at most \(HTTPParser.longestHeader) bytes."
    case .codedBody: "Bodies need Content-Length."
    case .otherVersion: "Only HTTP/1.1 is spoken here."
    }
  }
}
