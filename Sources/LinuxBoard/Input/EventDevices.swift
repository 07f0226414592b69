import CEvdev
import Glibc
import HardwareAbstraction
import MetronomeCore

/// The external input devices, as the kernel's event devices (`/dev/input/event*`).
///
/// A device may appear later, disappear, and return under another number. No failure ends the program. Each change is
/// reported once.
///
/// Without ``InputRequest/isGrabbed`` a keyboard's keys also reach the console (the power key and Ctrl+Alt+Del too).
public final class EventDevices: ControlInputs {
  /// The time between attempts: a new device gets its permissions and links later.
  private static let retryInterval = Nanoseconds.seconds(1)

  /// Readable when events are queued, and when devices appear or disappear. It never changes.
  public var descriptor: Int32 { group.descriptor }

  private let group: DescriptorGroup
  private let watch: DeviceWatch
  private let timer: TimerDescriptor
  /// Readable while events have been read but not yet returned, because then the devices are no longer readable.
  private let bell: EventDescriptor
  private let notice: (String) -> Void
  private let clock = LinuxClock()
  private var slots: [DeviceSlot]
  /// The MIDI ports of controllers and of the clock that the metronome follows.
  private var midi: [MIDIInput]
  /// While the box learns: where all devices report what is moved, and the devices.
  private var listening: Listening?
  /// The events read from the devices. The first ``returned`` of them have been returned.
  private var events: [InputEvent] = []
  private var returned = 0

  /// Looks for the devices, and opens the present devices.
  ///
  /// - Parameters:
  ///   - requests: the first is origin 1.
  ///   - clock: the port that receives a MIDI clock.
  ///   - notice: receives a line for each device that is present, removed, missing or refused.
  public init(
    _ requests: [InputRequest], clock midi: MIDIDevice? = nil, notice: @escaping (String) -> Void
  ) throws(SystemError) {
    self.notice = notice
    let group = try DescriptorGroup()
    self.group = group
    let ports = MIDIInput.all(requests, clock: midi, group: group, notice: notice)
    self.midi = ports
    watch = try DeviceWatch(for: requests.compactMap(\.device.path) + ports.compactMap(\.serialPath), group: group)
    timer = try TimerDescriptor(group: group)
    bell = try EventDescriptor()
    try group.add(bell.descriptor)
    slots = requests.enumerated().map { DeviceSlot($1, at: Origin(number: $0 + 1)) }
    seek(mayHaveChanged: true)
  }

  public var count: Int { slots.count }

  /// Whether the port that receives a MIDI clock is open. Control thread.
  package var isClockOpen: Bool { midi.contains { $0.hasClock && $0.isOpen } }

  public func next() -> InputEvent? {
    if returned == events.count {
      bell.clear()
      collect()
    }
    guard returned < events.count else { return nil }
    returned += 1
    return events[returned - 1]
  }

  /// Does not use `EVIOCGKEY`: that would discard unread events.
  public func isDown(_ button: Button, at origin: Origin) -> Bool {
    collect()
    guard slots.indices.contains(origin.number - 1) else { return false }
    return slots[origin.number - 1].isDown(button) || midi.contains { $0.isDown(button, at: origin) }
  }

  /// Starts or ends learning. As long as `touched` is set, it receives what is moved on any device, also on one that is plugged in
  /// meanwhile; the devices then send no events except a MIDI clock. It is called by ``next()`` and ``isDown(_:at:)``, and must not
  /// call this function.
  public func learn(_ touched: ((InputTouch) -> Void)?) {
    var lost: [InputEvent] = []
    listening = nil
    for port in midi {
      port.touched = touched
      port.interrupt(&lost)
    }
    if let touched {
      var names: [dev_t: InputRequest.Device] = [:]
      for slot in slots { if let number = slot.device?.number { names[number] = slot.request.device } }
      for index in slots.indices where slots[index].device != nil {
        slots[index].close(at: clock.now, appendingTo: &lost)
      }
      let listening = Listening(names, touched)
      listening.open(beside: midi, group)
      self.listening = listening
    } else {
      lost += seek(mayHaveChanged: true)
    }
    guard !lost.isEmpty else { return }
    events += lost
    bell.ring()
  }

  /// Closes the devices. No more events follow.
  public func release() {
    listening = nil
    slots = []
    for port in midi { port.close() }
    midi = []
  }

  private func collect() {
    guard group.isReadable else { return }
    var new: [InputEvent] = []
    var hasLost = false
    for index in slots.indices {
      guard let text = slots[index].read(at: clock.now, appendingTo: &new) else { continue }
      hasLost = true
      notice(text)
    }
    for port in midi { hasLost = port.read(appendingTo: &new) || hasLost }
    listening?.read()
    let mayHaveChanged = watch.drainEvents() || hasLost
    let hasRung = timer.clear()
    if mayHaveChanged || hasRung { new += seek(mayHaveChanged: mayHaveChanged) }
    events.removeFirst(returned)
    returned = 0
    let sorted = new.enumerated().sorted { ($0.element.instant, $0.offset) < ($1.element.instant, $1.offset) }
    events += sorted.map(\.element)
    if !events.isEmpty { bell.ring() }
  }

