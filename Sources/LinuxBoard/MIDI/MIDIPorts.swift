import CLibrary
import HardwareAbstraction
import MetronomeCore
import Synchronization

/// The MIDI output ports of this computer: device files of sound cards (`/dev/snd/midiC*D*`) and serial ports.
///
/// The control thread opens them; a port may appear later, disappear, and return under another number. No failure ends the program, and
/// each change is reported once. The real-time thread sends, without a lock. Threads of a ``PortCloser`` close them. A device file sends
/// no active sensing (FE) when it is closed: the kernel does that only for programs that ask for it.
public final class MIDIPorts: MIDIOutputs {
  /// The most ports that may be configured.
  public static let maxCount = MIDIPortList.maxPorts
  /// The time between attempts: a new device gets its permissions and links later.
  private static let retryInterval = Nanoseconds.seconds(1)

  /// Readable when ``tend()`` must be called. It never changes.
  public var descriptor: Int32 { group.descriptor }
  /// The ports of the newest configuration. A port is at the place of its id, in all arrays of this class.
  public private(set) var list = MIDIPortList()
  /// Only the thread that sends uses it.
  @exclusivity(unchecked) private var used = MIDIPortList()

  private let slots: UnsafeMutablePointer<Slot>
  private let group: DescriptorGroup
  private let watch: FileWatch
  private let timer: TimerDescriptor
  /// Rung by the real-time thread when it uses another list or a port has refused a message, and when a port was closed.
  private let bell: EventDescriptor
  private let closer: PortCloser
  private let notice: (String) -> Void
  /// Called when a port was opened.
  public var opened: () -> Void = {}
  private var requests: [MIDIOutputRequest] = []
  /// When to look for missing ports again even if no file changes.
  private var retry: Instant?
  private var ports = [Port](repeating: Port(), count: MIDIPorts.maxCount)

  /// The part of a port that both threads use.
  private struct Slot: ~Copyable {
    /// The id of the open port, and its descriptor; 0: closed.
    let open = Atomic<UInt64>(0)
    /// The id of the port that the real-time thread sends to. It sends to no other.
    let usedID = Atomic<UInt32>(0)
    /// Whether the real-time thread is sending now.
    let isSending = Atomic(false)
    /// The error of a write that has failed for good; 0: none.
    let failure = Atomic<Int32>(0)
    /// How many messages were accepted and refused since the port was opened.
    let accepted = Atomic<UInt64>(0)
    let refused = Atomic<UInt64>(0)
    /// How often the port was opened.
    let openings = Atomic<UInt32>(0)
  }

  /// The control thread's part of a port.
  private struct Port {
    /// The id and the device that are configured; 0: none.
    var id: UInt32 = 0
    var device = MIDIDevice.named("")
    /// The state of that device, as last reported.
    var state = PortState.unknown
    var trial = PortTrial()
    /// The device that has failed: another one in its place is opened at once.
    var failed: FileIdentity?
    /// What is open at this place, with its id: until the real-time thread has ended it, the former port.
    var open: (id: UInt32, port: OpenMIDIPort)?
  }

  /// Opens the ports that are present.
  ///
  /// - Parameter notice: receives a line for each port that is connected, removed, missing, refused or refusing.
  public init(_ requests: [MIDIOutputRequest], notice: @escaping (String) -> Void) throws(SystemError) {
    self.notice = notice
    group = try DescriptorGroup()
    watch = try FileWatch()
    timer = try TimerDescriptor(group: group)
    bell = try EventDescriptor()
    closer = PortCloser(bell)
    try group.add(watch.descriptor)
    try group.add(bell.descriptor)
    slots = .allocate(capacity: MIDIPorts.maxCount)
    for index in 0..<MIDIPorts.maxCount { (slots + index).initialize(to: Slot()) }
    replace(requests)
    use(list)
    if !requests.isEmpty { tend(at: LinuxClock().now) }
  }

  deinit {
    release()
    slots.deinitialize(count: MIDIPorts.maxCount)
    slots.deallocate()
  }

