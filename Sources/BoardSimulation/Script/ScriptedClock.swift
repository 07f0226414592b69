import MetronomeCore

/// What a script's MIDI clock does: the lines that begin with `midi`.
public enum ScriptedClock: Hashable, Sendable {
  /// Clocks for a time, at a tempo in thousandths of a BPM that changes evenly to another one. Each clock is late by up to
  /// `jitter`, at random.
  case clocks(from: Int, to: Int, for: Nanoseconds, jitter: Nanoseconds)
  case start, `continue`, stop
  /// In sixteenth notes.
  case position(Int)
  /// The cable of the clock input is unplugged: what is sent does not arrive.
  case unplug, plug

  /// The line after its time.
  var text: String {
    switch self {
    case .clocks(let from, let to, let time, let jitter):
      "midi clock \(decimal(thousandths: from))\(from == to ? "" : "-\(decimal(thousandths: to))") for \(time.text)"
        + (jitter == .zero ? "" : " jitter \(jitter.text)")
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
    "write \"midi clock 120 for 10s\", \"midi clock 80-160 for 2m jitter 1ms\", \"midi start\", \"midi continue\", "
    + "\"midi stop\", \"midi position 16\", \"midi unplug\" or \"midi plug\""

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
    case ("clock", 4) where words[2] == "for", ("clock", 6) where words[2] == "for" && words[4] == "jitter":
      let tempi = words[1].split(separator: "-", omittingEmptySubsequences: false).map { Tempo(decimal: String($0)) }
      guard (1...2).contains(tempi.count), let from = tempi[0], let to = tempi[tempi.count - 1] else {
        throw ScriptLine.Problem("invalid tempo \(quoted(words[1])); write 120 or 80-160")
      }
      let times = [words[3]] + (words.count == 6 ? [words[5]] : [])
      let spans = times.map { Nanoseconds(text: $0) }
      for (text, span) in zip(times, spans) where span.map({ $0 > ScriptedClock.longest }) ?? true {
        throw ScriptLine.Problem("invalid time \(quoted(text)); write \(Nanoseconds.textForm), up to 24 hours")
      }
      self = .clocks(
        from: Int(from.milliBPM), to: Int(to.milliBPM), for: spans[0] ?? .zero,
        jitter: spans.count > 1 ? spans[1] ?? .zero : .zero)
    default:
      throw ScriptLine.Problem("invalid MIDI event \(quoted((["midi"] + words).joined(separator: " "))); \(Self.forms)")
    }
  }

  /// The messages as they arrive, from an instant on.
  func actions(at start: Instant) -> [InputAction] {
    func message(_ kind: ClockMessage.Kind) -> [InputAction] { [.clock(ClockMessage(kind, at: start))] }
    switch self {
    case .start: return message(.start)
    case .continue: return message(.continue)
    case .stop: return message(.stop)
    case .position(let sixteenths): return message(.songPosition(sixteenths))
    case .unplug: return [.unplug(.midiClock, at: start)]
    case .plug: return [.plug(.midiClock, at: start)]
    case .clocks(let from, let to, let time, let jitter):
      var random = SeededRandom(seed: UInt64(bitPattern: start.nanoseconds))
      return ScriptedClock.times(from: from, to: to, for: time).map { due in
        let late = jitter == .zero ? 0 : Int64.random(in: 0...jitter.count, using: &random)
        return .clock(ClockMessage(.clock, at: start + due + Nanoseconds(late)))
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
      let root = (first * first + 2 * slope * clock).squareRoot()
      // The form without cancellation.
      let due = Nanoseconds(Int64((2 * clock / (first + root)).rounded()))
      guard due < time else { return times }
      times.append(due)
    }
  }
}
