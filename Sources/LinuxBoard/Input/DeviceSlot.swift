import CLibrary
import HardwareAbstraction
import MetronomeCore

/// A requested device: the request, and the open device while it is present.
struct DeviceSlot {
  /// The state of the device, as last reported.
  private enum State: Hashable {
    case unknown
    case waiting
    /// A device of that name exists, but has none of the requested keys and axes.
    case unfit(path: String, lacking: [String])
    case refused(path: String, errno: Int32)
    case held(path: String, lacking: [String])
  }

  let request: InputRequest
  private(set) var device: EventDevice?
  private let origin: Origin
  private var decoder: EventDecoder
  private var state = State.unknown
  /// How many of the requested keys and axes the device has.
  private var worth = 0
  /// Whether another program has grabbed a matching device. The kernel does not report the release of a device.
  private(set) var isBusy = false

  init(_ request: InputRequest, at origin: Origin) {
    self.request = request
    self.origin = origin
    decoder = EventDecoder(request, from: origin)
  }

  /// Whether the request is fully met, so that the search can stop. A ``MIDIInput`` looks for MIDI controllers.
  var isSatisfied: Bool {
    if case .midi = request.device { return true }
    return device != nil && (request.device.path != nil || worth == request.keys.count + request.relative.count)
  }

  func isDown(_ button: Button) -> Bool { device != nil && decoder.isDown(button) }

  /// Reads and decodes events. Returns a notice for the user when the device was removed.
  mutating func read(at now: Instant, appendingTo events: inout [InputEvent]) -> String? {
    guard let device else { return nil }
    do throws(SystemError) {
      try device.read { item in
        switch item {
        case .event(let event, let instant): decoder.decode(event, at: instant, appendingTo: &events)
        case .loss(let instant):
          decoder.reset(isDown: device.isDown)
          events.append(.interrupted(origin, at: instant))
        }
      }
      return nil
    } catch {
      close(at: now, appendingTo: &events)
      state = .waiting
      return "the input \(request.device.text) was removed; waiting for it"
    }
  }

  /// Closes the device.
  mutating func close(at now: Instant, appendingTo events: inout [InputEvent]) {
    device = nil
    worth = 0
    isBusy = false
    decoder = EventDecoder(request, from: origin)
    state = .unknown
    events.append(.interrupted(origin, at: now))
  }

  /// Opens the requested file. Returns a notice for the user if the state has changed. `others` are the present devices; the
  /// notice lists them if no device matches.
  mutating func open(
    _ path: String, others: [EventFile], group: DescriptorGroup, at now: Instant, appendingTo events: inout [InputEvent]
  ) -> String? {
    update(openFirst(of: [path], otherwise: .waiting, group, now, &events), others)
  }

  /// Opens the device of the requested name that has most of the requested keys and axes, if it has more than the current
  /// device. Returns a notice for the user if the state has changed. `files` are in order, without the open devices.
  mutating func openBest(
    of files: [EventFile], others: [EventFile], group: DescriptorGroup, at now: Instant,
    appendingTo events: inout [InputEvent]
  ) -> String? {
    var fit: [(path: String, worth: Int)] = []
    var unfit: State?
    var refusal: State?
    for file in files {
      do throws(SystemError) {
        let found = try EventDevice(file.path, isGrabbed: false, group: nil)
        guard let worth = found.worth(to: request) else { continue }
        if worth > self.worth { fit.append((file.path, worth)) }
        if worth == 0, unfit == nil { unfit = .unfit(path: file.path, lacking: found.lacks(request)) }
      } catch {
        if refusal == nil { refusal = DeviceSlot.refusal(error, of: file.path) }
      }
    }
    let ranked = fit.enumerated().sorted { ($1.element.worth, $0.offset) < ($0.element.worth, $1.offset) }
    let paths = ranked.map(\.element.path)
    return update(openFirst(of: paths, otherwise: refusal ?? unfit ?? .waiting, group, now, &events), others)
  }

  /// Opens the first of `paths` that can be opened, and closes the current device.
  private mutating func openFirst(
    of paths: [String], otherwise: State, _ group: DescriptorGroup, _ now: Instant, _ events: inout [InputEvent]
  ) -> State {
    var refusal: State?
    isBusy = false
    for path in paths {
      do throws(SystemError) {
        let new = try EventDevice(path, isGrabbed: request.isGrabbed, group: group)
        // The path may belong to another device by now.
        guard let worth = new.worth(to: request), worth > self.worth || request.device.path != nil else { continue }
        if device != nil { close(at: now, appendingTo: &events) }
        decoder.reset(isDown: new.isDown)
        device = new
        self.worth = worth
        if isSatisfied { isBusy = false }
        return .held(path: path, lacking: new.lacks(request))
      } catch {
        if error.errno == EBUSY { isBusy = true }
        if refusal == nil { refusal = DeviceSlot.refusal(error, of: path) }
      }
    }
    return device == nil ? refusal ?? otherwise : state
  }

  /// The state after a file could not be opened; nil if the device has disappeared, because that is not a refusal.
  private static func refusal(_ error: SystemError, of path: String) -> State? {
    [ENOENT, ENODEV, ENXIO].contains(error.errno) ? nil : .refused(path: path, errno: error.errno)
  }

  /// Stores the new state. Returns the notice for the user if the state has changed.
  private mutating func update(_ new: State, _ others: [EventFile]) -> String? {
    guard new != state else { return nil }
    state = new
    let input = "the input \(request.device.text)"
    switch state {
    case .unknown: return nil
    case .waiting:
      // The names are not shortened, so that the user can copy them.
      let names = others.compactMap(\.name).map { "\"\(shownName($0))\"" }
      let devices =
        names.isEmpty
        ? "no input device is connected" : "the connected devices are \(names.joined(separator: ", "))"
      return "waiting for \(input); \(devices)"
    case .unfit(let path, let lacking):
      return "\(input): \(shownName(path)) has that name, but no \(lacking.joined(separator: ", ")); "
        + "waiting for a device with this name and these keys"
    case .refused(let path, EACCES), .refused(let path, EPERM): return "\(input): \(accessAdvice(path))"
    case .refused(_, EBUSY): return "\(input) is grabbed by another program; waiting for it"
    case .refused(let path, ENOTTY):
      return "\(input): \(shownName(path)) is not an event device; waiting for an event device"
    case .refused(let path, let errno):
      return "\(input): \(shownName(path)) cannot be opened: \(reason(errno))"
    case .held(let path, let lacking):
      let lack = lacking.isEmpty ? "" : "; it has no \(lacking.joined(separator: ", "))"
      return "\(input) is connected as \(shownName(path))\(lack)"
    }
  }
}

extension InputRequest.Device {
  /// The device, as shown in messages.
  var text: String {
    switch self {
    case .named(let name): "\"\(shownName(name))\""
    case .path(let path): shownName(path)
    case .midi(let device): device.text
    }
  }

  /// The requested device file; nil if the device is requested by name.
  var path: String? {
    if case .path(let path) = self { path } else { nil }
  }
}
