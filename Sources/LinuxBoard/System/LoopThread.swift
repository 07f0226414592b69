import HardwareAbstraction
import MetronomeCore
import Synchronization

/// A loop on a real-time thread of its own: it steps, waits until the step's deadline or until it is rung, and steps.
///
/// A wake-up comes late, by microseconds or by a hundred of them. For a deadline that the loop wants to meet exactly the
/// thread is awake before it, by a margin that is longer than almost any delay, and watches the clock for the rest. Before
/// that it steps once too early, which does nothing but bring code and data near: while it slept others had the caches, and
/// without them a step takes ten microseconds instead of one.
public final class LoopThread {
  /// How long before an exact deadline the thread wakes up. A later wake-up has lost the processor to a hypervisor or a driver,
  /// and no margin that a thread can afford makes up for it; a shorter margin saves next to nothing, as at 300 beats a minute
  /// with four edges each this one takes 0.3 % of a processor.
  private static let margin = Nanoseconds.microseconds(150)

  /// What the thread shares with others.
  private final class Shared: Sendable {
    let bell = Doorbell()
    let clock = LinuxClock()
    let spins = Atomic(false)
    let isOver = Atomic(false)

    /// Sleeps until the margin before the deadline.
    func sleep(untilBefore deadline: Instant) -> Doorbell.Waking {
      let awake = deadline - LoopThread.margin
      let now = clock.now
      return awake > now ? bell.sleep(until: awake) : Doorbell.Waking(isRung: false, instant: now)
    }
  }

  private let thread: RealTimeThread
  private let shared = Shared()

  /// Starts the thread. It begins with a step. It does not spin until it is told so.
  ///
  /// - Parameters:
  ///   - name: as tools show it, 15 bytes at the most.
  ///   - priority: 1 to 99.
  ///   - lag: how long after a step was begun what it does takes effect. It is begun as much earlier, and is told the instant
  ///     at which it takes effect. On this thread.
  ///   - isExact: whether the deadline that the last step answered with is to be met exactly. On this thread.
  ///   - wokeUp: told of each wake-up, once what it was for is done. On this thread.
  ///   - step: what the loop does at an instant; answers with when to do it again, nil: when it is rung. On this thread.
  public init(
    name: String, priority: Int32, lag: @escaping () -> Nanoseconds = { .zero },
    isExact: @escaping () -> Bool = { false }, wokeUp: @escaping () -> Void = {}, step: @escaping (Instant) -> Instant?
  ) throws(SystemError) {
    let shared = shared
    // What is handed over is called by the new thread alone from here on, which the compiler cannot see: a thread is begun with
    // a closure that may be sent, and such a one may not capture these. A lock around each would be taken on every edge.
    nonisolated(unsafe) let (lag, isExact, wokeUp, step) = (lag, isExact, wokeUp, step)
    thread = try RealTimeThread(name: name, priority: priority) {
      var now = shared.clock.now
      while !shared.isOver.load(ordering: .acquiring) {
        let deadline = step(now + lag())
        wokeUp()
        guard let deadline, isExact(), shared.spins.load(ordering: .relaxed) else {
          now = shared.bell.sleep(until: deadline.map { $0 - lag() }).instant
          continue
        }
        let waking = shared.sleep(untilBefore: deadline - lag())
        now = waking.instant
        if waking.isRung { continue }
        if step(now + lag()) == deadline { now = shared.bell.spin(until: deadline - lag()).instant }
      }
    }
  }

  /// What the system said to the thread's priority.
  public var scheduling: Grant { thread.scheduling }

  /// Lets exact deadlines be watched for from the next step on, or leaves them to the timer alone. A thread that was refused
  /// its priority never spins: others would be run meanwhile. Any thread.
  public func setSpinning(_ spins: Bool) {
    if case .granted = scheduling { shared.spins.store(spins, ordering: .relaxed) }
  }

  /// Lets the loop step at once. Any thread.
  public func ring() { shared.bell.ring() }

  /// Ends the thread after its present step. Once.
  public func stop() {
    shared.isOver.store(true, ordering: .releasing)
    shared.bell.ring()
    thread.join()
  }
}
