extension MalformedDocument {
  static let commands =
    "play, start, stop, tap, silent, tempo_reset, numerator_next, numerator_previous, denominator_next, "
    + "denominator_previous, preset_next, preset_previous, tell_tempo, tell_signature, faster, slower, tempo, recall, "
    + "store or none"
  static let step =
    "alone for one beat per minute, or with a number of them up to 998 with at most three decimals"
  static let chordForm = "two buttons with + between them, as slower+faster"
  static let buttonNames =
    "play, slower, faster, numerator, denominator, tap, preset_next, preset_previous, preset_1, preset_2, preset_3 "
    + "and preset_4"

  /// What gestures mean.
  static let bindings = words + holds + chords

  /// Commands.
  private static let words = [
    MalformedDocument(
      "buttons: {play: {short: fastr}}", "1:25: buttons.play.short cannot be \"fastr\"; did you mean \"faster\"?"),
    MalformedDocument(
      "buttons:\n  tap:\n    long: tempo-reset",
      "3:11: buttons.tap.long cannot be \"tempo-reset\"; did you mean \"tempo_reset\"?"),
    MalformedDocument(
      "buttons: {tap: {short: Play}}", "1:24: buttons.tap.short cannot be \"Play\"; did you mean \"play\"?"),
    MalformedDocument(
      "buttons: {tap: {short: halt}}", "1:24: buttons.tap.short cannot be \"halt\"; write \(commands)"),
    MalformedDocument("buttons: {tap: {short: 3}}", "1:24: buttons.tap.short cannot be \"3\"; write \(commands)"),
    MalformedDocument("buttons: {tap: {short: ' '}}", "1:24: buttons.tap.short cannot be \" \"; write \(commands)"),
    MalformedDocument(
      "buttons: {tap: {short: play 3}}", "1:24: buttons.tap.short cannot be \"play 3\"; write play alone"),
    MalformedDocument(
      "buttons: {tap: {short: none at all}}",
      "1:24: buttons.tap.short cannot be \"none at all\"; did you mean \"none\"?"),
    MalformedDocument(
      "buttons: {faster: {repeat: faster 0}}",
      "1:28: buttons.faster.repeat cannot be \"faster 0\"; write faster \(step), as faster 5"),
    MalformedDocument(
      "buttons: {faster: {repeat: faster 998.001}}",
      "1:28: buttons.faster.repeat cannot be \"faster 998.001\"; write faster \(step), as faster 5"),
    MalformedDocument(
      "buttons: {slower: {repeat: slower -5}}",
      "1:28: buttons.slower.repeat cannot be \"slower -5\"; write slower \(step), as slower 5"),
    MalformedDocument(
      "buttons: {slower: {repeat: slower 05}}",
      "1:28: buttons.slower.repeat cannot be \"slower 05\"; write slower \(step), as slower 5"),
    MalformedDocument(
      "buttons: {slower: {repeat: slower 5 BPM}}",
      "1:28: buttons.slower.repeat cannot be \"slower 5 BPM\"; write slower \(step), as slower 5"),
    MalformedDocument(
      "buttons: {tap: {long: tempo}}", "1:23: buttons.tap.long cannot be \"tempo\"; write tempo with \(tempoForm)"),
    MalformedDocument(
      "buttons: {tap: {long: tempo 1000}}",
      "1:23: buttons.tap.long cannot be \"tempo 1000\"; write tempo with \(tempoForm)"),
    MalformedDocument(
      "buttons: {tap: {long: tempo 120 BPM}}",
      "1:23: buttons.tap.long cannot be \"tempo 120 BPM\"; write tempo with \(tempoForm)"),
    MalformedDocument(
      "buttons: {tap: {long: recall}}",
      "1:23: buttons.tap.long cannot be \"recall\"; write recall with a preset's place from 1 to 128, as recall 3"),
    MalformedDocument(
      "buttons: {tap: {long: store 129}}",
      "1:23: buttons.tap.long cannot be \"store 129\"; write store with a preset's place from 1 to 128, as store 3"),
    MalformedDocument(
      "buttons: {tap: {long: store 0}}",
      "1:23: buttons.tap.long cannot be \"store 0\"; write store with a preset's place from 1 to 128, as store 3"),
    MalformedDocument(
      "buttons: {tap: {long: [play]}}",
      "1:23: buttons.tap.long cannot be a list; write a command, as play, faster 5 or recall 1, or none"),
    MalformedDocument(
      "buttons: {tap: {long: }}",
      "1:17: buttons.tap.long has no value; write a command, as play, faster 5 or recall 1, or none, or leave the line "
        + "out"),
    MalformedDocument(
      "buttons: {tap: {hold: play}}",
      "1:17: unknown key \"hold\" in buttons.tap; the keys are line, active, bias, short, long and repeat"),
  ]
  private static let tempoForm = "beats per minute from 1 to 999 with at most three decimals, as tempo 92.5"

