import Glibc

/// Asks the processor, for as long as it is held, not to sleep so deeply that waking up takes long.
///
/// It costs power; a box on batteries holds it only while it plays.
public struct WakeupLatency: ~Copyable {
  private static let path = "/dev/cpu_dma_latency"

  public let grant: Grant
  private let descriptor: Int32

  /// Begins to ask. The request lives as long as this value.
  public init() {
    descriptor = open(WakeupLatency.path, O_WRONLY | O_CLOEXEC)
    var microseconds: Int32 = 0
    guard descriptor >= 0, write(descriptor, &microseconds, MemoryLayout<Int32>.size) > 0 else {
      grant = .refused(errno: errno)
      return
    }
    grant = .granted
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }
}
