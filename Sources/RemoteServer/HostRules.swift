/// One end of a connection.
public struct Endpoint: Hashable, Sendable {
  /// An IPv4 or IPv6 address in its usual form, without brackets.
  public var address: String
  public var port: UInt16

  public init(_ address: String, _ port: UInt16) { (self.address, self.port) = (address, port) }

  /// What counts as one client: an IPv4 address, or the first 64 bits of an IPv6 address, because one device can have all addresses
  /// that begin with them.
  public var network: String {
    let halves = address.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false).map {
      $0.split(separator: ":")
    }
    guard address.contains(":"), let first = halves.first else { return address }
    // The zeros that `::` stands for. An IPv4 address at the end stands for two groups.
    let last = halves.count == 2 ? halves[1] : []
    let written = first.count + last.count + (address.contains(".") ? 1 : 0)
    let groups = first + [Substring](repeating: "0", count: max(8 - written, 0)) + last
    return groups.prefix(4).joined(separator: ":") + "::/64"
  }

  /// Whether the address belongs to this machine alone.
  public var isLoopback: Bool { address.hasPrefix("127.") || address == "::1" }
}

/// Which values of `Host` and `Origin` are accepted. Comparing them only with each other would not be enough: a page whose name
/// resolves to this machine's address (DNS rebinding) sends its own name in both.
public struct HostRules: Hashable, Sendable {
  private let names: Set<String>

  /// - Parameters:
  ///   - hostName: the name of this machine. It is also accepted with `.local`, as Avahi announces it.
  ///   - others: more names, without a port.
  public init(hostName: String, others: [String] = []) {
    names = Set(
      ([hostName, hostName + ".local"] + others).map { $0.lowercased() }.filter { !$0.isEmpty && $0 != ".local" })
  }

  /// Whether a request for `host` may be answered on a connection to `local`.
  public func accepts(host: String, on local: Endpoint) -> Bool {
    let host = host.lowercased()
    let loopback = local.isLoopback ? ["localhost", "127.0.0.1", "[::1]"] : []
    let own = local.address.contains(":") ? "[\(local.address)]" : local.address
    // Browsers leave the port of HTTP out.
    let suffix = local.port == 80 ? "" : ":\(local.port)"
    guard host.hasSuffix(suffix) else { return false }
    let name = String(host.dropLast(suffix.utf8.count))
    return name == own || loopback.contains(name) || names.contains(name)
  }

  /// Whether a page of this server has sent the request.
  ///
  /// - Parameter host: an accepted one.
  public func accepts(origin: String?, host: String) -> Bool {
    origin?.lowercased() == "http://" + host.lowercased()
  }
}

/// What phones and computers request to find out whether a network leads to the internet. In the box's own wireless network the names
/// of these hosts are those of the box. With the expected answer, which says nothing about the box, they stay in the network.
enum Probe {
  /// The answer to a probe; nil: it is none, and the rules for hosts hold.
  static func response(to request: HTTPRequest, host: String) -> HTTPResponse? {
    request.method == "GET" || request.method == "HEAD" ? answers[host.lowercased() + request.target] : nil
  }

  /// By host and target. `Scripts/image.d/files/etc/hosts` has the same hosts.
  private static let answers: [String: HTTPResponse] = {
    let apple = "<HTML><HEAD><TITLE>Success</TITLE></HEAD><BODY>Success</BODY></HTML>"
    var answers = [
      "captive.apple.com/hotspot-detect.html": page(apple, "text/html"),
      "www.msftconnecttest.com/connecttest.txt": page("Microsoft Connect Test", "text/plain"),
    ]
    for host in [
      "connectivitycheck.gstatic.com", "connectivitycheck.android.com", "clients3.google.com", "www.google.com",
    ] {
      for path in ["/generate_204", "/gen_204"] { answers[host + path] = HTTPResponse(204) }
    }
    return answers
  }()

  private static func page(_ text: String, _ type: String) -> HTTPResponse {
    HTTPResponse(200, ["Content-Type": type], body: Array(text.utf8))
  }
}
