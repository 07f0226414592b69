import Foundation
import Synchronization

/// The terminal the program was started in, taken over for as long as this exists.
///
/// It is given back as it was on every way out that a program can catch: when this ends, at `exit`, and before a fatal
/// signal takes its course. One at a time.
struct Terminal: ~Copyable {
  /// Whether keys can be read and a picture be drawn.
  static var isPresent: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

  /// Another screen, so that what was on this one comes back; no cursor.
  private static let enter: StaticString = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J"
  fileprivate static let leave: StaticString = "\u{1B}[?25h\u{1B}[?1049l"

  init() {
    tcgetattr(STDIN_FILENO, &savedSettings)
    var settings = savedSettings
    cfmakeraw(&settings)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    isTaken.store(true, ordering: .sequentiallyConsistent)
    atexit { giveBackTerminal() }
    for signal in fatalSignals {
      Foundation.signal(signal) { number in
        giveBackTerminal()
        Foundation.signal(number, SIG_DFL)
        raise(number)
      }
    }
    put(Terminal.enter)
  }

  deinit { giveBackTerminal() }

  /// Draws over what was drawn before.
  func draw(_ lines: [String]) {
    var picture = "\u{1B}[H" + lines.map { $0 + "\u{1B}[K\r\n" }.joined() + "\u{1B}[J"
    picture.withUTF8 { writeWhole(UnsafeRawBufferPointer($0)) }
  }
}

/// What was there before, for a signal handler to find. Unsafe only in name: it is written once, before a handler that reads
/// it is installed.
private nonisolated(unsafe) var savedSettings = termios()
private let isTaken = Atomic(false)
private let fatalSignals = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGQUIT]

/// Safe in a signal handler: it only calls what POSIX allows there.
private func giveBackTerminal() {
  guard isTaken.exchange(false, ordering: .sequentiallyConsistent) else { return }
  put(Terminal.leave)
  tcsetattr(STDIN_FILENO, TCSAFLUSH, &savedSettings)
}

private func put(_ text: StaticString) {
  writeWhole(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
}

private func writeWhole(_ bytes: UnsafeRawBufferPointer) {
  var rest = bytes
  while !rest.isEmpty {
    let count = write(STDOUT_FILENO, rest.baseAddress, rest.count)
    guard count > 0 || errno == EINTR || errno == EAGAIN else { return }
    if count > 0 { rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }
  }
}
