import BoardSimulation
import CLibrary
import ControlSocket
import MetronomeCore
import MetronomeEngine

/// The control socket of a simulated metronome that plays in real time.
final class SimulationSocket {
  /// The folder of the socket.
  let folder: String
  /// Whether the folder was made for the socket alone.
  private let isTemporary: Bool
  #if os(Linux)
    private var host: ControlHost<SimulatedBoard, TraceRecorder>?
  #endif

  /// - Parameter folder: the state folder; nil: a private folder, which is removed at the end.
  /// - Throws: `Failure` if no folder can be made.
  init(in folder: String?) throws {
    isTemporary = folder == nil
    if let folder {
      self.folder = folder
      return
    }
    let parent = Environment.all["TMPDIR"] ?? "/tmp"
    var path = Array("\(parent)/metronome-XXXXXX".utf8CString)
    guard mkdtemp(&path) != nil else { throw Failure.cannotWrite(parent, errno: errno) }
    self.folder = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Removes the private folder.
  func close() {
    #if os(Linux)
      host = nil
    #endif
    if isTemporary { rmdir(folder) }
  }

  /// Opens the socket.
  func listen(_ simulation: Simulation) {
    #if os(Linux)
      do throws(SocketError) {
        host = try ControlHost(
          simulation.engine, in: folder, state: isTemporary ? nil : folder, clocks: { clockPair() },
          health: { [simulation] in
            let figures = simulation.figures
            return BoxHealth(
              lateness: figures.lateness.quantile(0.99), skippedBeats: figures.skippedBeats,
              underruns: figures.underruns, audio: "", hasLines: true)
          }, onThread: { $0() }, wake: {})
      } catch {
        printNotice("other programs cannot control this metronome (\(reason(error.errno)))")
      }
    #endif
  }

  /// Descriptors to poll for reading; if one is ready, call ``serve(_:)``.
  var descriptors: [Int32] {
    #if os(Linux)
      host?.descriptors(at: monotonicNow()) ?? []
    #else
      []
    #endif
  }

  /// Answers requests. Returns when to call again even if no descriptor is readable.
  func serve(_ simulation: Simulation) -> Instant? {
    #if os(Linux)
      return host?.serve(at: simulation.board.clock.now)
    #else
      return nil
    #endif
  }
}
