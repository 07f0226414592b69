import Testing

/// A file with one thing wrong, and what is said about it.
struct MalformedDocument: Sendable, CustomTestStringConvertible {
  var yaml: String
  var message: String

  init(_ yaml: String, _ message: String) {
    self.yaml = yaml
    self.message = message
  }

  var testDescription: String { yaml.debugDescription }

  static let tempo = "beats per minute from 1 to 999 with at most three decimals, as 120 or 92.5"
  static let line = "a line's name, as GPIO17, its offset from 0 to 1023, or none"
  static let decibels = "decibels from -60 to 20 with at most three decimals"
  static let milliseconds = "milliseconds from 0 to 1000 with at most three decimals"
  static let latency = "microseconds from 0 to 500000"
  static let rootKeys =
    "the keys are tempo, signature, numerator_limit, autoplay, restore, count_in, auto_stop, "
    + "debounce_ms, tap, chip, outputs, buttons, chords, inputs, audio and timing"
}
