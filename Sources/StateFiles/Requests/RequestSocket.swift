#if canImport(Glibc)
  import Glibc
  import HardwareAbstraction

  /// A socket of whole messages beside the state: who has the folder listens on it, others ask there.
  enum RequestSocket {
    static let name = "control"
    /// More than any request or reply.
    static let longestMessage = 65_536

    /// - Returns: a descriptor, or a negative error number. It never waits.
    static func open() -> Int32 {
      let kind = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
      let descriptor = socket(AF_UNIX, kind, 0)
      return descriptor < 0 ? -errno : descriptor
    }

    /// Calls with the address of the socket in a folder. Where the folder's path is too long for an address, the way
    /// leads through the open descriptor.
    static func withAddress<Result>(
      in folder: FileFolder, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let room = MemoryLayout.size(ofValue: address.sun_path)
      var path = folder.path + "/" + name
      if path.utf8.count >= room { path = "/proc/self/fd/\(folder.descriptor)/\(name)" }
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(room - 1)) }
      return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
    }

    /// The message that has come, or nil if there is none, or the other end is gone.
    static func receive(from descriptor: Int32) -> [UInt8]? {
      var bytes = [UInt8](repeating: 0, count: longestMessage)
      let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      return count > 0 ? Array(bytes[..<count]) : nil
    }

    /// - Returns: whether it is on its way, whole.
    @discardableResult
    static func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
      let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
      return Glibc.send(descriptor, bytes, bytes.count, flags) == bytes.count
    }
  }
#endif
