import MetronomeCore
import MetronomeService

/// The service manager of a simulated box, and what the box does to be thought alive: the same as the real one.
struct Supervisor {
  /// As `WatchdogSec` and `RestartSec` in the unit's file.
  static let patience = Nanoseconds.seconds(5)
  static let pause = Nanoseconds.milliseconds(100)
  /// Anybody's.
  private static let process: Int32 = 1

  private var watchdog: Watchdog
  /// When the manager was told last that the box is alive.
  private var told: Instant

  /// - Parameter now: the box begins.
  init(at now: Instant) {
    let environment = [
      "WATCHDOG_USEC": "\(Supervisor.patience.count / 1_000)", "WATCHDOG_PID": "\(Supervisor.process)",
    ]
    guard let watchdog = Watchdog(environment: environment, process: Supervisor.process, steps: 0, at: now) else {
      preconditionFailure("a watchdog that is asked for is there")
    }
    self.watchdog = watchdog
    told = now
  }

  /// When the manager loses its patience.
  var deadline: Instant { told + Supervisor.patience }

  /// Does on the control thread what the box does for the manager.
  ///
  /// - Returns: when to call again.
  mutating func serve(at now: Instant, steps: UInt64, ring: () -> Void) -> Instant {
    let duty = watchdog.step(at: now, steps: steps)
    if duty.isAlive { told = now }
    if duty.rings { ring() }
    return duty.next
  }
}
