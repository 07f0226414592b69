#if LINUX_BOARD
  import CLibrary
  import LinuxBoard
  import MetronomeCore
  import MetronomeEngine
  import MetronomeService

  /// Reports the box's status to the service manager, if there is one. Control thread.
  final class ServiceLink {
    /// The delay from a failed notification to the retry.
    private static let retryDelay = Nanoseconds.seconds(1)

    private let manager: ServiceManager?
    private var report = ServiceReport()
    private var pending = PendingNotifications()
    private var watchdog: Watchdog?

    init(environment: [String: String] = Environment.all, at now: Instant) {
      manager = ServiceManager(environment: environment)
      watchdog = manager.flatMap { _ in Watchdog(environment: environment, process: getpid(), steps: 0, at: now) }
    }

    /// Notifies the manager of changes. Returns when to call again. `ring` requests a step of the beat loop for the watchdog.
    func step(
      _ status: @autoclosure () -> ServiceStatus, _ figures: LiveFigures, ring: () -> Void, at now: Instant
    ) -> Instant? {
      guard let manager else { return nil }
      let (news, due) = report.step(status(), figures: figures.now.summary, at: now)
      var next = due
      if let duty = watchdog?.step(at: now, steps: figures.beatWakeups) {
        // Not retried: a late keep-alive would be wrong.
        if duty.isAlive { manager.notify(["WATCHDOG=1"]) }
        if duty.rings { ring() }
        next = min(next ?? duty.next, duty.next)
      }
      return notify(news) ? next : min(next ?? now + ServiceLink.retryDelay, now + ServiceLink.retryDelay)
    }

    func beginReload(at now: Instant) { notify(report.reloading(at: now)) }
    func endReload() { notify(report.reloaded()) }
    func stop() { notify(["STOPPING=1"]) }

    /// - Returns: whether all pending notifications were sent.
    @discardableResult
    private func notify(_ news: [String]) -> Bool {
      guard let manager else { return true }
      pending.add(news)
      guard manager.notify(pending.assignments) else { return false }
      pending.clear()
      return true
    }
  }
#endif
