extension MalformedDocument {
  /// Errors in the keys of the board and the sound card.
  static let wiring = [
    MalformedDocument("chip: off", "1:7: chip: invalid value \"off\"; write auto, or a chip's label, name or path"),
    MalformedDocument("chip: \"\"", "1:7: chip: invalid value \"\"; write auto, or a chip's label, name or path"),
    MalformedDocument(
      "chip: \"a\\nb\"",
      "1:7: chip: invalid value \"aU+000Ab\"; write auto, or a chip's label, name or path"),
    MalformedDocument(
      "chip: \"\\0\"", "1:7: chip: invalid value \"U+0000\"; write auto, or a chip's label, name or path"),
    MalformedDocument(
      "outputs: 3",
      "1:10: outputs: invalid value \"3\"; write its keys on indented lines below it: light, pendulum or buzzer"),
    MalformedDocument(
      "outputs: [light]",
      "1:10: outputs cannot be a list; write its keys on indented lines below it: light, pendulum or buzzer"),
    MalformedDocument(
      "outputs:\ntempo: 120",
      "1:1: outputs has no value; write its keys on indented lines below it: light, pendulum or buzzer, "
        + "or remove the line"),
    MalformedDocument(
      "outputs:\n  light: GPIO4",
      "2:10: outputs.light: invalid value \"GPIO4\"; "
        + "write its keys on indented lines below it: line, active, shows, heard, pulse_ms, levels, voices, latency_us or gaps"
    ),
    MalformedDocument("outputs: {light: {line: -1}}", "1:25: outputs.light.line: invalid value \"-1\"; write \(line)"),
    MalformedDocument(
      "outputs: {light: {line: 1024}}", "1:25: outputs.light.line: invalid value \"1024\"; write \(line)"),
    MalformedDocument(
      "outputs: {light: {line: 017}}", "1:25: outputs.light.line: invalid value \"017\"; write \(line)"),
    MalformedDocument(
      "outputs: {light: {line: 0x11}}", "1:25: outputs.light.line: invalid value \"0x11\"; write \(line)"),
    MalformedDocument(
      "outputs: {light: {line: 1e1}}", "1:25: outputs.light.line: invalid value \"1e1\"; write \(line)"),
    MalformedDocument(
      "outputs: {light: {line: 17.0}}", "1:25: outputs.light.line: invalid value \"17.0\"; write \(line)"),
    MalformedDocument(
      "outputs: {light: {line: .nan}}", "1:25: outputs.light.line: invalid value \".nan\"; write \(line)"),
    MalformedDocument(
      "outputs: {light: {line: true}}", "1:25: outputs.light.line: invalid value \"true\"; write \(line)"),
    MalformedDocument(
      "outputs: {light: {line: 99999999999999999999}}",
      "1:25: outputs.light.line: invalid value \"99999999999999999999\"; write \(line)"),
    MalformedDocument(
      "outputs: {light: {line: an_uncommonly_long_name_of_a_line}}",
      "1:25: outputs.light.line: invalid value \"an_uncommonly_long_name_of_a_line\"; write \(line)"),
    MalformedDocument(
      "outputs: {light: {line: }}",
      "1:19: outputs.light.line has no value; write \(line), or remove the line"),
    MalformedDocument(
      "outputs: {light: {line: [17]}}",
      "1:25: outputs.light.line: only three lines are a list; "
        + "write the red, green and blue line of an RGB light, such as [GPIO5, GPIO6, GPIO13]"),
    MalformedDocument(
      "outputs: {buzzer: {active: true}}",
      "1:28: outputs.buzzer.active: invalid value \"true\"; write high or low"),
    MalformedDocument(
      "outputs: {buzzer: {active: Low}}",
      "1:28: outputs.buzzer.active: invalid value \"Low\"; write high or low"),
    MalformedDocument(
      "outputs: {light: {pulse_ms: {medium: -1}}}",
      "1:38: outputs.light.pulse_ms.medium: invalid value \"-1\"; write \(milliseconds)"),
    MalformedDocument(
      "outputs: {light: {pulse_ms: {rest: 1}}}",
      "1:30: unknown key \"rest\" in outputs.light.pulse_ms; the keys are strong, medium, weak and ghost"),
    MalformedDocument(
      "outputs: {light: {levels: [strong, loud]}}",
      "1:36: outputs.light.levels: invalid value \"loud\"; write strong, medium, weak or ghost"),
    MalformedDocument(
      "outputs: {light: {levels: strong}}",
      "1:27: outputs.light.levels: invalid value \"strong\"; "
        + "write a list of strong, medium, weak and ghost, such as [strong, medium]"),
    MalformedDocument(
      "outputs: {light: {voices: [0, 4]}}",
      "1:31: outputs.light.voices: invalid value \"4\"; write a voice from 0 to 3"),
    MalformedDocument(
      "outputs: {light: {voices: all}}",
      "1:27: outputs.light.voices: invalid value \"all\"; write a list of numbers from 0 to 3, such as [0, 2]"),
    MalformedDocument(
      "outputs: {light: {pulse_ms: {strong: 1000.001}}}",
      "1:38: outputs.light.pulse_ms.strong: invalid value \"1000.001\"; write \(milliseconds)"),
    MalformedDocument(
      "outputs: {light: {pulse_ms: {weak: 50ms}}}",
      "1:36: outputs.light.pulse_ms.weak: invalid value \"50ms\"; write \(milliseconds)"),
    MalformedDocument(
      "outputs: {pendulum: {pulse_ms: {strong: beats}}}",
      "1:41: outputs.pendulum.pulse_ms.strong: invalid value \"beats\"; write \(milliseconds), or beat"),
    MalformedDocument(
      "outputs: {light: {pulse_ms: {strong: beat}}}",
      "1:38: outputs.light.pulse_ms.strong: invalid value \"beat\", because the light must switch off before the next "
        + "beat to show it; write a number of milliseconds from 0 to 1000"),
    MalformedDocument(
      "outputs: {buzzer: {pulse_ms: {weak: beat}}}",
      "1:37: outputs.buzzer.pulse_ms.weak: invalid value \"beat\", because the buzzer must switch off before the next "
        + "beat to show it; write a number of milliseconds from 0 to 1000"),
    MalformedDocument(
      "outputs: {light: {latency_us: 500001}}",
      "1:31: outputs.light.latency_us: invalid value \"500001\"; write \(latency)"),
    MalformedDocument(
      "outputs: {pendulum: {latency_us: -1}}",
      "1:34: outputs.pendulum.latency_us: invalid value \"-1\"; write \(latency)"),
    MalformedDocument(
      "outputs: {buzzer: {latency_us: 1.5}}",
      "1:32: outputs.buzzer.latency_us: invalid value \"1.5\"; write \(latency)"),
    MalformedDocument(
      "outputs: {buzzer: {latency_us: 4ms}}",
      "1:32: outputs.buzzer.latency_us: invalid value \"4ms\"; write \(latency)"),
    MalformedDocument(
      "outputs: {light: {latency_us: }}",
      "1:19: outputs.light.latency_us has no value; write \(latency), or remove the line"),
    MalformedDocument(
      "buttons: {play: {bias: up}}",
      "1:24: buttons.play.bias: invalid value \"up\"; write pull-up, pull-down or disabled"),
    MalformedDocument(
      "buttons: {play: 5}",
      "1:17: buttons.play: invalid value \"5\"; write its keys on indented lines below it: line, active, bias, short, "
        + "long or repeat"),
    MalformedDocument(
      "audio: none",
      "1:8: audio: invalid value \"none\"; write its keys on indented lines below it: device, rate, period, periods, "
        + "volume, latency_us, gain_db, routes, second, set, beats, sounds, say, say_when or numbers"),
    MalformedDocument(
      "audio: {device: off}",
      "1:17: audio.device: invalid value \"off\"; write auto, none, a card id or an ALSA PCM name"),
    MalformedDocument(
      "audio: {rate: 7999}",
      "1:15: audio.rate: invalid value \"7999\"; write a number of frames per second from 8000 to 192000"),
    MalformedDocument(
      "audio: {rate: 48k}",
      "1:15: audio.rate: invalid value \"48k\"; write a number of frames per second from 8000 to 192000"),
    MalformedDocument(
      "tempo: 60\naudio: {rate: 8000, period: 8192}",
      "2:1: a buffer of 32768 frames is longer than one second at 8000 Hz; reduce period or periods: "
        + "a long buffer delays the beat's response to a press of a button"),
    MalformedDocument(
      "audio: {period: 8193}", "1:17: audio.period: invalid value \"8193\"; write a number of frames from 16 to 8192"),
    MalformedDocument(
      "audio: {periods: 1}",
      "1:18: audio.periods: invalid value \"1\"; write a number of periods from 2 to 32"),
    MalformedDocument(
      "audio: {periods: 0x4}",
      "1:18: audio.periods: invalid value \"0x4\"; write a number of periods from 2 to 32"),
    MalformedDocument(
      "audio: {volume: 1.001}",
      "1:17: audio.volume: invalid value \"1.001\"; write a number from 0 to 1 with at most three decimals"),
    MalformedDocument(
      "audio: {volume: -0.1}",
      "1:17: audio.volume: invalid value \"-0.1\"; write a number from 0 to 1 with at most three decimals"),
    MalformedDocument(
      "audio: {volume: 80%}",
      "1:17: audio.volume: invalid value \"80%\"; write a number from 0 to 1 with at most three decimals"),
    MalformedDocument(
      "audio: {latency_us: 500001}",
      "1:21: audio.latency_us: invalid value \"500001\"; write \(latency)"),
    MalformedDocument("audio: {latency_us: 0x10}", "1:21: audio.latency_us: invalid value \"0x10\"; write \(latency)"),
    MalformedDocument("audio: {gain_db: 20.001}", "1:18: audio.gain_db: invalid value \"20.001\"; write \(decibels)"),
    MalformedDocument("audio: {gain_db: -60.001}", "1:18: audio.gain_db: invalid value \"-60.001\"; write \(decibels)"),
    MalformedDocument("audio: {gain_db: --3}", "1:18: audio.gain_db: invalid value \"--3\"; write \(decibels)"),
    MalformedDocument("audio: {gain_db: -}", "1:18: audio.gain_db: invalid value \"-\"; write \(decibels)"),
    MalformedDocument("audio: {gain_db: +3}", "1:18: audio.gain_db: invalid value \"+3\"; write \(decibels)"),
    MalformedDocument("audio: {gain_db: -06}", "1:18: audio.gain_db: invalid value \"-06\"; write \(decibels)"),
    MalformedDocument("audio: {gain_db: 3dB}", "1:18: audio.gain_db: invalid value \"3dB\"; write \(decibels)"),
    MalformedDocument("audio: {gain_db: .inf}", "1:18: audio.gain_db: invalid value \".inf\"; write \(decibels)"),
    MalformedDocument("audio: {gain_db: 0.0001}", "1:18: audio.gain_db: invalid value \"0.0001\"; write \(decibels)"),
    MalformedDocument("audio: {gain_db: [3]}", "1:18: audio.gain_db cannot be a list; write \(decibels)"),
    MalformedDocument("audio: {gain_db: }", "1:9: audio.gain_db has no value; write \(decibels), or remove the line"),
    MalformedDocument(
      "audio: {sounds: tick.wav}",
      "1:17: audio.sounds: invalid value \"tick.wav\"; write its keys on indented lines below it: strong, medium, "
        + "weak or ghost"),
    MalformedDocument(
      "audio: {sounds: [tick.wav]}",
      "1:17: audio.sounds cannot be a list; write its keys on indented lines below it: strong, medium, "
        + "weak or ghost"),
    MalformedDocument(
      "audio: {sounds: {strong: [tick.wav]}}",
      "1:26: audio.sounds.strong cannot be a list; write the path of a WAV file, or a built-in sound such as rim"),
    MalformedDocument(
      "audio: {sounds: {strong: }}",
      "1:18: audio.sounds.strong has no value; write the path of a WAV file, or a built-in sound such as rim, or remove the line"
    ),
    MalformedDocument(
      "audio: {sounds: {weak: \"\"}}",
      "1:24: audio.sounds.weak: invalid value \"\"; write the path of a WAV file, or a built-in sound such as rim"),
    MalformedDocument(
      "audio: {sounds: {weak: off}}",
      "1:24: audio.sounds.weak: invalid value \"off\"; write the path of a WAV file, or a built-in sound such as rim"),
    MalformedDocument(
      "audio: {sounds: {strong: \"a\\0b\"}}",
      "1:26: audio.sounds.strong: invalid value \"aU+0000b\"; write the path of a WAV file, or a built-in sound such as rim"
    ),
    MalformedDocument(
      "audio: {sounds: {ghost: [tick.wav]}}",
      "1:25: audio.sounds.ghost cannot be a list; write the path of a WAV file, or a built-in sound such as rim"),
  ]

