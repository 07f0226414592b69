import BoardCheck
import Glibc
import MetronomeCore

/// The result in human-readable form.
enum BenchTable {
  private static let shares = [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999), ("max", 1)]
  private static let widths = [10, 10, 10, 10, 13, 9, 11, 9]

  static func text(_ result: BenchResult) -> String {
    let heading =
      "\(result.blocks) block\(result.blocks == 1 ? "" : "s") in \(result.length.text), waits of \(micro(result.wait)) µs; "
      + "figures are medians over the blocks; p99.9 and max are over all waits"
    var lines = [result.machine, heading, ""]
    lines += loops(result.loops) + [""] + bounds(result.bounds)
    let others = [setCall(result.setCall), audio(result.audio)].compactMap(\.self) + result.notices
    if !others.isEmpty { lines += [""] + others }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func loops(_ loops: [LoopFigures]) -> [String] {
    let width = loops.map(\.loop.title.count).max() ?? 0
    let heads = shares.map(\.0) + ["drift ns/wait", "ppm", "CPU µs/wait", "CPU"]
    return [row(padded("lateness, µs", width), heads)]
      + loops.map { loop in
        let late = loop.tableLateness.map { $0.map { decimals($0 / 1_000, 2) } }
        let rest = [
          loop.drift.map { decimals($0, 1) }, loop.driftPPM.map { decimals($0, 2) },
          loop.processorTime.map { decimals($0 / 1_000, 2) }, loop.processorShare.map(percent),
        ]
        return row(padded(loop.loop.title, width), (late + rest).map { $0 ?? "–" })
      }
  }

  private static func bounds(_ bounds: [Bound]) -> [String] {
    let width = bounds.map(\.text.count).max() ?? 0
    return [padded("figure", width) + "      limit   measured"]
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
    return "time to set the lines of \(call.chip), µs: \(figures.joined(separator: ", "))"
  }

  private static func audio(_ audio: BenchResult.Audio?) -> String? {
    guard let audio else { return nil }
    let health = audio.health
    let state = health.isLocked ? "locked" : "not locked"
    let rate = (health.ratePPM < 0 ? "" : "+") + decimals(health.ratePPM, 1)
    return
      "clock of \(audio.card): \(state), \(rate) ppm, mean deviation of the readings \(micro(health.deviation)) µs"
  }

  private static func row(_ title: String, _ cells: [String]) -> String {
    title + zip(cells, widths).map { leading($0, $1) }.joined(separator: " ")
  }

  private static func micro(_ time: Nanoseconds) -> String { decimals(microseconds(time), 2) }

  private static func percent(_ share: Double) -> String { decimals(share * 100, 3) + " %" }

  private static func leading(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}

/// A number with `places` decimals, 1 to 6.
func decimals(_ value: Double, _ places: Int) -> String {
  var scale = 1
  for _ in 0..<places { scale *= 10 }
  let scaled = Int((abs(value) * Double(scale)).rounded())
  let fraction = String(scaled % scale + scale).dropFirst()
  return (value < 0 && scaled > 0 ? "-" : "") + "\(scaled / scale).\(fraction)"
}

/// The result in machine-readable form. Names of figures end with their units. Keys may be added; existing keys stay.
struct BenchJSON: Encodable {
  struct Loop: Encodable {
    var name: String
    var title: String
    var waits: UInt64
    /// The number of waits that ended before their deadline.
    var early: UInt64
    var p50Us: Double?
    var p99Us: Double?
    var p999Us: Double?
    var maxUs: Double?
    var driftNsPerWait: Double?
    var driftPpm: Double?
    var cpuUsPerWait: Double?
    var cpuShare: Double?
    /// Bins: lower and upper bound in nanoseconds, and the count.
    var histogramNs: [[Int64]]
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

  struct Audio: Encodable {
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
  let sound: Audio?
  let notices: [String]

  init(_ result: BenchResult) {
    machine = result.machine
    seconds = Double(result.length.count) / 1e9
    blocks = result.blocks
    waitUs = microseconds(result.wait)
    loops = result.loops.map(BenchJSON.loop)
    bounds = result.bounds.map { Limit(text: $0.text, most: $0.most, found: $0.found, met: $0.isMet) }
    setCall = result.setCall.map {
      SetCall(
        chip: $0.chip, p50Us: $0.cost.quantile(0.5).map(microseconds), p99Us: $0.cost.quantile(0.99).map(microseconds),
        maxUs: $0.cost.longest.map(microseconds))
    }
    sound = result.audio.map {
      Audio(
        card: $0.card, driftPpm: $0.health.ratePPM, deviationUs: microseconds($0.health.deviation),
        locked: $0.health.isLocked)
    }
    notices = result.notices
  }

  private static func loop(_ loop: LoopFigures) -> Loop {
    let histogram = loop.histogram
    let late = loop.tableLateness.map { $0.map { $0 / 1_000 } }
    return Loop(
      name: loop.loop.rawValue, title: loop.loop.title, waits: histogram.count, early: histogram.countBelowZero,
      p50Us: late[0], p99Us: late[1], p999Us: late[2], maxUs: late[3], driftNsPerWait: loop.drift,
      driftPpm: loop.driftPPM, cpuUsPerWait: loop.processorTime.map { $0 / 1_000 }, cpuShare: loop.processorShare,
      histogramNs: histogram.buckets.map { [$0.bounds.lowerBound.count, $0.bounds.upperBound.count, Int64($0.count)] })
  }
}

extension LoopFigures {
  /// p50 and p99 as medians over the blocks, then p99.9 and the maximum over all waits, in nanoseconds.
  fileprivate var tableLateness: [Double?] {
    [lateness(0.5), lateness(0.99), overallLateness(0.999), overallLateness(1)]
  }
}

private func microseconds(_ time: Nanoseconds) -> Double { Double(time.count) / 1_000 }

/// The lateness histograms as a picture, with logarithmic axes.
enum BenchPicture {
  /// The left edge of the plot area.
  private static let left = 84.0
  private static let right = 930.0
  private static let top = 86.0
  private static let bottom = 440.0
  /// Columns per decade of lateness. The first column also contains the waits below the first decade.
  private static let columns = 20
  private static let firstDecade = 2
  private static let lastDecade = 8
  /// The decades of the vertical axis, which shows the share of all waits, below 1.
  private static let decadesOfShare = 5

  static func svg(_ result: BenchResult) -> String {
    let title = "Lateness of loops that repeatedly wait \(decimals(microseconds(result.wait), 2)) µs"
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

  private static var span: Double { Double((lastDecade - firstDecade) * columns) }

  private static func x(_ column: Double) -> Double { left + (right - left) * column / span }

  /// - Parameter power: the decimal logarithm of the share of all waits.
  private static func y(_ power: Double) -> Double {
    let clamped = min(max(power, -Double(decadesOfShare)), 0)
    return top - (bottom - top) * clamped / Double(decadesOfShare)
  }

  private static var grid: [String] {
    let decades = ["100 ns", "1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms"]
    let across = decades.enumerated().flatMap { decade, name in
      let x = x(Double(decade * columns))
      return [rule(x, top, x, bottom), text(x, bottom + 20, name, "tick")]
    }
    let shares = ["all", "1 in 10", "1 in 100", "1 in 1,000", "1 in 10⁴", "1 in 10⁵"]
    let down = (0...decadesOfShare).flatMap { power in
      let y = y(-Double(power))
      return [rule(left, y, right, y), text(left - 8, y + 4, shares[power], "share")]
    }
    return across + down
  }

  private static func color(_ loop: Contender) -> String {
    switch loop {
    case .cyclictest: "#555555"
    case .timer: "#0072b2"
    case .spinning: "#009e73"
    case .playing: "#56b4e9"
    case .nanosleep: "#e69f00"
    case .python: "#d55e00"
    }
  }

  /// A step line. The height of a column is the share of waits in it.
  private static func line(_ loop: LoopFigures) -> String {
    let histogram = loop.histogram
    guard histogram.count > 0 else { return "" }
    let counts = columnCounts(histogram)
    let points = counts.enumerated().flatMap { column, count in
      let y = y(count == 0 ? -Double(decadesOfShare) : log10(Double(count) / Double(histogram.count)))
      return [column, column + 1].map { "\(decimals(x(Double($0)), 1)),\(decimals(y, 1))" }
    }
    let path = points.joined(separator: " ")
    return "<polyline class=\"curve\" stroke=\"\(color(loop.loop))\" points=\"\(path)\"/>"
  }

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
      return [key + " fill=\"\(color(loop.loop))\"/>", text(x + 26, y, name, "key")]
    }
  }

  private static func rule(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> String {
    let ends = [("x1", x1), ("y1", y1), ("x2", x2), ("y2", y2)].map { "\($0)=\"\(decimals($1, 1))\"" }
    return "<line class=\"grid\" \(ends.joined(separator: " "))/>"
  }

  private static func text(_ x: Double, _ y: Double, _ text: String, _ style: String) -> String {
    let escaped = text.map { $0 == "&" ? "&amp;" : $0 == "<" ? "&lt;" : String($0) }.joined()
    return "<text class=\"\(style)\" x=\"\(decimals(x, 1))\" y=\"\(decimals(y, 1))\">\(escaped)</text>"
  }
}
