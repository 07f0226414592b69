import HardwareAbstraction
import MetronomeCore

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
