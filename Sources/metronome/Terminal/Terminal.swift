import Foundation
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
