import CLibrary
import Synchronization

/// The terminal the program was started in, taken over for as long as this exists.
///
/// It is given back as it was on every way out that a program can catch: when this ends, at `exit`, and before a fatal
/// signal takes its course. One at a time.
struct Terminal: ~Copyable {
  /// Whether keys can be read and a picture be drawn.
  static var isPresent: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

  /// Another screen, so that what was on this one comes back; no cursor; what does not fit on a line begins no
  /// other: it goes over the last column.
  private static let enter: StaticString = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J"
  fileprivate static let leave: StaticString = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

  /// - Throws: `Failure` when the terminal does not let itself be set up.
  init() throws {
    try Terminal.take { cfmakeraw(&$0) }
    hasPicture.store(true, ordering: .sequentiallyConsistent)
    put(Terminal.enter)
  }

  deinit { giveBackTerminal() }

  /// Whether keys can be read, though perhaps no picture be drawn.
  static var hasKeys: Bool { isatty(STDIN_FILENO) == 1 }

  /// Takes over the keys alone while something is done, if there are any: they come one by one, and are not shown. What is
  /// written to the terminal looks as before.
  static func withKeys<Result>(_ work: () throws -> Result) throws -> Result {
    guard hasKeys else { return try work() }
    try take { settings in
      let output = settings.c_oflag
      cfmakeraw(&settings)
      settings.c_oflag = output
    }
    defer { giveBackTerminal() }
    return try work()
  }

  private static func take(_ change: (inout termios) -> Void) throws {
    guard tcgetattr(STDIN_FILENO, &savedSettings) == 0 else { throw Terminal.failure(errno) }
    var settings = savedSettings
    change(&settings)
    isTaken.store(true, ordering: .sequentiallyConsistent)
    atexit { giveBackTerminal() }
    FatalSignals.catchAll { number in
      giveBackTerminal()
      FatalSignals.takeItsCourse(number)
    }
    guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings) == 0 else {
      isTaken.store(false, ordering: .sequentiallyConsistent)
      throw Terminal.failure(errno)
    }
  }

  /// How many rows its window has.
  var rows: Int {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return .max }
    return Int(size.ws_row)
  }

  /// Draws over what was drawn before.
  func draw(_ lines: [String]) {
    // What was there is erased before a line, not after it: the cursor stays on the last character of one that is cut off.
    var picture = "\u{1B}[H" + lines.dropLast().map { "\u{1B}[K" + $0 + "\r\n" }.joined() + "\u{1B}[J"
    picture += lines.last ?? ""
    picture.withUTF8 { writeWhole(UnsafeRawBufferPointer($0)) }
  }

  private static func failure(_ errno: Int32) -> Failure {
    Failure.noHardware("this terminal cannot be set up for keys and picture: \(reason(errno)); try another one")
  }
}

/// What was there before, for a signal handler to find. Unsafe only in name: it is written once, before a handler that reads
/// it is installed.
private nonisolated(unsafe) var savedSettings = termios()
private let isTaken = Atomic(false)
private let hasPicture = Atomic(false)

/// Safe in a signal handler: it only calls what POSIX allows there.
private func giveBackTerminal() {
  guard isTaken.exchange(false, ordering: .sequentiallyConsistent) else { return }
  if hasPicture.load(ordering: .sequentiallyConsistent) { put(Terminal.leave) }
  tcsetattr(STDIN_FILENO, TCSAFLUSH, &savedSettings)
}

private func put(_ text: StaticString) {
  writeWhole(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
}

/// Writes to the terminal; gives up when it takes nothing for a second.
private func writeWhole(_ bytes: UnsafeRawBufferPointer) {
  var rest = bytes
  while !rest.isEmpty {
    var polled = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
    let ready = poll(&polled, 1, 1_000)
    if ready < 0, errno == EINTR { continue }
    guard ready > 0 else { return }
    let count = write(STDOUT_FILENO, rest.baseAddress, rest.count)
    guard count > 0 || errno == EINTR || errno == EAGAIN else { return }
    if count > 0 { rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }
  }
}

/// Tells by readable file descriptors that signals came. Each is made once, and never closed.
enum SignalPipe {
  /// Readable once the program was asked to end, by SIGINT, SIGTERM or SIGHUP.
  static let stop = make([SIGINT, SIGTERM, SIGHUP], writeEnd: stopEnd)

  /// Readable when the terminal's window has changed its size; see ``clear(_:)``.
  static let resize = make([SIGWINCH], writeEnd: resizeEnd)

  /// Lets a descriptor be readable again only for signals that come from now on.
  static func clear(_ descriptor: Int32) {
    var bytes: (UInt64, UInt64) = (0, 0)
    while read(descriptor, &bytes, 16) > 0 {}
  }

  private static func make(_ signals: [Int32], writeEnd: borrowing Atomic<Int32>) -> Int32 {
    var ends: [Int32] = [-1, -1]
    precondition(pipe(&ends) == 0, "no pipe can be had: \(reason(errno))")
    for end in ends {
      // A signal handler does not wait for a full pipe, nor does clearing for an empty one.
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    writeEnd.store(ends[1], ordering: .releasing)
    // Whoever started the program may have blocked them, which it inherits.
    var unblocked = sigset_t()
    sigemptyset(&unblocked)
    for signal in signals { sigaddset(&unblocked, signal) }
    pthread_sigmask(SIG_UNBLOCK, &unblocked, nil)
    for signal in signals {
      CLibrary.signal(signal) { number in
        let before = errno
        var byte: UInt8 = 0
        let end = number == SIGWINCH ? resizeEnd.load(ordering: .acquiring) : stopEnd.load(ordering: .acquiring)
        _ = write(end, &byte, 1)
        errno = before
      }
    }
    return ends[0]
  }
}

private let stopEnd = Atomic<Int32>(-1)
private let resizeEnd = Atomic<Int32>(-1)

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
