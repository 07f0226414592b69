/// The files of the page, by their exact paths. No other file can be reached.
public struct Assets: Sendable {
  /// The limits of a folder.
  public static let mostFiles = 64
  public static let mostBytes = 4 << 20

  public struct Asset: Hashable, Sendable {
    public let bytes: [UInt8]
    public let type: String
    /// In quotation marks, as in the header.
    public let tag: String
  }

  private var assets: [String: Asset] = [:]
  public private(set) var byteCount = 0

  public init() {}

  /// Adds a file.
  ///
  /// - Parameter name: the path within the folder, such as `images/note.svg`.
  /// - Returns: false if the limits do not allow it, or the name has no known extension.
  public mutating func add(_ name: String, _ bytes: [UInt8]) -> Bool {
    guard let type = Assets.type(of: name), assets.count < Assets.mostFiles,
      byteCount + bytes.count <= Assets.mostBytes
    else { return false }
    byteCount += bytes.count
    let tag = "\"" + Encoding.hexadecimal(Array(SHA256.hash(bytes).prefix(8))) + "\""
    assets["/" + name] = Asset(bytes: bytes, type: type, tag: tag)
    return true
  }

  /// The file of a path; `/` is `index.html`.
  public subscript(path: String) -> Asset? { assets[path == "/" ? "/index.html" : path] }

  /// Whether a part of a path may be served: letters, digits, `.`, `_` and `-`, not beginning with a dot.
  public static func isServed(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 64 && name.utf8.first != UInt8(ascii: ".")
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: false
        }
      }
  }

  /// The media type by the extension; nil: it is unknown, and the file is not served.
  static func type(of name: String) -> String? {
    guard let dot = name.lastIndex(of: ".") else { return nil }
    return types[name[name.index(after: dot)...].lowercased()]
  }

  private static let types = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "mjs": "text/javascript; charset=utf-8", "json": "application/json", "txt": "text/plain; charset=utf-8",
    "webmanifest": "application/manifest+json", "svg": "image/svg+xml", "png": "image/png", "ico": "image/x-icon",
    "jpg": "image/jpeg", "webp": "image/webp", "woff2": "font/woff2", "wav": "audio/wav", "ogg": "audio/ogg",
    "mp4": "video/mp4", "webm": "video/webm",
  ]

  /// Answers GET and HEAD.
  func response(to request: HTTPRequest) -> HTTPResponse? {
    guard let asset = self[request.path] else { return nil }
    guard request.method == "GET" || request.method == "HEAD" else {
      return HTTPResponse(405, why: "This file can only be read.", ["Allow": "GET, HEAD"])
    }
    if request.lists("if-none-match", asset.tag) { return HTTPResponse(304, ["ETag": asset.tag]) }
    return HTTPResponse(200, ["Content-Type": asset.type, "ETag": asset.tag], body: asset.bytes)
  }
}
