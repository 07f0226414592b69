import CLibrary
import ControlSocket
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import StateFiles

#if LINUX_BOARD
  import LinuxBoard
#endif

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
        if attempt == attemptsToEnd, isServed(path) {
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

  /// Whether a metronome answers in a folder.
  private static func isServed(_ path: String) -> Bool {
    #if os(Linux)
      guard let address = try? ControlAddress(in: path) else { return false }
      return (try? ControlConnection(to: address)) != nil
    #else
      return false
    #endif
  }
}

#if LINUX_BOARD
  /// The state of the box: a thread that saves it.
  final class BoxState {
    /// How long stopping waits for the disk.
    private static let stopTimeout = Nanoseconds.seconds(5)

    /// The path of the state folder.
    let path: String
    private let saver: StateSaver<BoxObserver>
    private let thread: BlockingThread
    private let waker: Waker
    private let bells: Bells
    private let end = EndFlag()
    private let records = Mailbox<PracticeRecord>()

    /// Starts the thread. This process must have locked `folder`.
    init(
      _ saver: StateSaver<BoxObserver>, _ engine: Engine<LinuxBoard, BoxObserver>, _ bells: Bells,
      in folder: FileFolder
    ) throws(SystemError) {
      (self.saver, path) = (saver, folder.path)
      (waker, self.bells) = (engine.waker, bells)
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
    }
  }
#endif
