extension MalformedDocument {
  static let inputList = "a list; one entry per device, which begins with \"- device: NAME\""
  private static let inputEntry = "begin it with \"- device: NAME\""
  static let deviceName = "a device name, or a path in /dev/input"
  static let keyForm = "keys with their buttons, such as {KEY_PAGEDOWN: play}"
  private static let buttonWords =
    "play, slower, faster, numerator, denominator, tap, preset_next, preset_previous, preset_1, preset_2, preset_3 "
    + "or preset_4"

  /// Errors in the list of external input devices.
  static let inputs = [
    MalformedDocument("inputs: none", "1:9: inputs: invalid value \"none\"; write \(inputList)"),
    MalformedDocument("inputs:", "1:1: inputs has no value; write \(inputList), or remove the line"),
    MalformedDocument("inputs: {device: Pedal}", "1:9: inputs must be a list; write \(inputList)"),
    MalformedDocument("inputs: [Pedal]", "1:10: an entry of inputs must be a section; \(inputEntry)"),
    MalformedDocument("inputs:\n  - - Pedal", "2:5: an entry of inputs must be a section; \(inputEntry)"),
    MalformedDocument(
      "inputs:\n  - name: Pedal",
      "2:5: unknown key \"name\" in inputs; the keys are device, keys, relative and grab"),
    MalformedDocument("inputs:\n  - devise: Pedal", "2:5: unknown key \"devise\" in inputs; did you mean \"device\"?"),
    MalformedDocument(
      "inputs:\n  - keys: {KEY_A: play}",
      "2:5: an input device has no name; add \"device:\" with its name or its path in /dev/input"),
    MalformedDocument(
      "inputs:\n  - device: A\n    keys: {KEY_A: play}\n  - device: Pedal\n    grab: true",
      "4:5: an input device has neither keys nor axes; "
        + "add keys, such as {KEY_PAGEDOWN: play}, or relative, such as {REL_X: tempo}"),
    MalformedDocument(
      "inputs: [{device: Pedal, keys: {}, relative: {}}]",
      "1:10: an input device has neither keys nor axes; "
        + "add keys, such as {KEY_PAGEDOWN: play}, or relative, such as {REL_X: tempo}"),
    MalformedDocument("inputs: [{device: \"\"}]", "1:19: inputs.device: invalid value \"\"; write \(deviceName)"),
    MalformedDocument("inputs: [{device: off}]", "1:19: inputs.device: invalid value \"off\"; write \(deviceName)"),
    MalformedDocument("inputs: [{device: [a]}]", "1:19: inputs.device cannot be a list; write \(deviceName)"),
    MalformedDocument("inputs: [{device: a, grab: 1}]", "1:28: inputs.grab: invalid value \"1\"; write true or false"),
    MalformedDocument(
      "inputs:\n  - device: /dev/input/event3\n    keys: {KEY_A: play}\n"
        + "  - relative: {REL_X: tempo}\n    device: /dev/input/event3",
      "5:13: duplicate device, first used on line 2; merge the two entries; "
        + "if two devices have this name, use their paths in /dev/input/by-path"),
    MalformedDocument(
      "inputs:\n  - device: A\n    keys: {KEY_A: play}\n    device: B",
      "4:5: duplicate key \"device\", first used on line 2; remove one of them, "
        + "or begin another section or entry above the second"),
    MalformedDocument(
      "inputs: [{device: A, keys: {KEY_PAGEDWON: play}}]",
      "1:29: unknown key \"KEY_PAGEDWON\" of an input device; did you mean \"KEY_PAGEDOWN\"?"),
    MalformedDocument(
      "inputs: [{device: A, keys: {pagedown: play}}]",
      "1:29: unknown key \"pagedown\" of an input device; did you mean \"KEY_PAGEDOWN\"?"),
    MalformedDocument(
      "inputs: [{device: A, keys: {south: play}}]",
      "1:29: unknown key \"south\" of an input device; did you mean \"BTN_SOUTH\"?"),
    MalformedDocument(
      "inputs: [{device: A, keys: {1090: play}}]",
      "1:29: unknown key \"1090\" of an input device; "
        + "write its name in evtest, such as KEY_PAGEDOWN or BTN_0, or its number"),
    MalformedDocument(
      "inputs: [{device: A, keys: {REL_X: play}}]",
      "1:29: unknown key \"REL_X\" of an input device; did you mean \"KEY_X\"?"),
    MalformedDocument(
      "inputs: [{device: a, keys: {KEY_PAGEDOWN play}}]",
      "1:29: unknown key \"KEY_PAGEDOWN play\" of an input device; write a colon after \"KEY_PAGEDOWN\""),
    MalformedDocument(
      "inputs:\n  - device: A\n    keys:\n      KEY_COFFEE: play\n      KEY_SCREENLOCK: tap",
      "5:7: KEY_SCREENLOCK is the same as KEY_COFFEE, which is already bound on line 4; remove one of them"),
    MalformedDocument(
      "inputs:\n  - device: A\n    keys:\n      KEY_A: play\n      KEY_A: tap",
      "5:7: duplicate key \"KEY_A\", first used on line 4; remove one of them"),
    MalformedDocument(
      "inputs: [{device: A, keys: {KEY_A: start}}]",
      "1:36: inputs.keys.KEY_A: invalid value \"start\"; write the name of a button; for a command that no button has add "
        + "one, such as \"buttons: {skip: {line: none, short: start}}\", and write skip here"),
    MalformedDocument(
      "inputs: [{device: A, keys: KEY_A}]", "1:28: inputs.keys: invalid value \"KEY_A\"; write \(keyForm)"),
    MalformedDocument("inputs: [{device: A, keys: [KEY_A]}]", "1:28: inputs.keys cannot be a list; write \(keyForm)"),
    MalformedDocument(
      "inputs: [{device: A, relative: {X: tempo}}]",
      "1:33: unknown axis \"X\" of an input device; did you mean \"REL_X\"?"),
    MalformedDocument(
      "inputs: [{device: A, relative: {KEY_PAGEDOWN: tempo}}]",
      "1:33: unknown axis \"KEY_PAGEDOWN\" of an input device; the axes are REL_X, REL_Y, REL_Z, REL_RX, "
        + "REL_RY, REL_RZ, REL_HWHEEL, REL_DIAL, REL_WHEEL and REL_MISC"),
    MalformedDocument(
      "inputs: [{device: A, relative: {REL_X: silent}}]",
      "1:40: inputs.relative.REL_X: invalid value \"silent\"; write tempo, numerator, denominator, preset, volume or "
        + "subdivision"),
    MalformedDocument(
      "inputs: [{device: A, relative: {REL_X: tempo}, encoding: offset-64}]",
      "1:48: unknown key \"encoding\" in inputs; the keys are device, keys, relative and grab"),
    MalformedDocument(
      "inputs: [{midi: A, relative: {16: tempo}, encoding: binary}]",
      "1:53: inputs.encoding: invalid value \"binary\"; write twos-complement, sign-magnitude or offset-64"),
  ]
}
