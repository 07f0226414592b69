#if canImport(Glibc)
  import BoardSimulation
  import ControlSocket
  import Foundation
  import HardwareAbstraction
  import MetronomeControl
  import MetronomeCore
  import MetronomeEngine
  import Testing

  /// A simulated metronome with a control socket.
  final class Rig {
    let simulation: Simulation
    let server: ControlServer
    private let handler: ControlHandler<SimulatedBoard, TraceRecorder>
    private let publisher: ControlPublisher<SimulatedBoard, TraceRecorder>
    private let questions = Questions()
    let folder = SocketFolder()
    private(set) var began = Instant.zero
    /// How long ago the step of the control loop began that serves the clients.
    var stepTime = Nanoseconds.zero

    init(_ options: EngineOptions = EngineOptions()) throws {
      var board = SimulatedBoard.Options()
      board.audio = nil
      let simulation = try Simulation(options, board: board, sinks: [])
      self.simulation = simulation
      let clock = simulation.board.clock
      let questions = questions
      handler = ControlHandler(
        simulation.engine.control, saver: nil, program: "test",
        clocks: { ClockPair(monotonic: clock.now, raw: clock.now) }, health: { BoxHealth() },
        readScores: { questions.asked.append($0) })
      publisher = ControlPublisher(simulation.engine.control, handler)
      server = try ControlServer(at: ControlAddress(in: folder.path))
    }

    var now: Instant { simulation.board.clock.now }
    var state: MetronomeState { simulation.engine.control.state }

    func advance(_ time: Nanoseconds) {
      simulation.run(until: now + time)
      serve()
    }

    func serve() {
      let (wasPlaying, now) = (state.isPlaying, now - stepTime)
      server.serve(at: now) { handler.answer($1, from: &$0, at: now) }
      if state.isPlaying, !wasPlaying { began = now }
      _ = publisher.step(server, at: now)
    }

    /// Answers the question about stored scores.
    func answerScores(_ answer: ScoreAnswer) {
      let request = questions.asked.removeFirst()
      server.send(handler.finish(request, answer, at: now), to: request.client)
    }

    /// Carries out a command as a client of its own.
    func perform(_ words: String) {
      guard let client = try? greeted() else { return }
      client.send("do command=\"\(words)\"")
      _ = answers(client)
    }

    func client() throws -> RawClient { try RawClient(folder.path) }

    /// A client that has exchanged `hello`.
    func greeted() throws -> RawClient {
      let client = try client()
      client.send("hello v=1")
      _ = answers(client)
      return client
    }

    /// Serves until the client's messages are read, and returns the answers.
    func answers(_ client: RawClient) -> [String] {
      var answers: [String] = []
      for _ in 0..<4 {
        serve()
        answers += client.received()
      }
      return answers
    }
  }

  final class Questions {
    var asked: [ScoreRequest] = []
  }

  /// A folder that is removed at the end.
  final class SocketFolder {
    let path = FileManager.default.temporaryDirectory.path + "/control-\(UUID().uuidString)"

    init() { try! FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  /// One end of a connection, without any knowledge of the protocol.
  final class RawClient {
    private let descriptor = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    private(set) var isAtEnd = false
    private var isOpen = true

    init(_ folder: String) throws {
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: (folder + "/control").utf8) }
      let result = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      try #require(result == 0)
    }

    deinit { close() }

    func close() {
      if isOpen { Glibc.close(descriptor) }
      isOpen = false
    }

    func send(_ text: String) { send(bytes: Array(text.utf8)) }
    func send(bytes: [UInt8]) { _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

    /// The messages that have arrived.
    func received() -> [String] {
      var messages: [String] = []
      var buffer = [UInt8](repeating: 0, count: 8_192)
      while true {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count == 0 { isAtEnd = true }
        guard count > 0 else { return messages }
        messages.append(String(decoding: buffer[..<count], as: UTF8.self))
      }
    }

    /// Whether the other end has closed the connection.
    var isClosed: Bool {
      _ = received()
      return isAtEnd || errno == ECONNRESET
    }
  }
#endif