  /// Looks for missing devices, and for devices that match better than the open devices. Returns the `interrupted` events of
  /// the devices that were closed.
  ///
  /// - Parameter mayHaveChanged: whether devices may have appeared or disappeared; false: only the timer rang.
  @discardableResult
  private func seek(mayHaveChanged: Bool) -> [InputEvent] {
    for port in midi { port.seek() }
    if let listening {
      if listening.open(beside: midi, group) || mayHaveChanged { timer.ring(after: EventDevices.retryInterval) }
      return []
    }
    if midi.contains(where: { $0.isRefused || mayHaveChanged && !$0.isOpen }) {
      timer.ring(after: EventDevices.retryInterval)
    }
    guard slots.contains(where: { !$0.isSatisfied }) else { return [] }
    let files = EventFile.all()
    var lost: [InputEvent] = []
    seekPaths(files, &lost)
    // A device that was closed for a better device may fit another slot. The loop ends, because each exchange gains keys or
    // axes.
    var before: Int
    repeat {
      before = lost.count
      seekNames(files, &lost)
    } while lost.count > before
    if slots.contains(where: \.isBusy) || mayHaveChanged && slots.contains(where: { !$0.isSatisfied }) {
      timer.ring(after: EventDevices.retryInterval)
    }
    return lost
  }

  /// Requests for a path take precedence over requests for a name.
  private func seekPaths(_ files: [EventFile], _ lost: inout [InputEvent]) {
    for index in slots.indices where slots[index].device == nil {
      guard let path = slots[index].request.device.path else { continue }
      let number = EventFile.number(of: path)
      for other in slots.indices where slots[other].device != nil && slots[other].device?.number == number {
        if slots[other].request.device.path == nil { slots[other].close(at: clock.now, appendingTo: &lost) }
      }
      notify(slots[index].open(path, others: files, group: group, at: clock.now, appendingTo: &lost))
    }
  }

  private func seekNames(_ files: [EventFile], _ lost: inout [InputEvent]) {
    for index in slots.indices where !slots[index].isSatisfied {
      guard case .named(let name) = slots[index].request.device else { continue }
      let numbers = slots.compactMap(\.device?.number)
      let candidates = files.filter { !numbers.contains($0.number) && $0.name ?? name == name }
      notify(slots[index].openBest(of: candidates, others: files, group: group, at: clock.now, appendingTo: &lost))
    }
  }

  private func notify(_ text: String?) {
    if let text { notice(text) }
  }
}

/// The devices that are open only while the box learns.
private final class Listening {
  private let touched: (InputTouch) -> Void
  /// The devices that a request means, by their numbers.
  private let names: [dev_t: InputRequest.Device]
  private var devices: [(device: EventDevice, name: InputRequest.Device)] = []
  private var ports: [MIDIInput] = []

  init(_ names: [dev_t: InputRequest.Device], _ touched: @escaping (InputTouch) -> Void) {
    (self.names, self.touched) = (names, touched)
  }

  /// Opens the devices and ports that have appeared. Returns whether one of them cannot be opened yet.
  @discardableResult
  func open(beside used: [MIDIInput], _ group: DescriptorGroup) -> Bool {
    var isRefused = false
    for file in EventFile.all() where !devices.contains(where: { $0.device.number == file.number }) {
      guard let name = names[file.number] ?? file.name.map({ .named($0) }) else { continue }
      do throws(SystemError) {
        devices.append((try EventDevice(file.path, isGrabbed: false, group: group), name))
      } catch {
        isRefused = true
      }
    }
    let new = MIDIInput.others(than: used + ports, group: group, touched: touched)
    ports += new.filter(\.isOpen)
    return isRefused || new.contains { $0.isRefused }
  }

  func read() {
    devices.removeAll { device, name in
      do throws(SystemError) {
        try device.read { item in
          guard case .event(let event, _) = item else { return }
          switch Int32(event.type) {
          case EV_KEY where event.value != 2:
            touched(.key(KeyCode(number: event.code), isDown: event.value != 0, on: name))
          case EV_REL where !["REL_WHEEL_HI_RES", "REL_HWHEEL_HI_RES"].contains(EventDevice.name(EV_REL, event.code)):
            touched(.turn(AxisCode(number: event.code), by: Int(event.value), on: name))
          default: break
          }
        }
        return false
      } catch {
        return true
      }
    }
    var events: [InputEvent] = []
    ports.removeAll { $0.read(appendingTo: &events) }
  }
}

/// Reports new input devices: when a file is created, gets its permissions a moment later, and then its links by name.
final class DeviceWatch {
  private static let appearances = Int(IN_CREATE) | Int(IN_MOVED_TO)
  private static let folders = ["/dev/input", "/dev/input/by-id", "/dev/snd"]

  private let watch: FileWatch
  private let folders: Set<String>

  /// - Parameters:
  ///   - paths: files to watch for besides the files in the usual folders.
  ///   - group: becomes readable when devices may have appeared.
  init(for paths: [String], group: DescriptorGroup) throws(SystemError) {
    let parents = paths.compactMap { path in path.lastIndex(of: "/").map { String(path[..<$0]) } }
    folders = Set(DeviceWatch.folders + parents.filter { !$0.isEmpty && $0 != "/dev" })
    watch = try FileWatch()
    try group.add(watch.descriptor)
    watchFolders()
  }

  /// Whether devices may have appeared since the last call. Never blocks.
  func drainEvents() -> Bool {
    let hasEvents = watch.drainEvents()
    if hasEvents { watchFolders() }
    return hasEvents
  }

  /// The system creates the folders with the first device. Until then, the watch on `/dev` reports their creation.
  private func watchFolders() {
    watch.add("/dev", DeviceWatch.appearances)
    for folder in folders { watch.add(folder, DeviceWatch.appearances | Int(IN_ATTRIB)) }
  }
}
