import CLibrary
import Synchronization

/// Log lines on standard error: for a person on a terminal, or for systemd with the priorities of sd-daemon(3).
///
/// It never waits for whoever reads them: what cannot be written at once is lost, and counted. Any thread but a
/// real-time one: the control thread tells what the loops did, and who opens a sound card what it grants.
final class Log: Sendable {
  enum Priority: Int {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
  }

  /// What a pipe takes whole or not at all, and surely takes when it can be polled for writing: `PIPE_BUF` of Linux.
  private static let longest = 4_096

  private let isTerminal = isatty(STDERR_FILENO) == 1
  /// Where the lines go.
  private let descriptor: Int32
  private let backlog = Mutex(Backlog())

  private struct Backlog {
    /// What a terminal has not taken yet of a line that it took the beginning of.
    var rest: ArraySlice<UInt8> = []
    var lost = 0
  }

  init() {
    // A terminal takes as much of a line as fits and lets the writer wait for the rest. Not so when it is opened once more
    // without waiting; to say so of the one that is open already would say it to every program that shares it.
    let own = isTerminal ? open("/dev/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1
    descriptor = own < 0 ? STDERR_FILENO : own
  }

  deinit { if descriptor != STDERR_FILENO { close(descriptor) } }

  func callAsFunction(_ priority: Priority, _ text: String) {
    backlog.withLock { backlog in
      if backlog.lost > 0, write(.warning, "\(backlog.lost) log lines lost", after: &backlog.rest) { backlog.lost = 0 }
      if backlog.lost > 0 || !write(priority, text, after: &backlog.rest) { backlog.lost += 1 }
    }
  }

  /// - Returns: whether the line is on its way.
  private func write(_ priority: Priority, _ text: String, after rest: inout ArraySlice<UInt8>) -> Bool {
    if !rest.isEmpty {
      rest = rest.dropFirst(writeAtOnce(rest))
      guard rest.isEmpty else { return false }
    }
    let line = Array(((isTerminal ? "" : "<\(priority.rawValue)>") + "metronome: \(text)").utf8)
    let bytes = line.prefix(Log.longest - 1) + [UInt8(ascii: "\n")]
    let count = writeAtOnce(bytes)
    guard count > 0 else { return false }
    rest = bytes.dropFirst(count)
    return true
  }

  /// - Returns: how many bytes were taken.
  private func writeAtOnce(_ bytes: ArraySlice<UInt8>) -> Int {
    var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    guard poll(&polled, 1, 0) == 1, polled.revents & Int16(POLLOUT) != 0 else { return 0 }
    return max(0, bytes.withUnsafeBytes { CLibrary.write(descriptor, $0.baseAddress, $0.count) })
  }
}

/// Tells the threads of the box that it is over.
final class EndFlag: Sendable {
  private let value = Atomic(false)

  var isRaised: Bool { value.load(ordering: .acquiring) }

  func raise() { value.store(true, ordering: .releasing) }
}

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
