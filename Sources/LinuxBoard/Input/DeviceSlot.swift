import CLinux
import Glibc
import HardwareAbstraction
import MetronomeCore

/// A place for a device: what was asked for, and the device while it is there.
struct DeviceSlot {
  /// How it stands with the device, as it was last told.
  private enum State: Hashable {
    case unknown
    case waiting
    case refused(path: String, errno: Int32)
    case held(path: String, lacking: [String])
  }

  let request: InputRequest
  private(set) var device: EventDevice?
  private let origin: Origin
  private var decoder: EventDecoder
  private var state = State.unknown

  init(_ request: InputRequest, at origin: Origin) {
    self.request = request
    self.origin = origin
    decoder = EventDecoder(request, from: origin)
  }

  /// Whether another program has the device for itself: when it is given back nobody tells.
  var isBusy: Bool {
    if case .refused(_, EBUSY) = state { true } else { false }
  }

  func isDown(_ button: Button) -> Bool { device != nil && decoder.isDown(button) }

  /// Reads what the device tells, and appends what it means.
  ///
  /// - Returns: something to tell a person, when the device is gone.
  mutating func read(at now: Instant, appendingTo events: inout [InputEvent]) -> String? {
    guard let device else { return nil }
    do throws(SystemError) {
      let isAll = try device.read { decoder.take($0, appendingTo: &events) }
      guard isAll, decoder.hasLostEvents else { return nil }
      let keys = device.keysDown
      decoder.look(isDown: keys.contains)
      events.append(.interrupted(origin, at: decoder.instant))
      return nil
    } catch {
      letGo(at: now, appendingTo: &events)
      state = .waiting
      return "the input \(request.device.text) is gone; waiting for it"
    }
  }

  /// Closes the device.
  mutating func letGo(at now: Instant, appendingTo events: inout [InputEvent]) {
    device = nil
    decoder = EventDecoder(request, from: origin)
    state = .unknown
    events.append(.interrupted(origin, at: now))
  }

  /// Opens the first of some files that can be opened and is the device that was asked for.
  ///
  /// - Parameter others: the devices that there are, for whoever waits for another one.
  /// - Returns: something to tell a person, if it is new.
  mutating func open(_ paths: [String], others: [EventFile], group: DescriptorGroup) -> String? {
    var found = State.waiting
    for path in paths {
      do throws(SystemError) {
        let device = try EventDevice(path, isGrabbed: request.isGrabbed, group: group)
        guard request.device.isSatisfied(by: device) else { continue }
        let keys = device.keysDown
        decoder.look(isDown: keys.contains)
        self.device = device
        found = .held(path: path, lacking: device.lacks(request))
        break
      } catch {
        // Gone again, and no refusal.
        guard ![ENOENT, ENODEV, ENXIO].contains(error.errno) else { continue }
        found = .refused(path: path, errno: error.errno)
      }
    }
    guard found != state else { return nil }
    state = found
    return text(others)
  }

  private func text(_ others: [EventFile]) -> String? {
    let input = "the input \(request.device.text)"
    switch state {
    case .unknown: return nil
    case .waiting:
      // Whole, to be copied from here.
      let names = others.compactMap(\.name).map { "\"\(shownName($0))\"" }
      return "waiting for \(input); there " + (names.isEmpty ? "is none" : "are \(names.joined(separator: ", "))")
    case .refused(let path, EACCES), .refused(let path, EPERM): return "\(input): \(accessAdvice(path))"
    case .refused(_, EBUSY): return "\(input) is in use: another program has it for itself; waiting for it"
    case .refused(let path, ENOTTY): return "\(input): \(shownName(path)) is no event device; waiting for one"
    case .refused(let path, let errno):
      return "\(input): \(shownName(path)) cannot be opened: \(String(cString: strerror(errno)))"
    case .held(let path, let lacking):
      let lack = lacking.isEmpty ? "" : "; it has no \(lacking.joined(separator: ", "))"
      return "\(input) is there, as \(shownName(path))\(lack)"
    }
  }
}

extension InputRequest.Device {
  /// As a message shows it.
  var text: String {
    switch self {
    case .named(let name): "\"\(shownName(name))\""
    case .path(let path): shownName(path)
    }
  }

  fileprivate func isSatisfied(by device: EventDevice) -> Bool {
    switch self {
    case .named(let name): device.name == name
    case .path: true
    }
  }
}
