import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Yams

/// A key of the file with its value, before anything is known about the value.
struct Field<Key> {
  var key: Key
  /// With its sections, as `outputs.light.line`.
  var path: String
  var position: Position
  var value: Node

  /// Where the value stands.
  var valuePosition: Position { value.mark.map(Position.init) ?? position }

  /// The value as text.
  ///
  /// - Parameter expected: what would be right, as the end of a sentence that begins with "write".
  func scalar(_ expected: String) throws(Problem) -> Scalar {
    switch value {
    case .scalar(let scalar):
      let isPlain = scalar.style == .plain
      if isPlain, ["", "~", "null", "Null", "NULL"].contains(scalar.string) {
        throw Problem("\(path) has no value", remedy: "write \(expected), or leave the line out", at: position)
      }
      return Scalar(text: scalar.string, isPlain: isPlain)
    case .mapping: throw Problem("\(path) cannot be a section", remedy: "write \(expected)", at: valuePosition)
    case .sequence, .alias: throw Problem("\(path) cannot be a list", remedy: "write \(expected)", at: valuePosition)
    }
  }

  /// What to throw for a value that is not what was expected.
  func refusal(of scalar: Scalar, _ expected: String) -> Problem {
    Problem("\(path) cannot be \(quoted(scalar.text))", remedy: "write \(expected)", at: valuePosition)
  }
}

/// A value as it was written.
struct Scalar {
  var text: String
  /// Without quotes.
  var isPlain: Bool
}

/// Reads a whole number without sign, leading zeros, or more than nine digits. Octal and hexadecimal numbers of YAML are
/// refused: nobody means them.
func wholeNumber(_ text: some StringProtocol) -> Int? {
  let digits = text.utf8
  guard (1...9).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
  return digits.count > 1 && digits.first == 0x30 ? nil : Int(text)
}

/// Whether a number has zeros in front that mean nothing, as `007` or `00.5`.
func hasLeadingZeros(_ text: some StringProtocol) -> Bool {
  let whole = text.utf8.prefix { $0 != UInt8(ascii: ".") }
  return whole.count > 1 && whole.first == UInt8(ascii: "0")
}

/// Whether a text without quotes is a number in YAML, or was meant to be: `-1`, `0x10`, `1e3`, `.nan`, `1_000`.
private func looksLikeNumber(_ text: String) -> Bool {
  guard let first = text.utf8.first else { return false }
  return switch first {
  case 0x2E: true
  case 0x2B, 0x2D, 0x30...0x39: text.utf8.allSatisfy("0123456789abcdefABCDEFxXoO_.+-".utf8.contains)
  default: false
  }
}

extension Field {
  /// One of a few words.
  func word<Value: RawRepresentable & CaseIterable>(_: Value.Type = Value.self) throws(Problem) -> Value
  where Value.RawValue == String {
    let expected = enumeration(Value.allCases.map(\.rawValue))
    let scalar = try scalar(expected)
    guard let value = Value(rawValue: scalar.text) else { throw refusal(of: scalar, expected) }
    return value
  }

  func truth() throws(Problem) -> Bool {
    let expected = "true or false"
    let scalar = try scalar(expected)
    guard let value = Bool(scalar.text) else { throw refusal(of: scalar, expected) }
    return value
  }

  /// A whole number within a range.
  func count(of what: String, _ range: ClosedRange<Int>) throws(Problem) -> Int {
    let expected = "\(what) from \(range.lowerBound) to \(range.upperBound)"
    let scalar = try scalar(expected)
    guard let value = wholeNumber(scalar.text), range.contains(value) else { throw refusal(of: scalar, expected) }
    return value
  }

  /// A number of at most three decimals, from 0 to a highest one, in thousandths.
  func thousandths(of what: String, upTo highest: Int, besides: String = "") throws(Problem) -> Int {
    let expected = "\(what) from 0 to \(highest) with at most three decimals\(besides)"
    let scalar = try scalar(expected)
    guard let value = MetronomeCore.thousandths(ofDecimal: scalar.text), value <= highest * 1_000,
      !hasLeadingZeros(scalar.text)
    else {
      throw refusal(of: scalar, expected)
    }
    return value
  }

  /// Decibels of at most three decimals, from -60 to 20.
  func decibels() throws(Problem) -> Double {
    let expected = "decibels from -60 to 20 with at most three decimals"
    let scalar = try scalar(expected)
    let isNegative = scalar.text.hasPrefix("-")
    let digits = isNegative ? String(scalar.text.dropFirst()) : scalar.text
    guard let value = MetronomeCore.thousandths(ofDecimal: digits), !hasLeadingZeros(digits),
      value <= (isNegative ? 60_000 : 20_000)
    else { throw refusal(of: scalar, expected) }
    return Double(isNegative ? -value : value) / 1_000
  }

