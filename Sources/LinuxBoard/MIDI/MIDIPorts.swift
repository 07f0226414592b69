import CLinux
import Glibc
import HardwareAbstraction
import MetronomeCore
import Synchronization

/// The MIDI output ports of this computer: device files of sound cards (`/dev/snd/midiC*D*`) and serial ports.
///
/// The control thread opens and closes them; a port may appear later, disappear, and return under another number. No failure ends
/// the program, and each change is reported once. The real-time thread sends, without a lock. A device file sends no active
/// sensing (FE) when it is closed: the kernel does that only for programs that ask for it.
public final class MIDIPorts: MIDIOutputs {
  /// The most ports that may be configured.
  public static let maxCount = 8
  /// The time between attempts: a new device gets its permissions and links later.
  private static let retryInterval = Nanoseconds.seconds(1)
  private static let baud: UInt32 = 31_250

  /// Readable when ``tend()`` must be called. It never changes.
  public var descriptor: Int32 { group.descriptor }
  public var count: Int { Int(number.load(ordering: .acquiring)) }

  private let slots: UnsafeMutablePointer<Slot>
  private let number = Atomic<Int32>(0)
  private let group: DescriptorGroup
  private let watch: FileWatch
  private let timer: TimerDescriptor
  /// Rung by the real-time thread when a port has failed.
  private let bell: EventDescriptor
  private let notice: (String) -> Void
  /// Called when a port was opened.
  public var opened: () -> Void = {}
  private var requests: [MIDIOutputRequest] = []
  private var states: [State] = []

  /// The part of a port that both threads use.
  private struct Slot: ~Copyable {
    /// The open descriptor; -1: closed.
    let descriptor = Atomic<Int32>(-1)
    /// Whether the real-time thread is sending now.
    let isSending = Atomic(false)
    /// Whether a write has failed for good.
    let isBroken = Atomic(false)
    /// How often the port was opened.
    let openings = Atomic<UInt32>(0)
  }

  /// The state of a port, as last reported.
  private enum State: Hashable {
    case unknown
    case waiting
    case refused(path: String, errno: Int32)
    case open(path: String)
  }

  /// Opens the ports that are present.
  ///
  /// - Parameter notice: receives a line for each port that is connected, removed, missing or refused.
  public init(_ requests: [MIDIOutputRequest], notice: @escaping (String) -> Void) throws(SystemError) {
    self.notice = notice
    group = try DescriptorGroup()
    watch = try FileWatch()
    timer = try TimerDescriptor(group: group)
    bell = try EventDescriptor()
    try group.add(watch.descriptor)
    try group.add(bell.descriptor)
    slots = .allocate(capacity: MIDIPorts.maxCount)
    for index in 0..<MIDIPorts.maxCount { (slots + index).initialize(to: Slot()) }
    replace(requests)
  }

  deinit {
    release()
    slots.deinitialize(count: MIDIPorts.maxCount)
    slots.deallocate()
  }

  /// Closes the ports that are no longer requested, and opens the new ones. Control thread.
  public func replace(_ new: [MIDIOutputRequest]) {
    precondition(new.count <= MIDIPorts.maxCount, "too many MIDI outputs")
    guard new.map(\.device) != requests.map(\.device) else {
      requests = new
      return
    }
    release()
    requests = new
    states = new.map { _ in .unknown }
    number.store(Int32(new.count), ordering: .releasing)
    if !new.isEmpty { seek(mayHaveChanged: true) }
  }

  /// Closes broken ports, and opens ports that have appeared. Control thread, when ``descriptor`` is readable.
  public func tend() {
    guard group.isReadable else { return }
    bell.clear()
    _ = timer.clear()
    var mayHaveChanged = watch.drainEvents()
    for index in requests.indices {
      let isGone: Bool
      if case .open(let path) = states[index] { isGone = access(path, F_OK) != 0 } else { isGone = false }
      guard isGone || slots[index].isBroken.load(ordering: .acquiring) else { continue }
      close(index)
      states[index] = .waiting
      mayHaveChanged = true
      notice("the MIDI output \(requests[index].device.text) was removed; waiting for it")
    }
    seek(mayHaveChanged: mayHaveChanged)
  }

  /// Closes the ports. Control thread; idempotent.
  public func release() { for index in requests.indices { close(index, sending: requests[index].notes?.allNotesOff) } }

  public func opening(of port: Int) -> UInt32 {
    slots[port].descriptor.load(ordering: .acquiring) < 0 ? 0 : slots[port].openings.load(ordering: .acquiring)
  }