  /// Configures other ports. Those whose device stays configured stay open. The others are closed when the real-time thread has ended
  /// them and calls ``use(_:)``; then ``tend()`` opens the new ones. Control thread.
  public func replace(_ new: [MIDIOutputRequest]) {
    list.replace(requests.map(\.device), with: new.map(\.device))
    requests = new
    for place in ports.indices where list.port(of: ports[place].id) == nil {
      (ports[place].id, ports[place].state, ports[place].trial) = (0, .unknown, PortTrial())
    }
    for (number, request) in new.enumerated() {
      let place = MIDIPortList.place(of: list[number])
      (ports[place].id, ports[place].device) = (list[number], request.device)
    }
  }

  /// Closes broken ports, and opens ports that have appeared. Control thread, when ``descriptor`` is readable.
  public func tend() { if group.isReadable { tend(at: LinuxClock().now) } }

  package func tend(at now: Instant) {
    bell.clear()
    _ = timer.clear()
    var mayHaveChanged = watch.drainEvents()
    for place in ports.indices { mayHaveChanged = check(place, at: now) || mayHaveChanged }
    if seek(mayHaveChanged: mayHaveChanged, at: now) { retry = now + MIDIPorts.retryInterval }
    // What is overdue waits for a port that is being closed.
    let deadlines = (ports.map(\.trial.deadline) + [retry]).compactMap(\.self).filter { $0 > now }
    if let next = deadlines.min() { timer.ring(after: next - now) }
  }

  /// Closes the ports, and waits for their last messages, at most 250 ms. The thread that sends must have ended. Control thread;
  /// idempotent.
  public func release() {
    for place in ports.indices { close(place, discards: false) }
    closer.awaitAll()
  }

  // MARK: The thread that sends

  public var count: Int { used.count }

  public func use(_ list: MIDIPortList) {
    for place in 0..<MIDIPorts.maxCount { slots[place].usedID.store(0, ordering: .relaxed) }
    for port in 0..<list.count {
      slots[MIDIPortList.place(of: list[port])].usedID.store(list[port], ordering: .releasing)
    }
    used = list
    bell.ring()
  }

  public func opening(of port: Int) -> UInt32 {
    let place = MIDIPortList.place(of: used[port])
    guard UInt32(slots[place].open.load(ordering: .acquiring) >> 32) == used[port] else { return 0 }
    return slots[place].openings.load(ordering: .acquiring)
  }

  public func send(_ message: MIDIMessage, to port: Int) -> MIDISending {
    let place = MIDIPortList.place(of: used[port])
    // Sequentially consistent on both sides: either this thread sees the closed port, or close() sees that it is sending.
    slots[place].isSending.store(true, ordering: .sequentiallyConsistent)
    defer { slots[place].isSending.store(false, ordering: .releasing) }
    let open = slots[place].open.load(ordering: .sequentiallyConsistent)
    guard UInt32(open >> 32) == used[port], slots[place].failure.load(ordering: .relaxed) == 0 else { return .missing }
    var bytes = message.bytes.littleEndian
    let written = write(Int32(truncatingIfNeeded: open), &bytes, message.count)
    if written == message.count {
      slots[place].accepted.wrappingAdd(1, ordering: .relaxed)
      return .sent
    }
    let isFull = written >= 0 || errno == EAGAIN || errno == EINTR
    if isFull {
      slots[place].refused.wrappingAdd(1, ordering: .relaxed)
    } else {
      slots[place].failure.store(errno, ordering: .releasing)
    }
    bell.ring()
    return isFull ? .full : .missing
  }

  // MARK: Closing

  /// Closes an open port that was ended, removed or does not work. Returns whether it was closed.
  private func check(_ place: Int, at now: Instant) -> Bool {
    guard let open = ports[place].open else { return false }
    if open.id != ports[place].id {
      // Its last messages come first. If the thread that sends stands still, they are waited for.
      guard slots[place].usedID.load(ordering: .acquiring) != open.id else { return false }
      close(place, discards: false)
      return true
    }
    if open.port.isGone {
      ports[place].trial = PortTrial()
      remove(place)
      return true
    }
    let failure = slots[place].failure.load(ordering: .acquiring)
    switch failure == 0 ? ports[place].trial.judge(record(of: place, open.port), at: now) : .stuck {
    case .open: return false
    case .works:
      notice("the MIDI output \(ports[place].device.text) works again")
      return false
    case .stuck: break
    }
    ports[place].failed = open.port.identity
    let isReported = ports[place].trial.fail(at: now)
    if isReported && failure == ENODEV {
      remove(place)
    } else {
      close(place, discards: true)
      if isReported { reportFailure(failure, of: ports[place].device) }
    }
    return true
  }

