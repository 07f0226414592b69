import Glibc
import HardwareAbstraction
import MetronomeCore

/// The devices beside the box, as the kernel's event devices (`/dev/input/event*`).
///
/// A device is had while it is there: it may come later, go and come back under another number. Nothing about it ends the
/// program; what a person should know is told once for each change.
///
/// Without ``InputRequest/isGrabbed`` a keyboard's keys also reach the console, where they type, and some of them (the
/// power key, Ctrl+Alt+Del) do more.
public final class EventDevices: ControlInputs {
  /// How long after something came that was not to be had yet it is tried once more: rights and links come later.
  private static let patience = Nanoseconds.seconds(1)

  /// To be polled for reading: readable when there are events, and when devices come or go. Always the same.
  public var descriptor: Int32 { group.descriptor }

  private let group: DescriptorGroup
  private let watch: DeviceWatch
  private let timer: TimerDescriptor
  /// Rings while something that was read is still to be handed on: the devices themselves are readable no more.
  private let bell: EventDescriptor
  private let notice: (String) -> Void
  private let clock = LinuxClock()
  private var slots: [DeviceSlot]
  /// What was read from the devices; the first ``taken`` of it has been handed on.
  private var events: [InputEvent] = []
  private var taken = 0

  /// Looks for devices, and opens those that are there.
  ///
  /// - Parameters:
  ///   - requests: the first is origin 1.
  ///   - notice: told, in one line each, what a person should know: which devices are there, gone, waited for, or not to
  ///     be had.
  public init(_ requests: [InputRequest], notice: @escaping (String) -> Void) throws(SystemError) {
    self.notice = notice
    group = try DescriptorGroup()
    watch = try DeviceWatch(for: requests.compactMap(\.device.path), group: group)
    timer = try TimerDescriptor(group: group)
    bell = try EventDescriptor()
    try group.add(bell.descriptor)
    slots = requests.enumerated().map { DeviceSlot($1, at: Origin(number: $0 + 1)) }
    seek(isNews: true)
  }

  public var count: Int { slots.count }

  public func next() -> InputEvent? {
    if taken == events.count {
      bell.clear()
      collect()
    }
    guard taken < events.count else { return nil }
    taken += 1
    return events[taken - 1]
  }

  /// The kernel's own word on it (`EVIOCGKEY`) is not asked for: it would throw away presses that were not read yet.
  public func isDown(_ button: Button, at origin: Origin) -> Bool {
    collect()
    guard slots.indices.contains(origin.number - 1) else { return false }
    return slots[origin.number - 1].isDown(button)
  }

  /// Gives the devices back. After it there are no more events.
  public func release() {
    slots = []
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
    let isNews = watch.takeNews() || hasLost
    let isTime = timer.takeRing()
    if isNews || isTime { new += seek(isNews: isNews) }
    events.removeFirst(taken)
    taken = 0
    events += new.enumerated().sorted { ($0.element.instant, $0.offset) < ($1.element.instant, $1.offset) }
      .map(\.element)
    if !events.isEmpty { bell.ring() }
  }

  /// Looks for the devices that are not there, and for better ones than those that are.
  ///
  /// - Parameter isNews: whether something has changed; otherwise it is looked again because it may have.
  /// - Returns: what is to be told of devices that are had no more.
  @discardableResult
  private func seek(isNews: Bool) -> [InputEvent] {
    guard slots.contains(where: { !$0.isSatisfied }) else { return [] }
    let files = EventFile.all()
    var lost: [InputEvent] = []
    seekPaths(files, &lost)
    // What was given back for a better one may be what another waits for. It ends: each exchange is for more.
    var before: Int
    repeat {
      before = lost.count
      seekNames(files, &lost)
    } while lost.count > before
    if slots.contains(where: \.isBusy) || isNews && slots.contains(where: { !$0.isSatisfied }) {
      timer.ring(after: EventDevices.patience)
    }
    return lost
  }

  /// Who asks for one certain device comes before those who want any of that name.
  private func seekPaths(_ files: [EventFile], _ lost: inout [InputEvent]) {
    for index in slots.indices where slots[index].device == nil {
      guard let path = slots[index].request.device.path else { continue }
      let number = EventFile.number(of: path)
      for other in slots.indices where slots[other].device != nil && slots[other].device?.number == number {
        if slots[other].request.device.path == nil { slots[other].letGo(at: clock.now, appendingTo: &lost) }
      }
      tell(slots[index].open(path, others: files, group: group, at: clock.now, appendingTo: &lost))
    }
  }

  private func seekNames(_ files: [EventFile], _ lost: inout [InputEvent]) {
    for index in slots.indices where !slots[index].isSatisfied {
      guard case .named(let name) = slots[index].request.device else { continue }
      let numbers = slots.compactMap(\.device?.number)
      let candidates = files.filter { !numbers.contains($0.number) && $0.name ?? name == name }
      tell(slots[index].openBest(of: candidates, others: files, group: group, at: clock.now, appendingTo: &lost))
    }
  }

  private func tell(_ text: String?) {
    if let text { notice(text) }
  }
}

/// Tells when input devices come.
///
/// A device's file is made, gets its rights a moment later, and after that its links by name: all of it is told.
final class DeviceWatch {
  private static let news = Int(IN_CREATE) | Int(IN_MOVED_TO)
  private static let folders = ["/dev/input", "/dev/input/by-id"]

  private let watch: FileWatch
  private let folders: Set<String>

  /// - Parameters:
  ///   - paths: files that are waited for besides those in the usual folders.
  ///   - group: becomes readable when devices may have come.
  init(for paths: [String], group: DescriptorGroup) throws(SystemError) {
    let parents = paths.compactMap { path in path.lastIndex(of: "/").map { String(path[..<$0]) } }
    folders = Set(DeviceWatch.folders + parents.filter { !$0.isEmpty && $0 != "/dev" })
    watch = try FileWatch()
    try group.add(watch.descriptor)
    look()
  }

  /// Whether devices may have come since this was asked last. Never waits.
  func takeNews() -> Bool {
    let hasNews = watch.takeNews()
    if hasNews { look() }
    return hasNews
  }

  /// The folders are there while there are devices, or were some; until then they are waited for in the folder above.
  private func look() {
    watch.add("/dev", DeviceWatch.news)
    for folder in folders { watch.add(folder, DeviceWatch.news | Int(IN_ATTRIB)) }
  }
}
