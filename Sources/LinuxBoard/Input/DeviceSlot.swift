import Glibc
import HardwareAbstraction
import MetronomeCore

/// A place for a device: what was asked for, and the device while it is there.
struct DeviceSlot {
  /// How it stands with the device, as it was last told.
  private enum State: Hashable {
    case unknown
    case waiting
    /// There is one of that name, with nothing of what is asked for.
    case unfit(path: String, lacking: [String])
    case refused(path: String, errno: Int32)
    case held(path: String, lacking: [String])
  }

  let request: InputRequest
  private(set) var device: EventDevice?
  private let origin: Origin
  private var decoder: EventDecoder
  private var state = State.unknown
  /// How much of what is asked for the device has.
  private var worth = 0
  /// Whether another program has a device for itself that would be taken: when it is given back nobody tells.
  private(set) var isBusy = false

  init(_ request: InputRequest, at origin: Origin) {
    self.request = request
    self.origin = origin
    decoder = EventDecoder(request, from: origin)
  }

  /// Whether there is nothing left to be looked for.
  var isSatisfied: Bool {
    device != nil && (request.device.path != nil || worth == request.keys.count + request.relative.count)
  }

  func isDown(_ button: Button) -> Bool { device != nil && decoder.isDown(button) }

  /// Reads what the device tells, and appends what it means.
  ///
  /// - Returns: something to tell a person, when the device is gone.
  mutating func read(at now: Instant, appendingTo events: inout [InputEvent]) -> String? {
    guard let device else { return nil }
    do throws(SystemError) {
      try device.read { news in
        switch news {
        case .event(let event, let instant): decoder.take(event, at: instant, appendingTo: &events)
        case .loss(let instant):
          decoder.look(isDown: device.isDown)
          events.append(.interrupted(origin, at: instant))
        }
      }
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
    worth = 0
    isBusy = false
    decoder = EventDecoder(request, from: origin)
    state = .unknown
    events.append(.interrupted(origin, at: now))
  }

  /// Opens the file that was asked for.
  ///
  /// - Parameter others: the devices that there are, for whoever waits for another one.
  /// - Returns: something to tell a person, if it is new.
  mutating func open(
    _ path: String, others: [EventFile], group: DescriptorGroup, at now: Instant, appendingTo events: inout [InputEvent]
  ) -> String? {
    tell(take([path], otherwise: .waiting, group, now, &events), others)
  }

  /// Opens the device of the name asked for that has most of what is asked for, the first of several, unless the one
  /// that there is has as much. One that has nothing of it is none.
  ///
  /// - Parameter files: in order; none that is held already.
  /// - Returns: something to tell a person, if it is new.
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
    return tell(
      take(ranked.map(\.element.path), otherwise: refusal ?? unfit ?? .waiting, group, now, &events), others)
  }

  /// Takes the first of some devices that can be had, in place of the one that there is.
  ///
  /// - Returns: how it stands then.
  private mutating func take(
    _ paths: [String], otherwise: State, _ group: DescriptorGroup, _ now: Instant, _ events: inout [InputEvent]
  ) -> State {
    var refusal: State?
    isBusy = false
    for path in paths {
      do throws(SystemError) {
        let new = try EventDevice(path, isGrabbed: request.isGrabbed, group: group)
        // It may be another one by now.
        guard let worth = new.worth(to: request), worth > self.worth || request.device.path != nil else { continue }
        if device != nil { letGo(at: now, appendingTo: &events) }
        decoder.look(isDown: new.isDown)
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

  /// What a failure to open a file means; nil if the device is gone again, which is no refusal.
  private static func refusal(_ error: SystemError, of path: String) -> State? {
    [ENOENT, ENODEV, ENXIO].contains(error.errno) ? nil : .refused(path: path, errno: error.errno)
  }

  private mutating func tell(_ new: State, _ others: [EventFile]) -> String? {
    guard new != state else { return nil }
    state = new
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
    case .unfit(let path, let lacking):
      return "\(input): there is one, \(shownName(path)), but it has no \(lacking.joined(separator: ", ")); waiting"
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

  /// The file that is asked for, if it is.
  var path: String? {
    switch self {
    case .named: nil
    case .path(let path): path
    }
  }
}
