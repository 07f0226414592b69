import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

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

extension OutputPattern {
  /// The pulses of an output.
  subscript(output: Output) -> Pulses {
    get {
      switch output {
      case .light: light
      case .pendulum: pendulum
      case .buzzer: buzzer
      }
    }
    set {
      switch output {
      case .light: light = newValue
      case .pendulum: pendulum = newValue
      case .buzzer: buzzer = newValue
      }
    }
  }
}
