extension MalformedDocument {
  /// Unknown and duplicate keys.
  static let keys = [
    MalformedDocument("tempoo: 120", "1:1: unknown key \"tempoo\"; did you mean \"tempo\"?"),
    MalformedDocument("tmepo: 120", "1:1: unknown key \"tmepo\"; did you mean \"tempo\"?"),
    MalformedDocument("Tempo: 120", "1:1: unknown key \"Tempo\"; did you mean \"tempo\"?"),
    MalformedDocument("\"tempo \": 120", "1:1: unknown key \"tempo \"; did you mean \"tempo\"?"),
    MalformedDocument(
      "numerator-limit: none",
      "1:1: unknown key \"numerator-limit\"; did you mean \"numerator_limit\"?"),
    MalformedDocument("bpm: 120", "1:1: unknown key \"bpm\"; \(rootKeys)"),
    MalformedDocument("120: 4", "1:1: unknown key \"120\"; \(rootKeys)"),
    MalformedDocument("<<: {tempo: 1}", "1:1: unknown key \"<<\"; \(rootKeys)"),
    MalformedDocument("volume: 0.5", "1:1: unknown key \"volume\"; write it on an indented line below \"audio\""),
    MalformedDocument("light: {line: 4}", "1:1: unknown key \"light\"; write it on an indented line below \"outputs\""),
    MalformedDocument("tap: {line: 4}", "1:7: unknown key \"line\" in tap; it belongs under \"tap\" in \"buttons\""),
    MalformedDocument("tap: {rounds: true}", "1:7: unknown key \"rounds\" in tap; did you mean \"round\"?"),
    MalformedDocument("tap: {window: 4}", "1:7: unknown key \"window\" in tap; the keys are round and starts"),
    MalformedDocument("play: {line: 4}", "1:1: unknown key \"play\"; write it on an indented line below \"buttons\""),
    MalformedDocument("{tempo:120}", "1:2: unknown key \"tempo:120\"; put a space after the colon"),
    MalformedDocument(
      "outputs: {lights: {active: low}}",
      "1:11: unknown key \"lights\" in outputs; did you mean \"light\"?"),
    MalformedDocument(
      "outputs: {lamp: 4}", "1:11: outputs.lamp: an output has keys; write lamp: {line: 4}"),
    MalformedDocument(
      "buttons: {solo: GPIO9}", "1:11: buttons.solo: a button has keys; write solo: {line: GPIO9}"),
    MalformedDocument(
      "outputs: {lamp: on}", "1:11: unknown key \"lamp\" in outputs; the keys are light, pendulum and buzzer"),
    MalformedDocument(
      "audio: {channels: left}",
      "1:9: unknown key \"channels\" in audio; write channels in a route, such as routes: [{channels: 1}]"),
    MalformedDocument(
      "outputs:\n  light:\n  line: GPIO4",
      "2:3: outputs.light has no value; write its keys on indented lines below it: line, active, shows, heard, pulse_ms, levels, "
        + "voices, latency_us or gaps, or remove the line\n"
        + "m.yaml:3:3: unknown key \"line\" in outputs; indent it further, below "
        + "light, pendulum or buzzer"),
    MalformedDocument(
      "outputs: {light: {bias: pull-up}}",
      "1:19: unknown key \"bias\" in outputs.light; the keys are line, active, shows, heard, pulse_ms, levels, "
        + "voices, latency_us and gaps"),
    MalformedDocument(
      "outputs: {light: {pulsems: 3}}",
      "1:19: unknown key \"pulsems\" in outputs.light; did you mean \"pulse_ms\"?"),
    MalformedDocument(
      "outputs: {light: {latency_ms: 3}}",
      "1:19: unknown key \"latency_ms\" in outputs.light; did you mean \"latency_us\"?"),
    MalformedDocument("buttons: {tap: {lin: 3}}", "1:17: unknown key \"lin\" in buttons.tap; did you mean \"line\"?"),
    MalformedDocument(
      "audio: {device: hw:0,0}",
      "1:22: unknown key \"0\" in audio; a comma separates keys in braces: "
        + "write decimals with a point, and quote a value that has a comma"),
    MalformedDocument("audio: {gain: 3}", "1:9: unknown key \"gain\" in audio; did you mean \"gain_db\"?"),
    MalformedDocument("audio: {gain_dB: 3}", "1:9: unknown key \"gain_dB\" in audio; did you mean \"gain_db\"?"),
    MalformedDocument(
      "audio: {sounds: {third: a.wav}}",
      "1:18: unknown key \"third\" in audio.sounds; the keys are strong, medium, weak and ghost"),
    MalformedDocument(
      "sounds: {strong: a.wav}", "1:1: unknown key \"sounds\"; write it on an indented line below \"audio\""),
    MalformedDocument("? [a]\n: b", "1:3: a key cannot be a list or a section; \(rootKeys)"),
    MalformedDocument("{a: b}: c", "1:1: a key cannot be a list or a section; \(rootKeys)"),
    MalformedDocument(
      "buttons:\n  play {line: GPIO5}",
      "2:3: unknown key \"play {line\" in buttons; write \"play: {\", with a colon and a space"),
    MalformedDocument(
      "tap: {round true}", "1:7: unknown key \"round true\" in tap; put a colon and a space after \"round\""),
    MalformedDocument(
      "outputs: {light: {pulse_ms: {strong: 99,5}}}",
      "1:41: unknown key \"5\" in outputs.light.pulse_ms; a comma separates keys in braces: "
        + "write decimals with a point, and quote a value that has a comma"),
    MalformedDocument(
      "buttons: {play+tap: pair}", "1:11: unknown key \"play+tap\" in buttons; write pairs of buttons below \"chords\""),
    MalformedDocument(
      "tempo: 90\nbeat: 1/4\ntempo: 90",
      "3:1: duplicate key \"tempo\", first used on line 1; remove one of them; "
        + "if the file contains everything twice, delete everything from this line on"),
    MalformedDocument("midi:\n  device: auto", "2:3: unknown key \"device\" in midi; it belongs under \"audio\""),
    MalformedDocument(
      "midi:\n  tempo: 90", "2:3: unknown key \"tempo\" in midi; write it on a line of its own, in the first column"),
    MalformedDocument(
      "round: whether a tapped tempo is rounded",
      "1:1: unknown key \"round\"; write it on an indented line below \"tap\"; if this is a note, begin it with \"#\""),
    MalformedDocument(
      "short: the command for a press",
      "1:1: unknown key \"short\"; write it below a key of buttons; if this is a note, begin it with \"#\""),
    MalformedDocument(
      "tempo: 120\nautoplay: true\ntempo: 90",
      "3:1: duplicate key \"tempo\", first used on line 1; remove one of them; "
        + "if the file contains everything twice, delete everything from this line on"),
    MalformedDocument(
      "tempo: 120\n\"tempo\": 90",
      "2:1: duplicate key \"tempo\", first used on line 1; remove one of them"),
    MalformedDocument(
      "outputs:\n  light: {line: 4}\n  buzzer: {line: 5}\n  light: {line: 6}",
      "4:3: duplicate key \"light\", first used on line 2; remove one of them, "
        + "or begin another section or entry above the second"),
    MalformedDocument(
      "audio: {rate: 8000, rate: 9000}",
      "1:21: duplicate key \"rate\", first used on line 1; remove one of them"),
    MalformedDocument(
      "? tempo\n: 120\n? tempo\n: 130",
      "3:3: duplicate key \"tempo\", first used on line 1; remove one of them"),
    MalformedDocument(
      "\"t\\u0065mpo\": 120\ntempo: 130",
      "2:1: duplicate key \"tempo\", first used on line 1; remove one of them"),
  ]
}
