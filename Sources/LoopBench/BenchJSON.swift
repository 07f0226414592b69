import MetronomeCore

/// The result as programs read it, to be encoded with keys in snake case: `version` (1), and names that end with their units.
/// Keys may be added; those there are stay.
public struct BenchJSON: Encodable {
  struct Loop: Encodable {
    var name: String
    var title: String
    var waits: UInt64
    /// How many of them ended before their time.
    var early: UInt64
    var p50Us: Double?
    var p99Us: Double?
    var p999Us: Double?
    var maxUs: Double?
    var driftNsPerWait: Double?
    var driftPpm: Double?
    var cpuUsPerWait: Double?
    var cpuShare: Double?
    /// From, to and how many, in nanoseconds.
    var histogramNs: [[Int64]]

    init(_ loop: LoopFigures) {
      let histogram = loop.histogram
      func micro(_ nanoseconds: Double?) -> Double? { nanoseconds.map { $0 / 1_000 } }
      name = loop.loop.rawValue
      title = loop.loop.title
      waits = histogram.count
      early = histogram.countBelowZero
      p50Us = micro(loop.lateness(0.5))
      p99Us = micro(loop.lateness(0.99))
      p999Us = micro(loop.overallLateness(0.999))
      maxUs = micro(loop.overallLateness(1))
      driftNsPerWait = loop.drift
      driftPpm = loop.driftPPM
      cpuUsPerWait = micro(loop.processorTime)
      cpuShare = loop.processorShare
      histogramNs = histogram.buckets.map { bucket in
        [bucket.bounds.lowerBound.count, bucket.bounds.upperBound.count, Int64(bucket.count)]
      }
    }
  }

  struct Limit: Encodable {
    var text: String
    var most: Double
    var found: Double?
    var met: Bool?
  }

  struct SetCall: Encodable {
    var chip: String
    var p50Us: Double?
    var p99Us: Double?
    var maxUs: Double?
  }

  struct Sound: Encodable {
    var card: String
    var driftPpm: Double
    var deviationUs: Double
    var locked: Bool
  }

  let version = 1
  let machine: String
  let seconds: Double
  let blocks: Int
  let waitUs: Double
  let loops: [Loop]
  let bounds: [Limit]
  let setCall: SetCall?
  let sound: Sound?
  let notices: [String]

  public init(_ result: BenchResult) {
    func micro(_ time: Nanoseconds?) -> Double? { time.map { Double($0.count) / 1_000 } }
    machine = result.machine
    seconds = Double(result.length.count) / 1e9
    blocks = result.blocks
    waitUs = Double(result.wait.count) / 1_000
    loops = result.loops.map(Loop.init)
    bounds = result.bounds.map { Limit(text: $0.text, most: $0.most, found: $0.found, met: $0.isMet) }
    setCall = result.setCall.map { call in
      SetCall(
        chip: call.chip, p50Us: micro(call.cost.quantile(0.5)), p99Us: micro(call.cost.quantile(0.99)),
        maxUs: micro(call.cost.longest))
    }
    sound = result.sound.map { sound in
      Sound(
        card: sound.card, driftPpm: sound.health.ratePPM, deviationUs: Double(sound.health.deviation.count) / 1_000,
        locked: sound.health.isLocked)
    }
    notices = result.notices
  }
}
