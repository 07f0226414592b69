import MetronomeCore

extension Figures {
  /// For a person, at a glance: `86,400 beats, p99 12 µs late, none skipped`; nil before the first beat.
  package var summary: String? {
    guard beats > 0 || skippedBeats > 0 else { return nil }
    var parts = ["\(Figures.grouped(beats)) \(beats == 1 ? "beat" : "beats")"]
    if let late = lateness.quantile(0.99) { parts.append("p99 \(Figures.rounded(late)) late") }
    parts.append(skippedBeats == 0 ? "none skipped" : "\(Figures.grouped(skippedBeats)) skipped")
    return parts.joined(separator: ", ")
  }

  /// For programs: one JSON object on one line. Keys may be added; those there are stay.
  ///
  /// - Parameter uptime: for how long it has counted.
  package func json(uptime: Nanoseconds) -> String {
    let quantiles = [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999), ("max", 1)].map { name, share in
      "\"\(name)\":\(lateness.quantile(share).map(Figures.microseconds) ?? "null")"
    }
    let members = [
      "\"uptime_s\":\(decimal(thousandths: Int(uptime.count / 1_000_000)))",
      "\"beats\":\(beats)",
      "\"skipped\":\(skippedBeats)",
      "\"late_us\":{\(quantiles.joined(separator: ","))}",
      "\"missed_clicks\":\(missedClicks)",
      "\"xruns\":\(underruns)",
      "\"reopenings\":\(reopenings)",
      "\"wakeups\":{\"beats\":\(beatWakeups),\"audio\":\(audioWakeups)}",
      "\"failed_sets\":\(failedSets)",
    ]
    return "{" + members.joined(separator: ",") + "}"
  }

  private static func microseconds(_ duration: Nanoseconds) -> String { decimal(thousandths: Int(duration.count)) }

  /// In whole microseconds, in tenths of a millisecond or in tenths of a second: rounded up, as it is what is not exceeded.
  private static func rounded(_ duration: Nanoseconds) -> String {
    let count = duration.count
    if count <= 999_000 { return "\(count.divided(by: 1_000)) µs" }
    let (tenths, unit) =
      count <= 999_900_000 ? (count.divided(by: 100_000), "ms") : (count.divided(by: 100_000_000), "s")
    return "\(grouped(UInt64(tenths / 10))).\(tenths % 10) \(unit)"
  }

  /// A number with a comma before each three digits.
  private static func grouped(_ number: UInt64) -> String {
    var groups: [Substring] = []
    var rest = "\(number)"[...]
    while rest.count > 3 {
      groups.insert(rest.suffix(3), at: 0)
      rest = rest.dropLast(3)
    }
    return ([rest] + groups).joined(separator: ",")
  }
}

extension Int64 {
  /// The quotient, rounded up.
  fileprivate func divided(by divisor: Int64) -> Int64 { self / divisor + (isMultiple(of: divisor) ? 0 : 1) }
}
