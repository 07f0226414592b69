extension MalformedDocument {
  static let commands =
    "play, start, stop, tap, silent, reset_tempo, next_numerator, previous_numerator, next_denominator, "
    + "previous_denominator, next_preset, previous_preset, tell_tempo, tell_signature, volume_up, volume_down, next_set, "
    + "next_subdivision, previous_subdivision, next_accents, next_section, previous_section, restart_section, "
    + "next_song, previous_song, next_gap, drop, ramp, timer, pair, forget_phones, faster, slower, tempo, recall, store, signature, beat, "
    + "rhythm, volume, gap, set or none"
  private static func step(_ word: String) -> String {
    "\(word) for a step of 1 BPM, or \(word) N for a step of N BPM, up to 998 with at most three decimals"
  }
  static let chordForm = "two buttons joined with +, such as slower+faster"
  static let buttonNames =
    "play, slower, faster, numerator, denominator, tap, preset_next, preset_previous, preset_1, preset_2, preset_3 "
    + "and preset_4"

  /// Errors in the bindings of gestures to commands.
  static let bindings = words + holds + chords

  /// Errors in commands.
  private static let words = [
    MalformedDocument(
      "buttons: {play: {short: fastr}}", "1:25: buttons.play.short: invalid value \"fastr\"; did you mean \"faster\"?"),
    MalformedDocument(
      "buttons:\n  tap:\n    long: reset-tempo",
      "3:11: buttons.tap.long: invalid value \"reset-tempo\"; did you mean \"reset_tempo\"?"),
    MalformedDocument(
      "buttons: {tap: {short: Play}}", "1:24: buttons.tap.short: invalid value \"Play\"; did you mean \"play\"?"),
    MalformedDocument(
      "buttons: {tap: {short: halt}}", "1:24: buttons.tap.short: invalid value \"halt\"; write \(commands)"),
    MalformedDocument("buttons: {tap: {short: 3}}", "1:24: buttons.tap.short: invalid value \"3\"; write \(commands)"),
    MalformedDocument(
      "buttons: {tap: {short: ' '}}", "1:24: buttons.tap.short: invalid value \" \"; write \(commands)"),
    MalformedDocument(
      "buttons: {tap: {short: play 3}}", "1:24: buttons.tap.short: invalid value \"play 3\"; write only play"),
    MalformedDocument(
      "buttons: {tap: {short: none at all}}",
      "1:24: buttons.tap.short: invalid value \"none at all\"; did you mean \"none\"?"),
    MalformedDocument(
      "buttons: {faster: {repeat: faster 0}}",
      "1:28: buttons.faster.repeat: invalid value \"faster 0\"; write \(step("faster"))"),
    MalformedDocument(
      "buttons: {faster: {repeat: faster 998.001}}",
      "1:28: buttons.faster.repeat: invalid value \"faster 998.001\"; write \(step("faster"))"),
    MalformedDocument(
      "buttons: {slower: {repeat: slower -5}}",
      "1:28: buttons.slower.repeat: invalid value \"slower -5\"; write \(step("slower"))"),
    MalformedDocument(
      "buttons: {slower: {repeat: slower 05}}",
      "1:28: buttons.slower.repeat: invalid value \"slower 05\"; write \(step("slower"))"),
    MalformedDocument(
      "buttons: {slower: {repeat: slower 5 BPM}}",
      "1:28: buttons.slower.repeat: invalid value \"slower 5 BPM\"; write \(step("slower"))"),
    MalformedDocument(
      "buttons: {tap: {long: tempo}}",
      "1:23: buttons.tap.long: invalid value \"tempo\"; write tempo with \(tempoForm)"),
    MalformedDocument(
      "buttons: {tap: {long: tempo 1000}}",
      "1:23: buttons.tap.long: invalid value \"tempo 1000\"; write tempo with \(tempoForm)"),
    MalformedDocument(
      "buttons: {tap: {long: tempo 120 BPM}}",
      "1:23: buttons.tap.long: invalid value \"tempo 120 BPM\"; write tempo with \(tempoForm)"),
    MalformedDocument(
      "buttons: {tap: {long: ramp 80}}",
      "1:23: buttons.tap.long: invalid value \"ramp 80\"; steps are written such as 60+5/4bar..120 or "
        + "120-2/30s..60!stop; the ends are stay, stop, again, reverse"),
    MalformedDocument(
      "buttons: {tap: {long: ramp never}}",
      "1:23: buttons.tap.long: invalid value \"ramp never\"; after ramp write none, or steps such as 80+5/4bar..120!stop"
    ),
    MalformedDocument(
      "buttons: {tap: {long: ramp 80+5/4bar..80}}",
      "1:23: buttons.tap.long: invalid value \"ramp 80+5/4bar..80\"; the steps begin and end at \"80\"; write another last "
        + "tempo, such as 60+5/4bar..120"),
    MalformedDocument(
      "buttons: {tap: {long: timer 10 m}}",
      "1:23: buttons.tap.long: invalid value \"timer 10 m\"; after timer write never, or a duration from 1s to 24h, such "
        + "as 10m"),
    MalformedDocument(
      "buttons: {tap: {long: gap}}",
      "1:23: buttons.tap.long: invalid value \"gap\"; after gap write none, or bars that sound and bars that are silent, "
        + "each from 1 to 999, such as 2/2"),
    MalformedDocument(
      "buttons: {tap: {long: drop 101}}",
      "1:23: buttons.tap.long: invalid value \"drop 101\"; after drop write none, or a percentage from 1 to 100"),
    MalformedDocument(
      "buttons: {tap: {long: recall}}",
      "1:23: buttons.tap.long: invalid value \"recall\"; write recall with \(place), such as recall 3"),
    MalformedDocument(
      "buttons: {tap: {long: store 129}}",
      "1:23: buttons.tap.long: invalid value \"store 129\"; write store with \(place), such as store 3"),
    MalformedDocument(
      "buttons: {tap: {long: store 0}}",
      "1:23: buttons.tap.long: invalid value \"store 0\"; write store with \(place), such as store 3"),
    MalformedDocument(
      "buttons: {tap: {long: [play]}}",
      "1:23: buttons.tap.long cannot be a list; write a command such as play, faster 5 or recall 1, or none"),
    MalformedDocument(
      "buttons: {tap: {long: }}",
      "1:17: buttons.tap.long has no value; write a command such as play, faster 5 or recall 1, or none, "
        + "or remove the line"),
    MalformedDocument(
      "buttons: {tap: {hold: play}}",
      "1:17: unknown key \"hold\" in buttons.tap; the keys are line, active, bias, short, long and repeat"),
  ]
  private static let place = "a preset number from 1 to 128"
  private static let tempoForm =
    "a number of beats per minute from 1 to 999 with at most three decimals, such as tempo 92.5"

  /// Buttons that have both `long` and `repeat`.
  private static let holds = [
    MalformedDocument(
      "buttons: {tap: {long: play, repeat: faster}}",
      "1:37: buttons.tap cannot have both long and repeat; remove one of them, or set one of them to none"),
    MalformedDocument(
      "buttons:\n  tap:\n    repeat: faster\n    long: play",
      "4:11: buttons.tap cannot have both long and repeat; remove one of them, or set one of them to none"),
    MalformedDocument(
      "buttons: {slower: {long: stop}}",
      "1:26: buttons.slower cannot have both long and repeat, and \"repeat: slower\" is the default; "
        + "add \"repeat: none\""),
    MalformedDocument(
      "buttons: {play: {repeat: faster}, faster: {long: stop}}",
      "1:26: buttons.play cannot have both long and repeat, and \"long: silent\" is the default; add \"long: none\""),
  ]

  /// Errors in chords.
  private static let chords = [
    MalformedDocument("chords: {slower: play}", "1:10: invalid chord \"slower\"; write \(chordForm)"),
    MalformedDocument(
      "chords: {play+slower+faster: play}", "1:10: invalid chord \"play+slower+faster\"; write \(chordForm)"),
    MalformedDocument(
      "chords: {play+play: stop}", "1:10: the chord \"play+play\" has the same button twice; write \(chordForm)"),
    MalformedDocument(
      "chords: {play+fastr: stop}", "1:10: unknown button \"fastr\" in chords; did you mean \"faster\"?"),
    MalformedDocument("chords: {play+: stop}", "1:10: unknown button \"\" in chords; the buttons are \(buttonNames)"),
    MalformedDocument(
      "chords: {pedal+play: stop}", "1:10: unknown button \"pedal\" in chords; the buttons are \(buttonNames)"),
    MalformedDocument(
      "chords:\n  faster+tap: play\n  tap + faster: none",
      "3:3: duplicate chord \"tap + faster\", first used on line 2; "
        + "remove one of them: the order of the buttons does not matter"),
    MalformedDocument(
      "chords:\n  tap+faster: play\n  tap+faster: none",
      "3:3: duplicate key \"tap+faster\", first used on line 2; remove one of them"),
    MalformedDocument(
      "chords:\n  tap+faster: play\n  tap+preset_1: play\nbuttons:\n  preset_2: {line: 4}",
      "3:3: this chord cannot be pressed: preset_1 has neither a line nor a key of an input device; "
        + "set buttons.preset_1.line, or remove the chord"),
    MalformedDocument(
      "chords: {play+tap: stop}\nbuttons: {play: {line: none}}",
      "1:10: this chord cannot be pressed: play has neither a line nor a key of an input device; "
        + "set buttons.play.line, or remove the chord"),
    MalformedDocument("chords: {play+tap: halt}", "1:20: chords.play+tap: invalid value \"halt\"; write \(commands)"),
    MalformedDocument(
      "chords: none",
      "1:9: chords: invalid value \"none\"; "
        + "write one indented line per pair of buttons, such as slower+faster: reset_tempo"),
    MalformedDocument(
      "chords: [slower+faster]",
      "1:9: chords cannot be a list; write one indented line per pair of buttons, such as slower+faster: reset_tempo"),
    MalformedDocument(
      "chords: {[slower, faster]: play}",
      "1:10: a key cannot be a list or a section; "
        + "write one indented line per pair of buttons, such as slower+faster: reset_tempo"),
    MalformedDocument(
      "chords:",
      "1:1: chords has no value; write one indented line per pair of buttons, such as slower+faster: reset_tempo, "
        + "or remove the line"),
  ]
}
