import Glibc
import LinuxBoard
import MetronomeCore

/// The kernel's Loopback card, which can be unplugged and stopped.
final class SimulatedCard {
  private static let driver = "/sys/bus/platform/drivers/snd_aloop"
  private static let device = "snd_aloop.0"
  /// The timeout for the kernel to remove the card once every program has closed it.
  private static let timeout = Nanoseconds.seconds(2)

  /// Runs the kernel's call, which returns only when every program has closed the card.
  private var pulling: BlockingThread?

  /// `SNDRV_PCM_IOCTL_XRUN` of `<sound/asound.h>`.
  private static let stopRequest: UInt = 0x4148

  /// Stops the playback of this process, as after an underrun.
  func stop() {
    var target = [CChar](repeating: 0, count: 64)
    for descriptor in 3..<Int32(256) {
      let length = readlink("/proc/self/fd/\(descriptor)", &target, target.count)
      guard length > 0 else { continue }
      let path = String(decoding: target.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
      guard path.hasPrefix("/dev/snd/pcmC"), path.hasSuffix("p") else { continue }
      guard ioctl(descriptor, SimulatedCard.stopRequest) == 0 else { fatalError("\(path): \(errno)") }
      return
    }
    fatalError("the card is not open")
  }

  /// Unplugs the card. Programs that have it open must still close it.
  func pull() {
    do {
      pulling = try BlockingThread(name: "card-pulling") {
        write(SimulatedCard.device, to: SimulatedCard.driver + "/unbind")
      }
    } catch {
      fatalError("\(error)")
    }
    letPass(.milliseconds(20))
  }

  /// Plugs the card in again, if it is unplugged. No program may have it open.
  func plug() {
    guard let pulling else { return }
    self.pulling = nil
    guard pulling.join(until: LinuxClock().now + SimulatedCard.timeout) else {
      fatalError("the unplugged card is still open")
    }
    write(SimulatedCard.device, to: SimulatedCard.driver + "/bind")
  }
}

/// Writes a text to a file of the kernel.
func write(_ text: String, to path: String) {
  let descriptor = open(path, O_WRONLY)
  defer { close(descriptor) }
  guard write(descriptor, text, text.utf8.count) == text.utf8.count else { fatalError("\(path): \(errno)") }
}
