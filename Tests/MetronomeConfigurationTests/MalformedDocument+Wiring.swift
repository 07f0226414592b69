extension MalformedDocument {
  /// The board and the sound card.
  static let wiring = [
    MalformedDocument("chip: off", "1:7: chip cannot be \"off\"; write auto, or a chip's label, name or path"),
    MalformedDocument("chip: \"\"", "1:7: chip cannot be \"\"; write auto, or a chip's label, name or path"),
    MalformedDocument(
      "chip: \"a\\nb\"",
      "1:7: chip cannot be \"aU+000Ab\"; write auto, or a chip's label, name or path"),
    MalformedDocument("chip: \"\\0\"", "1:7: chip cannot be \"U+0000\"; write auto, or a chip's label, name or path"),
    MalformedDocument(
      "outputs: 3",
      "1:10: outputs cannot be \"3\"; write its keys below it, indented: light, pendulum or buzzer"),
    MalformedDocument(
      "outputs: [light]",
      "1:10: outputs cannot be a list; write its keys below it, indented: light, pendulum or buzzer"),
    MalformedDocument(
      "outputs:\nbuttons:",
      "1:1: outputs has no value; write its keys below it, indented: light, pendulum or buzzer, or leave the line out"),
    MalformedDocument(
      "outputs:\n  light: GPIO4",
      "2:10: outputs.light cannot be \"GPIO4\"; "
        + "write its keys below it, indented: line, active, first_ms, regular_ms or latency_us"),
    MalformedDocument("outputs: {light: {line: -1}}", "1:25: outputs.light.line cannot be \"-1\"; write \(line)"),
    MalformedDocument("outputs: {light: {line: 1024}}", "1:25: outputs.light.line cannot be \"1024\"; write \(line)"),
    MalformedDocument("outputs: {light: {line: 017}}", "1:25: outputs.light.line cannot be \"017\"; write \(line)"),
    MalformedDocument("outputs: {light: {line: 0x11}}", "1:25: outputs.light.line cannot be \"0x11\"; write \(line)"),
    MalformedDocument("outputs: {light: {line: 1e1}}", "1:25: outputs.light.line cannot be \"1e1\"; write \(line)"),
    MalformedDocument("outputs: {light: {line: 17.0}}", "1:25: outputs.light.line cannot be \"17.0\"; write \(line)"),
    MalformedDocument("outputs: {light: {line: .nan}}", "1:25: outputs.light.line cannot be \".nan\"; write \(line)"),
    MalformedDocument("outputs: {light: {line: true}}", "1:25: outputs.light.line cannot be \"true\"; write \(line)"),
    MalformedDocument(
      "outputs: {light: {line: 99999999999999999999}}",
      "1:25: outputs.light.line cannot be \"99999999999999999999\"; write \(line)"),
    MalformedDocument(
      "outputs: {light: {line: an_uncommonly_long_name_of_a_line}}",
      "1:25: outputs.light.line cannot be \"an_uncommonly_long_name_of_a_line\"; write \(line)"),
    MalformedDocument(
      "outputs: {light: {line: }}",
      "1:19: outputs.light.line has no value; write \(line), or leave the line out"),
    MalformedDocument("outputs: {light: {line: [17]}}", "1:25: outputs.light.line cannot be a list; write \(line)"),
    MalformedDocument(
      "outputs: {buzzer: {active: true}}",
      "1:28: outputs.buzzer.active cannot be \"true\"; write high or low"),
    MalformedDocument(
      "outputs: {buzzer: {active: Low}}",
      "1:28: outputs.buzzer.active cannot be \"Low\"; write high or low"),
    MalformedDocument(
      "outputs: {light: {first_ms: -1}}",
      "1:29: outputs.light.first_ms cannot be \"-1\"; write \(milliseconds)"),
    MalformedDocument(
      "outputs: {light: {first_ms: 1000.001}}",
      "1:29: outputs.light.first_ms cannot be \"1000.001\"; write \(milliseconds)"),
    MalformedDocument(
      "outputs: {light: {regular_ms: 50ms}}",
      "1:31: outputs.light.regular_ms cannot be \"50ms\"; write \(milliseconds)"),
    MalformedDocument(
      "outputs: {pendulum: {first_ms: beats}}",
      "1:32: outputs.pendulum.first_ms cannot be \"beats\"; write \(milliseconds), or beat"),
    MalformedDocument(
      "outputs: {light: {first_ms: beat}}",
      "1:29: outputs.light.first_ms cannot be \"beat\": the light must go off before the next beat for "
        + "that to be noticed; write milliseconds from 0 to 1000"),
    MalformedDocument(
      "outputs: {buzzer: {regular_ms: beat}}",
      "1:32: outputs.buzzer.regular_ms cannot be \"beat\": the buzzer must go off before the next beat for "
        + "that to be noticed; write milliseconds from 0 to 1000"),
    MalformedDocument(
      "outputs: {light: {latency_us: 500001}}",
      "1:31: outputs.light.latency_us cannot be \"500001\"; write \(latency)"),
    MalformedDocument(
      "outputs: {pendulum: {latency_us: -1}}",
      "1:34: outputs.pendulum.latency_us cannot be \"-1\"; write \(latency)"),
    MalformedDocument(
      "outputs: {buzzer: {latency_us: 1.5}}",
      "1:32: outputs.buzzer.latency_us cannot be \"1.5\"; write \(latency)"),
    MalformedDocument(
      "outputs: {buzzer: {latency_us: 4ms}}",
      "1:32: outputs.buzzer.latency_us cannot be \"4ms\"; write \(latency)"),
    MalformedDocument(
      "outputs: {light: {latency_us: }}",
      "1:19: outputs.light.latency_us has no value; write \(latency), or leave the line out"),
    MalformedDocument(
      "buttons: {play: {bias: up}}",
      "1:24: buttons.play.bias cannot be \"up\"; write pull-up, pull-down or disabled"),
    MalformedDocument(
      "buttons: {play: 5}",
      "1:17: buttons.play cannot be \"5\"; write its keys below it, indented: line, active, bias, short, long or "
        + "repeat"),
    MalformedDocument(
      "audio: none",
      "1:8: audio cannot be \"none\"; write its keys below it, indented: device, rate, period, periods, "
        + "volume, latency_us, gain_db or sounds"),
    MalformedDocument(
      "audio: {device: off}",
      "1:17: audio.device cannot be \"off\"; write auto, none, a card's id or an ALSA PCM name"),
    MalformedDocument(
      "audio: {rate: 7999}",
      "1:15: audio.rate cannot be \"7999\"; write frames a second from 8000 to 192000"),
    MalformedDocument(
      "audio: {rate: 48k}",
      "1:15: audio.rate cannot be \"48k\"; write frames a second from 8000 to 192000"),
    MalformedDocument(
      "tempo: 60\naudio: {rate: 8000, period: 8192}",
      "2:1: a buffer of 32768 frames lasts longer than a second at 8000 Hz; keep period × periods lower: a press waits as"
        + " long for its beat"),
    MalformedDocument("audio: {period: 8193}", "1:17: audio.period cannot be \"8193\"; write frames from 16 to 8192"),
    MalformedDocument(
      "audio: {periods: 1}",
      "1:18: audio.periods cannot be \"1\"; write a number of periods from 2 to 32"),
    MalformedDocument(
      "audio: {periods: 0x4}",
      "1:18: audio.periods cannot be \"0x4\"; write a number of periods from 2 to 32"),
    MalformedDocument(
      "audio: {volume: 1.001}",
      "1:17: audio.volume cannot be \"1.001\"; write a number from 0 to 1 with at most three decimals"),
    MalformedDocument(
      "audio: {volume: -0.1}",
      "1:17: audio.volume cannot be \"-0.1\"; write a number from 0 to 1 with at most three decimals"),
    MalformedDocument(
      "audio: {volume: 80%}",
      "1:17: audio.volume cannot be \"80%\"; write a number from 0 to 1 with at most three decimals"),
    MalformedDocument(
      "audio: {latency_us: 500001}",
      "1:21: audio.latency_us cannot be \"500001\"; write \(latency)"),
    MalformedDocument(
      "audio: {latency_us: 0x10}",
      "1:21: audio.latency_us cannot be \"0x10\"; write \(latency)"),
    MalformedDocument("audio: {gain_db: 20.001}", "1:18: audio.gain_db cannot be \"20.001\"; write \(decibels)"),
    MalformedDocument("audio: {gain_db: -60.001}", "1:18: audio.gain_db cannot be \"-60.001\"; write \(decibels)"),
    MalformedDocument("audio: {gain_db: --3}", "1:18: audio.gain_db cannot be \"--3\"; write \(decibels)"),
    MalformedDocument("audio: {gain_db: -}", "1:18: audio.gain_db cannot be \"-\"; write \(decibels)"),
    MalformedDocument("audio: {gain_db: +3}", "1:18: audio.gain_db cannot be \"+3\"; write \(decibels)"),
    MalformedDocument("audio: {gain_db: -06}", "1:18: audio.gain_db cannot be \"-06\"; write \(decibels)"),
    MalformedDocument("audio: {gain_db: 3dB}", "1:18: audio.gain_db cannot be \"3dB\"; write \(decibels)"),
    MalformedDocument("audio: {gain_db: .inf}", "1:18: audio.gain_db cannot be \".inf\"; write \(decibels)"),
    MalformedDocument("audio: {gain_db: 0.0001}", "1:18: audio.gain_db cannot be \"0.0001\"; write \(decibels)"),
    MalformedDocument("audio: {gain_db: [3]}", "1:18: audio.gain_db cannot be a list; write \(decibels)"),
    MalformedDocument(
      "audio: {gain_db: }", "1:9: audio.gain_db has no value; write \(decibels), or leave the line out"),
    MalformedDocument(
      "audio: {sounds: tick.wav}",
      "1:17: audio.sounds cannot be \"tick.wav\"; write its keys below it, indented: first or regular"),
    MalformedDocument(
      "audio: {sounds: [tick.wav]}",
      "1:17: audio.sounds cannot be a list; write its keys below it, indented: first or regular"),
    MalformedDocument(
      "audio: {sounds: {first: [tick.wav]}}",
      "1:25: audio.sounds.first cannot be a list; write the path of a WAV file"),
    MalformedDocument(
      "audio: {sounds: {first: }}",
      "1:18: audio.sounds.first has no value; write the path of a WAV file, or leave the line out"),
    MalformedDocument(
      "audio: {sounds: {regular: \"\"}}",
      "1:27: audio.sounds.regular cannot be \"\"; write the path of a WAV file"),
    MalformedDocument(
      "audio: {sounds: {regular: off}}",
      "1:27: audio.sounds.regular cannot be \"off\"; write the path of a WAV file"),
    MalformedDocument(
      "audio: {sounds: {first: \"a\\0b\"}}",
      "1:25: audio.sounds.first cannot be \"aU+0000b\"; write the path of a WAV file"),
  ]

  /// Lines used twice.
  static let clashes = [
    MalformedDocument(
      "outputs:\n  light: {line: 17}\n  buzzer: {line: GPIO17}",
      "3:18: GPIO17 already belongs to outputs.light, on line 2 of the file; "
        + "choose another, or \"line: none\" for one of the two"),
    MalformedDocument(
      "buttons: {tap: {line: GPIO4}}\noutputs: {light: {line: 4}}",
      "2:25: line 4 already belongs to buttons.tap, on line 1 of the file; "
        + "choose another, or \"line: none\" for one of the two"),
    MalformedDocument(
      "buttons:\n  tap: {line: LED}\n  play: {line: LED}",
      "3:16: LED already belongs to buttons.tap, on line 2 of the file; "
        + "choose another, or \"line: none\" for one of the two"),
    MalformedDocument(
      "outputs: {light: {line: GPIO27}}",
      "1:25: GPIO27 already belongs to outputs.pendulum, by default; "
        + "choose another, or give outputs.pendulum another line or \"line: none\""),
    MalformedDocument(
      "outputs: {light: {line: GPIO27}, pendulum: {active: low}}",
      "1:25: GPIO27 already belongs to outputs.pendulum, by default; "
        + "choose another, or give outputs.pendulum another line or \"line: none\""),
    MalformedDocument(
      "buttons: {tap: {line: 17}}",
      "1:23: line 17 already belongs to outputs.light, by default; "
        + "choose another, or give outputs.light another line or \"line: none\""),
  ]
}