  public func send(_ message: MIDIMessage, to port: Int) -> MIDISending {
    // Sequentially consistent on both sides: either this thread sees the closed port, or close() sees that it is sending.
    slots[port].isSending.store(true, ordering: .sequentiallyConsistent)
    defer { slots[port].isSending.store(false, ordering: .releasing) }
    let descriptor = slots[port].descriptor.load(ordering: .sequentiallyConsistent)
    guard descriptor >= 0, !slots[port].isBroken.load(ordering: .relaxed) else { return .missing }
    var bytes = message.bytes.littleEndian
    let written = write(descriptor, &bytes, message.count)
    if written == message.count { return .sent }
    if written >= 0 || errno == EAGAIN || errno == EINTR { return .full }
    slots[port].isBroken.store(true, ordering: .releasing)
    bell.ring()
    return .missing
  }

  /// Waits for the real-time thread's current write, which does not block. `last` goes to the port before it is closed, if there
  /// is room: a note that sounds must not go on for ever.
  private func close(_ index: Int, sending last: MIDIMessage? = nil) {
    let descriptor = slots[index].descriptor.exchange(-1, ordering: .sequentiallyConsistent)
    guard descriptor >= 0 else { return }
    while slots[index].isSending.load(ordering: .sequentiallyConsistent) { sched_yield() }
    if let last, !slots[index].isBroken.load(ordering: .relaxed) {
      var bytes = last.bytes.littleEndian
      _ = write(descriptor, &bytes, last.count)
    }
    slots[index].isBroken.store(false, ordering: .relaxed)
    Glibc.close(descriptor)
  }

  /// Opens the missing ports, and tries again later if one is in use or may need a moment.
  private func seek(mayHaveChanged: Bool) {
    let events = Int(IN_CREATE) | Int(IN_MOVED_TO) | Int(IN_ATTRIB) | Int(IN_DELETE)
    for folder in ["/dev", "/dev/snd"] { watch.add(folder, events) }
    let ports = MIDIPort.all()
    var mustRetry = false
    for index in requests.indices where slots[index].descriptor.load(ordering: .relaxed) < 0 {
      let state = open(index, ports)
      switch state {
      case .open: opened()
      case .refused: mustRetry = true
      case .waiting, .unknown: mustRetry = mustRetry || mayHaveChanged
      }
      guard state != states[index] else { continue }
      states[index] = state
      report(state, requests[index].device, ports)
    }
    if mustRetry { timer.ring(after: MIDIPorts.retryInterval) }
  }

  private func open(_ index: Int, _ ports: [MIDIPort]) -> State {
    let result: Int32
    let path: String
    if case .serial(let file) = requests[index].device {
      var actual: UInt32 = 0
      path = file
      result = clinux_open_serial(file, O_WRONLY, MIDIPorts.baud, &actual)
    } else {
      guard let port = ports.first(where: { $0.matches(requests[index].device) }) else { return .waiting }
      path = port.path
      // With O_APPEND the kernel accepts a write as a whole or not at all.
      let descriptor = Glibc.open(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_CLOEXEC)
      result = descriptor < 0 ? -errno : descriptor
    }
    if result == -ENOENT || result == -ENODEV || result == -ENXIO { return .waiting }
    guard result >= 0 else { return .refused(path: path, errno: -result) }
    slots[index].openings.wrappingAdd(1, ordering: .relaxed)
    slots[index].descriptor.store(result, ordering: .releasing)
    return .open(path: path)
  }

  private func report(_ state: State, _ device: MIDIDevice, _ ports: [MIDIPort]) {
    let output = "the MIDI output \(device.text)"
    switch state {
    case .unknown: break
    case .waiting:
      let names = ports.map { "\"\($0.names.first ?? $0.card)\" (\($0.card),\($0.device))" }
      let others =
        names.isEmpty ? "no MIDI port is connected" : "the connected ports are \(names.joined(separator: ", "))"
      if case .serial = device {
        notice("waiting for \(output): there is no such device file; see Documentation/MIDI.md for its settings")
      } else {
        notice("waiting for \(output); \(others)")
      }
    case .refused(let path, EACCES), .refused(let path, EPERM): notice("\(output): \(accessAdvice(path))")
    case .refused(_, EBUSY), .refused(_, EAGAIN): notice("\(output) is used by another program; waiting for it")
    case .refused(let path, ENOTTY): notice("\(output): \(shownName(path)) is not a serial port")
    case .refused(let path, let errno):
      notice("\(output): \(shownName(path)) cannot be opened: \(String(cString: strerror(errno)))")
    case .open(let path): notice("\(output) is connected as \(shownName(path))")
    }
  }
}

extension MIDIDevice {
  /// The device, as shown in messages.
  var text: String {
    switch self {
    case .named(let name): "\"\(shownName(name))\""
    case .address(let text), .serial(let text): shownName(text)
    }
  }
}
