extension MalformedDocument {
  static let autoStop = "never, or a duration from 1s to 24h, as 10m"

  /// How it is played: beginning, ending, tapping.
  static let playing = [
    MalformedDocument("autoplay: yes", "1:11: autoplay cannot be \"yes\"; write false, true or last"),
    MalformedDocument("autoplay: 1", "1:11: autoplay cannot be \"1\"; write false, true or last"),
    MalformedDocument("autoplay: [last]", "1:11: autoplay cannot be a list; write false, true or last"),
    MalformedDocument("restore: last", "1:10: restore cannot be \"last\"; write true or false"),
    MalformedDocument("count_in: 5", "1:11: count_in cannot be \"5\"; write bars from 0 to 4"),
    MalformedDocument("count_in: -1", "1:11: count_in cannot be \"-1\"; write bars from 0 to 4"),
    MalformedDocument("count_in: none", "1:11: count_in cannot be \"none\"; write bars from 0 to 4"),
    MalformedDocument("auto_stop: 999ms", "1:12: auto_stop cannot be \"999ms\"; write \(autoStop)"),
    MalformedDocument("auto_stop: 24.001h", "1:12: auto_stop cannot be \"24.001h\"; write \(autoStop)"),
    MalformedDocument("auto_stop: 10 m", "1:12: auto_stop cannot be \"10 m\"; write \(autoStop)"),
    MalformedDocument("auto_stop: none", "1:12: auto_stop cannot be \"none\"; write \(autoStop)"),
    MalformedDocument("auto_stop: 0", "1:12: auto_stop cannot be \"0\"; write \(autoStop)"),
    MalformedDocument(
      "auto_stop:", "1:1: auto_stop has no value; write \(autoStop), or leave the line out"),
    MalformedDocument("debounce_ms: 0", "1:14: debounce_ms cannot be \"0\"; write milliseconds from 1 to 100"),
    MalformedDocument("debounce_ms: 101", "1:14: debounce_ms cannot be \"101\"; write milliseconds from 1 to 100"),
    MalformedDocument("debounce_ms: 2.5", "1:14: debounce_ms cannot be \"2.5\"; write milliseconds from 1 to 100"),
    MalformedDocument("debounce_ms: 25ms", "1:14: debounce_ms cannot be \"25ms\"; write milliseconds from 1 to 100"),
    MalformedDocument("tap: true", "1:6: tap cannot be \"true\"; write its keys below it, indented: round or starts"),
    MalformedDocument("tap: {round: 1}", "1:14: tap.round cannot be \"1\"; write true or false"),
    MalformedDocument("tap: {starts: }", "1:7: tap.starts has no value; write true or false, or leave the line out"),
    MalformedDocument("timing: {spin: 1}", "1:16: timing.spin cannot be \"1\"; write true or false"),
    MalformedDocument("timing: false", "1:9: timing cannot be \"false\"; write its keys below it, indented: spin"),
    MalformedDocument("timing: {spins: true}", "1:10: unknown key \"spins\" in timing; did you mean \"spin\"?"),
  ]
}
