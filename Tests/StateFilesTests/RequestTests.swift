#if canImport(Glibc)
  import Foundation
  import HardwareAbstraction
  import MetronomeCore
  import StateFiles
  import Testing

  @Suite struct RequestTests {
    private let place = TemporaryFolder()

    /// Sends a request on another thread, while this thread serves it.
    private func ask(_ request: [UInt8], _ path: String, of server: RequestServer) throws -> FileFolder.Outcome {
      let pending = PendingRequest(request, path)
      var polled = server.descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      while !pending.isOver {
        polled = server.descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        poll(&polled, nfds_t(polled.count), 5)
        _ = server.serve(at: .zero) { $0.reversed() }
      }
      return pending.outcome
    }

    @Test func requestIsAnswered() throws {
      let server = try RequestServer(in: FileFolder(place.path))
      let outcome = try ask([1, 2, 3], place.path, of: server)
      #expect(outcome == .answered([3, 2, 1]))
    }

    @Test func longPathIsSupported() throws {
      let path = place.path + "/" + String(repeating: "x", count: 120)
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      let server = try RequestServer(in: FileFolder(path))
      let outcome = try ask([1, 2], path, of: server)
      #expect(outcome == .answered([2, 1]))
    }

    @Test func longReplyIsReceivedInFull() throws {
      let server = try RequestServer(in: FileFolder(place.path))
      let request = (0..<StateFile.longest + 500).map { UInt8(truncatingIfNeeded: $0) }
      let outcome = try ask(request, place.path, of: server)
      #expect(outcome == .answered(request.reversed()))
    }

    @Test func missingServerGivesNoAnswer() throws {
      let outcome = try FileFolder(place.path).ask([1])
      #expect(outcome == .nobody)
    }

    @Test func endedServerGivesNoAnswer() throws {
      do { _ = try RequestServer(in: FileFolder(place.path)) }
      #expect(!FileManager.default.fileExists(atPath: place.path + "/control"))
      try Data().write(to: place.url("control"))
      let outcome = try FileFolder(place.path).ask([1])
      #expect(outcome == .nobody)
      // A leftover file does not prevent a new server.
      let server = try RequestServer(in: FileFolder(place.path))
      let answered = try ask([1, 2], place.path, of: server)
      #expect(answered == .answered([2, 1]))
    }

    @Test func unansweredRequestTimesOutAndIsNotExecuted() throws {
      let folder = try FileFolder(place.path)
      let server = try RequestServer(in: folder)
      let outcome = folder.ask([1], timeout: 1)
      #expect(outcome == .silence)
      // The server must not execute a request for which its client no longer waits.
      #expect(
        server.serve(at: .zero) { request in
          Issue.record("executed: \(request)"); return request
        } == nil)
    }

    @Test func onlyOwnerAndGroupMaySendRequests() throws {
      let server = try RequestServer(in: FileFolder(place.path))
      var status = stat()
      #expect(stat(place.path + "/control", &status) == 0 && status.st_mode & 0o777 == 0o660)
      withExtendedLifetime(server) {}
    }

    @Test func concurrentRequestsAreAllAnswered() throws {
      let server = try RequestServer(in: FileFolder(place.path))
      let pending = (0..<40).map { PendingRequest([UInt8($0), 1], place.path) }
      while pending.contains(where: { !$0.isOver }) { _ = server.serve(at: .zero) { $0.reversed() } }
      #expect(pending.map(\.outcome) == (0..<40).map { .answered([1, UInt8($0)]) })
    }

    /// There are more idle clients than the server has room for. It must serve another client without waiting for them.
    @Test func idleClientsDoNotBlockAnotherClient() throws {
      let server = try RequestServer(in: FileFolder(place.path))
      let idle = (0..<40).map { _ in IdleClient(place.path) }
      let outcome = try ask([1, 2], place.path, of: server)
      #expect(outcome == .answered([2, 1]))
      withExtendedLifetime(idle) {}
    }

    @Test func idleClientsAreDisconnected() throws {
      let folder = try FileFolder(place.path)
      let server = try RequestServer(in: folder)
      let idle = (0..<3).map { _ in IdleClient(folder.path) }
      #expect(server.serve(at: .zero) { $0 } == .zero + .seconds(2))
      #expect(server.descriptors.count == 4)
      let outcome = try ask([1, 2], place.path, of: server)
      #expect(outcome == .answered([2, 1]))
      #expect(server.serve(at: .zero + .seconds(2)) { $0 } == nil)
      #expect(server.descriptors.count == 1)
      withExtendedLifetime(idle) {}
    }
  }

  /// A request, sent on its own thread.
  private final class PendingRequest: @unchecked Sendable {
    // The lock protects `result`, so the class is sendable.
    private let lock = NSLock()
    private var result: FileFolder.Outcome?

    init(_ request: [UInt8], _ path: String) {
      Thread.detachNewThread {
        let outcome = (try? FileFolder(path).ask(request)) ?? .nobody
        self.lock.withLock { self.result = outcome }
      }
    }

    var isOver: Bool { lock.withLock { result != nil } }
    var outcome: FileFolder.Outcome { lock.withLock { result ?? .silence } }
  }

  /// A client that connects and sends nothing.
  private final class IdleClient {
    private let descriptor = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0)

    init(_ folder: String) {
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: (folder + "/control").utf8) }
      let result = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      precondition(result == 0)
    }

    deinit { close(descriptor) }
  }
#endif
