import BoardCheck
import MetronomeCore

/// A clock that was sent.
struct SentClock: Hashable, Sendable, BitwiseCopyable {
  /// The instant on the timeline.
  var due: Instant
  /// When the port had accepted it.
  var sent: Instant
}

/// The smallest and the largest of some times, and quantiles: half of them are at most `p50`, 99 % at most `p99`.
struct Spread: Hashable, Sendable {
  var min: Nanoseconds
  var p50: Nanoseconds
  var p99: Nanoseconds
  var max: Nanoseconds

  /// nil for no times.
  init?(_ times: [Nanoseconds]) {
    let sorted = times.sorted()
    guard let first = sorted.first, let last = sorted.last else { return nil }
    func quantile(_ percent: Int) -> Nanoseconds { sorted[(sorted.count * percent + 99) / 100 - 1] }
    (min, p50, p99, max) = (first, quantile(50), quantile(99), last)
  }
}

/// How MIDI clocks left, and how they came back through a cable.
struct MIDIFigures: Hashable, Sendable {
  /// How many clocks were sent, and how many messages of a clock came back.
  let sent: Int
  let received: Int
  /// The clocks that were given up before they were sent.
  let unsent: Int
  /// The clocks that did not come back.
  let lost: Int
  /// The clocks that came back although they had come back already, or that nobody had sent.
  let doubled: Int
  /// The time from a clock's instant until the port had accepted it.
  let sending: Spread?
  /// The time from a clock's instant until it came back; of a clock that came back twice, the first time.
  let arrival: Spread?

  /// Assigns each arrival to the newest clock that it may belong to: a clock comes back up to a quarter of a clock before its instant,
  /// because the instants of a serial port are computed, and else later. A clock that is late by more than three quarters of a clock
  /// therefore counts as lost, and the next one as doubled.
  ///
  /// - Parameters:
  ///   - clocks: in order of time.
  ///   - clockLength: the time from clock to clock.
  init(_ clocks: [SentClock], unsent: Int, arrivals: [Instant], clockLength: Nanoseconds) {
    var first = [Nanoseconds?](repeating: nil, count: clocks.count)
    var (next, doubled) = (0, 0)
    for arrival in arrivals.sorted() {
      while next < clocks.count, clocks[next].due <= arrival + clockLength / 4 { next += 1 }
      if next > 0, first[next - 1] == nil {
        first[next - 1] = arrival - clocks[next - 1].due
      } else {
        doubled += 1
      }
    }
    let found = first.compactMap(\.self)
    (sent, received, lost) = (clocks.count, arrivals.count, clocks.count - found.count)
    (self.unsent, self.doubled) = (unsent, doubled)
    sending = Spread(clocks.map { $0.sent - $0.due })
    arrival = Spread(found)
  }

  /// The difference between the latest and the earliest arrival, each relative to its instant.
  var jitter: Nanoseconds? { arrival.map { $0.max - $0.min } }

  /// Whether each clock was sent and came back once.
  var isComplete: Bool { unsent == 0 && lost == 0 && doubled == 0 }
}

/// The result of the measurement of MIDI ports.
struct MIDIResult: Hashable, Sendable {
  /// Kernel, processors and privileges, on one line.
  var machine: String
  var output: String
  var input: String
  var tempo: Tempo
  var length: Nanoseconds
  var figures: MIDIFigures
  var notices: [String] = []

  /// The result in human-readable form.
  var table: String {
    func row(_ title: String, _ cells: [String]) -> String {
      padded(title, 14) + cells.map { String(repeating: " ", count: max(0, 10 - $0.count)) + $0 }.joined(separator: " ")
    }
    func times(_ title: String, _ spread: Spread?) -> String {
      row(title, spread.map { [$0.min, $0.p50, $0.p99, $0.max].map(micro) } ?? Array(repeating: "–", count: 4))
    }
    let counts =
      "\(figures.sent) clocks sent, \(figures.received) received; \(figures.lost) lost, \(figures.doubled) doubled"
    var lines = [
      machine, "MIDI clock at \(tempo) for \(length.text) from \(output) to \(input)",
      counts + (figures.unsent > 0 ? ", \(figures.unsent) not sent in time" : ""), "",
      row("lateness, µs", ["min", "p50", "p99", "max"]), times("sent", figures.sending),
      times("received", figures.arrival), "",
      "peak-to-peak jitter of the received clocks, µs: \(figures.jitter.map(micro) ?? "–")",
    ]
    if !notices.isEmpty { lines += [""] + notices }
    return lines.joined(separator: "\n") + "\n"
  }

  private func micro(_ time: Nanoseconds) -> String { decimals(Double(time.count) / 1_000, 3) }
}

/// The result in machine-readable form. Names of figures end with their units. Keys may be added; existing keys stay.
struct MIDIJSON: Encodable {
  struct Times: Encodable {
    var minUs: Double
    var p50Us: Double
    var p99Us: Double
    var maxUs: Double

    init(_ spread: Spread) {
      (minUs, p50Us) = (MIDIJSON.micro(spread.min), MIDIJSON.micro(spread.p50))
      (p99Us, maxUs) = (MIDIJSON.micro(spread.p99), MIDIJSON.micro(spread.max))
    }
  }

  let version = 1
  let machine: String
  let seconds: Double
  let output: String
  let input: String
  let bpm: Double
  let clocksSent: Int
  let clocksReceived: Int
  let clocksUnsent: Int
  let clocksLost: Int
  let clocksDoubled: Int
  let sending: Times?
  let arrival: Times?
  let jitterUs: Double?
  let notices: [String]

  init(_ result: MIDIResult) {
    let figures = result.figures
    (machine, output, input, notices) = (result.machine, result.output, result.input, result.notices)
    (seconds, bpm) = (Double(result.length.count) / 1e9, Double(result.tempo.milliBPM) / 1_000)
    (clocksSent, clocksReceived, clocksUnsent) = (figures.sent, figures.received, figures.unsent)
    (clocksLost, clocksDoubled) = (figures.lost, figures.doubled)
    (sending, arrival) = (figures.sending.map(Times.init), figures.arrival.map(Times.init))
    jitterUs = figures.jitter.map(MIDIJSON.micro)
  }

  private static func micro(_ time: Nanoseconds) -> Double { Double(time.count) / 1_000 }
}
