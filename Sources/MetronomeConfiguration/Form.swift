import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// A kind of value: its description for a person, how it is read, and how it is written.
struct Form<Value: Sendable>: Sendable {
  /// The end of a sentence that begins with "write".
  let words: String
  /// Returns nil for a value that ``words`` do not allow. The configuration contains the keys read so far.
  let read: @Sendable (Scalar, Configuration) throws(WrongValue) -> Value?
  /// Returns nil for a value that is not written.
  let text: @Sendable (Value) -> String?

  /// The same form for a value that may be absent.
  var ifThere: Form<Value?> {
    Form<Value?>(
      words: words,
      read: { (scalar, configuration) throws(WrongValue) in try read(scalar, configuration).map { .some($0) } },
      text: { $0.flatMap(text) })
  }
}

/// Why a value is invalid, if the description of its form does not explain it.
package struct WrongValue: Error {
  var reason = ""
  package var remedy: String
  /// Where in the value the fault is, counted from 1; nil for the whole value.
  var column: Int?
}

extension Form where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  static var word: Form {
    Form(
      words: enumeration(Value.allCases.map(\.rawValue)), read: { scalar, _ in Value(rawValue: scalar.text) },
      text: { $0.rawValue })
  }
}

extension Form<Bool> {
  static var truth: Form {
    Form(words: "true or false", read: { scalar, _ in Bool(scalar.text) }, text: { String($0) })
  }
}

extension Form<Int> {
  static func count(of what: String, _ range: ClosedRange<Int>) -> Form { number("a number of \(what)", range) }

  static var drop: Form { number("a percentage", 1...100) }

  static func number(_ what: String, _ range: ClosedRange<Int>) -> Form {
    Form(
      words: "\(what) from \(range.lowerBound) to \(range.upperBound)",
      read: { scalar, _ in
        let isNegative = range.lowerBound < 0 && scalar.text.hasPrefix("-")
        let number = wholeNumber(scalar.text.dropFirst(isNegative ? 1 : 0)).map { isNegative ? -$0 : $0 }
        return number.flatMap { range.contains($0) ? $0 : nil }
      }, text: { String($0) })
  }
}

