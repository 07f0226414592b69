import MetronomeConfiguration
import MetronomeCore
import Testing

/// Which keys a reload reports as changed.
@Suite struct ChangesTests {
  /// Each key alone with a value other than its default, and two files with no or several changes.
  private static let files: [(String, [String])] = [
    ("tempo: 90", ["tempo"]),
    ("signature: 3/4", ["signature"]),
    ("numerator_limit: denominator", ["numerator_limit"]),
    ("autoplay: last", ["autoplay"]),
    ("restore: false", ["restore"]),
    ("count_in: 2", ["count_in"]),
    ("auto_stop: 1h", ["auto_stop"]),
    ("debounce_ms: 9", ["debounce_ms"]),
    ("tap: {round: false}", ["tap.round"]),
    ("tap: {starts: true}", ["tap.starts"]),
    ("chip: gpiochip4", ["chip"]),
    ("outputs: {light: {line: GPIO18}}", ["outputs.light"]),
    ("outputs: {buzzer: {active: low}}", ["outputs.buzzer"]),
    ("outputs: {pendulum: {pulse_ms: {strong: 5}}}", ["outputs.pendulum"]),
    ("outputs: {light: {pulse_ms: {weak: 5}}}", ["outputs.light"]),
    ("outputs: {buzzer: {latency_us: 5}}", ["outputs.buzzer"]),
    ("buttons: {play: {line: GPIO12}}", ["buttons.play"]),
    ("buttons: {tap: {bias: disabled}}", ["buttons.tap"]),
    ("buttons: {play: {long: none}}", ["buttons.play"]),
    ("buttons: {faster: {repeat: faster 2}}", ["buttons.faster"]),
    ("chords: {slower+faster: tell_tempo}", ["chords"]),
    ("inputs: [{device: pedal, keys: {KEY_PAGEDOWN: play}}]", ["inputs"]),
    ("inputs: [{midi: knob, relative: {16: tempo}, encoding: offset-64}]", ["inputs"]),
    ("audio: {device: none}", ["audio.device"]),
    ("audio: {rate: 44100}", ["audio.rate"]),
    ("audio: {period: 128}", ["audio.period"]),
    ("audio: {periods: 3}", ["audio.periods"]),
    ("audio: {volume: 0.5}", ["audio.volume"]),
    ("audio: {latency_us: 900}", ["audio.latency_us"]),
    ("audio: {gain_db: 3}", ["audio.gain_db"]),
    ("audio: {sounds: {strong: a.wav}}", ["audio.sounds"]),
    ("audio: {sounds: {medium: a.wav}}", ["audio.sounds"]),
    ("audio: {numbers: {1: {file: a.wav}}}", ["audio.numbers"]),
    ("audio: {say: numbers, numbers: {1: {file: a.wav, onset_ms: 1}}}", ["audio.say", "audio.numbers"]),
    ("audio: {routes: [{channels: [3, 4]}]}", ["audio.routes"]),
    ("audio: {say_when: count_in}", ["audio.say_when"]),
    ("timing: {spin: false}", ["timing.spin"]),
    ("tempo: 120\naudio: {volume: 0.8}", []),
    (
      "signature: 2/4\noutputs: {light: {line: none}}\naudio: {rate: 8000, gain_db: 1}",
      ["signature", "outputs.light", "audio.rate", "audio.gain_db"]
    ),
  ]

  @Test(arguments: files) func differingKeysAreReported(file: String, keys: [String]) throws {
    let read = try configuration(file)
    #expect(read.changes(from: .standard) == keys)
    #expect(Configuration.standard.changes(from: read) == keys)
    #expect(read.changes(from: read) == [])
  }

  /// No difference may be left out.
  @Test func onlyEqualConfigurationsReportNoKeys() throws {
    for (file, keys) in ChangesTests.files {
      let isStandard = try configuration(file) == .standard
      #expect(isStandard == keys.isEmpty, "\(file)")
    }
  }

  @Test func keyTableListsEveryKeyOnce() {
    let rows = Configuration.keyTable.split(separator: "\n").dropFirst(2).compactMap { $0.split(separator: "|").first }
    #expect(rows.count == 80)
    #expect(Set(rows).count == rows.count)
  }
}
