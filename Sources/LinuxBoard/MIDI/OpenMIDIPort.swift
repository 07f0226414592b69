import CLinux
import Glibc
import HardwareAbstraction
import MetronomeCore
import Synchronization

/// An open MIDI output: a device file of a sound card or a serial port. It must be passed to a ``PortCloser``, which closes it.
struct OpenMIDIPort: Sendable {
  static let baud: UInt32 = 31_250

  let descriptor: Int32
  let path: String
  let identity: FileIdentity
  private let isSerial: Bool
  /// The bytes that the buffer of a sound card's port holds.
  private let capacity: Int

  private init(_ descriptor: Int32, path: String, isSerial: Bool) {
    (self.descriptor, self.path, self.isSerial) = (descriptor, path, isSerial)
    identity = FileIdentity(descriptor)
    capacity = isSerial ? 0 : Int(max(clinux_midi_room(descriptor), 0))
  }

  /// Opens a port, without blocking. `.failure` has an error number.
  static func open(_ path: String, isSerial: Bool) -> Result<OpenMIDIPort, SystemError> {
    var actual: UInt32 = 0
    let result: Int32
    if isSerial {
      result = clinux_open_serial(path, O_WRONLY, baud, &actual)
    } else {
      // With O_APPEND the kernel accepts a write as a whole or not at all.
      let descriptor = Glibc.open(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_CLOEXEC)
      result = descriptor < 0 ? -errno : descriptor
    }
    guard result >= 0 else { return .failure(SystemError("open", errno: -result)) }
    return .success(OpenMIDIPort(result, path: path, isSerial: isSerial))
  }

  /// Whether the device was removed, or another one has its path.
  var isGone: Bool { FileIdentity(path: path) != identity }

  /// The bytes that were accepted but not sent yet; 0 if the driver does not tell.
  var queued: Int {
    if isSerial { return Int(max(clinux_serial_queued(descriptor), 0)) }
    let room = clinux_midi_room(descriptor)
    return room < 0 ? 0 : max(capacity - Int(room), 0)
  }

  /// Discards what is not sent yet. Otherwise closing waits for it: up to 10 s for a sound card's port, and 30 s for a serial port.
  func discard() {
    if isSerial { tcflush(descriptor, TCOFLUSH) } else { _ = clinux_midi_discard(descriptor) }
  }
}

/// Tells a device file from another one that has the same path later.
struct FileIdentity: Hashable, Sendable {
  private let device: UInt
  private let number: UInt

  init(_ descriptor: Int32) {
    var status = stat()
    _ = fstat(descriptor, &status)
    (device, number) = (UInt(status.st_dev), UInt(status.st_ino))
  }

  /// nil: there is no such file. Follows links.
  init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    (device, number) = (UInt(status.st_dev), UInt(status.st_ino))
  }
}

/// Closes MIDI outputs, each on a thread of its own: whatever a device does, no other thread waits for it.
///
/// What was sent last may leave before; what a device has not taken in time is discarded. Closing a sound card's port takes at least
/// 50 ms, in which the kernel lets the device's own buffer run empty.
final class PortCloser: Sendable {
  /// How long the last messages may take: a stop and a note-off for 16 notes take 16 ms on a serial port.
  private static let longestDrain = Nanoseconds.milliseconds(100)
  private static let longestEnd = Nanoseconds.milliseconds(250)
  private static let interval = Nanoseconds.milliseconds(1)

  private let closing = Mutex<[FileIdentity]>([])
  private let closed = Doorbell()
  private let bell: EventDescriptor

  /// - Parameter bell: rung each time a port has been closed.
  init(_ bell: EventDescriptor) { self.bell = bell }

  /// Whether this file is still being closed. To open it would wait for that.
  func isClosing(_ identity: FileIdentity) -> Bool { closing.withLock { $0.contains(identity) } }

  /// Closes a port to which no thread sends any more. Never blocks.
  ///
  /// - Parameter discards: whether what is not sent yet is discarded at once.
  func close(_ port: OpenMIDIPort, discards: Bool) {
    closing.withLock { $0.append(port.identity) }
    let close = { @Sendable [self] in
      if !discards { PortCloser.drain(port) }
      // Not without need: that would also discard what is already beyond the driver's buffer, as the bytes of a pseudo-terminal.
      if discards || port.queued > 0 { port.discard() }
      Glibc.close(port.descriptor)
      closing.withLock { files in files.firstIndex(of: port.identity).map { _ = files.remove(at: $0) } }
      closed.ring()
      bell.ring()
    }
    do throws(SystemError) {
      _ = try BlockingThread(name: "midi close", body: close).join(until: .zero)
    } catch {
      // Without a thread, the last bytes are lost, but hardly anything waits for them.
      port.discard()
      close()
    }
  }

  /// Waits until all ports are closed, at most for 250 ms: longer than last messages take. What is then still being closed no longer
  /// delays the end of the program.
  func awaitAll() {
    let deadline = LinuxClock().now + PortCloser.longestEnd
    while closing.withLock({ !$0.isEmpty }), closed.wait(until: deadline) {}
  }

  private static func drain(_ port: OpenMIDIPort) {
    let (clock, pause) = (LinuxClock(), Doorbell())
    let deadline = clock.now + longestDrain
    while port.queued > 0, clock.now < deadline { pause.wait(until: clock.now + interval) }
  }
}
