import CLibrary
import RemoteServer

/// A socket that listens for connections.
struct Listener {
  private static let backlog: Int32 = 1_024
  /// The first descriptor that systemd passes (sd_listen_fds(3)).
  private static let firstPassed: Int32 = 3
  private static let mostPassed = 4

  let descriptor: Int32

  /// Listens at an address; nil: takes the sockets that systemd passed.
  static func open(_ endpoint: Endpoint?) throws(StartFailure) -> [Listener] {
    guard let endpoint else { return try passed() }
    let descriptor = socket(endpoint.family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    guard descriptor >= 0, endpoint.withSocketAddress({ bind(descriptor, $0, $1) }) == 0,
      listen(descriptor, backlog) == 0
    else {
      throw .unavailable("http://\(endpoint.authority)/ cannot be served: \(reason(errno)).")
    }
    return [Listener(adopting: descriptor)]
  }

  private static func passed() throws(StartFailure) -> [Listener] {
    let environment = Environment.all
    guard environment["LISTEN_PID"] == String(getpid()), let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }),
      (1...Int32(mostPassed)).contains(count)
    else {
      throw .usage("systemd passes no socket; use --listen ADDRESS:PORT.")
    }
    return (0..<count).map { Listener(adopting: firstPassed + $0) }
  }

  private init(adopting descriptor: Int32) {
    self.descriptor = descriptor
    Listener.makeNonblocking(descriptor)
  }

  var local: Endpoint? { Endpoint.of(descriptor, getsockname) }

  /// The next connection; nil: there is none now.
  func accept() -> AcceptedSocket? {
    while true {
      let descriptor = uninterrupted { CLibrary.accept(self.descriptor, nil, nil) }
      // The other end may have gone before it was accepted.
      if descriptor < 0, errno == ECONNABORTED { continue }
      guard descriptor >= 0 else { return nil }
      Listener.makeNonblocking(descriptor)
      Listener.setOptions(descriptor)
      guard let peer = Endpoint.of(descriptor, getpeername), let local = Endpoint.of(descriptor, getsockname) else {
        close(descriptor)
        continue
      }
      return AcceptedSocket(descriptor: descriptor, peer: peer, local: local)
    }
  }

  private static func makeNonblocking(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
  }

  private static func setOptions(_ descriptor: Int32) {
    let size = socklen_t(MemoryLayout<Int32>.size)
    // The answer to a ping must not wait for an acknowledgement.
    var on: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size)
    // A fixed size bounds what the kernel stores for a page that does not read.
    var length = Int32(Limits.output)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &length, size)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &length, size)
  }
}

/// A connection of a client.
struct AcceptedSocket {
  let descriptor: Int32
  let peer: Endpoint
  let local: Endpoint
}

extension Endpoint {
  /// As in a URL.
  var authority: String {
    let host = address.contains(":") ? "[\(address)]" : address
    return port == 80 ? host : "\(host):\(port)"
  }

  /// - Parameter text: `127.0.0.1:8080` or `[::1]:8080`.
  init?(text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else { return nil }
    var address = String(text[..<colon])
    let isBracketed = address.hasPrefix("[") && address.hasSuffix("]")
    if isBracketed { address = String(address.dropFirst().dropLast()) }
    var bytes = in6_addr()
    guard inet_pton(isBracketed ? AF_INET6 : AF_INET, address, &bytes) == 1 else { return nil }
    self.init(address, port)
  }

  var family: Int32 { address.contains(":") ? AF_INET6 : AF_INET }

  func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    var storage = sockaddr_storage()
    return withUnsafeMutablePointer(to: &storage) { pointer in
      let size: Int
      if family == AF_INET6 {
        size = MemoryLayout<sockaddr_in6>.size
        pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { own in
          own.pointee.sin6_family = sa_family_t(AF_INET6)
          own.pointee.sin6_port = port.bigEndian
          _ = inet_pton(AF_INET6, address, &own.pointee.sin6_addr)
        }
      } else {
        size = MemoryLayout<sockaddr_in>.size
        pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { own in
          own.pointee.sin_family = sa_family_t(AF_INET)
          own.pointee.sin_port = port.bigEndian
          _ = inet_pton(AF_INET, address, &own.pointee.sin_addr)
        }
      }
      return pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(size)) }
    }
  }

  /// An end of a socket.
  ///
  /// - Parameter call: `getsockname` or `getpeername`.
  static func of(
    _ descriptor: Int32, _ call: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) -> Endpoint? {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { pointer in
      guard pointer.withMemoryRebound(to: sockaddr.self, capacity: 1, { call(descriptor, $0, &size) }) == 0 else {
        return nil
      }
      switch Int32(pointer.pointee.ss_family) {
      case AF_INET:
        return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { own in
          Endpoint(text(AF_INET, &own.pointee.sin_addr), UInt16(bigEndian: own.pointee.sin_port))
        }
      case AF_INET6:
        return pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { own in
          let address = text(AF_INET6, &own.pointee.sin6_addr)
          // A socket for both families reports IPv4 addresses in this form.
          let isIPv4 = address.hasPrefix("::ffff:") && address.contains(".")
          return Endpoint(isIPv4 ? String(address.dropFirst(7)) : address, UInt16(bigEndian: own.pointee.sin6_port))
        }
      default: return nil
      }
    }
  }

  private static func text(_ family: Int32, _ address: UnsafeRawPointer) -> String {
    var bytes = [CChar](repeating: 0, count: 64)
    inet_ntop(family, address, &bytes, socklen_t(bytes.count))
    return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
