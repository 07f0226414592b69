import Foundation

/// The terminal that the program was started from, if there was one.
///
/// It tells two meanings of SIGHUP apart: that the configuration is to be read again, and that the terminal has gone.
final class StartTerminal {
  /// -1: there was none.
  private let descriptor: Int32

  init() { descriptor = open("/dev/tty", O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC) }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Whether it was there and is not any more: the kernel hangs it up before it says so by the signal.
  var hasGone: Bool {
    var settings = termios()
    return descriptor >= 0 && tcgetattr(descriptor, &settings) != 0
  }
}
