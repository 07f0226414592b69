import CLibrary
import MetronomeCore

/// The socket with the name `control` in a folder.
public final class ControlAddress: Sendable {
  static let name = "control"

  /// The path of the folder, for messages.
  public let folder: String
  let descriptor: Int32

  /// - Throws: ``SocketError`` if the folder does not exist or cannot be opened.
  public init(in folder: String) throws(SocketError) {
    let opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard opened >= 0 else { throw SocketError("\(shownName(folder)) cannot be opened", errno: errno) }
    (self.folder, descriptor) = (folder, opened)
  }

  deinit { close(descriptor) }

  /// Calls `body` with the address. It uses the open descriptor if the path is too long.
  func with<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let room = MemoryLayout.size(ofValue: address.sun_path)
    var path = folder + "/" + ControlAddress.name
    if path.utf8.count >= room { path = "/proc/self/fd/\(descriptor)/\(ControlAddress.name)" }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(room - 1)) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}

/// A call for a socket failed.
public struct SocketError: Error, Hashable, Sendable {
  public var detail: String
  /// The kernel's error number.
  public var errno: Int32

  public init(_ detail: String, errno: Int32) { (self.detail, self.errno) = (detail, errno) }
}

#if canImport(Glibc)
  /// The calls of a message socket. None waits.
  enum MessageSocket {
    /// - Returns: a non-blocking descriptor, or a negative error number.
    static func open() -> Int32 {
      let kind = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
      let descriptor = socket(AF_UNIX, kind, 0)
      return descriptor < 0 ? -errno : descriptor
    }

    /// Reads one message of up to `longest` bytes. A longer one is `.tooLong`, and is read as a whole.
    static func receive(from descriptor: Int32, longest: Int) -> Received {
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: longest) { buffer in
        let flags = Int32(MSG_DONTWAIT) | Int32(MSG_TRUNC)
        let count = uninterrupted { recv(descriptor, buffer.baseAddress, buffer.count, flags) }
        if count < 0 { return errno == EAGAIN || errno == EWOULDBLOCK ? .nothing : .closed }
        if count == 0 { return .closed }
        return count > longest ? .tooLong : .message(Array(buffer[..<count]))
      }
    }

    /// - Returns: whether the whole message was sent.
    static func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
      let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
      return uninterrupted { CLibrary.send(descriptor, bytes, bytes.count, flags) } == bytes.count
    }

    /// Whether there is something to read within a time.
    static func canBeRead(_ descriptor: Int32, timeout milliseconds: Int32) -> Bool {
      var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      return poll(&polled, 1, milliseconds) > 0
    }
  }

  enum Received {
    case message([UInt8])
    case tooLong
    /// There is no message now.
    case nothing
    /// The other end has closed the connection, or it is broken.
    case closed
  }
#endif
