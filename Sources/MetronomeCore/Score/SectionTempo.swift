/// The tempo of a section from its beginning to its end.
public enum SectionTempo: Hashable, Sendable {
  case constant(ScoreTempo)
  case change(TempoCurve.Shape, from: ScoreTempo, to: ScoreTempo)
  /// One tempo for each beat.
  case eachBeat([ScoreTempo])
  case steps(TempoSteps)
}

/// A tempo that goes up or down in steps: `60+5/4bar..120!stay`.
public struct TempoSteps: Hashable, Sendable {
  public enum Unit: String, Hashable, Sendable, CaseIterable {
    case bar
    case beat
    /// A step follows at the first bar line at or after the time, to the nearest nanosecond.
    case second = "s"
  }

  public enum End: String, Hashable, Sendable, CaseIterable {
    /// Goes on at the last tempo.
    case stay
    /// Ends the section.
    case stop
    /// Begins again at the first tempo.
    case again
    /// Goes back in the same steps, and up and down from then on.
    case reverse
  }

  /// In millionths of a BPM.
  public var first: Int64
  public var step: Int64
  public var last: Int64
  public var length: Int64
  public var unit: Unit
  public var end: End

  /// nil if the step is zero or leads away from the last tempo.
  public init?(first: Int64, step: Int64, last: Int64, every length: Int64, _ unit: Unit, end: End) {
    guard step != 0, (step > 0) == (last > first), length > 0 else { return nil }
    (self.first, self.step, self.last) = (first, step, last)
    (self.length, self.unit, self.end) = (length, unit, end)
  }

  /// Parses steps such as `60+5/4bar..120!stop`; the error shows the correct form.
  public init(text: some StringProtocol) throws(NotationError) {
    let problem: ScoreTempoError
    do throws(ScoreTempoError) {
      guard case .steps(let steps) = try SectionTempo.steps(Substring(text), .quarter) else {
        preconditionFailure("no steps")
      }
      self = steps
      return
    } catch {
      problem = error
    }
    throw NotationError(line: 1, column: 1, text: problem.text)
  }

  /// The shortest text that ``init(text:)`` parses to these steps.
  public var text: String {
    let sign = step > 0 ? "+" : "-"
    let ending = end == .stay ? "" : "!\(end.rawValue)"
    return ScoreTempo.number(first) + sign + ScoreTempo.number(abs(step)) + "/\(length)\(unit.rawValue).."
      + ScoreTempo.number(last) + ending
  }

  /// The tempi from the first to the last; the last step may be smaller. With ``End/reverse``, also the tempi of the way back,
  /// without the first tempo.
  public var turn: [ScoreTempo] {
    var tempi = Array(stride(from: first, to: last, by: Int64.Stride(step))) + [last]
    if end == .reverse { tempi += tempi.dropFirst().dropLast().reversed() }
    return tempi.compactMap { ScoreTempo(microBPM: $0) }
  }
}

extension SectionTempo {
  /// The tempo at the beginning.
  var first: ScoreTempo {
    switch self {
    case .constant(let tempo): tempo
    case .change(_, let first, _): first
    case .eachBeat(let tempi): tempi[0]
    case .steps(let steps): steps.turn[0]
    }
  }

  /// The tempo to which it changes; nil: it is constant.
  var target: ScoreTempo? {
    if case .constant = self { return nil }
    return last
  }

  /// The last tempo that is written, which `=` in the next entry takes over.
  var last: ScoreTempo {
    switch self {
    case .constant(let tempo): tempo
    case .change(_, _, let last): last
    case .eachBeat(let tempi): tempi[tempi.count - 1]
    case .steps(let steps): ScoreTempo(microBPM: steps.last) ?? first
    }
  }
}

/// Why a text is not the tempo of a section.
struct ScoreTempoError: Error {
  let text: String

  init(_ text: String) { self.text = text }
}

