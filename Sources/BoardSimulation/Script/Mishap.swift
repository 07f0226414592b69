import HardwareAbstraction
import MetronomeCore

/// An injected fault of the box: of card, clock, disk, display, power or a loop.
public enum Mishap: Hashable, Sendable {
  /// The sound card stops, as after an underrun.
  case cardStops
  /// The card is suspended until it is resumed; `forGood`: resuming fails.
  case cardSleeps(forGood: Bool)
  /// Every call fails until the card is closed.
  case cardFails
  /// The card's playback position does not advance until the card is closed or restarted.
  case cardFreezes
  /// The next `times` writes accept no frames.
  case cardRefuses(times: Int)
  case cardUnplugged
  case cardPlugged
  /// From now on the card's crystal runs this many parts per billion (10⁻⁹) faster than nominal.
  case cardDrifts(ppb: Int64)
  /// One of the above happens to the second card. Without one nothing happens.
  indirect case onSecondCard(Mishap)
  /// The loop's first wake-up from now on is delayed by this time.
  case late(Simulation.Loop, by: Nanoseconds)
  /// From now on time synchronization makes the clock run this many parts per billion (10⁻⁹) faster.
  case clockSlews(ppb: Int64)
  /// Saving fails for lack of space until ``diskFree``.
  case diskFull
  case diskFree
  /// The next `times` writes in a row fail.
  case diskFails(times: Int)
  /// The display does not answer until ``displayPlugged``. Without a display nothing happens.
  case displayUnplugged
  case displayPlugged
  /// A MIDI output, counted from 1, is unplugged. Without such a port nothing happens.
  case midiUnplugged(Int)
  case midiPlugged(Int)
  /// The buffer of a MIDI output accepts nothing for a time.
  case midiFull(Int, for: Nanoseconds)
  /// The power is cut.
  case powerCut
  /// The power returns.
  case powerOn
  /// The metronome is shut down cleanly and started again.
  case restart

  /// Whether the mishap is possible only with a simulated disk.
  public var needsSimulatedDisk: Bool {
    switch self {
    case .diskFull, .diskFree, .diskFails, .powerCut, .powerOn: true
    case .cardStops, .cardSleeps, .cardFails, .cardFreezes, .cardRefuses, .cardUnplugged, .cardPlugged, .cardDrifts,
      .onSecondCard, .displayUnplugged, .displayPlugged, .late, .clockSlews, .midiUnplugged, .midiPlugged, .midiFull,
      .restart:
      false
    }
  }

  /// The mishaps that a script writes as a subject and a verb, in the order in which messages list them, with example
  /// values.
  static let ofSubjects: [Mishap] = [
    .cardStops, .cardSleeps(forGood: false), .cardFails, .cardFreezes, .cardRefuses(times: 1), .cardDrifts(ppb: 0),
    .cardUnplugged, .cardPlugged, .clockSlews(ppb: 0), .diskFull, .diskFree, .diskFails(times: 1),
    .displayUnplugged, .displayPlugged, .powerCut, .powerOn,
  ]

  var words: [String] { text.split(separator: " ").map(String.init) }

  /// The text that follows the time in a script.
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
    case .onSecondCard(let mishap): "card2" + mishap.text.dropFirst(4)
    case .late(let loop, let time): "late \(loop.name) \(time.text)"
    case .clockSlews(let ppb): "clock slews \(Mishap.text(ppb))"
    case .diskFull: "disk full"
    case .diskFree: "disk free"
    case .diskFails(let times): "disk fails \(times)"
    case .displayUnplugged: "display unplug"
    case .displayPlugged: "display plug"
    case .midiUnplugged(let port): "midi out \(port) unplug"
    case .midiPlugged(let port): "midi out \(port) plug"
    case .midiFull(let port, let time): "midi out \(port) full \(time.text)"
    case .powerCut: "power cut"
    case .powerOn: "power on"
    case .restart: "restart"
    }
  }

  private static func text(_ ppb: Int64) -> String {
    "\(ppb > 0 ? "+" : ppb < 0 ? "-" : "")\(decimal(thousandths: Int(ppb.magnitude)))ppm"
  }
}

