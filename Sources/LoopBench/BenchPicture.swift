import Glibc
import MetronomeCore

/// The histograms as a picture: how many waits were how late, both on logarithmic scales.
public enum BenchPicture {
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
  public static func svg(_ result: BenchResult) -> String {
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
  package static func columnCounts(_ histogram: HistogramSnapshot) -> [UInt64] {
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
