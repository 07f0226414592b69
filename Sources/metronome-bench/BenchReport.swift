import Glibc
import MetronomeCore

/// The result as a person reads it.
enum BenchTable {
  private static let shares = [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999), ("max", 1)]
  private static let widths = [10, 10, 10, 10, 13, 9, 11, 9]

  static func text(_ result: BenchResult) -> String {
    let heading =
      "\(result.blocks) block\(result.blocks == 1 ? "" : "s") in turn, \(result.length.text) in all, waits of \(micro(result.wait)) µs; medians, but p99.9 and "
      + "max of all waits"
    var lines = [result.machine, heading, ""]
    lines += loops(result.loops) + [""] + bounds(result.bounds)
    let others = [setCall(result.setCall), sound(result.sound)].compactMap(\.self) + result.notices
    if !others.isEmpty { lines += [""] + others }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func loops(_ loops: [LoopFigures]) -> [String] {
    let width = (loops.map(\.loop.title.count).max() ?? 0)
    let heads = shares.map(\.0) + ["drift ns/wait", "ppm", "CPU µs/wait", "CPU"]
    let header = row(padded("late, µs", width), heads)
    return [header]
      + loops.map { loop in
        let lateness = [
          loop.lateness(0.5), loop.lateness(0.99), loop.overallLateness(0.999), loop.overallLateness(1),
        ]
        let late = lateness.map { $0.map { decimals($0 / 1_000, 2) } }
        let rest = [
          loop.drift.map { decimals($0, 1) }, loop.driftPPM.map { decimals($0, 2) },
          loop.processorTime.map { decimals($0 / 1_000, 2) }, loop.processorShare.map(percent),
        ]
        return row(padded(loop.loop.title, width), (late + rest).map { $0 ?? "–" })
      }
  }

  private static func bounds(_ bounds: [Bound]) -> [String] {
    let width = (bounds.map(\.text.count).max() ?? 0)
    return [padded("bounds", width) + "    at most      found"]
      + bounds.map { bound in
        let isShare = bound.text.contains("processor")
        let write = { isShare ? percent($0) : decimals($0, 5) }
        let found = leading(bound.found.map(write) ?? "–", 10)
        let verdict = bound.isMet.map { $0 ? "met" : "NOT MET" } ?? "not measured"
        return padded(bound.text, width) + " " + leading(write(bound.most), 10) + " " + found + "  " + verdict
      }
  }

  private static func setCall(_ call: BenchResult.SetCall?) -> String? {
    guard let call else { return nil }
    let figures = shares.compactMap { name, share in call.cost.quantile(share).map { "\(name) \(micro($0))" } }
    return "setting the lines of \(call.chip) takes, µs: \(figures.joined(separator: ", "))"
  }

  private static func sound(_ sound: BenchResult.Sound?) -> String? {
    guard let sound else { return nil }
    let health = sound.health
    let state = health.isLocked ? "locked" : "not locked"
    let deviation = micro(health.deviation)
    let rate = (health.ratePPM < 0 ? "" : "+") + decimals(health.ratePPM, 1)
    return
      "the clock of \(sound.card): \(state), \(rate) ppm, readings \(deviation) µs off its map on average"
  }

  private static func row(_ title: String, _ cells: [String]) -> String {
    title + zip(cells, widths).map { leading($0, $1) }.joined(separator: " ")
  }

  private static func micro(_ time: Nanoseconds) -> String { decimals(Double(time.count) / 1_000, 2) }

  private static func percent(_ share: Double) -> String { decimals(share * 100, 3) + " %" }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  private static func leading(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}

/// A number with so many decimals, 1 to 6.
func decimals(_ value: Double, _ places: Int) -> String {
  var scale = 1
  for _ in 0..<places { scale *= 10 }
  let scaled = Int((abs(value) * Double(scale)).rounded())
  let fraction = String(scaled % scale + scale).dropFirst()
  return (value < 0 && scaled > 0 ? "-" : "") + "\(scaled / scale).\(fraction)"
}

/// The result as programs read it, to be encoded with keys in snake case: `version` (1), and names that end with their units.
/// Keys may be added; those there are stay.
struct BenchJSON: Encodable {
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

  init(_ result: BenchResult) {
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

/// The histograms as a picture: how many waits were how late, both on logarithmic scales.
enum BenchPicture {
  /// Of the field in which the lines are.
  private static let left = 84.0
  private static let right = 930.0
  private static let top = 86.0
  private static let bottom = 440.0
  /// Of lateness: columns a decade. What is earlier than the first decade is in its first column.
  private static let columns = 20
  private static let firstDecade = 2
  private static let lastDecade = 8
  /// Of the share of all waits, below one.
  private static let decadesOfShare = 5

  /// As SVG.
  static func svg(_ result: BenchResult) -> String {
    let title = "How late loops are that wait \(decimals(Double(result.wait.count) / 1_000, 2)) µs, over and over"
    let parts =
      [opening, text(left, 32, title, "title"), text(left, 56, result.machine, "small")]
      + grid + result.loops.map(line) + legend(result.loops) + ["</svg>"]
    return parts.joined(separator: "\n") + "\n"
  }

  private static let opening = """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 560" width="960" height="560" font-family="sans-serif">
    <style>.title{font-size:20px}.small{font-size:13px;fill:#555}.tick{font-size:12px;fill:#555;text-anchor:middle}\
    .share{font-size:12px;fill:#555;text-anchor:end}.key{font-size:12px}\
    .grid{stroke:#ddd;stroke-width:1}.curve{fill:none;stroke-width:2;stroke-linejoin:round}</style>
    <rect width="960" height="560" fill="#fff"/>
    """

  // MARK: Scales

  private static var span: Double { Double((lastDecade - firstDecade) * columns) }

  private static func x(_ column: Double) -> Double { left + (right - left) * column / span }

  /// - Parameter share: of all waits, in ten to the power of it.
  private static func y(_ power: Double) -> Double {
    let clamped = min(max(power, -Double(decadesOfShare)), 0)
    return top - (bottom - top) * clamped / Double(decadesOfShare)
  }

  private static let decades: [(exponent: Int, name: String)] = [
    (2, "100 ns"), (3, "1 µs"), (4, "10 µs"), (5, "100 µs"), (6, "1 ms"), (7, "10 ms"), (8, "100 ms"),
  ]

  private static var grid: [String] {
    let across = decades.flatMap { exponent, name in
      let x = x(Double((exponent - firstDecade) * columns))
      return [rule(x, top, x, bottom), text(x, bottom + 20, name, "tick")]
    }
    let down = (0...decadesOfShare).flatMap { power in
      let y = y(-Double(power))
      let name = ["all", "1 in 10", "1 in 100", "1 in 1,000", "1 in 10⁴", "1 in 10⁵"][power]
      return [rule(left, y, right, y), text(left - 8, y + 4, name, "share")]
    }
    return across + down
  }

  // MARK: Curves

  private static func colour(_ loop: Contender) -> String {
    switch loop {
    case .cyclictest: "#555555"
    case .timer: "#0072b2"
    case .spinning: "#009e73"
    case .playing: "#56b4e9"
    case .nanosleep: "#e69f00"
    case .python: "#d55e00"
    }
  }

  /// Steps: each column as high as the share of the waits in it.
  private static func line(_ loop: LoopFigures) -> String {
    let histogram = loop.histogram
    guard histogram.count > 0 else { return "" }
    let counts = columnCounts(histogram)
    var points: [String] = []
    for (column, count) in counts.enumerated() {
      let y = y(count == 0 ? -Double(decadesOfShare) : log10(Double(count) / Double(histogram.count)))
      points.append("\(decimals(x(Double(column)), 1)),\(decimals(y, 1))")
      points.append("\(decimals(x(Double(column + 1)), 1)),\(decimals(y, 1))")
    }
    let path = points.joined(separator: " ")
    return "<polyline class=\"curve\" stroke=\"\(colour(loop.loop))\" points=\"\(path)\"/>"
  }

  /// How many waits fall into each column.
  static func columnCounts(_ histogram: HistogramSnapshot) -> [UInt64] {
    var counts = [UInt64](repeating: 0, count: (lastDecade - firstDecade) * columns)
    for bucket in histogram.buckets {
      let middle = Double(bucket.bounds.lowerBound.count + bucket.bounds.upperBound.count) / 2
      let column = Int(((log10(max(middle, 1)) - Double(firstDecade)) * Double(columns)).rounded(.down))
      counts[min(max(column, 0), counts.count - 1)] += bucket.count
    }
    return counts
  }

  private static func legend(_ loops: [LoopFigures]) -> [String] {
    loops.enumerated().flatMap { index, loop in
      let (x, y) = (left + Double(index % 2) * 440, 488 + Double(index / 2) * 24)
      let late = [0.5, 0.99].map { loop.lateness($0).map { decimals($0 / 1_000, 2) } ?? "–" }
      let name = "\(loop.loop.title): p50 \(late[0]), p99 \(late[1]) µs"
      let key = "<rect x=\"\(decimals(x, 1))\" y=\"\(decimals(y - 10, 1))\" width=\"18\" height=\"8\""
      return [key + " fill=\"\(colour(loop.loop))\"/>", text(x + 26, y, name, "key")]
    }
  }

  // MARK: Elements

  private static func rule(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> String {
    let ends = [("x1", x1), ("y1", y1), ("x2", x2), ("y2", y2)].map { "\($0)=\"\(decimals($1, 1))\"" }
    return "<line class=\"grid\" \(ends.joined(separator: " "))/>"
  }

  private static func text(_ x: Double, _ y: Double, _ text: String, _ style: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      default: escaped.append(character)
      }
    }
    return "<text class=\"\(style)\" x=\"\(decimals(x, 1))\" y=\"\(decimals(y, 1))\">\(escaped)</text>"
  }
}
