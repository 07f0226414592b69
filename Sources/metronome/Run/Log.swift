import CLibrary
import Synchronization

/// Writes log lines to standard error, with the priorities of sd-daemon(3) if the journal reads it.
///
/// Never blocks: lines that cannot be written at once are dropped and counted. Any thread except real-time ones.
final class Log: Sendable {
  enum Priority: Int {
    case error = 3
    case warning, notice, info
  }

  /// `PIPE_BUF` of Linux: a pipe that polls writable accepts this many bytes at once.
  private static let longest = 4_096

  private let descriptor: Int32
  private let backlog = Mutex(Backlog())

  private struct Backlog {
    /// The rest of a line that the terminal has accepted only in part.
    var rest: ArraySlice<UInt8> = []
    var lost = 0
  }

  /// Compares the device and inode that systemd names, because standard error may have been redirected.
  private let isJournal: Bool = {
    var status = stat()
    guard fstat(STDERR_FILENO, &status) == 0 else { return false }
    return Environment.all["JOURNAL_STREAM"] == "\(status.st_dev):\(status.st_ino)"
  }()

  init() {
    // Opened again, so that writing never blocks: a flag on the shared descriptor would also affect other programs.
    let own = isatty(STDERR_FILENO) == 1 ? open("/dev/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1
    descriptor = own < 0 ? STDERR_FILENO : own
  }

  deinit { if descriptor != STDERR_FILENO { close(descriptor) } }

  func callAsFunction(_ priority: Priority, _ text: String) {
    backlog.withLock { backlog in
      if backlog.lost > 0, write(.warning, "\(backlog.lost) log lines lost", after: &backlog.rest) { backlog.lost = 0 }
      if backlog.lost > 0 || !write(priority, text, after: &backlog.rest) { backlog.lost += 1 }
    }
  }

  /// - Returns: whether writing the line has begun.
  private func write(_ priority: Priority, _ text: String, after rest: inout ArraySlice<UInt8>) -> Bool {
    if !rest.isEmpty { rest = rest.dropFirst(writeAtOnce(rest)) }
    guard rest.isEmpty else { return false }
    let line = Array(((isJournal ? "<\(priority.rawValue)>" : "") + "metronome: \(text)").utf8)
    let bytes = line.prefix(Log.longest - 1) + [UInt8(ascii: "\n")]
    let count = writeAtOnce(bytes)
    guard count > 0 else { return false }
    rest = bytes.dropFirst(count)
    return true
  }

  /// - Returns: how many bytes were written.
  private func writeAtOnce(_ bytes: ArraySlice<UInt8>) -> Int {
    var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    guard poll(&polled, 1, 0) == 1, polled.revents & Int16(POLLOUT) != 0 else { return 0 }
    return max(0, bytes.withUnsafeBytes { CLibrary.write(descriptor, $0.baseAddress, $0.count) })
  }
}

/// The terminal that the program was started from. SIGHUP has two meanings: reload the configuration, or, if this terminal was
/// closed, exit.
final class StartTerminal {
  /// -1: none.
  private let descriptor: Int32

  init() { descriptor = open("/dev/tty", O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC) }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The kernel hangs up the terminal before it sends SIGHUP.
  var hasGone: Bool {
    var settings = termios()
    return descriptor >= 0 && tcgetattr(descriptor, &settings) != 0
  }
}
