#if LINUX_BOARD
  import CLibrary
  import LinuxBoard
  import MetronomeCore
  import MetronomeEngine
  import MetronomeService

  /// What ties the box to the service manager that has started it. Without one it does nothing. Control thread.
  final class ServiceLink {
    /// From telling in vain to the next attempt.
    private static let rest = Nanoseconds.seconds(1)

    private let manager: ServiceManager?
    private var report = ServiceReport()
    private var pending = PendingNotifications()
    private var watchdog: Watchdog?

    /// - Parameters:
    ///   - environment: of the process.
    ///   - now: from here on the manager is told that the box is alive.
    init(environment: [String: String] = Environment.all, at now: Instant) {
      manager = ServiceManager(environment: environment)
      watchdog = manager.flatMap { _ in
        Watchdog(environment: environment, process: getpid(), steps: 0, at: now)
      }
    }

    /// Tells what there is to tell.
    ///
    /// - Parameters:
    ///   - figures: what the loops have done. The steps of the beat loop are what keeps the watchdog quiet.
    ///   - ring: lets the beat loop make a step.
    /// - Returns: when to call again though nothing is heard of.
    func step(
      _ status: @autoclosure () -> ServiceStatus, _ figures: LiveFigures, ring: () -> Void, at now: Instant
    ) -> Instant? {
      guard let manager else { return nil }
      let (news, due) = report.step(status(), figures: figures.now.summary, at: now)
      var next = due
      if let duty = watchdog?.step(at: now, steps: figures.beatWakeups) {
        // Not told again if it is lost: by then it would be a thing of the past.
        if duty.isAlive { manager.tell(["WATCHDOG=1"]) }
        if duty.rings { ring() }
        next = min(next ?? duty.next, duty.next)
      }
      return tell(news) ? next : min(next ?? now + ServiceLink.rest, now + ServiceLink.rest)
    }

    /// Tells that the configuration is being read again. ``endReload()`` follows.
    func beginReload(at now: Instant) { tell(report.reloading(at: now)) }

    func endReload() { tell(report.reloaded()) }

    /// Tells that the end has begun.
    func stop() { tell(["STOPPING=1"]) }

    /// - Returns: whether all is told.
    @discardableResult
    private func tell(_ news: [String]) -> Bool {
      guard let manager else { return true }
      pending.add(news)
      guard manager.tell(pending.assignments) else { return false }
      pending.clear()
      return true
    }
  }
#endif
