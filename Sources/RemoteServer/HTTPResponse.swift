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