extension Mishap {
  /// The MIDI output that the mishap concerns, counted from 1.
  package var midiPort: Int? {
    switch self {
    case .midiUnplugged(let port), .midiPlugged(let port), .midiFull(let port, _): port
    default: nil
    }
  }

  /// The highest number of a MIDI output.
  private static let maxPorts = 8

  /// Reads the words after `midi`, the first of which is `out`.
  init(midiWords words: [String]) throws(ScriptLine.Problem) {
    guard words.count >= 3, let port = Int(words[1]), (1...Mishap.maxPorts).contains(port) else {
      throw ScriptedClock.problem(words)
    }
    switch (words[2], words.count) {
    case ("unplug", 3): self = .midiUnplugged(port)
    case ("plug", 3): self = .midiPlugged(port)
    case ("full", 4): self = .midiFull(port, for: try ScriptedClock.time(words[3]))
    default: throw ScriptedClock.problem(words)
    }
  }
}

extension Script {
  /// The error numbers ENXIO, ENOSPC and EIO.
  private static let noDevice: Int32 = 6
  private static let noSpace: Int32 = 28
  private static let ioError: Int32 = 5
  /// A century: longer than any simulation, and short enough that no sum of instants overflows.
  private static let ages = Nanoseconds.seconds(100 * 365 * 86_400)

  /// The faults of card, disk and display, or those of the second card; other mishaps are left out.
  public func faults(from start: Instant, ofSecondCard: Bool = false) -> FaultPlan {
    var plan = FaultPlan()
    var unpluggedSince: Instant?
    var fullSince: Instant?
    var displayUnpluggedSince: Instant?
    let ends: [Mishap] = [.cardPlugged, .diskFree, .displayPlugged]
    let own = ofSecondCard ? mishapsOfSecondCard : mishaps
    for mishap in own + ends.map({ TimedMishap($0, at: Script.ages) }) {
      let instant = start + mishap.time
      switch mishap.what {
      case .cardStops: plan.schedule(.stops, at: instant)
      case .cardSleeps(let forGood): plan.schedule(.sleeps(wakes: !forGood), at: instant)
      case .cardFails: plan.schedule(.fails(.other, errno: Script.ioError), at: instant)
      case .cardFreezes: plan.schedule(.freezes, at: instant)
      case .cardRefuses(let times): plan.schedule(.acceptsNothing(times: times), at: instant)
      case .cardDrifts(let ppb): plan.drift(ppb, from: instant)
      case .cardUnplugged: unpluggedSince = unpluggedSince ?? instant
      case .cardPlugged:
        if let since = unpluggedSince, since < instant { plan.unplugCard(during: since..<instant) }
        unpluggedSince = nil
      case .diskFull: fullSince = fullSince ?? instant
      case .diskFree:
        if let since = fullSince, since < instant {
          plan.fail(.saveState, .full, errno: Script.noSpace, on: .during(since..<instant))
        }
        fullSince = nil
      case .diskFails(let times): plan.fail(.saveState, .other, errno: Script.ioError, on: .next(times, from: instant))
      case .displayUnplugged: displayUnpluggedSince = displayUnpluggedSince ?? instant
      case .displayPlugged:
        if let since = displayUnpluggedSince, since < instant {
          plan.fail(.writeDisplay, .gone, errno: Script.noDevice, on: .during(since..<instant))
        }
        displayUnpluggedSince = nil
      case .onSecondCard, .late, .clockSlews, .midiUnplugged, .midiPlugged, .midiFull, .powerCut, .powerOn, .restart:
        break
      }
    }
    return plan
  }

  private var mishapsOfSecondCard: [TimedMishap] {
    mishaps.compactMap { if case .onSecondCard(let own) = $0.what { TimedMishap(own, at: $0.time) } else { nil } }
  }

  /// When, and by how much, the clock is slewed.
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
