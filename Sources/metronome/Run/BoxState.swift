import CLibrary
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import StateFiles

#if LINUX_BOARD
  import LinuxBoard
#endif

extension ControlLoop {
  /// Answers an encoded request; the reply states whether the change is saved.
  func answer(_ bytes: [UInt8], at now: Instant, saver: StateSaver<Observer>?) -> [UInt8] {
    guard let request = PresetRequest(bytes) else { return PresetReply.notUnderstood }
    var reply = carryOut(request, at: now)
    if let saver { reply.saving = saver.saving }
    return reply.bytes
  }
}

enum StateAccess {
  /// Attempts to lock, one every 10 ms. Together they take longer than a command that changes presets.
  private static let attempts = 500
  /// Attempts before another metronome that answers is considered running; it may be about to exit.
  private static let attemptsToEnd = 50

  /// Locks the state folder as long as the result exists; nil, and one line to `notify`, if that fails.
  static func lock(_ path: String, notify: (String) -> Void) -> FileFolder? {
    do throws(HardwareError) {
      let folder = try FileFolder(path)
      for attempt in 0..<attempts {
        if try folder.lock() { return folder }
        if attempt == attemptsToEnd, case .answered = folder.ask(PresetRequest.list.bytes) {
          notify("\(shownName(path)) is in use by another metronome; this one does not save its state")
          return nil
        }
        usleep(10_000)
      }
      notify("\(shownName(path)) is in use by another program; this metronome does not save its state")
    } catch {
      notify("the state is not saved: \(shownName(path)) cannot be used (\(error.reason(reason)))")
    }
    return nil
  }
}

#if LINUX_BOARD
  /// The state of the box: a thread that saves it, and a socket for preset requests.
  final class BoxState {
    /// How long stopping waits for the disk.
    private static let stopTimeout = Nanoseconds.seconds(5)

    private let saver: StateSaver<BoxObserver>
    private let control: ControlLoop<LinuxBoard, BoxObserver>
    private let thread: BlockingThread
    private let waker: Waker
    private let bells: Bells
    private let end = EndFlag()
    private let folder: FileFolder
    private let records = Mailbox<PracticeRecord>()
    private var server: RequestServer?

    /// Starts the thread, and opens the socket in `folder`, which this process must have locked. `notify` receives a line if
    /// the socket cannot be opened.
    init(
      _ saver: StateSaver<BoxObserver>, _ engine: Engine<LinuxBoard, BoxObserver>, _ bells: Bells,
      in folder: FileFolder, notify: (String) -> Void
    ) throws(SystemError) {
      (self.saver, self.folder) = (saver, folder)
      (control, waker, self.bells) = (engine.control, engine.waker, bells)
      do throws(HardwareError) {
        server = try RequestServer(in: folder)
      } catch {
        // The first save reports a folder that cannot be written to.
        let isReportedElsewhere = [.readOnly, .denied, .full].contains(error.kind)
        if !isReportedElsewhere {
          notify("\"metronome presets\" cannot reach this metronome: \(error.detail) (\(reason(error.errno)))")
        }
      }
      let (bell, end, records) = (bells.doorbell(of: .state), end, records)
      let log = PracticeLog(folder)
      thread = try BlockingThread(name: "state") {
        let clock = LinuxClock()
        while !end.isRaised {
          let deadline = engine.step(.state, at: clock.now)
          log.append(records.drain(), at: clock.now)
          _ = bell.wait(until: deadline)
        }
        engine.saver?.flush(at: clock.now)
        log.append(records.drain(), at: clock.now)
      }
    }

    /// Descriptors to poll for reading; if one is ready, call ``serve(at:)``.
    var descriptors: [Int32] { server?.descriptors ?? [] }

    /// Whether the socket is closed, so that no requests arrive.
    var isDeaf: Bool { server == nil }

    /// Opens the socket if that failed before; call it once the folder is writable.
    func listen() { if server == nil { server = try? RequestServer(in: folder) } }

    /// Answers requests. Returns when to call again even if no descriptor is readable. Control thread.
    func serve(at now: Instant) -> Instant? { server?.serve(at: now) { control.answer($0, at: now, saver: saver) } }

    /// Adds a record to the practice log. Never waits for the disk.
    func keep(_ record: PracticeRecord) {
      records.post(record)
      bells.ring(.state)
    }

    /// Ignores later changes, so that the stop at exit is not saved.
    func seal() { saver.seal() }

    /// Saves pending changes and stops the thread, unless the disk does not respond in time. Call it once.
    func stop() {
      end.raise()
      waker.wakeAll()
      _ = thread.join(until: LinuxClock().now + BoxState.stopTimeout)
      server = nil
    }
  }
#endif