  private func reportFailure(_ errno: Int32, of device: MIDIDevice) {
    let cause = errno == 0 ? "it accepts no more bytes" : reason(errno)
    notice("the MIDI output \(device.text) does not work: \(cause); it is retried after pauses of 1 s to 60 s")
  }

  private func remove(_ place: Int) {
    close(place, discards: true)
    ports[place].state = .waiting
    notice("the MIDI output \(ports[place].device.text) was removed; waiting for it")
  }

  private func record(of place: Int, _ port: OpenMIDIPort) -> PortTrial.Record {
    PortTrial.Record(
      accepted: slots[place].accepted.load(ordering: .relaxed), refused: slots[place].refused.load(ordering: .relaxed),
      queued: port.queued)
  }

  /// Waits for the real-time thread's current write, which does not block.
  private func close(_ place: Int, discards: Bool) {
    guard let open = ports[place].open else { return }
    ports[place].open = nil
    slots[place].open.store(0, ordering: .sequentiallyConsistent)
    while slots[place].isSending.load(ordering: .sequentiallyConsistent) { sched_yield() }
    let isBroken = slots[place].failure.exchange(0, ordering: .relaxed) != 0
    slots[place].accepted.store(0, ordering: .relaxed)
    slots[place].refused.store(0, ordering: .relaxed)
    closer.close(open.port, discards: discards || isBroken)
  }

  // MARK: Opening

  /// Opens the missing ports. Returns whether to try again later, because one is in use or may need a moment.
  private func seek(mayHaveChanged: Bool, at now: Instant) -> Bool {
    guard !requests.isEmpty else { return false }
    let events = Int(IN_CREATE) | Int(IN_MOVED_TO) | Int(IN_ATTRIB) | Int(IN_DELETE)
    for folder in ["/dev", "/dev/snd"] { watch.add(folder, events) }
    let isMissing = { [ports, slots] (place: Int) in
      // Not before the real-time thread has the settings of this port.
      ports[place].id != 0 && ports[place].open == nil
        && slots[place].usedID.load(ordering: .acquiring) == ports[place].id
    }
    guard ports.indices.contains(where: isMissing) else { return false }
    let present = MIDIPort.all()
    var mustRetry = false
    for place in ports.indices where isMissing(place) {
      guard let state = open(place, present, at: now) else { continue }
      switch state {
      case .open: opened()
      case .refused: mustRetry = true
      case .waiting, .unknown: mustRetry = mustRetry || mayHaveChanged
      }
      guard state != ports[place].state else { continue }
      ports[place].state = state
      // A port that has failed is reported when it works.
      if case .open = state, ports[place].trial.isFailing { continue }
      state.notice("MIDI output", ports[place].device, among: present).map(notice)
    }
    return mustRetry
  }

  /// Opens a port. Returns its state; nil: it must not be opened yet.
  private func open(_ place: Int, _ present: [MIDIPort], at now: Instant) -> PortState? {
    let path: String
    var isSerial = false
    if case .serial(let file) = ports[place].device {
      (path, isSerial) = (file, true)
    } else {
      guard let port = present.first(where: { $0.matches(ports[place].device) }) else { return absent(place) }
      path = port.path
    }
    guard let identity = FileIdentity(path: path) else { return absent(place) }
    if closer.isClosing(identity) { return nil }
    if identity != ports[place].failed { ports[place].trial = PortTrial() }
    if let retry = ports[place].trial.retry, now < retry { return nil }
    switch OpenMIDIPort.open(path, isSerial: isSerial) {
    case .success(let port):
      ports[place].open = (ports[place].id, port)
      ports[place].trial.opened(at: now)
      slots[place].openings.wrappingAdd(1, ordering: .relaxed)
      let word = UInt64(ports[place].id) << 32 | UInt64(UInt32(bitPattern: port.descriptor))
      slots[place].open.store(word, ordering: .releasing)
      return .open(path: path)
    case .failure(let error):
      let state = PortState(path, errno: error.errno)
      return state == .waiting ? absent(place) : state
    }
  }

  private func absent(_ place: Int) -> PortState {
    (ports[place].failed, ports[place].trial) = (nil, PortTrial())
    return .waiting
  }
}