extension SectionTempo {
  /// Reads a tempo that counts the metre's beat unit. `before` is the tempo at the end of the entry before.
  static func read(
    _ text: Substring, bars: Int64?, _ metre: Metre, before: ScoreTempo?
  ) throws(ScoreTempoError) -> SectionTempo {
    if text == "=" {
      guard let before else { throw ScoreTempoError("= needs an entry before it") }
      return .constant(before)
    }
    if text.has("/") {
      if text.contains("..") { return try steps(text, metre.unit) }
      throw ScoreTempoError(
        "klick's \(quoted(text)) is for its command line; write steps such as 80+1/10bar..120, or 80-120")
    }
    if text.has(",") {
      var tempi: [ScoreTempo] = []
      for part in text.split(separator: ",", omittingEmptySubsequences: false) {
        tempi.append(try scoreTempo(part, metre.unit))
      }
      guard let bars, bars <= 1_000_000, tempi.count == bars * Int64(metre.beatsInBar) else {
        let hint = tempi.count == 2 ? "; a decimal has a point, such as 92.5" : ""
        throw ScoreTempoError("the list has \(tempi.count) tempi; it needs one for each beat of all bars" + hint)
      }
      return .eachBeat(tempi)
    }
    let shapes: [(sign: Unicode.Scalar, shape: TempoCurve.Shape)] = [
      ("-", .linearInBeats), (">", .linearInTime), ("~", .linearInPeriod),
    ]
    guard let (sign, shape) = shapes.first(where: { text.has($0.sign) }) else {
      return .constant(try scoreTempo(text, metre.unit))
    }
    let parts = text.split(separator: Character(sign), omittingEmptySubsequences: false)
    guard parts.count == 2 else { throw ScoreTempoError("a change of tempo has two tempi, such as 80\(sign)120") }
    let (first, last) = (try scoreTempo(parts[0], metre.unit), try scoreTempo(parts[1], metre.unit))
    let beats = bars.map { $0.multipliedReportingOverflow(by: Int64(metre.beatsInBar)) }
    guard let beats, !beats.overflow, beats.partialValue <= TempoCurve.longest else {
      throw ScoreTempoError("a change of tempo needs a number of bars, and at most \(TempoCurve.longest) beats")
    }
    guard TempoCurve(shape, from: first, to: last, beats: beats.partialValue, metre) != nil else {
      throw ScoreTempoError("write both tempi in BPM, or both in microseconds")
    }
    return .change(shape, from: first, to: last)
  }

  private static func scoreTempo(_ text: Substring, _ unit: BeatUnit) throws(ScoreTempoError) -> ScoreTempo {
    if text.hasSuffix("us") {
      guard let number = Int64(digits: text.dropLast(2), atMost: 9),
        let tempo = ScoreTempo(microsecondsPerQuarter: number)
      else { throw ScoreTempoError("invalid tempo \(quoted(text)); a quarter lasts 60061us to 60000000us") }
      return tempo
    }
    if ["–", "—", "−", ".."].contains(where: text.contains) {
      throw ScoreTempoError("invalid tempo \(quoted(text)); write a change with a hyphen, such as 120-80")
    }
    guard let written = text.decimal(places: 6), ScoreTempo(microBPM: written) != nil else {
      throw ScoreTempoError("invalid tempo \(quoted(text)); write 1 to 999 BPM with at most six decimals")
    }
    guard let micro = unit.quarters(written) else {
      throw ScoreTempoError("invalid tempo \(quoted(text)); a tempo that counts \(unit) has at most three decimals")
    }
    guard let tempo = ScoreTempo(microBPM: micro) else {
      throw ScoreTempoError(
        "\(unit)=\(text) is \(ScoreTempo.number(micro)) quarters per minute; a score has 1 to 999 of them")
    }
    return tempo
  }

