import Foundation
import Testing

@Suite struct SimulateTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  @Test func scriptFromInputGivesJSONLines() throws {
    let result = try Program.run(
      "simulate", "--virtual", "--for", "1.6s", "--script", "-", input: Array("1s press play\n".utf8))
    #expect(result.code == 0)
    #expect(result.errors == "")
    #expect(
      result.output.split(separator: "\n").prefix(5) == [
        #"{"t":0,"event":"state","playing":false,"tempo":"120 BPM","signature":"4/4","silent":false}"#,
        #"{"t":0,"event":"audio","state":"locking"}"#,
        #"{"t":1000000000,"event":"button","name":"play","value":1}"#,
        #"{"t":1000000000,"event":"state","playing":true,"tempo":"120 BPM","signature":"4/4","silent":false}"#,
        #"{"t":1024000000,"event":"line","name":"light","value":1}"#,
      ])
    #expect(result.output.contains(#"{"t":1524000000,"event":"click","frame":73152.000,"kind":"regular"}"#))
  }

  @Test func allKindsOfTracesAreWrittenTogether() throws {
    let script = try folder.file("script", Array("0 press play\n".utf8)).path
    let result = try Program.run(
      "simulate", "--virtual", "--for", "2", "--script", script, "--trace", folder.path("a.jsonl"), "--trace",
      folder.path("a.vcd"), "--audio", folder.path("a.wav"), "--seed", "7")
    #expect(result.code == 0 && result.output == "" && result.errors == "")
    let lines = try String(contentsOfFile: folder.path("a.jsonl"), encoding: .utf8)
    #expect(lines.hasPrefix("{\"t\":0,"))
    let dump = try String(contentsOfFile: folder.path("a.vcd"), encoding: .utf8)
    #expect(dump.hasPrefix("$version metronome $end\n"))
    let audio = try Data(contentsOf: URL(fileURLWithPath: folder.path("a.wav")))
    #expect(audio.count == 44 + 2 * 96_000)
  }

  /// The second card has a file and faults of its own, and its events are marked; those of the first card are as without it.
  @Test func secondCardIsSimulated() throws {
    let script = try folder.file(
      "script", Array("0 card2 drifts -200ppm\n0 press play\n1.1 card2 unplug\n2.1 card2 plug\n".utf8)
    ).path
    func run(_ name: String, _ audio: String, _ more: String...) throws -> (trace: [Substring], sound: Data) {
      let box = try folder.file(name, Array("audio: \(audio)".utf8)).path
      let result = try Program.run(
        ["simulate", "--virtual", "--for", "4", "--config", box, "--script", script, "--audio", folder.path("a.wav")]
          + more)
      #expect(result.code == 0 && result.errors == "")
      return (
        result.output.split(separator: "\n"), try Data(contentsOf: URL(fileURLWithPath: folder.path("a.wav")))
      )
    }
    let alone = try run("one.yaml", "{device: A}")
    let both = try run(
      "two.yaml", "{device: A, second: {device: B, rate: 44100, period: 220}}", "--second-audio", folder.path("b.wav"))
    #expect(both.sound == alone.sound)
    #expect(both.trace.filter { !$0.hasSuffix(#","card":2}"#) } == alone.trace)
    let second = both.trace.filter { $0.hasSuffix(#","card":2}"#) }
    #expect(second.contains { $0.contains(#""event":"audio","state":"waiting","cause":"gone""#) })
    #expect(second.filter { $0.contains(#""event":"click""#) }.count == 6)
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path("b.wav"))).count == 44 + 2 * 4 * 44_100)
    let refused = try Program.run(
      "simulate", "--virtual", "--for", "1", "--config", folder.path("one.yaml"), "--second-audio", folder.path("c.wav")
    )
    #expect(refused.code == 64 && refused.errors.contains("audio.second.device is none"))
  }

  @Test func sameSeedGivesTheSameBytes() throws {
    let script = try folder.file("script", Array("0.5 press play\n2 press faster\n3 press tap 5ms\n".utf8)).path
    func trace(_ seed: Int) throws -> String {
      try Program.run(
        "simulate", "--virtual", "--for", "5s", "--script", script, "--seed", "\(seed)", "--trace",
        folder.path("\(seed).vcd"))
      return try String(contentsOfFile: folder.path("\(seed).vcd"), encoding: .utf8)
    }
    let (first, second, other) = (try trace(1), try trace(1), try trace(2))
    #expect(first == second)
    #expect(first != other)
  }

  @Test func autoplayAndConfigurationTakeEffect() throws {
    let configuration = try folder.file(
      "box.yaml",
      Array("tempo: 92.5\nsignature: 5/4\nautoplay: true\naudio: {device: none}\n".utf8)
    ).path
    let result = try Program.run("simulate", "--virtual", "--for", "100ms", "--config", configuration)
    #expect(
      result.output.split(separator: "\n").prefix(3) == [
        #"{"t":0,"event":"state","playing":false,"tempo":"92.5 BPM","signature":"5/4","silent":false}"#,
        #"{"t":0,"event":"state","playing":true,"tempo":"92.5 BPM","signature":"5/4","silent":false}"#,
        #"{"t":1000000,"event":"line","name":"light","value":1}"#,
      ])
    #expect(!result.output.contains("click"))
  }

  @Test func configurationBindsTheGestures() throws {
    let configuration = try folder.file(
      "hands.yaml",
      Array(
        """
        debounce_ms: 40
        buttons: {faster: {short: faster 5, repeat: none, long: tempo 60}, preset_1: {line: 12, short: none}}
        chords: {faster+tap: tempo 200}
        audio: {device: none}
        """.utf8)
    ).path
    // The second press is ignored, because it falls within the debounce time. The third press is held. The last is a chord.
    let script =
      "0.1 press faster\n0.138 press faster 1ms\n1 press faster 600ms\n2 down tap\n2.1 press faster\n2.2 up tap"
    let result = try Program.run(
      "simulate", "--virtual", "--for", "3s", "--config", configuration, "--script", "-", input: Array(script.utf8))
    let tempi = result.output.split(separator: "\n").compactMap { line -> String? in
      guard line.contains("\"state\""), let range = line.range(of: "\"tempo\":\"") else { return nil }
      return String(
        line[line.index(line.startIndex, offsetBy: 5)..<line.firstIndex(of: ",")!] + " "
          + line[range.upperBound...].prefix { $0 != " " })
    }
    #expect(
      tempi == ["0 120", "100000000 125", "1000000000 130", "1500000000 60", "2100000000 200"])
  }

  @Test func outputLatencyIsCompensated() throws {
    let configuration = try folder.file(
      "late.yaml",
      Array(
        "autoplay: true\noutputs: {light: {latency_us: 1500}, buzzer: {latency_us: 4000}}\naudio: {device: none}".utf8)
    ).path
    let result = try Program.run("simulate", "--virtual", "--for", "520ms", "--config", configuration)
    let lines = result.output.split(separator: "\n").filter { $0.hasSuffix("\"value\":1}") }
    #expect(
      lines == [
        #"{"t":1000000,"event":"line","name":"buzzer","value":1}"#,
        #"{"t":3500000,"event":"line","name":"light","value":1}"#,
        #"{"t":501000000,"event":"line","name":"buzzer","value":1}"#,
        #"{"t":503500000,"event":"line","name":"light","value":1}"#,
        #"{"t":505000000,"event":"line","name":"pendulum","value":1}"#,
      ])
  }

  @Test func realTimeSimulationWithoutATerminalEndsAfterItsDuration() throws {
    let result = try Program.run("simulate", "--for", "100ms", "--script", "-", input: Array("0.01 press play".utf8))
    #expect(result.code == 0)
    #expect(result.output.contains(#"{"t":10000000,"event":"state","playing":true,"#))
    #expect(result.output.contains(#"{"t":34000000,"event":"beat","index":0,"#))
  }

  @Test func printedConfigurationIsReadBack() throws {
    let printed = try Program.run("config")
    #expect(printed.code == 0)
    let file = try folder.file("printed.yaml", Array(printed.output.utf8)).path
    for arguments in [["--config", file], [file], ["--config", "-"], ["-"]] {
      let again = try Program.run(["config"] + arguments, input: Array(printed.output.utf8))
      #expect(again.output == printed.output, "\(arguments)")
    }
    let checked = try Program.run("config", "--check", file)
    #expect(checked.output == "\(file): valid\n")
    let play = Array("autoplay: true\n".utf8)
    let fromInput = try Program.run("simulate", "--virtual", "--for", "1s", "--config", "-", input: play)
    #expect(fromInput.output.contains(#""playing":true"#))
  }

  /// The trace and audio files must continue after a power cut or a restart.
  @Test func tracesContinueAfterPowerCutsAndRestarts() throws {
    let script = try folder.file(
      "script",
      Array(
        """
        0 press play
        1s card unplug
        2s press faster
        2500ms power cut
        3s card plug
        4s power on
        5s press play
        6s late beats 30ms
        7s restart
        """.utf8)
    ).path
    func traces(_ name: String) throws -> [Data] {
      let files = ["jsonl", "vcd", "wav"].map { folder.path("\(name).\($0)") }
      let result = try Program.run(
        "simulate", "--virtual", "--for", "8", "--script", script, "--trace", files[0], "--trace", files[1], "--audio",
        files[2], "--seed", "3")
      #expect(result.code == 0 && result.output == "" && result.errors == "")
      return try files.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
    }
    let first = try traces("first")
    let second = try traces("second")
    #expect(first == second)
    #expect(first[2].count == 44 + 2 * 8 * 48_000)
    let lines = String(decoding: first[0], as: UTF8.self).split(separator: "\n")
    let ends = lines.filter { $0.contains(#""event":"end""#) || $0.contains(#""event":"begin""#) }
    #expect(
      ends == [
        #"{"t":2500000000,"event":"end","cause":"power"}"#, #"{"t":4000000000,"event":"begin"}"#,
        #"{"t":7000000000,"event":"end","cause":"order"}"#, #"{"t":7000000000,"event":"begin"}"#,
      ])
  }

  @Test func actionThatNeedsVirtualTimeOrASimulatedDiskIsRefusedWithoutIt() throws {
    let live = try Program.run("simulate", "--for", "100ms", "--script", "-", input: Array("90ms power cut".utf8))
    #expect(live.code == 65)
    #expect(
      live.errors == "metronome: standard input:1: \"90ms power cut\" needs virtual time; add --virtual\n")
    let restart = try Program.run("simulate", "--for", "100ms", "--script", "-", input: Array("90ms restart".utf8))
    #expect(restart.code == 65)
    let state = folder.path("")
    let real = try Program.run(
      "simulate", "--virtual", "--for", "1", "--state", state, "--script", "-", input: Array("1s disk full".utf8))
    #expect(real.code == 65)
    #expect(
      real.errors == "metronome: standard input:1: \"1s disk full\" needs a simulated disk; omit --state\n")
  }

  @Test(arguments: [
    (
      "1s press play\n\n2s press preset_1",
      "standard input:3: the script presses preset_1, but this button has no line in the configuration"
    ),
    (
      "# hands\n1s press play@1",
      "standard input:2: the script uses device 1, but the number of input devices in the configuration is 0"
    ),
  ])
  func missingButtonOrDeviceIsReportedWithItsScriptLine(script: String, message: String) throws {
    let result = try Program.run("simulate", "--virtual", "--for", "5", "--script", "-", input: Array(script.utf8))
    #expect(result.code == 65 && result.errors.hasPrefix("metronome: " + message), "\(result.errors)")
  }

  @Test func clicksOfACountInAreMarked() throws {
    let configuration = try folder.file("box.yaml", Array("autoplay: true\ncount_in: 1\n".utf8)).path
    let result = try Program.run("simulate", "--virtual", "--for", "4s", "--config", configuration)
    let kinds = result.output.split(separator: "\n").filter { $0.contains(#""event":"click""#) }
      .map { String($0.split(separator: "\"").dropLast().last ?? "") }
    #expect(kinds.prefix(6) == ["count-in", "count-in", "count-in", "count-in", "first", "regular"], "\(kinds)")
  }

  @Test func scriptLinesAfterTheEndAreReported() throws {
    let script = "1s press play\n2s press play\n\n1999ms press tap\n3s press tap"
    let result = try Program.run("simulate", "--virtual", "--for", "2s", "--script", "-", input: Array(script.utf8))
    #expect(result.code == 0)
    #expect(
      result.errors == "metronome: standard input:2: this line and 1 more are ignored: "
        + "their times are not before the end of the simulation (--for 2s)\n")
    let single = try Program.run(
      "simulate", "--virtual", "--for", "2s", "--script", "-", input: Array("3s press tap".utf8))
    #expect(
      single.errors == "metronome: standard input:1: this line is ignored: "
        + "its time is not before the end of the simulation (--for 2s)\n")
  }

  /// Words of a rhythm that nobody quoted are recognized, and the configuration's score gives way.
  @Test(arguments: [["--rhythm", "X.x", "sub=2", "swing=2:1"], ["--rhythm=X.x sub=2 swing=2:1"]])
  func tempoAndSignatureAreThoseOfTheOptions(rhythm: [String]) throws {
    _ = try folder.file("song.txt", Array("8 5/4 99\n".utf8))
    let configuration = try folder.file("box.yaml", Array("tempo: 200\nscore: song.txt\n".utf8)).path
    let result = try Program.run(
      ["simulate", "--virtual", "--for", "3s", "--script", "-", "--config", configuration, "--tempo", "60"] + rhythm
        + ["--signature", "3/4"], input: Array("0s press play".utf8))
    #expect(result.code == 0 && result.errors == "")
    let hits = result.output.split(separator: "\n").filter { $0.contains(#""event":"hit""#) }
    let slots = hits.map { String($0.split(separator: ",").suffix(2).joined(separator: ",")) }
    #expect(
      slots == [
        #""beat":0,"slot":"0"}"#, #""beat":0,"slot":"2/3"}"#, #""beat":2,"slot":"0"}"#, #""beat":2,"slot":"2/3"}"#,
      ])
    #expect(result.output.contains(#""tempo":"60 BPM","signature":"3/4""#))
  }

  /// A restart reads the state from the real folder that `--state` names.
  @Test func restartReadsTheStateFromTheNamedFolder() throws {
    let result = try Program.run(
      "simulate", "--virtual", "--for", "3", "--state", folder.path(""), "--script", "-",
      input: Array("1s press faster\n2s restart".utf8))
    #expect(result.code == 0)
    let states = result.output.split(separator: "\n").filter { $0.contains(#""event":"state""#) }
    #expect(states.last?.hasPrefix(#"{"t":2000000000,"#) == true)
    #expect(states.last?.contains("121 BPM") == true)
  }
}
