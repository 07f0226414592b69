import Testing

/// A file with one error, and the expected message.
struct MalformedDocument: Sendable, CustomTestStringConvertible {
  var yaml: String
  var message: String

  init(_ yaml: String, _ message: String) {
    self.yaml = yaml
    self.message = message
  }

  var testDescription: String { yaml.debugDescription }

  static let tempo = "a number of beats per minute from 1 to 999 with at most three decimals, such as 120 or 92.5"
  static let signature = "the notes per bar and the note value, such as 4/4 or 7/8, or with groups 2+2+3/8"
  static let line = "a line name such as GPIO17, a line offset from 0 to 1023, or none"
  static let decibels = "a number of decibels from -60 to 20 with at most three decimals"
  static let milliseconds = "a number of milliseconds from 0 to 1000 with at most three decimals"
  static let latency = "a number of microseconds from 0 to 500000"
  static let rootKeys =
    "the keys are tempo, signature, beat, rhythm, score, numerator_limit, autoplay, restore, count_in, auto_stop, "
    + "debounce_ms, tap, trainer, chip, outputs, rgb, display, buttons, chords, inputs, midi, audio and timing"
}
