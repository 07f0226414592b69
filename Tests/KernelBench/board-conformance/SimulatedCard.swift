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

  /// Stops the card's playback, as after an underrun.
  func stop() { write("1", to: "/proc/asound/Loopback/pcm0p/sub0/xrun_injection") }

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
