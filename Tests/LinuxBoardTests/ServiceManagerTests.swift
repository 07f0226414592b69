import Foundation
import Glibc
import LinuxBoard
import Testing

/// Messages arrive at a socket such as systemd's.
@Suite struct ServiceManagerTests {
  /// A socket that receives the messages.
  private final class Listener {
    let descriptor: Int32
    private let path: [UInt8]

    init(_ path: [UInt8]) throws {
      self.path = path
      descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
      let size = MemoryLayout<sa_family_t>.size + path.count
      let result = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(size)) }
      }
      try #require(result == 0)
    }

    deinit {
      close(descriptor)
      unlink(String(decoding: path, as: UTF8.self))
    }

    func message() -> String? {
      var bytes = [UInt8](repeating: 0, count: 4_096)
      let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }
  }

  @Test func messagesReachASocketInAFolder() throws {
    let path = "/tmp/metronome-notify-\(getpid()).\(UInt32.random(in: 0 ... .max))"
    let listener = try Listener(Array(path.utf8))
    let manager = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": path]))
    #expect(manager.notify(["READY=1", "STATUS=120 BPM 4/4 playing · light"]))
    #expect(manager.notify([]))
    #expect(manager.notify(["STOPPING=1"]))
    #expect(listener.message() == "READY=1\nSTATUS=120 BPM 4/4 playing · light")
    #expect(listener.message() == "STOPPING=1")
    #expect(listener.message() == nil)
  }

  @Test func messagesReachAnAbstractSocket() throws {
    let name = "metronome-notify-\(getpid()).\(UInt32.random(in: 0 ... .max))"
    let listener = try Listener([0] + Array(name.utf8))
    let manager = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": "@" + name]))
    #expect(manager.notify(["READY=1"]))
    #expect(listener.message() == "READY=1")
  }

  @Test func missingSocketIsIgnored() throws {
    let manager = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": "/nowhere/notify"]))
    #expect(!manager.notify(["READY=1"]))
  }

  @Test func unusableAddressGivesNoManager() {
    #expect(ServiceManager(environment: [:]) == nil)
    #expect(ServiceManager(environment: ["NOTIFY_SOCKET": "vsock:2:1234"]) == nil)
    #expect(ServiceManager(environment: ["NOTIFY_SOCKET": "/" + String(repeating: "a", count: 200)]) == nil)
  }
}
