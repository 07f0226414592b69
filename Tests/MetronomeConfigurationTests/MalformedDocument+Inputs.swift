extension MalformedDocument {
  static let inputList = "a list: for each device a line \"- device: NAME\", with its keys below"
  static let deviceName = "a device's name, or its path in /dev/input"
  static let keyForm = "a key and its button, as {KEY_PAGEDOWN: play}"
  private static let buttonWords =
    "play, slower, faster, numerator, denominator, tap, preset_next, preset_previous, preset_1, preset_2, preset_3 "
    + "or preset_4"

  /// Devices beside the box.
  static let inputs = [
    MalformedDocument("inputs: none", "1:9: inputs cannot be \"none\"; write \(inputList)"),
    MalformedDocument("inputs:", "1:1: inputs has no value; write \(inputList), or leave the line out"),
    MalformedDocument("inputs: {device: Pedal}", "1:9: inputs must be a list; write \(inputList)"),
    MalformedDocument(
      "inputs: [Pedal]",
      "1:10: inputs cannot be \"Pedal\"; write its keys below it, indented: device, keys, relative or grab"),
    MalformedDocument(
      "inputs:\n  - - Pedal",
      "2:5: inputs cannot be a list; write its keys below it, indented: device, keys, relative or grab"),
    MalformedDocument(
      "inputs:\n  - name: Pedal",
      "2:5: unknown key \"name\" in inputs; the keys are device, keys, relative and grab"),
    MalformedDocument(
      "inputs:\n  - devise: Pedal", "2:5: unknown key \"devise\" in inputs; did you mean \"device\"?"),
    MalformedDocument(
      "inputs:\n  - keys: {KEY_A: play}",
      "2:5: a device of inputs has no name; add \"device:\" with its name or its path in /dev/input"),
    MalformedDocument(
      "inputs:\n  - device: A\n    keys: {KEY_A: play}\n  - device: Pedal\n    grab: true",
      "4:5: a device of inputs has nothing to do; add keys, as {KEY_PAGEDOWN: play}, or relative, as {REL_X: tempo}"),
    MalformedDocument(
      "inputs: [{device: Pedal, keys: {}, relative: {}}]",
      "1:10: a device of inputs has nothing to do; add keys, as {KEY_PAGEDOWN: play}, or relative, as {REL_X: tempo}"),
    MalformedDocument("inputs: [{device: \"\"}]", "1:19: inputs.device cannot be \"\"; write \(deviceName)"),
    MalformedDocument("inputs: [{device: off}]", "1:19: inputs.device cannot be \"off\"; write \(deviceName)"),
    MalformedDocument("inputs: [{device: [a]}]", "1:19: inputs.device cannot be a list; write \(deviceName)"),
    MalformedDocument(
      "inputs: [{device: a, grab: 1}]", "1:28: inputs.grab cannot be \"1\"; write true or false"),
    MalformedDocument(
      "inputs:\n  - device: /dev/input/event3\n    keys: {KEY_A: play}\n"
        + "  - relative: {REL_X: tempo}\n    device: /dev/input/event3",
      "5:13: this device is here for the second time, after line 2; put all its keys in one place; "
        + "if there are two of one name, give their paths in /dev/input/by-path"),
    MalformedDocument(
      "inputs:\n  - device: A\n    keys: {KEY_A: play}\n    device: B",
      "4:5: \"device\" is here for the second time, after line 2; keep one of the two"),
    MalformedDocument(
      "inputs: [{device: A, keys: {KEY_PAGEDWON: play}}]",
      "1:29: unknown key \"KEY_PAGEDWON\" of a device; did you mean \"KEY_PAGEDOWN\"?"),
    MalformedDocument(
      "inputs: [{device: A, keys: {pagedown: play}}]",
      "1:29: unknown key \"pagedown\" of a device; did you mean \"KEY_PAGEDOWN\"?"),
    MalformedDocument(
      "inputs: [{device: A, keys: {south: play}}]",
      "1:29: unknown key \"south\" of a device; did you mean \"BTN_SOUTH\"?"),
    MalformedDocument(
      "inputs: [{device: A, keys: {1090: play}}]",
      "1:29: unknown key \"1090\" of a device; write it as evtest shows it, as KEY_PAGEDOWN or BTN_0, or by its number"),
    MalformedDocument(
      "inputs: [{device: A, keys: {REL_X: play}}]",
      "1:29: unknown key \"REL_X\" of a device; did you mean \"KEY_X\"?"),
    MalformedDocument(
      "inputs:\n  - device: A\n    keys:\n      KEY_COFFEE: play\n      KEY_SCREENLOCK: tap",
      "5:7: KEY_SCREENLOCK is KEY_COFFEE, which is bound on line 4 already; keep one of the two"),
    MalformedDocument(
      "inputs:\n  - device: A\n    keys:\n      KEY_A: play\n      KEY_A: tap",
      "5:7: \"KEY_A\" is here for the second time, after line 4; keep one of the two"),
    MalformedDocument(
      "inputs: [{device: A, keys: {KEY_A: start}}]",
      "1:36: inputs.keys.KEY_A cannot be \"start\"; write \(buttonWords)"),
    MalformedDocument(
      "inputs: [{device: A, keys: KEY_A}]", "1:28: inputs.keys cannot be \"KEY_A\"; write \(keyForm)"),
    MalformedDocument(
      "inputs: [{device: A, keys: [KEY_A]}]", "1:28: inputs.keys cannot be a list; write \(keyForm)"),
    MalformedDocument(
      "inputs: [{device: A, relative: {X: tempo}}]",
      "1:33: unknown axis \"X\" of a device; did you mean \"REL_X\"?"),
    MalformedDocument(
      "inputs: [{device: A, relative: {KEY_PAGEDOWN: tempo}}]",
      "1:33: unknown axis \"KEY_PAGEDOWN\" of a device; the axes are REL_X, REL_Y, REL_Z, REL_RX, REL_RY, REL_RZ, "
        + "REL_HWHEEL, REL_DIAL, REL_WHEEL and REL_MISC"),
    MalformedDocument(
      "inputs: [{device: A, relative: {REL_X: volume}}]",
      "1:40: inputs.relative.REL_X cannot be \"volume\"; write tempo, numerator, denominator or preset"),
  ]
}
