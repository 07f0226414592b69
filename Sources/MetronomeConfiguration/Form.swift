import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// What a kind of value may say: in words for a person, from the file, and to the file.
struct Form<Value> {
  /// The end of a sentence that begins with "write".
  let words: String
  /// nil for what ``words`` do not allow. The configuration is as far as it was read.
  let read: (Scalar, Configuration) throws(WrongValue) -> Value?
  /// nil for what is not written at all.
  let text: (Value) -> String?

  init(
    _ words: String, read: @escaping (Scalar, Configuration) throws(WrongValue) -> Value?,
    text: @escaping (Value) -> String?
  ) {
    self.words = words
    self.read = read
    self.text = text
  }

  /// The same where there may be none.
  var ifThere: Form<Value?> {
    Form<Value?>(
      words,
      read: { (scalar, configuration) throws(WrongValue) in try read(scalar, configuration).map { .some($0) } },
      text: { $0.flatMap(text) })
  }
}

/// Why a value is refused, where there is more to say than what its form allows.
struct WrongValue: Error {
  var reason = ""
  var remedy: String
}

extension Form where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  /// One of a few words.
  static var word: Form {
    Form(
      enumeration(Value.allCases.map(\.rawValue)), read: { scalar, _ in Value(rawValue: scalar.text) },
      text: { $0.rawValue })
  }
}

extension Form<Bool> {
  static var truth: Form { Form("true or false", read: { scalar, _ in Bool(scalar.text) }, text: { String($0) }) }
}

extension Form<Int> {
  /// A whole number within a range.
  static func count(of what: String, _ range: ClosedRange<Int>) -> Form {
    Form(
      "\(what) from \(range.lowerBound) to \(range.upperBound)",
      read: { scalar, _ in wholeNumber(scalar.text).flatMap { range.contains($0) ? $0 : nil } }, text: { String($0) })
  }
}

extension Form<Double> {
  /// A number of at most three decimals within a range.
  static func decimal(_ what: String, _ range: ClosedRange<Int>) -> Form {
    Form(
      "\(what) from \(range.lowerBound) to \(range.upperBound) with at most three decimals",
      read: { scalar, _ in
        let isNegative = range.lowerBound < 0 && scalar.text.hasPrefix("-")
        let digits = isNegative ? String(scalar.text.dropFirst()) : scalar.text
        guard let value = thousandths(ofDecimal: digits), !hasLeadingZeros(digits),
          value <= 1_000 * (isNegative ? -range.lowerBound : range.upperBound)
        else { return nil }
        return Double(isNegative ? -value : value) / 1_000
      },
      text: { value in
        let nearest = min(Double(range.upperBound), max(Double(range.lowerBound), value))
        let thousandths = Int((nearest * 1_000).rounded())
        return (thousandths < 0 ? "-" : "") + MetronomeCore.decimal(thousandths: abs(thousandths))
      })
  }
}

extension Form<Nanoseconds> {
  static func milliseconds(_ range: ClosedRange<Int>) -> Form { whole("milliseconds", of: 1_000_000, range) }

  /// How late an output is.
  static var latency: Form { whole("microseconds", of: 1_000, 0...Int(OutputLatencies.longest.count / 1_000)) }

  private static func whole(_ what: String, of unit: Int64, _ range: ClosedRange<Int>) -> Form {
    let count = Form<Int>.count(of: what, range)
    return Form(
      count.words,
      read: { (scalar, configuration) throws(WrongValue) in
        try count.read(scalar, configuration).map { Nanoseconds(Int64($0) * unit) }
      },
      text: { String($0.count / unit) })
  }
}

extension Form<Nanoseconds?> {
  /// After how long untouched the metronome stops; nil: never.
  static var autoStop: Form {
    Form(
      "never, or a duration from 1s to 24h, as 10m",
      read: { scalar, _ in
        if scalar.text == "never" { return .some(nil) }
        guard let duration = Nanoseconds(text: scalar.text), Configuration.autoStopRange.contains(duration) else {
          return nil
        }
        return duration
      }, text: { $0?.text ?? "never" })
  }
}

extension Form<Tempo> {
  static var tempo: Form {
    Form(
      "beats per minute from 1 to 999 with at most three decimals, as 120 or 92.5",
      read: { scalar, _ in hasLeadingZeros(scalar.text) ? nil : Tempo(decimal: scalar.text) }, text: { $0.number })
  }
}

extension Form<Signature> {
  /// One that the limit allows.
  static var signature: Form {
    Form(
      "beats in a bar over the note of a beat, as 4/4 or 7/8",
      read: { (scalar, configuration) throws(WrongValue) in
        let parts = scalar.text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let numerator = wholeNumber(parts[0]), let denominator = wholeNumber(parts[1]) else {
          return nil
        }
        let limit = configuration.numeratorLimit
        if let signature = Signature(numerator, over: denominator, limit: limit) { return signature }
        throw WrongValue(remedy: "write " + instead(of: numerator, over: denominator, limit: limit))
      }, text: { "\($0)" })
  }

