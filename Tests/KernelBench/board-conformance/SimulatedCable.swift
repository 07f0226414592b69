import Glibc
import HardwareAbstraction
import LinuxBoard
import MetronomeCore

/// What is connected to the MIDI ports of a board. Both of its ends can be unplugged.
protocol Cable: AnyObject {
  /// The addresses of the board's output and input in ALSA.
  var output: String { get }
  var input: String { get }
  /// Whether the board can send faster than the cable transfers.
  var isSlow: Bool { get }

  /// Sends bytes to the board.
  func send(_ bytes: [UInt8])

  /// The bytes that the board has sent since the last call.
  func receive() -> [UInt8]

  /// Unplugs the card. The board must still close it.
  func pull()

  /// Plugs the card in again; false: it is plugged in. The board must have closed it.
  func plug() -> Bool
}

/// The kernel's card VirMIDI, which can be unplugged. Cables lead from its port 0, the box's output, to port 1, and from port 3 to port
/// 2, the box's input. The rig reads port 1 and writes to port 3.
final class SimulatedCable: Cable {
  let output = "hw:CARD=VirMIDI,DEV=0"
  let input = "hw:CARD=VirMIDI,DEV=2"
  let isSlow = true
  private static let driver = "/sys/bus/platform/drivers/snd_virmidi"
  private static let card = "snd_virmidi.0"
  /// The timeout for the kernel to remove the card once every program has closed it.
  private static let timeout = Nanoseconds.seconds(2)

  /// The bench's `midi-source`, which connects ports.
  private let program: String
  private var receiver: Int32 = -1
  private var sender: Int32 = -1
  /// Runs the kernel's call, which returns only when every program has closed the card.
  private var pulling: BlockingThread?

  init(program: String) {
    self.program = program
    connect()
  }

  func send(_ bytes: [UInt8]) {
    guard write(sender, bytes, bytes.count) == bytes.count else { fatalError("VirMIDI: \(errno)") }
  }

  func receive() -> [UInt8] {
    var received: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = read(receiver, &bytes, bytes.count)
      guard count > 0 else { return received }
      received += bytes[..<count]
    }
  }

  func pull() {
    close(receiver)
    close(sender)
    do {
      pulling = try BlockingThread(name: "midi-pulling") {
        write(SimulatedCable.card, to: SimulatedCable.driver + "/unbind")
      }
    } catch {
      fatalError("\(error)")
    }
    letPass(.milliseconds(20))
  }

  func plug() -> Bool {
    guard let pulling else { return false }
    self.pulling = nil
    guard pulling.join(until: LinuxClock().now + SimulatedCable.timeout) else {
      fatalError("the unplugged MIDI card is still open")
    }
    write(SimulatedCable.card, to: SimulatedCable.driver + "/bind")
    connect()
    return true
  }

  private func connect() {
    for (from, to) in [("0", "1"), ("3", "2")] { run([program, from, to, "plug"]) }
    receiver = port(1, O_RDONLY)
    sender = port(3, O_WRONLY)
    // The kernel receives from the first read on.
    _ = receive()
  }

  private func port(_ device: Int, _ mode: Int32) -> Int32 {
    var target = [CChar](repeating: 0, count: 64)
    // The link's target is `card2`.
    guard readlink("/proc/asound/VirMIDI", &target, target.count - 1) > 4 else { fatalError("VirMIDI: \(errno)") }
    let number = target.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }.dropFirst(4)
    let descriptor = open("/dev/snd/midiC\(number)D\(device)", mode | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { fatalError("port \(device) of VirMIDI: \(errno)") }
    return descriptor
  }

  private func run(_ words: [String]) {
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var child = pid_t()
    let result = posix_spawn(&child, words[0], nil, nil, &arguments, environ)
    guard result == 0 else { fatalError("\(words[0]): \(result)") }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    guard status == 0 else { fatalError("\(words.joined(separator: " ")): \(status)") }
  }
}
