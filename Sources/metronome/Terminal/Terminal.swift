import CLibrary
import MetronomeTerminal
import Synchronization

/// Sets up the terminal for keys and a picture during its lifetime. Only one may exist at a time.
///
/// The settings are restored by `deinit`, at `exit`, and before a fatal signal.
struct Terminal: ~Copyable {
  /// Whether keys can be read and a picture can be drawn.
  static var isPresent: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

  /// Selects the alternate screen, hides the cursor, and disables wrapping of long lines.
  private static let enter: StaticString = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J"
  fileprivate static let leave: StaticString = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

  /// Whether the terminal cannot move its cursor. Then text is only appended.
  let isDumb = Style.isDumb(environment: Environment.all)
  let style = Style(environment: Environment.all)

  init() throws {
    try Terminal.setUp(Terminal.makeRaw)
    enterPicture()
  }

  private func enterPicture() {
    if isDumb { return }
    hasPicture.store(true, ordering: .sequentiallyConsistent)
    put(Terminal.enter)
  }

  /// Restores the terminal and stops the process, as Ctrl-Z does, until the shell continues it. Call ``resume()`` afterwards.
  func suspend() {
    restoreTerminal()
    SignalPipe.stopProcess()
  }

  /// Sets the terminal up again after the process was continued; the shell or another program may have changed it.
  func resume() {
    try? Terminal.setUp(Terminal.makeRaw)
    enterPicture()
  }

  deinit { restoreTerminal() }

  /// Whether keys can be read. It may still be impossible to draw a picture.
  static var hasKeys: Bool { isatty(STDIN_FILENO) == 1 }

  /// Delivers keys one by one, without echo, during `work`, if standard input is a terminal. Output does not change.
  static func withKeys<Result>(_ work: () throws -> Result) throws -> Result {
    guard hasKeys else { return try work() }
    try setUp(makeRaw)
    defer { restoreTerminal() }
    return try work()
  }

  /// Delivers keys one by one. Output does not change.
  private static func makeRaw(_ settings: inout termios) {
    let output = settings.c_oflag
    cfmakeraw(&settings)
    settings.c_oflag = output
  }

  /// Keys that were typed before are kept: they count as soon as they can be read.
  private static func setUp(_ change: (inout termios) -> Void) throws {
    var settings = savedSettings
    if !isSetUp.load(ordering: .sequentiallyConsistent) {
      guard tcgetattr(STDIN_FILENO, &settings) == 0 else { throw Terminal.failure(errno) }
      savedSettings = settings
      isSetUp.store(true, ordering: .sequentiallyConsistent)
      installHandlers
    }
    change(&settings)
    guard tcsetattr(STDIN_FILENO, TCSADRAIN, &settings) == 0 else {
      isSetUp.store(false, ordering: .sequentiallyConsistent)
      throw Terminal.failure(errno)
    }
  }

  /// Restores the terminal at the end of the process, however it ends. Installed once.
  private static let installHandlers: Void = {
    atexit { restoreTerminal() }
    FatalSignals.catchAll { number in
      restoreTerminal()
      FatalSignals.reraise(number)
    }
  }()

  /// The size of the terminal's window; 24 rows and 80 columns if unknown.
  var size: (rows: Int, columns: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 else { return (24, 80) }
    return (size.ws_row > 0 ? Int(size.ws_row) : 24, size.ws_col > 0 ? Int(size.ws_col) : 80)
  }

  /// Whether the terminal accepts output at once. If not, drawing must wait, because the beat must not.
  var isReady: Bool {
    var polled = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
    return poll(&polled, 1, 0) > 0
  }

  /// Draws the lines that differ from `drawn`; the whole screen if that is empty.
  func draw(_ lines: [String], over drawn: [String]) {
    var picture = drawn.isEmpty ? "\u{1B}[2J" : ""
    for row in 0..<max(lines.count, drawn.count) {
      let line = row < lines.count ? lines[row] : ""
      if row >= drawn.count || line != drawn[row] { picture += "\u{1B}[\(row + 1);1H\u{1B}[K" + line }
    }
    append(picture)
  }

  func append(_ text: String) {
    var text = text
    text.withUTF8 { writeWhole(UnsafeRawBufferPointer($0)) }
  }

  private static func failure(_ errno: Int32) -> Failure {
    Failure.noHardware(
      "this terminal cannot be configured for single-key input and drawing: \(reason(errno)); use another terminal")
  }
}

/// Read by a signal handler. Safe, because it is written before the handler is installed.
private nonisolated(unsafe) var savedSettings = termios()
private let isSetUp = Atomic(false)
private let hasPicture = Atomic(false)