extension Form<Double> {
  static func decimal(_ what: String, _ range: ClosedRange<Int>) -> Form {
    Form(
      words: "\(what) from \(range.lowerBound) to \(range.upperBound) with at most three decimals",
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

  static var latency: Form { whole("microseconds", of: 1_000, 0...Int(OutputLatencies.longest.count / 1_000)) }

  static var midiLatency: Form { whole("microseconds", of: 1_000, -20_000...20_000) }

  private static func whole(_ what: String, of unit: Int64, _ range: ClosedRange<Int>) -> Form {
    let count = Form<Int>.count(of: what, range)
    return Form(
      words: count.words,
      read: { (scalar, configuration) throws(WrongValue) in
        try count.read(scalar, configuration).map { Nanoseconds(Int64($0) * unit) }
      }, text: { String($0.count / unit) })
  }
}

extension Form<Nanoseconds?> {
  /// The time without input after which playback stops; nil: never.
  static var autoStop: Form {
    Form(
      words: "never, or a duration from 1s to 24h, such as 10m",
      read: { scalar, _ in
        if scalar.text == "never" { return .some(nil) }
        guard let duration = Nanoseconds(text: scalar.text),
          (.seconds(1)...Nanoseconds.seconds(86_400)).contains(duration)
        else { return nil }
        return duration
      }, text: { $0?.text ?? "never" })
  }
}

extension Form<Int?> {
  /// The share of the beats that are dropped; nil: none.
  static var drop: Form {
    let share = Form<Int>.drop
    return Form(
      words: "none, or \(share.words)",
      read: { (scalar, configuration) throws(WrongValue) in
        scalar.text == "none" ? .some(nil) : try share.read(scalar, configuration).map { .some($0) }
      }, text: { $0.flatMap(share.text) ?? "none" })
  }
}

extension Form<Pulse> {
  static func pulse(of output: Output) -> Form {
    let milliseconds = Form<Double>.decimal("a number of milliseconds", 0...1_000)
    return Form(
      words: milliseconds.words + ([.light, .buzzer].contains(output) ? "" : ", or beat"),
      read: { (scalar, configuration) throws(WrongValue) in
        if scalar.text == "beat" {
          guard configuration.shownBeats[output] != .every else {
            throw WrongValue(
              reason:
                ", because the \(configuration.wiring.names[output]) must switch off before the next beat to show it",
              remedy: "write a number of milliseconds from 0 to 1000")
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

extension Form<String?> {
  /// The device file of a bus, or nil for `none`.
  static var bus: Form {
    Form(
      words: "a device such as /dev/i2c-1, or none",
      read: { scalar, _ in
        if scalar.text == "none" { return .some(nil) }
        guard scalar.text.hasPrefix("/dev/i2c-"), wholeNumber(scalar.text.dropFirst(9)) != nil else { return nil }
        return scalar.text
      }, text: { $0.map(written) ?? "none" })
  }
}

extension Form<LineID?> {
  /// A line, or nil for `none`. Digits are an offset, unless they are in quotes.
  static var line: Form {
    Form(
      words: "a line name such as GPIO17, a line offset from 0 to 1023, or none",
      read: { (scalar, _) throws(WrongValue) in
        if scalar.isPlain, let remedy = HeaderPin.remedy(forLine: scalar.text) { throw WrongValue(remedy: remedy) }
        guard scalar.isName(longest: 31) else { return nil }
        if scalar.text == "none" { return .some(nil) }
        guard scalar.isPlain, looksLikeNumber(scalar.text) else { return .name(scalar.text) }
        return wholeNumber(scalar.text).flatMap { $0 < 1_024 ? .offset($0) : nil }
      },
      text: { line in
        switch line {
        case nil: "none"
        case .name(let name): HeaderPin.remedy(forLine: name) == nil ? written(name) : quoted(name)
        case .offset(let offset): String(offset)
        }
      })
  }
}

extension Form where Value: Equatable {
  /// A name in the kernel or in ALSA. The `words` have another meaning.
  static func name(
    _ form: String, longest: Int = 255, words: [String: Value] = [:], read: @escaping @Sendable (String) -> Value,
    name: @escaping @Sendable (Value) -> String?
  ) -> Form {
    Form(
      words: form,
      read: { scalar, _ in scalar.isName(longest: longest) ? words[scalar.text] ?? read(scalar.text) : nil },
      text: { value in words.first { $0.value == value }?.key ?? name(value).map(written) })
  }
}

extension Form<ChipID> {
  static var chip: Form {
    name("auto, or a chip's label, name or path", words: ["auto": .auto], read: { .named($0) }) {
      if case .named(let name) = $0 { name } else { nil }
    }
  }
}

extension Form<AudioRequest.Device> {
  static var device: Form { device("auto, none, a card id or an ALSA PCM name") }

  static func device(_ form: String) -> Form {
    name(
      form, words: ["auto": .auto, "none": AudioRequest.Device.none],
      read: { .named($0) }
    ) {
      if case .named(let name) = $0 { name } else { nil }
    }
  }
}

extension Form<InputRequest.Device> {
  static var input: Form {
    name(
      "a device name, or a path in /dev/input", longest: 4_095, read: { $0.hasPrefix("/") ? .path($0) : .named($0) }
    ) {
      switch $0 {
      case .named(let name), .path(let name): name
      case .midi(let device): device.name
      }
    }
  }
}

extension Form<ConfiguredFile?> {
  static var file: Form { path(of: "a WAV file") }
  static var sound: Form { path(of: "a WAV file, or a built-in sound such as rim") }
  static var score: Form { path(of: "a score") }

  private static func path(of kind: String) -> Form {
    name("the path of \(kind)", longest: 4_095, read: { ConfiguredFile($0) }, name: { $0?.name })
  }
}

extension Scalar {
  /// Whether this can be a name in the kernel or in ALSA. `off` without quotes is a truth value of YAML, so it is not a name.
  fileprivate func isName(longest: Int) -> Bool {
    let unseen: [Unicode.GeneralCategory] = [.control, .lineSeparator, .paragraphSeparator]
    return !(isPlain && booleanWords.contains(text.lowercased())) && !text.isEmpty && text.utf8.count <= longest
      && !text.unicodeScalars.contains { unseen.contains($0.properties.generalCategory) }
  }
}

/// The words that YAML reads as true or false.
let booleanWords = ["true", "false", "yes", "no", "on", "off"]

/// Reads a whole decimal number without sign or leading zeros, of at most nine digits.
func wholeNumber(_ text: some StringProtocol) -> Int? {
  let digits = text.utf8
  guard (1...9).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
  return digits.count > 1 && digits.first == 0x30 ? nil : Int(text)
}

/// Whether a number has leading zeros, such as `007` or `00.5`.
func hasLeadingZeros(_ text: some StringProtocol) -> Bool {
  let whole = text.utf8.prefix { $0 != UInt8(ascii: ".") }
  return whole.count > 1 && whole.first == UInt8(ascii: "0")
}

/// Whether a text without quotes is a number in YAML, or probably meant as a number: `-1`, `0x10`, `1e3`, `.nan`, `1_000`.
private func looksLikeNumber(_ text: String) -> Bool {
  guard let first = text.utf8.first else { return false }
  return switch first {
  case 0x2E: true
  case 0x2B, 0x2D, 0x30...0x39: text.utf8.allSatisfy("0123456789abcdefABCDEFxXoO_.+-".utf8.contains)
  default: false
  }
}
