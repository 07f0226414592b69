import Glibc

/// Who has started the program and wants to know how it is doing: systemd, at `$NOTIFY_SOCKET` (sd_notify(3)).
public final class ServiceManager {
  private let descriptor: Int32
  /// A path; one that begins with a zero is in the abstract namespace.
  private let path: [UInt8]

  /// - Parameter environment: of the process.
  /// - Returns: nil when nobody wants to know, or not by a socket of the file system or the abstract namespace.
  public init?(environment: [String: String]) {
    guard let name = environment["NOTIFY_SOCKET"], name.hasPrefix("/") || name.hasPrefix("@"),
      name.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path)
    else { return nil }
    path = name.hasPrefix("@") ? [0] + name.utf8.dropFirst() : Array(name.utf8)
    let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let result = socket(AF_UNIX, kind, 0)
    guard result >= 0 else { return nil }
    descriptor = result
  }

  deinit { close(descriptor) }

  /// Tells something, in assignments as `READY=1`: all of it in one message. Never waits.
  ///
  /// - Returns: whether it is on its way.
  @discardableResult
  public func tell(_ news: [String]) -> Bool {
    let bytes = Array(news.joined(separator: "\n").utf8)
    guard !bytes.isEmpty else { return true }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    let size = MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + path.count + (path.first == 0 ? 0 : 1)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, socklen_t(size)) == bytes.count
      }
    }
  }
}