  func tempo() throws(Problem) -> Tempo {
    let expected = "beats per minute from 1 to 999 with at most three decimals, as 120 or 92.5"
    let scalar = try scalar(expected)
    guard !hasLeadingZeros(scalar.text), let tempo = Tempo(decimal: scalar.text) else {
      throw refusal(of: scalar, expected)
    }
    return tempo
  }

  /// A name of something that the kernel or ALSA knows.
  ///
  /// Words that YAML takes for truth values are refused without quotes, because `device: off` means something else.
  func name(_ expected: String, longest: Int = 255) throws(Problem) -> Scalar {
    let scalar = try scalar(expected)
    let truths = ["true", "false", "yes", "no", "on", "off"]
    guard !(scalar.isPlain && truths.contains(scalar.text.lowercased())), !scalar.text.isEmpty,
      scalar.text.utf8.count <= longest, !scalar.text.unicodeScalars.contains(where: { $0.properties.isControl })
    else { throw refusal(of: scalar, expected) }
    return scalar
  }

  /// A line, or nil for `none`. Digits are an offset, unless they are in quotes.
  func line() throws(Problem) -> LineID? {
    let expected = "a line's name, as GPIO17, its offset from 0 to 1023, or none"
    let scalar = try name(expected, longest: 31)
    if scalar.text == "none" { return nil }
    guard scalar.isPlain, looksLikeNumber(scalar.text) else { return .name(scalar.text) }
    guard let offset = wholeNumber(scalar.text), offset < 1_024 else { throw refusal(of: scalar, expected) }
    return .offset(offset)
  }

  func chip() throws(Problem) -> ChipID {
    let scalar = try name("auto, or a chip's label, name or path")
    return scalar.text == "auto" ? .auto : .named(scalar.text)
  }

  func device() throws(Problem) -> AudioRequest.Device {
    let scalar = try name("auto, none, a card's id or an ALSA PCM name")
    switch scalar.text {
    case "auto": return .auto
    case "none": return .none
    default: return .named(scalar.text)
    }
  }
}

extension Unicode.Scalar.Properties {
  /// A character that no name has: it ends lines, or is not seen.
  fileprivate var isControl: Bool {
    generalCategory == .control || generalCategory == .lineSeparator || generalCategory == .paragraphSeparator
  }
}

extension Field {
  /// A signature that the limit allows.
  func signature(limit: NumeratorLimit) throws(Problem) -> Signature {
    let expected = "beats in a bar over the note of a beat, as 4/4 or 7/8"
    let scalar = try scalar(expected)
    let parts = scalar.text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let numerator = wholeNumber(parts[0]), let denominator = wholeNumber(parts[1]) else {
      throw refusal(of: scalar, expected)
    }
    if let signature = Signature(numerator, over: denominator, limit: limit) { return signature }
    throw refusal(of: scalar, remedy(numerator, over: denominator, limit: limit))
  }

  /// What to write instead of a signature that the limit does not allow.
  private func remedy(_ numerator: Int, over denominator: Int, limit: NumeratorLimit) -> String {
    var remedy: String
    if limit.denominators.contains(denominator) {
      remedy = "1 to \(limit.highestNumerator(over: denominator)) beats over \(denominator)"
    } else {
      remedy = "the beats over \(enumeration(limit.denominators.map(String.init)))"
    }
    if limit != .none, Signature(numerator, over: denominator, limit: .none) != nil {
      remedy += ", or add \"numerator_limit: none\""
    }
    return remedy
  }

  /// How long an output is active.
  func pulse(of output: Output) throws(Problem) -> Pulse {
    guard case .scalar(let scalar) = value, scalar.string == "beat" else {
      let besides = output == .pendulum ? ", or beat" : ""
      let microseconds = try thousandths(of: "milliseconds", upTo: 1_000, besides: besides)
      return .atMost(.microseconds(Int64(microseconds)))
    }
    guard output == .pendulum else {
      throw Problem(
        "\(path) cannot be \"beat\": the \(output.rawValue) must go off before the next beat for that to be noticed",
        remedy: "write milliseconds from 0 to 1000", at: valuePosition)
    }
    return .wholeBeat
  }

  /// After how long untouched the metronome stops; nil: never.
  func autoStop() throws(Problem) -> Nanoseconds? {
    let expected = "never, or a duration from 1s to 24h, as 10m"
    let scalar = try scalar(expected)
    if scalar.text == "never" { return nil }
    guard let duration = Nanoseconds(text: scalar.text), Configuration.autoStopRange.contains(duration) else {
      throw refusal(of: scalar, expected)
    }
    return duration
  }

  /// How late an output is.
  func latency() throws(Problem) -> Nanoseconds {
    .microseconds(Int64(try count(of: "microseconds", 0...Int(OutputLatencies.longest.count / 1_000))))
  }
}
