#if LINUX_BOARD
  import HardwareAbstraction
  import LinuxBoard
  import MetronomeCore
  import Synchronization

  /// A loop on a real-time thread of its own: it steps, sleeps until the step's deadline or until it is rung, and steps.
  final class LoopThread {
    /// Counts the steps.
    private final class Odometer: Sendable { let count = Atomic<UInt64>(0) }

    private let thread: RealTimeThread
    private let odometer = Odometer()
    private let bell = Doorbell()
    private let end = EndFlag()

    /// - Parameter step: what the loop does at an instant; answers with when to do it again, nil: when it is rung.
    init(name: String, priority: Int32, step: @escaping (Instant) -> Instant?) throws(SystemError) {
      let (bell, end, odometer) = (bell, end, odometer)
      // Handed over: from here on only the new thread steps this loop.
      nonisolated(unsafe) let step = step
      thread = try RealTimeThread(name: name, priority: priority) {
        let clock = LinuxClock()
        while !end.isRaised {
          let deadline = step(clock.now)
          odometer.count.wrappingAdd(1, ordering: .relaxed)
          _ = bell.wait(until: deadline)
        }
      }
    }

    /// What the system said to the thread's priority.
    var scheduling: Grant { thread.scheduling }

    /// How many steps the loop has made. Any thread.
    var steps: UInt64 { odometer.count.load(ordering: .relaxed) }

    /// Lets the loop step at once.
    func ring() { bell.ring() }

    /// Ends the thread after its present step. Once.
    func stop() {
      end.raise()
      bell.ring()
      thread.join()
    }
  }
#endif
