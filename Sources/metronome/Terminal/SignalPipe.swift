import Foundation
import Synchronization

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
      Foundation.signal(signal) { number in
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
