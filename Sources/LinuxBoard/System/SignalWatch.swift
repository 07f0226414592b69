import CLinux
import Glibc

/// SIGTERM, SIGINT, SIGHUP and SIGUSR1 as something to read instead of something that interrupts.
///
/// SIGHUP only if the process was not told to ignore it: `nohup` is to go on working. The others always: a shell makes the
/// commands it puts in the background ignore SIGINT, and they are still to be ended by it.
///
/// To be made on the main thread before any other thread is: they inherit that these signals are blocked.
public final class SignalWatch: Sendable {
  /// To be polled for reading.
  public let descriptor: Int32

  public init() throws(SystemError) {
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGTERM, SIGINT, SIGUSR1] { sigaddset(&signals, signal) }
    // A blocked signal would come to be read although it is ignored.
    if !clinux_is_ignored(SIGHUP) { sigaddset(&signals, SIGHUP) }
    let refusal = pthread_sigmask(SIG_BLOCK, &signals, nil)
    guard refusal == 0 else { throw SystemError("pthread_sigmask", errno: refusal) }
    let result = clinux_signal_descriptor(&signals)
    guard result >= 0 else { throw SystemError("signalfd", errno: -result) }
    descriptor = result
  }

  deinit { close(descriptor) }

  /// The number of the next signal that came, or nil if none did. Never waits.
  public func next() -> Int32? {
    let signal = clinux_read_signal(descriptor)
    return signal > 0 ? signal : nil
  }
}

/// Does something with all signals blocked but those that a fault of the thread's own raises. A thread is born with the
/// signals blocked that its maker has blocked.
func withAsynchronousSignalsBlocked<Result>(_ work: () -> Result) -> Result {
  var blocked = sigset_t()
  var former = sigset_t()
  clinux_fill_with_asynchronous_signals(&blocked)
  pthread_sigmask(SIG_SETMASK, &blocked, &former)
  defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
  return work()
}