  /// What to write instead of a signature that the limit does not allow.
  private static func instead(of numerator: Int, over denominator: Int, limit: NumeratorLimit) -> String {
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
}

extension Form<Pulse> {
  /// How long an output is active.
  static func pulse(of output: Output) -> Form {
    let milliseconds = Form<Double>.decimal("milliseconds", 0...1_000)
    return Form(
      milliseconds.words + (output == .pendulum ? ", or beat" : ""),
      read: { (scalar, configuration) throws(WrongValue) in
        if scalar.text == "beat" {
          guard output == .pendulum else {
            throw WrongValue(
              reason: ": the \(output.rawValue) must go off before the next beat for that to be noticed",
              remedy: "write milliseconds from 0 to 1000")
          }
          return .wholeBeat
        }
        return try milliseconds.read(scalar, configuration).map {
          .atMost(.microseconds(Int64(($0 * 1_000).rounded())))
        }
      },
      text: { pulse in
        switch pulse {
        case .atMost(let width): MetronomeCore.decimal(thousandths: Int(width.count / 1_000))
        case .wholeBeat: "beat"
        }
      })
  }
}

extension Form<LineID?> {
  /// A line, or nil for `none`. Digits are an offset, unless they are in quotes.
  static var line: Form {
    Form(
      "a line's name, as GPIO17, its offset from 0 to 1023, or none",
      read: { scalar, _ in
        guard scalar.isName(longest: 31) else { return nil }
        if scalar.text == "none" { return .some(nil) }
        guard scalar.isPlain, looksLikeNumber(scalar.text) else { return .name(scalar.text) }
        return wholeNumber(scalar.text).flatMap { $0 < 1_024 ? .offset($0) : nil }
      },
      text: { line in
        switch line {
        case nil: "none"
        case .name(let name): written(name)
        case .offset(let offset): String(offset)
        }
      })
  }
}

extension Form<ChipID> {
  static var chip: Form {
    Form(
      "auto, or a chip's label, name or path",
      read: { scalar, _ in scalar.isName() ? scalar.text == "auto" ? .auto : .named(scalar.text) : nil },
      text: { chip in
        switch chip {
        case .auto: "auto"
        case .named(let name): written(name)
        }
      })
  }
}

extension Form<AudioRequest.Device> {
  static var device: Form {
    Form(
      "auto, none, a card's id or an ALSA PCM name",
      read: { scalar, _ in
        guard scalar.isName() else { return nil }
        return switch scalar.text {
        case "auto": .auto
        case "none": AudioRequest.Device.none
        default: .named(scalar.text)
        }
      },
      text: { device in
        switch device {
        case .auto: "auto"
        case .none: "none"
        case .named(let name): written(name)
        }
      })
  }
}

extension Form<InputRequest.Device> {
  /// A device's name, or the path of its file.
  static var input: Form {
    Form(
      "a device's name, or its path in /dev/input",
      read: { scalar, _ in
        guard scalar.isName(longest: 4_095) else { return nil }
        return scalar.text.hasPrefix("/") ? .path(scalar.text) : .named(scalar.text)
      },
      text: { device in
        switch device {
        case .named(let name), .path(let name): written(name)
        }
      })
  }
}

extension Form<ClickFile?> {
  static var file: Form {
    Form(
      "the path of a WAV file",
      read: { scalar, _ in
        guard scalar.isName(longest: 4_095) else { return nil }
        return ClickFile(scalar.text)
      },
      text: { $0.map { written($0.name) } })
  }
}

extension Scalar {
  /// Whether this can be a name of something that the kernel or ALSA knows.
  ///
  /// Words that YAML takes for truth values are refused without quotes, because `device: off` means something else.
  fileprivate func isName(longest: Int = 255) -> Bool {
    let truths = ["true", "false", "yes", "no", "on", "off"]
    return !(isPlain && truths.contains(text.lowercased())) && !text.isEmpty && text.utf8.count <= longest
      && !text.unicodeScalars.contains { $0.properties.isControl }
  }
}

extension Unicode.Scalar.Properties {
  /// A character that no name has: it ends lines, or is not seen.
  fileprivate var isControl: Bool {
    generalCategory == .control || generalCategory == .lineSeparator || generalCategory == .paragraphSeparator
  }
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

/// A name as YAML reads it back: in double quotes unless it is a plain word.
func written(_ name: String) -> String {
  let isPlain = name.utf8.allSatisfy { byte in
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: true
    default: false
    }
  }
  let meansSomethingElse = ["null", "true", "false", "yes", "no", "on", "off"].contains(name.lowercased())
  if isPlain, !meansSomethingElse, let first = name.utf8.first, first > 0x39 { return name }
  return "\"" + name.unicodeScalars.map(escaped).joined() + "\""
}

/// A character within double quotes.
private func escaped(_ scalar: Unicode.Scalar) -> String {
  switch scalar {
  case "\"", "\\": return "\\\(scalar)"
  case " "..."~": return String(scalar)
  case _ where scalar.properties.isAlphabetic: return String(scalar)
  default:
    let digits = String(scalar.value, radix: 16)
    return "\\U" + String(repeating: "0", count: 8 - digits.utf8.count) + digits
  }
}

extension PerLevel {
  /// The value of a level that the file names, and of those that share it.
  subscript(configured level: Level) -> Value {
    get { self[level] }
    set { share(newValue, from: level) }
  }
}
