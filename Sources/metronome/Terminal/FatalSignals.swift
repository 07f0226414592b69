import Foundation

/// The signals that end a program at once if it does nothing about them, but for those that the simulation waits for.
///
/// SIGPIPE and SIGXFSZ are not among them: they are ignored, so that writing fails instead.
enum FatalSignals {
  private static let common = [
    SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGQUIT, SIGSYS, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF,
    SIGXCPU,
  ]

  #if os(Linux)
    /// With SIGSTKFLT, which has a number but no name everywhere, and the real-time ones that the C library leaves.
    private static let all =
      common + [SIGIO, SIGPWR, 16] + Array(__libc_current_sigrtmin()...__libc_current_sigrtmax())
  #else
    private static let all = common
  #endif

  /// Has something done before such a signal takes its course.
  ///
  /// - Parameter handler: only calls what POSIX allows in a signal handler. It runs on a stack of its own, because the
  ///   thread's may be what has run out. It ends with ``takeItsCourse(_:)``.
  static func catchAll(_ handler: @escaping @convention(c) (Int32) -> Void) {
    // For good: a signal may come at any time.
    var stack = stack_t()
    stack.ss_size = 64 * 1_024
    stack.ss_sp = UnsafeMutableRawPointer.allocate(byteCount: stack.ss_size, alignment: 16)
    sigaltstack(&stack, nil)
    var action = sigaction()
    #if os(Linux)
      action.__sigaction_handler.sa_handler = handler
    #else
      action.__sigaction_u.__sa_handler = handler
    #endif
    action.sa_flags = SA_ONSTACK
    for signal in all { sigaction(signal, &action, nil) }
  }

  /// Ends the program as the signal would have done.
  static func takeItsCourse(_ number: Int32) {
    signal(number, SIG_DFL)
    raise(number)
  }
}