/// Async-signal-safe.
private func restoreTerminal() {
  guard isSetUp.exchange(false, ordering: .sequentiallyConsistent) else { return }
  if hasPicture.load(ordering: .sequentiallyConsistent) { put(Terminal.leave) }
  tcsetattr(STDIN_FILENO, TCSAFLUSH, &savedSettings)
}

private func put(_ text: StaticString) {
  writeWhole(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
}

/// Writes to the terminal. Gives up if it accepts nothing for one second.
private func writeWhole(_ bytes: UnsafeRawBufferPointer) {
  var rest = bytes
  while !rest.isEmpty {
    var polled = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
    guard uninterrupted({ poll(&polled, 1, 1_000) }) > 0 else { return }
    let count = write(STDOUT_FILENO, rest.baseAddress, rest.count)
    guard count > 0 || Refusal.last == .again else { return }
    if count > 0 { rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }
  }
}

/// File descriptors that become readable after signals. Each is created once, and never closed.
enum SignalPipe {
  /// Readable after a stop signal: SIGINT, SIGTERM or SIGHUP.
  static let stop = make([SIGINT, SIGTERM, SIGHUP], writeEnd: stopEnd)

  /// Readable after the terminal's window has changed its size, until ``clear(_:)``.
  static let resize = make([SIGWINCH], writeEnd: resizeEnd)

  /// Readable after SIGTSTP, which asks the process to stop, and after SIGCONT, which continues it; see ``isStopRequested()``.
  static let job = make([SIGTSTP, SIGCONT], writeEnd: jobEnd)

  /// Whether SIGTSTP has arrived since the last call. Clears ``job``.
  static func isStopRequested() -> Bool {
    var (byte, isRequested): (UInt8, Bool) = (0, false)
    while read(job, &byte, 1) == 1 { isRequested = isRequested || Int32(byte) == SIGTSTP }
    return isRequested
  }

  /// Stops the process by the default action of SIGTSTP. Returns when it is continued, or at once if the system ignores the
  /// signal, because no shell could continue the process.
  static func stopProcess() {
    signal(SIGTSTP, SIG_DFL)
    raise(SIGTSTP)
    install([SIGTSTP])
  }

  static func clear(_ descriptor: Int32) {
    var bytes: (UInt64, UInt64) = (0, 0)
    while read(descriptor, &bytes, 16) > 0 {}
  }

  private static func make(_ signals: [Int32], writeEnd: borrowing Atomic<Int32>) -> Int32 {
    var ends: [Int32] = [-1, -1]
    precondition(pipe(&ends) == 0, "pipe() failed: \(reason(errno))")
    for end in ends {
      // Neither a signal handler nor clear(_:) may block.
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    writeEnd.store(ends[1], ordering: .releasing)
    install(signals)
    return ends[0]
  }

  private static func install(_ signals: [Int32]) {
    // The program may have inherited a mask that blocks them.
    var unblocked = sigset_t()
    sigemptyset(&unblocked)
    for signal in signals { sigaddset(&unblocked, signal) }
    pthread_sigmask(SIG_UNBLOCK, &unblocked, nil)
    for signal in signals {
      CLibrary.signal(signal) { number in
        let before = errno
        var byte = UInt8(truncatingIfNeeded: number)
        let end =
          switch number {
          case SIGWINCH: resizeEnd.load(ordering: .acquiring)
          case SIGTSTP, SIGCONT: jobEnd.load(ordering: .acquiring)
          default: stopEnd.load(ordering: .acquiring)
          }
        _ = write(end, &byte, 1)
        errno = before
      }
    }
  }
}

private let stopEnd = Atomic<Int32>(-1)
private let resizeEnd = Atomic<Int32>(-1)
private let jobEnd = Atomic<Int32>(-1)

/// The signals that end a program by default, except those of ``SignalPipe`` and those that `main()` ignores.
enum FatalSignals {
  private static let common = [
    SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGQUIT, SIGSYS, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF,
    SIGXCPU,
  ]

  #if os(Linux)
    /// 16 is SIGSTKFLT, which some platforms do not define. The last are the real-time signals that the C library does not use.
    private static let all =
      common + [SIGIO, SIGPWR, 16] + Array(__libc_current_sigrtmin()...__libc_current_sigrtmax())
  #else
    private static let all = common
  #endif

  /// - Parameter handler: must be async-signal-safe and end with ``reraise(_:)``. It runs on a separate stack, because the
  ///   thread's stack may have overflowed.
  static func catchAll(_ handler: @escaping @convention(c) (Int32) -> Void) {
    // Never freed, because a signal may arrive at any time.
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

  /// Ends the program by the signal's default action.
  static func reraise(_ number: Int32) {
    signal(number, SIG_DFL)
    raise(number)
  }
}
