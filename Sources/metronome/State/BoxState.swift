#if LINUX_BOARD
  import CLibrary
  import HardwareAbstraction
  import LinuxBoard
  import MetronomeCore
  import MetronomeEngine
  import StateFiles

  /// The memory of the box: a patient thread that saves, and a socket where its presets can be asked for.
  final class BoxState {
    /// For how long the end waits for a disk.
    private static let patience = Nanoseconds.seconds(5)

    private let keeper: StateSaver<BoxObserver>
    private let control: ControlLoop<LinuxBoard, BoxObserver>
    private let thread: PatientThread
    private let bell: Doorbell
    private let end = EndFlag()
    private let folder: FileFolder
    private var server: RequestServer?

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - bell: that the engine rings when there is something to save.
    ///   - folder: which this process has locked.
    ///   - tell: is told in a line that presets cannot be asked for.
    init(
      _ keeper: StateSaver<BoxObserver>, _ engine: Engine<LinuxBoard, BoxObserver>, _ bell: Doorbell,
      in folder: FileFolder, tell: (String) -> Void
    ) throws(SystemError) {
      self.keeper = keeper
      control = engine.control
      self.bell = bell
      self.folder = folder
      do throws(HardwareError) {
        server = try RequestServer(in: folder)
      } catch {
        // Of a folder that cannot be written to the first save tells.
        let isSaid = [.readOnly, .denied, .full].contains(error.kind)
        if !isSaid { tell("\"metronome presets\" cannot ask this metronome: \(error.detail) (\(reason(error.errno)))") }
      }
      let end = end
      thread = try PatientThread(name: "memory") {
        let clock = LinuxClock()
        while !end.isRaised {
          let deadline = engine.step(.state, at: clock.now)
          _ = bell.wait(until: deadline)
        }
        engine.keeper?.flush(at: clock.now)
      }
    }

    /// To be polled for reading, and then to be served.
    var descriptors: [Int32] { server?.descriptors ?? [] }

    /// Whether presets cannot be asked for.
    var isDeaf: Bool { server == nil }

    /// Tries once more to be there for who asks, if it could not be: the folder can be written to by now.
    func listen() { if server == nil { server = try? RequestServer(in: folder) } }

    /// Answers who asks. On the control thread.
    ///
    /// - Returns: when to call again though no descriptor can be read.
    func serve(at now: Instant) -> Instant? {
      server?.serve(at: now) { control.answer($0, at: now, keeper: keeper) }
    }

    /// What is done from now on is not remembered: it is done to switch the box off.
    func seal() { keeper.seal() }

    /// Saves what is not saved, and ends. A disk that does not answer is left to the system. Once.
    func stop() {
      end.raise()
      bell.ring()
      _ = thread.join(until: LinuxClock().now + BoxState.patience)
      server = nil
    }
  }
#endif
