import CLinux
import Glibc

/// The service manager that started the program: systemd, notified at `$NOTIFY_SOCKET` (sd_notify(3)).
public final class ServiceManager {
  private let descriptor: Int32
  /// The socket's path. A leading NUL denotes the abstract namespace.
  private let path: [UInt8]

  /// - Returns: nil when `$NOTIFY_SOCKET` is not set, or is not a socket of the file system or the abstract namespace.
  public init?(environment: [String: String]) {
    guard let name = environment["NOTIFY_SOCKET"], name.hasPrefix("/") || name.hasPrefix("@"),
      name.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path)
    else { return nil }
    path = name.hasPrefix("@") ? [0] + name.utf8.dropFirst() : Array(name.utf8)
    let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let result = socket(AF_UNIX, kind, 0)
    guard result >= 0 else { return nil }
    descriptor = result
  }

  deinit { close(descriptor) }

  /// Sends assignments such as `READY=1`, all in one message. Never blocks.
  ///
  /// - Returns: whether the message was sent.
  @discardableResult
  public func notify(_ assignments: [String]) -> Bool {
    let bytes = Array(assignments.joined(separator: "\n").utf8)
    guard !bytes.isEmpty else { return true }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    let size = MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + path.count + (path.first == 0 ? 0 : 1)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, socklen_t(size)) == bytes.count
      }
    }
  }
}

/// Reads SIGTERM, SIGINT, SIGHUP and SIGUSR1 from a descriptor instead of handling them asynchronously.
///
/// SIGHUP stays ignored under `nohup`; SIGINT is read even if the shell started the program in the background with SIGINT
/// ignored. Must be created on the main thread before any other thread, since threads inherit the blocked signals.
public final class SignalWatch: Sendable {
  /// The descriptor to poll for reading.
  public let descriptor: Int32

  public init() throws(SystemError) {
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGTERM, SIGINT, SIGUSR1] { sigaddset(&signals, signal) }
    // A blocked signal is queued for reading even if it is ignored.
    if !clinux_is_ignored(SIGHUP) { sigaddset(&signals, SIGHUP) }
    _ = try SystemError.check(-pthread_sigmask(SIG_BLOCK, &signals, nil), "pthread_sigmask")
    descriptor = try SystemError.check(clinux_signal_descriptor(&signals), "signalfd")
  }

  deinit { close(descriptor) }

  /// The number of the next pending signal, or nil if none is pending. Never blocks.
  public func next() -> Int32? {
    let signal = clinux_read_signal(descriptor)
    return signal > 0 ? signal : nil
  }
}

/// Limits the heap to one arena and turns off readahead for the mapped files. Must be called before other threads start, each
/// of which would add 64 MB of address space to the locked memory.
public func keepMemorySmall() { clinux_keep_memory_small() }

/// Locks the memory of the process, each page from its first use on, so that no real-time thread waits for a disk.
public func lockMemory() -> Grant {
  if mlockall(Int32(MCL_CURRENT) | Int32(MCL_FUTURE) | onFault) == 0 { return .granted }
  return .refused(errno: errno)
}

/// Reads all code into the locked memory, so that code that runs for the first time does not wait for the disk either. This
/// takes up to a second from an SD card: call it on an ordinary thread, after the first beats.
public func fillMemory() { clinux_touch_code() }

/// Prefaults the next 256 KB of the calling thread's stack, more than the control loop's deepest call uses: undoing a press takes
/// about 106 KB with Swift 6.0.
public func prefaultStack() { clinux_touch_stack(256 * 1024) }

/// `MCL_ONFAULT`, from linux/mman.h; Linux 4.4.
private let onFault: Int32 = 4

/// Keeps the processor out of deep idle states, which are slow to leave, for as long as this value lives. It costs power.
public struct WakeupLatencyRequest: ~Copyable {
  public let grant: Grant
  private let descriptor: Int32

  public init() {
    descriptor = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC)
    var microseconds: Int32 = 0
    guard descriptor >= 0, write(descriptor, &microseconds, MemoryLayout<Int32>.size) > 0 else {
      grant = .refused(errno: errno)
      return
    }
    grant = .granted
  }

  deinit { if descriptor >= 0 { close(descriptor) } }
}
