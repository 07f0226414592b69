#if canImport(Glibc)
  import Foundation
  import HardwareAbstraction
  import MetronomeCore
  import StateFiles
  import Testing

  @Suite struct RequestTests {
    private let place = TemporaryFolder()

    /// Lets a thread ask while this one serves.
    private func ask(_ request: [UInt8], _ path: String, of server: RequestServer) throws -> FileFolder.Outcome {
      let asking = Asking(request, path)
      var polled = server.descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      while !asking.isOver {
        polled = server.descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        poll(&polled, nfds_t(polled.count), 5)
        _ = server.serve(at: .zero) { $0.reversed() }
      }
      return asking.outcome
    }

    @Test func aRequestIsAnswered() throws {
      let server = try RequestServer(in: FileFolder(place.path))
      let outcome = try ask([1, 2, 3], place.path, of: server)
      #expect(outcome == .answered([3, 2, 1]))
    }

    @Test func aLongPathIsNoHindrance() throws {
      let path = place.path + "/" + String(repeating: "x", count: 120)
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      let server = try RequestServer(in: FileFolder(path))
      let outcome = try ask([1, 2], path, of: server)
      #expect(outcome == .answered([2, 1]))
    }

    @Test func aLongReplyComesWhole() throws {
      let server = try RequestServer(in: FileFolder(place.path))
      let request = (0..<40_000).map { UInt8(truncatingIfNeeded: $0) }
      let outcome = try ask(request, place.path, of: server)
      #expect(outcome == .answered(request.reversed()))
    }

    @Test func whereNobodyListensNobodyAnswers() throws {
      let outcome = try FileFolder(place.path).ask([1])
      #expect(outcome == .nobody)
    }

    @Test func whoIsGoneIsNobody() throws {
      do { _ = try RequestServer(in: FileFolder(place.path)) }
      #expect(!FileManager.default.fileExists(atPath: place.path + "/control"))
      try Data().write(to: place.url("control"))
      let outcome = try FileFolder(place.path).ask([1])
      #expect(outcome == .nobody)
      // What was left there is in nobody's way.
      let server = try RequestServer(in: FileFolder(place.path))
      let answered = try ask([1, 2], place.path, of: server)
      #expect(answered == .answered([2, 1]))
    }

    @Test func whoDoesNotAnswerIsNotWaitedFor() throws {
      let folder = try FileFolder(place.path)
      let server = try RequestServer(in: folder)
      let outcome = folder.ask([1], patience: 1)
      #expect(outcome == .silence)
      withExtendedLifetime(server) {}
    }

    @Test func onlyOwnerAndGroupMayAsk() throws {
      let server = try RequestServer(in: FileFolder(place.path))
      var status = stat()
      #expect(stat(place.path + "/control", &status) == 0 && status.st_mode & 0o777 == 0o660)
      withExtendedLifetime(server) {}
    }

    @Test func manyAtOnceAreAllAnswered() throws {
      let server = try RequestServer(in: FileFolder(place.path))
      let asking = (0..<40).map { Asking([UInt8($0), 1], place.path) }
      while asking.contains(where: { !$0.isOver }) { _ = server.serve(at: .zero) { $0.reversed() } }
      #expect(asking.map(\.outcome) == (0..<40).map { .answered([1, UInt8($0)]) })
    }

    /// More than there is room for: they do not even have to be waited for.
    @Test func clientsThatSayNothingKeepNobodyOut() throws {
      let server = try RequestServer(in: FileFolder(place.path))
      let idle = (0..<40).map { _ in IdleClient(place.path) }
      let outcome = try ask([1, 2], place.path, of: server)
      #expect(outcome == .answered([2, 1]))
      withExtendedLifetime(idle) {}
    }

    @Test func clientsThatSayNothingAreLetGo() throws {
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

  /// A request on a thread of its own.
  private final class Asking: @unchecked Sendable {
    // Sendable: under the lock.
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

  /// Connects and says nothing.
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
