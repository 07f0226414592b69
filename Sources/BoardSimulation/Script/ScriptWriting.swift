import HardwareAbstraction
import MetronomeCore

extension Script {
  /// The script as ``init(text:file:)`` reads it back: a line for each thing that happens, in order of time.
  public var text: String {
    var lines: [(time: Nanoseconds, text: String)] = contactLines
    lines += actions.map { ($0.instant - .zero, $0.text) }
    lines += chipActions.map { ($0.instant - .zero, $0.text) }
    lines += reloads.map { ($0.time, "reload \($0.file)") }
    lines += mishaps.map { ($0.time, $0.what.text) }
    let sorted = lines.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
    return sorted.map { "\($0.element.time.text) \($0.element.text)\n" }.joined()
  }

  /// A contact that closes and opens before anything else happens to it is a press.
  private var contactLines: [(time: Nanoseconds, text: String)] {
    var lines: [(time: Nanoseconds, text: String)] = []
    var isTaken = [Bool](repeating: false, count: contacts.count)
    for (index, contact) in contacts.enumerated() where !isTaken[index] {
      let rest = contacts[(index + 1)...]
      let next = rest.firstIndex { $0.button == contact.button && $0.origin == contact.origin }
      let place = contact.button.rawValue + (contact.origin == .box ? "" : "@\(contact.origin.number)")
      if contact.isDown, let next, !contacts[next].isDown, contacts[next].time > contact.time {
        isTaken[next] = true
        let held = contacts[next].time - contact.time
        let length = held == Script.standardHold ? "" : " \(held.text)"
        lines.append((contact.time, "press \(place)\(length)"))
      } else {
        lines.append((contact.time, "\(contact.isDown ? "down" : "up") \(place)"))
      }
    }
    return lines
  }
}

extension InputAction {
  fileprivate var text: String {
    switch self {
    case .turn(let turn): "turn \(turn.dial.rawValue)@\(turn.origin.number) \(turn.detents)"
    case .unplug(let origin, _): "unplug \(origin.number)"
    case .plug(let origin, _): "plug \(origin.number)"
    case .edge, .overflow: preconditionFailure("a script has no words for \(self)")
    }
  }
}

extension ChipAction {
  fileprivate var text: String {
    switch self {
    case .unplug: "unplug chip"
    case .plug: "plug chip"
    }
  }
}

extension Mishap {
  /// As a script has it after the time.
  public var text: String {
    switch self {
    case .cardStops: "card stops"
    case .cardSleeps(let forGood): forGood ? "card sleeps for good" : "card sleeps"
    case .cardFails: "card fails"
    case .cardFreezes: "card freezes"
    case .cardRefuses(let times): "card refuses \(times)"
    case .cardUnplugged: "card unplug"
    case .cardPlugged: "card plug"
    case .cardDrifts(let ppb): "card drifts \(Mishap.text(ppb))"
    case .late(let loop, let time): "late \(loop.rawValue) \(time.text)"
    case .clockSlews(let ppb): "clock slews \(Mishap.text(ppb))"
    case .diskFull: "disk full"
    case .diskFree: "disk free"
    case .diskFails(let times): "disk fails \(times)"
    case .powerCut: "power cut"
    case .powerOn: "power on"
    case .restart: "restart"
    }
  }

  private static func text(_ ppb: Int64) -> String {
    "\(ppb > 0 ? "+" : ppb < 0 ? "-" : "")\(decimal(thousandths: Int(ppb.magnitude)))ppm"
  }
}

extension Script {
  /// ENOSPC, EIO
  private static let noSpace: Int32 = 28
  private static let ioError: Int32 = 5
  /// For ever, and still far from where sums of instants end: a century.
  private static let ages = Nanoseconds.seconds(100 * 365 * 86_400)

  /// What befalls card and disk, as a plan.
  public func faults(from start: Instant) -> FaultPlan {
    var plan = FaultPlan()
    var unpluggedSince: Instant?
    var fullSince: Instant?
    for mishap in mishaps {
      let instant = start + mishap.time
      switch mishap.what {
      case .cardStops: plan.befall(.stops, at: instant)
      case .cardSleeps(let forGood): plan.befall(.sleeps(wakes: !forGood), at: instant)
      case .cardFails: plan.befall(.fails(errno: Script.ioError), at: instant)
      case .cardFreezes: plan.befall(.freezes, at: instant)
      case .cardRefuses(let times): plan.befall(.takesNothing(times: times), at: instant)
      case .cardDrifts(let ppb): plan.drift(ppb, from: instant)
      case .cardUnplugged: unpluggedSince = unpluggedSince ?? instant
      case .cardPlugged:
        if let since = unpluggedSince, since < instant { plan.unplugCard(during: since..<instant) }
        unpluggedSince = nil
      case .diskFull: fullSince = fullSince ?? instant
      case .diskFree:
        if let since = fullSince, since < instant {
          plan.fail(.saveState, errno: Script.noSpace, on: .during(since..<instant))
        }
        fullSince = nil
      case .diskFails(let times): plan.fail(.saveState, errno: Script.ioError, on: .next(times, from: instant))
      case .late, .clockSlews, .powerCut, .powerOn, .restart: break
      }
    }
    let end = start + Script.ages
    if let since = unpluggedSince { plan.unplugCard(during: since..<end) }
    if let since = fullSince { plan.fail(.saveState, errno: Script.noSpace, on: .during(since..<end)) }
    return plan
  }

  /// When and how much the clock is slewed.
  public func slews(from start: Instant) -> [VirtualClock.Slew] {
    var slews: [VirtualClock.Slew] = []
    var current: (since: Instant, ppb: Int64) = (start, 0)
    func end(at instant: Instant) {
      guard current.ppb != 0, current.since < instant else { return }
      slews.append(VirtualClock.Slew(current.since..<instant, ratePPB: current.ppb))
    }
    for mishap in mishaps {
      guard case .clockSlews(let ppb) = mishap.what else { continue }
      end(at: start + mishap.time)
      current = (start + mishap.time, ppb)
    }
    end(at: start + Script.ages)
    return slews
  }
}