  /// Buttons with too much to do while they are held.
  private static let holds = [
    MalformedDocument(
      "buttons: {tap: {long: play, repeat: faster}}",
      "1:37: buttons.tap cannot have both long and repeat; keep one of the two, or give one \"none\""),
    MalformedDocument(
      "buttons:\n  tap:\n    repeat: faster\n    long: play",
      "4:11: buttons.tap cannot have both long and repeat; keep one of the two, or give one \"none\""),
    MalformedDocument(
      "buttons: {slower: {long: stop}}",
      "1:26: buttons.slower cannot have both long and repeat, and has \"repeat: slower\" by default; "
        + "add \"repeat: none\""),
    MalformedDocument(
      "buttons: {play: {repeat: faster}, faster: {long: stop}}",
      "1:26: buttons.play cannot have both long and repeat, and has \"long: silent\" by default; add \"long: none\""),
  ]

  /// Two buttons together.
  private static let chords = [
    MalformedDocument(
      "chords: {slower: play}", "1:10: \"slower\" in chords is no chord; write \(chordForm)"),
    MalformedDocument(
      "chords: {play+slower+faster: play}", "1:10: \"play+slower+faster\" in chords is no chord; write \(chordForm)"),
    MalformedDocument(
      "chords: {play+play: stop}", "1:10: \"play+play\" in chords is one button, not two; write \(chordForm)"),
    MalformedDocument(
      "chords: {play+fastr: stop}", "1:10: unknown button \"fastr\" in chords; did you mean \"faster\"?"),
    MalformedDocument(
      "chords: {play+: stop}", "1:10: unknown button \"\" in chords; the buttons are \(buttonNames)"),
    MalformedDocument(
      "chords: {pedal+play: stop}", "1:10: unknown button \"pedal\" in chords; the buttons are \(buttonNames)"),
    MalformedDocument(
      "chords:\n  faster+tap: play\n  tap + faster: none",
      "3:3: \"tap + faster\" in chords is here for the second time, after line 2; "
        + "keep one of the two: their order does not matter"),
    MalformedDocument(
      "chords:\n  tap+faster: play\n  tap+faster: none",
      "3:3: \"tap+faster\" is here for the second time, after line 2; keep one of the two"),
    MalformedDocument(
      "chords:\n  tap+faster: play\n  tap+preset_1: play\nbuttons:\n  preset_2: {line: 4}",
      "3:3: nobody can press this chord: preset_1 has no line, and no key of an input; "
        + "give buttons.preset_1 a line, or leave the chord out"),
    MalformedDocument(
      "chords: {play+tap: stop}\nbuttons: {play: {line: none}}",
      "1:10: nobody can press this chord: play has no line, and no key of an input; "
        + "give buttons.play a line, or leave the chord out"),
    MalformedDocument(
      "chords: {play+tap: halt}", "1:20: chords.play+tap cannot be \"halt\"; write \(commands)"),
    MalformedDocument(
      "chords: none",
      "1:9: chords cannot be \"none\"; write a line for each two buttons, indented, as slower+faster: tempo_reset"),
    MalformedDocument(
      "chords: [slower+faster]",
      "1:9: chords cannot be a list; write a line for each two buttons, indented, as slower+faster: tempo_reset"),
    MalformedDocument(
      "chords: {[slower, faster]: play}",
      "1:10: a key cannot be a list or a section; "
        + "write a line for each two buttons, indented, as slower+faster: tempo_reset"),
    MalformedDocument(
      "chords:",
      "1:1: chords has no value; write a line for each two buttons, indented, as slower+faster: tempo_reset, or leave "
        + "the line out"),
  ]
}
