import MetronomeCore

/// What a script's MIDI clock does: the lines that begin with `midi`.
public enum ScriptedClock: Hashable, Sendable {
  /// Clocks for a time, at a tempo in thousandths of a BPM that changes evenly to another one.
  case clocks(from: Int, to: Int, for: Nanoseconds, Flaws = Flaws())
  case start, `continue`, stop
  /// In sixteenth notes.
  case position(Int)
  /// The cable of the clock input is unplugged: what is sent does not arrive.
  case unplug, plug

  /// The faults of simulated clocks. The line's time seeds the random numbers.
  public struct Flaws: Hashable, Sendable {
    /// Each clock is late by up to this time.
    public var jitter = Nanoseconds.zero
    /// How many clocks do not arrive, and how many arrive twice: 0 to 100,000 thousandths of a percent.
    public var loss = 0
    public var doubling = 0

    public init(jitter: Nanoseconds = .zero, loss: Int = 0, doubling: Int = 0) {
      (self.jitter, self.loss, self.doubling) = (jitter, loss, doubling)
    }

    fileprivate var text: String {
      (jitter == .zero ? "" : " jitter \(jitter.text)") + (loss == 0 ? "" : " loss \(decimal(thousandths: loss))%")
        + (doubling == 0 ? "" : " doubling \(decimal(thousandths: doubling))%")
    }

    /// How many times a clock arrives, and how late.
    fileprivate func arrivals(using random: inout SeededRandom) -> [Nanoseconds] {
      let late = jitter == .zero ? 0 : Int64.random(in: 0...jitter.count, using: &random)
      let isLost = loss > 0 && Int.random(in: 0..<Flaws.whole, using: &random) < loss
      let isDoubled = doubling > 0 && Int.random(in: 0..<Flaws.whole, using: &random) < doubling
      return isLost ? [] : [Nanoseconds](repeating: Nanoseconds(late), count: isDoubled ? 2 : 1)
    }

    /// 100 %.
    fileprivate static let whole = 100_000
  }

  /// The line after its time.
  var text: String {
    switch self {
    case .clocks(let from, let to, let time, let flaws):
      "midi clock \(decimal(thousandths: from))\(from == to ? "" : "-\(decimal(thousandths: to))") for \(time.text)"
        + flaws.text
    case .start: "midi start"
    case .continue: "midi continue"
    case .stop: "midi stop"
    case .position(let sixteenths): "midi position \(sixteenths)"
    case .unplug: "midi unplug"
    case .plug: "midi plug"
    }
  }

  private static let longest = Nanoseconds.seconds(24 * 3_600)
  private static let forms =
    "write \"midi clock 120 for 10s\", \"midi clock 80-160 for 2m jitter 1ms loss 1% doubling 1%\", \"midi start\", "
    + "\"midi continue\", \"midi stop\", \"midi position 16\", \"midi unplug\", \"midi plug\", or \"midi out 1\" and "
    + "\"unplug\", \"plug\" or \"full 300ms\""

  /// Reads the words after `midi`.
  init(words: [String]) throws(ScriptLine.Problem) {
    switch (words.first, words.count) {
    case ("start", 1): self = .start
    case ("continue", 1): self = .continue
    case ("stop", 1): self = .stop
    case ("unplug", 1): self = .unplug
    case ("plug", 1): self = .plug
    case ("position", 2):
      guard let sixteenths = Int(words[1]), (0...16_383).contains(sixteenths) else {
        throw ScriptLine.Problem("invalid song position \(quoted(words[1])); write 0 to 16383 sixteenths")
      }
      self = .position(sixteenths)
    case ("clock", 4...) where words[2] == "for":
      let tempi = words[1].split(separator: "-", omittingEmptySubsequences: false).map { Tempo(decimal: String($0)) }
      guard (1...2).contains(tempi.count), let from = tempi[0], let to = tempi[tempi.count - 1] else {
        throw ScriptLine.Problem("invalid tempo \(quoted(words[1])); write 120 or 80-160")
      }
      self = .clocks(
        from: Int(from.milliBPM), to: Int(to.milliBPM), for: try ScriptedClock.time(words[3]),
        try ScriptedClock.flaws(words))
    default: throw ScriptedClock.problem(words)
    }
  }

  static func problem(_ words: [String]) -> ScriptLine.Problem {
    ScriptLine.Problem("invalid MIDI event \(quoted((["midi"] + words).joined(separator: " "))); \(forms)")
  }

  /// Reads the pairs of words after the length.
  private static func flaws(_ words: [String]) throws(ScriptLine.Problem) -> Flaws {
    var flaws = Flaws()
    guard words.count.isMultiple(of: 2) else { throw problem(words) }
    for index in stride(from: 4, to: words.count, by: 2) {
      switch words[index] {
      case "jitter" where flaws.jitter == .zero: flaws.jitter = try time(words[index + 1])
      case "loss" where flaws.loss == 0: flaws.loss = try percent(words[index + 1])
      case "doubling" where flaws.doubling == 0: flaws.doubling = try percent(words[index + 1])
      default: throw problem(words)
      }
    }
    return flaws
  }

  static func time(_ text: String) throws(ScriptLine.Problem) -> Nanoseconds {
    guard let time = Nanoseconds(text: text), time <= longest else {
      throw ScriptLine.Problem("invalid time \(quoted(text)); write \(Nanoseconds.textForm), up to 24 hours")
    }
    return time
  }

  /// In thousandths.
  private static func percent(_ text: String) throws(ScriptLine.Problem) -> Int {
    let share = text.hasSuffix("%") ? thousandths(ofDecimal: text.dropLast()) : nil
    guard let share, share <= Flaws.whole else {
      throw ScriptLine.Problem("invalid percentage \(quoted(text)); write 0% to 100%")
    }
    return share
  }

  /// The messages as they arrive, from an instant on.
  package func actions(at start: Instant) -> [InputAction] {
    func message(_ kind: ClockMessage.Kind) -> [InputAction] { [.clock(ClockMessage(kind, at: start))] }
    switch self {
    case .start: return message(.start)
    case .continue: return message(.continue)
    case .stop: return message(.stop)
    case .position(let sixteenths): return message(.songPosition(sixteenths))
    case .unplug: return [.unplug(.midiClock, at: start)]
    case .plug: return [.plug(.midiClock, at: start)]
    case .clocks(let from, let to, let time, let flaws):
      var random = SeededRandom(seed: UInt64(bitPattern: start.nanoseconds))
      return ScriptedClock.times(from: from, to: to, for: time).flatMap { due in
        flaws.arrivals(using: &random).map { .clock(ClockMessage(.clock, at: start + due + $0)) }
      }
    }
  }

  /// The instants of the clocks: with the tempo linear in time, clock k is at t where f₀t + (f₁ - f₀)t² / 2T = k, in clocks per
  /// nanosecond.
  private static func times(from: Int, to: Int, for time: Nanoseconds) -> [Nanoseconds] {
    let (first, last) = (Double(from) * 24 / 60e12, Double(to) * 24 / 60e12)
    let slope = (last - first) / max(Double(time.count), 1)
    var times: [Nanoseconds] = []
    while true {
      let clock = Double(times.count)
      let square = first * first + 2 * slope * clock
      // A source that slows down never reaches a clock long after its end.
      guard square >= 0 else { return times }
      let root = square.squareRoot()
      // The form without cancellation.
      let due = Nanoseconds(Int64((2 * clock / (first + root)).rounded()))
      guard due < time else { return times }
      times.append(due)
    }
  }
}
