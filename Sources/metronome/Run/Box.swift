#if LINUX_BOARD
  import HardwareAbstraction
  import LinuxBoard
  import MetronomeConfiguration
  import MetronomeCore
  import MetronomeEngine

  /// The real box: the engine on the real board, each loop on its thread.
  final class Box {
    private let log: Log
    private let board: LinuxBoard
    private let engine: Engine<LinuxBoard, BoxObserver>
    private let observer: BoxObserver
    private let events: EventDescriptor
    private var report: IncidentReport
    private var latency = WakeupLatency()

    /// Plays until a signal asks to stop. Every output is then inactive.
    static func run(_ configuration: Configuration) throws {
      let log = Log()
      do throws(HardwareError) {
        let signals = try SignalWatch()
        let box = try Box(configuration, log: log)
        box.play(until: signals, autoplay: configuration.autoplay)
      } catch {
        throw Failure.noHardware(error)
      }
    }

    private init(_ configuration: Configuration, log: Log) throws(HardwareError) {
      self.log = log
      report = IncidentReport(log: log)
      let events = try EventDescriptor()
      self.events = events
      board = try LinuxBoard.open(
        wiring: configuration.wiring, audio: configuration.audio, stateDirectory: nil,
        notice: { log(.warning, $0) })
      observer = BoxObserver(log: log, incidents: Incidents { events.ring() })
      engine = Engine(board: board, options: configuration.engineOptions, observer: observer)
    }
  }
#endif
