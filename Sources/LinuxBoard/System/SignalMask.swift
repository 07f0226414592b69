import CLinux
import Glibc

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