  fileprivate static func steps(_ whole: Substring, _ counted: BeatUnit) throws(ScoreTempoError) -> SectionTempo {
    let form =
      "steps are written such as 60+5/4bar..120 or 120-2/30s..60!stop; the ends are "
      + TempoSteps.End.allCases.map(\.rawValue).joined(separator: ", ")
    var text = whole
    var end = TempoSteps.End.stay
    if let mark = text.firstIndex(of: "!") {
      guard let own = TempoSteps.End(rawValue: String(text[text.index(after: mark)...])) else {
        throw ScoreTempoError(form)
      }
      end = own
      text = text[..<mark]
    }
    guard let sign = text.dropFirst().firstIndex(where: { $0 == "+" || $0 == "-" }),
      let slash = text.firstIndex(of: "/"),
      let dots = text.indices.first(where: { text[$0...].hasPrefix("..") }), sign < slash, slash < dots
    else { throw ScoreTempoError(form) }
    let first = try scoreTempo(text[..<sign], counted)
    let last = try scoreTempo(text[text.index(dots, offsetBy: 2)...], counted)
    let every = text[text.index(after: slash)..<dots]
    guard first != last else {
      throw ScoreTempoError(
        "the steps begin and end at \(quoted(text[..<sign])); write another last tempo, such as 60+5/4bar..120")
    }
    guard first.rate > 1, last.rate > 1,
      let step = text[text.index(after: sign)..<slash].decimal(places: 6).flatMap(counted.quarters),
      let unit = TempoSteps.Unit.allCases.first(where: { every.hasSuffix($0.rawValue) }),
      let length = Int64(digits: every.dropLast(unit.rawValue.count), atMost: 6),
      let steps = TempoSteps(
        first: first.rate, step: text[sign] == "+" ? step : -step, last: last.rate, every: length, unit, end: end)
    else { throw ScoreTempoError(form) }
    guard abs(last.rate - first.rate) / step < Int64(SectionMap.mostPieces) else {
      throw ScoreTempoError("the steps are too small: there are at most \(SectionMap.mostPieces) of them")
    }
    return .steps(steps)
  }
}

extension ScoreTempo {
  /// Millionths as a decimal without trailing zeros.
  static func number(_ micro: Int64) -> String {
    let (whole, rest) = micro.quotientAndRemainder(dividingBy: 1_000_000)
    if rest == 0 { return "\(whole)" }
    var digits = String(String(rest + 1_000_000).dropFirst())
    while digits.last == "0" { digits.removeLast() }
    return "\(whole).\(digits)"
  }
}

extension BeatUnit {
  /// A tempo in this note, in millionths of a BPM, as millionths of a quarter per minute; nil if they are not whole.
  func quarters(_ micro: Int64) -> Int64? {
    let (quarters, rest) = (micro * (isDotted ? 12 : 4)).quotientAndRemainder(dividingBy: Int64(denominator))
    return rest == 0 ? quarters : nil
  }
}

extension Substring {
  /// A decimal as in klick, such as `120`, `120.`, `.5` or `92.25`, times ten to the power of `places`; nil for anything else.
  func decimal(places: Int) -> Int64? {
    var (value, decimals, digits): (Int64, Int?, Int) = (0, nil, 0)
    for byte in utf8 {
      if byte == UInt8(ascii: "."), decimals == nil {
        decimals = 0
      } else if (48...57).contains(byte), digits < 12 {
        (value, digits) = (value * 10 + Int64(byte - 48), digits + 1)
        if let places = decimals { decimals = places + 1 }
      } else {
        return nil
      }
    }
    guard digits > 0, decimals ?? 0 <= places else { return nil }
    for _ in (decimals ?? 0)..<places { value *= 10 }
    return value
  }

  func has(_ character: Unicode.Scalar) -> Bool { utf8.contains(UInt8(ascii: character)) }
}

extension Int64 {
  /// Parses decimal digits; nil for anything else.
  init?(digits text: some StringProtocol, atMost count: Int) {
    guard (1...count).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    self.init(text)
  }
}
