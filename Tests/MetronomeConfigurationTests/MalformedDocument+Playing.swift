extension MalformedDocument {
  static let autoStop = "never, or a duration from 1s to 24h, such as 10m"

  /// Errors in the keys for starting, stopping, tapping, debouncing and timing.
  static let playing = [
    MalformedDocument("autoplay: yes", "1:11: autoplay: invalid value \"yes\"; write false, true or last"),
    MalformedDocument("autoplay: 1", "1:11: autoplay: invalid value \"1\"; write false, true or last"),
    MalformedDocument("autoplay: [last]", "1:11: autoplay cannot be a list; write false, true or last"),
    MalformedDocument("restore: last", "1:10: restore: invalid value \"last\"; write true or false"),
    MalformedDocument("count_in: 5", "1:11: count_in: invalid value \"5\"; write a number of bars from 0 to 4"),
    MalformedDocument("count_in: -1", "1:11: count_in: invalid value \"-1\"; write a number of bars from 0 to 4"),
    MalformedDocument("count_in: none", "1:11: count_in: invalid value \"none\"; write a number of bars from 0 to 4"),
    MalformedDocument("auto_stop: 999ms", "1:12: auto_stop: invalid value \"999ms\"; write \(autoStop)"),
    MalformedDocument("auto_stop: 24.001h", "1:12: auto_stop: invalid value \"24.001h\"; write \(autoStop)"),
    MalformedDocument("auto_stop: 10 m", "1:12: auto_stop: invalid value \"10 m\"; write \(autoStop)"),
    MalformedDocument("auto_stop: none", "1:12: auto_stop: invalid value \"none\"; write \(autoStop)"),
    MalformedDocument("auto_stop: 0", "1:12: auto_stop: invalid value \"0\"; write \(autoStop)"),
    MalformedDocument("auto_stop:", "1:1: auto_stop has no value; write \(autoStop), or remove the line"),
    MalformedDocument(
      "debounce_ms: 0", "1:14: debounce_ms: invalid value \"0\"; write a number of milliseconds from 1 to 100"),
    MalformedDocument(
      "debounce_ms: 101", "1:14: debounce_ms: invalid value \"101\"; write a number of milliseconds from 1 to 100"),
    MalformedDocument(
      "debounce_ms: 2.5", "1:14: debounce_ms: invalid value \"2.5\"; write a number of milliseconds from 1 to 100"),
    MalformedDocument(
      "debounce_ms: 25ms", "1:14: debounce_ms: invalid value \"25ms\"; write a number of milliseconds from 1 to 100"),
    MalformedDocument(
      "tap: true", "1:6: tap: invalid value \"true\"; write its keys on indented lines below it: round or starts"),
    MalformedDocument("tap: {round: 1}", "1:14: tap.round: invalid value \"1\"; write true or false"),
    MalformedDocument("tap: {starts: }", "1:7: tap.starts has no value; write true or false, or remove the line"),
    MalformedDocument("timing: {spin: 1}", "1:16: timing.spin: invalid value \"1\"; write true or false"),
    MalformedDocument(
      "timing: false", "1:9: timing: invalid value \"false\"; write its keys on indented lines below it: spin"),
    MalformedDocument("timing: {spins: true}", "1:10: unknown key \"spins\" in timing; did you mean \"spin\"?"),
  ]
}
