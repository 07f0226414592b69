import MetronomeCore

/// What other programs do through the control socket in a script: the lines that begin with `do` or `link`.
public enum ScriptedControl: Hashable, Sendable {
  /// A command in the words of the configuration arrives. It was given this time ago.
  case command(String, ago: Nanoseconds = .zero)
  /// The box finds a Link session with this tempo, in thousandths of a quarter per minute.
  case join(milliBPM: Int)
  /// Another peer changes the tempo.
  case tempo(milliBPM: Int)
  /// The estimate of the session's clock steps by this time, forwards or backwards.
  case step(Nanoseconds)
  /// The session goes on this far ahead, in thousandths of a quarter.
  case jump(milliQuarters: Int)
  /// Another peer starts or stops the shared transport.
  case start, stop
  /// The last peer leaves.
  case leave
  /// The program that reports the session ends without a word.
  case vanish

  /// Whether the event belongs to a Link session.
  public var isOfSession: Bool { if case .command = self { false } else { true } }

  /// The line after its time.
  var text: String {
    switch self {
    case .command(let words, let ago): "do \(ago == .zero ? "" : "\(ago.text) ago ")\(words)"
    case .join(let tempo): "link join \(decimal(thousandths: tempo))"
    case .tempo(let tempo): "link tempo \(decimal(thousandths: tempo))"
    case .step(let time): "link step \(time < .zero ? "-" : "+")\(Nanoseconds(abs(time.count)).text)"
    case .jump(let quarters): "link jump \(decimal(thousandths: quarters))"
    case .start: "link start"
    case .stop: "link stop"
    case .leave: "link leave"
    case .vanish: "link vanish"
    }
  }

  private static let longestStep = Nanoseconds.seconds(1)
  private static let farthestJump = 1_000_000
  private static let forms =
    "write \"link join 133\", \"link tempo 92.5\", \"link step +1.5ms\", \"link jump 1.5\", \"link start\", \"link stop\", "
    + "\"link leave\" or \"link vanish\""

  /// Reads the words after `do`.
  init(command words: [String]) throws(ScriptLine.Problem) {
    var (words, ago) = (words[...], Nanoseconds.zero)
    if words.count > 1, words[1] == "ago" {
      ago = try ScriptedClock.time(words[0])
      guard ago > .zero else { throw ScriptLine.Problem("invalid time \(quoted(words[0])); write more than 0") }
      words = words.dropFirst(2)
    }
    guard !words.isEmpty else {
      throw ScriptLine.Problem(
        "missing command after \"do\"; write a command of the configuration, such as \"do tempo 92.5\" or "
          + "\"do 50ms ago tap\"")
    }
    self = .command(words.joined(separator: " "), ago: ago)
  }

  /// Reads the words after `link`.
  init(session words: [String]) throws(ScriptLine.Problem) {
    switch (words.first, words.count) {
    case ("join", 2): self = .join(milliBPM: try ScriptedControl.tempo(words[1]))
    case ("tempo", 2): self = .tempo(milliBPM: try ScriptedControl.tempo(words[1]))
    case ("step", 2): self = .step(try ScriptedControl.step(words[1]))
    case ("jump", 2):
      guard let quarters = thousandths(ofDecimal: words[1]), (1...ScriptedControl.farthestJump).contains(quarters)
      else {
        throw ScriptLine.Problem("invalid jump \(quoted(words[1])); write 0.001 to 1000 quarters, such as 1.5")
      }
      self = .jump(milliQuarters: quarters)
    case ("start", 1): self = .start
    case ("stop", 1): self = .stop
    case ("leave", 1): self = .leave
    case ("vanish", 1): self = .vanish
    default:
      let text = (["link"] + words).joined(separator: " ")
      throw ScriptLine.Problem("invalid event of a Link session \(quoted(text)); \(ScriptedControl.forms)")
    }
  }

  private static func tempo(_ text: String) throws(ScriptLine.Problem) -> Int {
    guard let tempo = thousandths(ofDecimal: text), Metronome.sessionTempi.contains(tempo) else {
      throw ScriptLine.Problem("invalid tempo \(quoted(text)); write 20 to 999 quarters per minute")
    }
    return tempo
  }

  private static func step(_ text: String) throws(ScriptLine.Problem) -> Nanoseconds {
    let isNegative = text.hasPrefix("-")
    let magnitude = isNegative || text.hasPrefix("+") ? Nanoseconds(text: text.dropFirst()) : nil
    guard let magnitude, magnitude > .zero, magnitude <= longestStep else {
      throw ScriptLine.Problem("invalid step \(quoted(text)); write a sign and a time of up to 1s, such as +1.5ms")
    }
    return isNegative ? .zero - magnitude : magnitude
  }
}