  /// Lines used twice.
  static let clashes = [
    MalformedDocument(
      "outputs:\n  light: {line: 17}\n  buzzer: {line: GPIO17}",
      "3:18: GPIO17 is already used by outputs.light on line 2 of the file; "
        + "use another GPIO line, or set outputs.buzzer.line or outputs.light.line to none"),
    MalformedDocument(
      "buttons: {tap: {line: GPIO4}}\noutputs: {light: {line: 4}}",
      "2:25: line 4 is already used by buttons.tap on line 1 of the file; "
        + "use another GPIO line, or set outputs.light.line or buttons.tap.line to none"),
    MalformedDocument(
      "buttons:\n  tap: {line: LED}\n  play: {line: LED}",
      "3:16: LED is already used by buttons.tap on line 2 of the file; "
        + "use another GPIO line, or set buttons.play.line or buttons.tap.line to none"),
    MalformedDocument(
      "rgb: {green: GPIO23, blue: GPIO23}",
      "1:28: GPIO23 is already used by rgb.green on line 1 of the file; "
        + "use another GPIO line, or set rgb.blue or rgb.green to none"),
    MalformedDocument(
      "rgb: {green: GPIO17, blue: GPIO23}",
      "1:14: GPIO17 is already used by outputs.light by default; "
        + "use another GPIO line, or set outputs.light.line to another line or none"),
    MalformedDocument(
      "outputs:\n  lamp: {line: [GPIO23, GPIO12, GPIO12]}",
      "2:33: GPIO12 is already used by outputs.lamp on line 2 of the file; "
        + "use another GPIO line, or set outputs.lamp.line or outputs.lamp.line to none"),
    MalformedDocument(
      "outputs:\n  lamp: {line: [GPIO23, GPIO12]}",
      "2:16: outputs.lamp.line: only three lines are a list; "
        + "write the red, green and blue line of an RGB light, such as [GPIO5, GPIO6, GPIO13]"),
    MalformedDocument(
      "outputs:\n  lamp: {line: [GPIO23, GPIO12, GPIO 4]}",
      "2:33: outputs.lamp.line: invalid value \"GPIO 4\"; write GPIO4"),
    MalformedDocument(
      "rgb: {green: GPIO23}",
      "1:1: rgb.ghost is blue, and rgb.blue is none; set rgb.blue to a GPIO line, or rgb.ghost to another color"),
    MalformedDocument(
      "rgb: {green: GPIO23, blue: GPIO12}\noutputs: {light: {line: none}}",
      "1:1: rgb.strong is red, and outputs.light.line is none; "
        + "set outputs.light.line to a GPIO line, or rgb.strong to another color"),
    MalformedDocument(
      "rgb: {green: GPIO23, blue: GPIO12, weak: pink}",
      "1:42: rgb.weak: invalid value \"pink\"; write red, yellow, green, cyan, blue, magenta or white"),
    MalformedDocument(
      "buttons: {tap: {line: GPIO 5}}", "1:23: buttons.tap.line: invalid value \"GPIO 5\"; write GPIO5"),
    MalformedDocument(
      "buttons: {tap: {line: GPI027}}", "1:23: buttons.tap.line: invalid value \"GPI027\"; write GPIO27"),
    MalformedDocument(
      "buttons: {tap: {line: Pin 29}}",
      "1:23: buttons.tap.line: invalid value \"Pin 29\"; write GPIO5, which is pin 29"),
    MalformedDocument(
      "buttons: {tap: {line: pin 6}}",
      "1:23: buttons.tap.line: invalid value \"pin 6\"; pin 6 is not a GPIO: it is a supply or ground"),
    MalformedDocument(
      "buttons: {tap: {line: pin 41}}",
      "1:23: buttons.tap.line: invalid value \"pin 41\"; the header has the pins 1 to 40"),
    MalformedDocument(
      "buttons: {tap: {line: 30}}",
      "1:23: buttons.tap.line: 30 means GPIO30, which is not on the header; "
        + "write GPIO0 to GPIO27, or set chip to the label of the chip that has this line"),
    MalformedDocument(
      "buttons: {tap: {line: 28}}",
      "1:23: buttons.tap.line: 28 means GPIO28, which is not on the header; "
        + "write GPIO1, which is pin 28, or set chip to the label of the chip that has this line"),
    MalformedDocument(
      "display: {clock: GPIO13}",
      "1:1: display.clock is set, and display.data is none; set display.data to a GPIO line, or remove display.clock"),
    MalformedDocument(
      "display: {data: 4}",
      "1:1: display.data is set, and display.clock is none; set display.clock to a GPIO line, or remove display.data"),
    MalformedDocument(
      "display: {clock: GPIO13, data: GPIO13}",
      "1:32: GPIO13 is already used by display.clock on line 1 of the file; "
        + "use another GPIO line, or set display.data or display.clock to none"),
    MalformedDocument(
      "display: {clock: GPIO17, data: GPIO4}",
      "1:18: GPIO17 is already used by outputs.light by default; "
        + "use another GPIO line, or set outputs.light.line to another line or none"),
    MalformedDocument(
      "display: {clock: GPIO13, data: GPIO4, brightness: 9}",
      "1:51: display.brightness: invalid value \"9\"; write a brightness from 0 to 8"),
    MalformedDocument(
      "display: {i2c: /dev/i2c-1, data: GPIO4}",
      "1:1: display.i2c and display.data are both set; remove one of them: there is one display"),
    MalformedDocument(
      "display: {i2c: 1}", "1:16: display.i2c: invalid value \"1\"; write a device such as /dev/i2c-1, or none"),
    MalformedDocument(
      "display: {i2c: /dev/i2c-1, address: 60}",
      "1:37: display.address: invalid value \"60\"; write 0x3C or 0x3D"),
    MalformedDocument(
      "display: {chip: sh1106}",
      "1:1: display.chip is sh1106, but there is no screen: display.i2c is none; "
        + "set display.i2c to the bus of the screen, such as /dev/i2c-1, or remove display.chip"),
    MalformedDocument(
      "display: {clock: GPIO13, data: GPIO4, size: 128x32}",
      "1:1: display.size is 128x32, but there is no screen: display.i2c is none; "
        + "set display.i2c to the bus of the screen, such as /dev/i2c-1, or remove display.size"),
    MalformedDocument(
      "display: {view: stage}",
      "1:1: display.view is stage, but there is no screen: display.i2c is none; "
        + "set display.i2c to the bus of the screen, such as /dev/i2c-1, or remove display.view"),
    MalformedDocument(
      "display: {i2c: /dev/i2c-1, size: 132x64}",
      "1:34: display.size: invalid value \"132x64\"; write 128x64 or 128x32"),
    MalformedDocument(
      "display: {clk: GPIO13}", "1:11: unknown key \"clk\" in display; did you mean \"clock\"?"),
    MalformedDocument(
      "outputs: {light: {line: GPIO27}}",
      "1:25: GPIO27 is already used by outputs.pendulum by default; "
        + "use another GPIO line, or set outputs.pendulum.line to another line or none"),
    MalformedDocument(
      "outputs: {light: {line: GPIO27}, pendulum: {active: low}}",
      "1:25: GPIO27 is already used by outputs.pendulum by default; "
        + "use another GPIO line, or set outputs.pendulum.line to another line or none"),
    MalformedDocument(
      "buttons: {tap: {line: 17}}",
      "1:23: line 17 is already used by outputs.light by default; "
        + "use another GPIO line, or set outputs.light.line to another line or none"),
  ]
}
