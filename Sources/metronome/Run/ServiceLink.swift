#if LINUX_BOARD
  import Foundation
  import LinuxBoard
  import MetronomeCore
  import MetronomeService

  /// What ties the box to the service manager that has started it. Without one it does nothing. Control thread.
  final class ServiceLink {
    private let manager: ServiceManager?
    private var report = ServiceReport()
    private var watchdog: Watchdog?

    /// - Parameters:
    ///   - environment: of the process.
    ///   - now: from here on the manager is told that the box is alive.
    init(environment: [String: String] = ProcessInfo.processInfo.environment, at now: Instant) {
      manager = ServiceManager(environment: environment)
      watchdog = manager.flatMap { _ in
        Watchdog(environment: environment, process: getpid(), steps: 0, at: now)
      }
    }

    /// Tells what there is to tell.
    ///
    /// - Parameters:
    ///   - steps: how many the beat loop has made.
    ///   - ring: lets it make another.
    /// - Returns: when to call again though nothing is heard of.
    func step(_ status: () -> ServiceStatus, steps: UInt64, ring: () -> Void, at now: Instant) -> Instant? {
      guard let manager else { return nil }
      var (news, next) = report.step(status(), at: now)
      if let duty = watchdog?.step(at: now, steps: steps) {
        if duty.isAlive { news.append("WATCHDOG=1") }
        if duty.rings { ring() }
        next = min(next ?? duty.next, duty.next)
      }
      manager.tell(news)
      return next
    }

    /// Tells that the configuration is being read again. ``endReload()`` follows.
    func beginReload(at now: Instant) { manager?.tell(ServiceReport.reloading(at: now)) }

    func endReload() {
      guard let manager else { return }
      manager.tell(report.reloaded())
    }

    /// Tells that the end has begun.
    func stop() { manager?.tell(["STOPPING=1"]) }
  }
#endif
