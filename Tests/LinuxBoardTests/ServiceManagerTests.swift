import Foundation
import Glibc
import LinuxBoard
import Testing

/// What is told arrives at a socket such as systemd's.
@Suite struct ServiceManagerTests {
  /// A socket that hears what is told.
  private final class Ear {
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

  @Test func aSocketInAFolder() throws {
    let path = "/tmp/metronome-notify-\(getpid()).\(UInt32.random(in: 0 ... .max))"
    let ear = try Ear(Array(path.utf8))
    let manager = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": path]))
    #expect(manager.tell(["READY=1", "STATUS=120 BPM 4/4 playing · light"]))
    #expect(manager.tell([]))
    #expect(manager.tell(["STOPPING=1"]))
    #expect(ear.message() == "READY=1\nSTATUS=120 BPM 4/4 playing · light")
    #expect(ear.message() == "STOPPING=1")
    #expect(ear.message() == nil)
  }

  @Test func anAbstractSocket() throws {
    let name = "metronome-notify-\(getpid()).\(UInt32.random(in: 0 ... .max))"
    let ear = try Ear([0] + Array(name.utf8))
    let manager = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": "@" + name]))
    #expect(manager.tell(["READY=1"]))
    #expect(ear.message() == "READY=1")
  }

  @Test func aSocketThatIsGoneStopsNobody() throws {
    let manager = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": "/nowhere/notify"]))
    #expect(!manager.tell(["READY=1"]))
  }

  @Test func nobodyWantsToKnow() {
    #expect(ServiceManager(environment: [:]) == nil)
    #expect(ServiceManager(environment: ["NOTIFY_SOCKET": "vsock:2:1234"]) == nil)
    #expect(ServiceManager(environment: ["NOTIFY_SOCKET": "/" + String(repeating: "a", count: 200)]) == nil)
  }
}
