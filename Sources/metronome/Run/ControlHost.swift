#if os(Linux)
  import CLibrary
  import ControlSocket
  import HardwareAbstraction
  import MetronomeConfiguration
  import MetronomeControl
  import MetronomeCore
  import MetronomeEngine
  import StateFiles

  /// The control socket of a metronome: `control` in the runtime folder, or in the state folder if there is no runtime folder. In
  /// the state folder, a link to the socket lets `metronome presets --state` find it. Used on the control thread.
  final class ControlHost<B: Board, Observer: EngineObserver> {
    private let handler: ControlHandler<B, Observer>
    private let publisher: ControlPublisher<B, Observer>
    private let folder: ControlAddress
    private var server: ControlServer?
    private let scores = Mailbox<(ScoreRequest, ScoreAnswer)>()
    /// The answers to requests about learned controls that have become due, and when to ask again.
    private let learned: (Instant) -> (answers: [(ControlMessage, client: UInt64)], deadline: Instant?)

    /// - Parameters:
    ///   - folder: the folder of the socket.
    ///   - state: the state folder, which this process has locked; nil: nothing is saved.
    ///   - onThread: runs something that may block, on a thread of its own.
    ///   - wake: makes the control thread call ``serve(at:)``. Any thread.
    /// - Throws: ``SocketError`` if the folder cannot be opened.
    init(
      _ engine: Engine<B, Observer>, in folder: String, state: String?, clocks: @escaping () -> ClockPair,
      health: @escaping () -> BoxHealth, onThread: @escaping (@escaping @Sendable () -> Void) throws -> Void,
      wake: @escaping @Sendable () -> Void,
      learn: ((LearnRequest) -> [ControlMessage])? = nil,
      learned: @escaping (Instant) -> (answers: [(ControlMessage, client: UInt64)], deadline: Instant?) = { _ in
        ([], nil)
      }
    ) throws(SocketError) {
      self.learned = learned
      let scores = scores
      handler = ControlHandler(
        engine.control, saver: engine.saver, program: MetronomeCommand.version, clocks: clocks, health: health,
        readScores: state.map { folder in
          { request in
            try onThread {
              scores.post((request, StoredScores.answer(request, in: folder)))
              wake()
            }
          }
        }, learn: learn)
      publisher = ControlPublisher(engine.control, handler)
      self.folder = try ControlAddress(in: folder)
      try listen()
      if let state, state != folder { ControlHost.link(from: state, to: folder) }
    }

    /// The folder for the socket; nil: there is none.
    static func folder(state: String?) -> String? { Paths.service("RUNTIME_DIRECTORY") ?? state }

    private static func link(from state: String, to folder: String) {
      let (link, target) = (state + "/control", folder + "/control")
      var bytes = [CChar](repeating: 0, count: 4_096)
      let count = max(readlink(link, &bytes, bytes.count), 0)
      guard !bytes[..<count].map({ UInt8(bitPattern: $0) }).elementsEqual(target.utf8) else { return }
      unlink(link)
      // `metronome presets` connects through this link. Without it, it cannot reach the metronome.
      _ = symlink(target, link)
    }

    /// Opens the socket if it is closed.
    func listen() throws(SocketError) { if server == nil { server = try ControlServer(at: folder) } }

    /// The descriptors to poll for reading; if one is ready, call ``serve(at:)``.
    func descriptors(at now: Instant) -> [Int32] { server?.descriptors(at: now) ?? [] }

    /// Answers messages and publishes snapshots. Returns when to call again even if no descriptor is readable.
    func serve(at now: Instant) -> Instant? {
      guard let server else { return nil }
      server.serve(at: now) { handler.answer($1, from: &$0, at: now) }
      for (request, answer) in scores.drain() {
        server.send(handler.finish(request, answer, at: now), to: request.client)
      }
      let learned = learned(now)
      for (message, client) in learned.answers { server.send([message], to: client) }
      return [server.deadline(at: now), publisher.step(server, at: now), learned.deadline].compactMap(\.self).min()
    }
  }

  private enum StoredScores {
    /// Reads the stored scores. Any thread; may block.
    static func answer(_ request: ScoreRequest, in folder: String) -> ScoreAnswer {
      let store = ScoreStore(path: folder)
      do {
        guard let name = request.name else { return .names(try store.names().map(\.description)) }
        guard let stored = ScoreName(name), let bytes = try store.bytes(of: stored) else {
          return .refused(try store.missing(name).message)
        }
        return .score(SetList(try ScoreFile(source: name, bytes: bytes).score, name: name))
      } catch {
        return .refused((error as? Failure)?.message ?? "\(error)")
      }
    }
  }
#endif
