import Foundation
import Testing

/// Configurations that are loaded during a simulation, and configurations that are only checked.
@Suite struct ReloadTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    _ = try folder.file("a.yaml", Array("autoplay: true\n".utf8))
  }

  private func write(_ name: String, _ text: String) throws { _ = try folder.file(name, Array(text.utf8)) }

  private func simulate(_ script: String, seconds: Int = 4) throws -> Program.Result {
    try write("script", script)
    return try Program.run(
      "simulate", "--virtual", "--for", "\(seconds)", "--config", folder.path("a.yaml"), "--script",
      folder.path("script"))
  }

  private func beats(_ result: Program.Result) -> [Substring] {
    result.output.split(separator: "\n").filter { $0.contains(#""event":"beat""#) }
  }

  /// The name of the configuration is relative to the script's folder.
  @Test func scriptReloadsAnotherConfiguration() throws {
    try write("b.yaml", "autoplay: true\ntempo: 60\nsignature: 3/4\naudio: {volume: 0.1}\n")
    let result = try simulate("1.274s reload b.yaml\n1.5s reload b.yaml\n")
    #expect(result.code == 0)
    #expect(
      result.errors == """
        metronome: configuration reloaded: tempo, signature, audio.volume
        metronome: configuration reloaded: nothing changed

        """)
    // Beats are at 24, 524 and 1,024 ms. The change takes effect one lead after the reload, 226 ms before the end of a beat
    // of 500 ms. At half the tempo the remaining 226 ms of the beat become 452 ms.
    #expect(
      beats(result).dropFirst(3).first
        == #"{"t":1750000000,"event":"beat","index":3,"bar":1,"position":0,"kind":"first","parity":"odd"}"#)
  }

  /// After an invalid configuration, the next one is compared with the active one.
  @Test func invalidConfigurationLeavesTheOldOneActive() throws {
    try write("b.yaml", "autoplay: true\ntempo: fast\n")
    try write("c.yaml", "autoplay: true\naudio: {sounds: {strong: none.wav}}\n")
    try write("d.yaml", "autoplay: last\nauto_stop: 1h\nbuttons: {play: {long: none}}\nchords: {}\n")
    let plain = try simulate("")
    #expect(plain.code == 65)
    let untouched = try simulate("9s press play\n")
    let result = try simulate("1s reload b.yaml\n2s reload c.yaml\n2.5s reload nowhere.yaml\n3s reload d.yaml\n")
    #expect(result.code == 0)
    #expect(result.output == untouched.output)
    let lines = result.errors.split(separator: "\n")
    try #require(lines.count == 4)
    #expect(
      lines[0].hasPrefix(
        "metronome: configuration not reloaded, the old one remains active: \(folder.path("b.yaml")):2:8: tempo: "))
    #expect(lines[1].contains("none.wav: cannot use this file for audio.sounds.strong: no such file"))
    #expect(lines[2].contains("\(folder.path("nowhere.yaml")): no such file"))
    #expect(
      lines[3]
        == "metronome: configuration reloaded: autoplay (takes effect at the next start), auto_stop, buttons.play")
  }

  @Test func manyChangesAreCounted() throws {
    try write(
      "b.yaml", "tempo: 1\nsignature: 1/4\ncount_in: 1\nauto_stop: 1h\ndebounce_ms: 9\ntap: {round: false}\nchip: x\n")
    let result = try simulate("1s reload b.yaml\n")
    #expect(
      result.errors == """
        metronome: configuration reloaded: tempo, signature, autoplay (takes effect at the next start), count_in, \
        auto_stop, debounce_ms and 2 more

        """)
  }

  /// A script can use buttons and devices of a later configuration. They have an effect from the reload on.
  @Test func reloadAddsAndRemovesButtons() throws {
    try write("a.yaml", "buttons: {play: {line: none}}\n")
    try write("b.yaml", "inputs:\n  - {device: pedal, keys: {KEY_PAGEDOWN: play}}\n")
    let result = try simulate("0.5s press play\n1s reload b.yaml\n1.5s press play\n2s press play@1\n")
    let states = result.output.split(separator: "\n").filter { $0.contains(#""event":"state""#) }
    let times = states.compactMap { $0.split(separator: ",").first }
    #expect(times == [#"{"t":0"#, #"{"t":1500000000"#, #"{"t":2000000000"#])
  }

  @Test func reloadedFileIsNotOverwritten() throws {
    try write("b.jsonl", "tempo: 90\n")
    try write("script", "1s reload b.jsonl\n")
    let result = try Program.run(
      "simulate", "--virtual", "--for", "2", "--script", folder.path("script"), "--trace", folder.path("b.jsonl"))
    #expect(result.code == 64 && result.errors.contains("are the same file"))
  }

  @Test func configurationIsCheckedWithoutASimulation() throws {
    let path = folder.path("a.yaml")
    let good = try Program.run("config", "--check", "--config", path)
    #expect(good.code == 0 && good.output == "\(path): valid\n" && good.errors == "")
    try write("a.yaml", "tempo: 0\n")
    let bad = try Program.run("config", "--check", "--config", path)
    #expect(bad.code == 78 && bad.output == "")
    #expect(bad.errors.hasPrefix("metronome: \(path):1:8: tempo: invalid value "))
    try write("a.yaml", "tempo: 0\nautoplay: perhaps\n")
    let worse = try Program.run("config", "--check", "--config", path)
    let starts = ["1:8: tempo: invalid value ", "2:11: autoplay: invalid value "].map { "metronome: \(path):\($0)" }
    let lines = worse.errors.split(separator: "\n")
    #expect(worse.code == 78 && lines.count == 2)
    for (line, start) in zip(lines, starts) { #expect(line.hasPrefix(start)) }
    try write("a.yaml", "audio: {sounds: {strong: click.wav}}\n")
    let soundless = try Program.run("config", "--check", "--config", path)
    #expect(soundless.code == 78)
    #expect(soundless.errors.contains("click.wav: cannot use this file for audio.sounds.strong"))
  }

  @Test func checkOfTheConfigurationReadsItsScore() throws {
    let path = folder.path("a.yaml")
    try write("a.yaml", "score: waltz.txt\n")
    let missing = try Program.run("config", "--check", path)
    #expect(missing.code == 66 && missing.errors.contains("\(folder.path("waltz.txt")): no such score; "))
    try write("waltz.txt", "8 144\n4 fast\n")
    let wrong = try Program.run("config", "--check", path)
    #expect(wrong.code == 65 && wrong.output == "")
    #expect(wrong.errors.hasPrefix("metronome: \(folder.path("waltz.txt")):2:3: invalid tempo \"fast\"; "))
    try write("waltz.txt", "8 144\n4 120\n")
    let good = try Program.run("config", "--check", path)
    #expect(good.code == 0 && good.output == "\(path): valid\n")
    // `--score` replaces the score of the configuration.
    let other = try Program.run("config", "--check", path, "--score", folder.path("polka.txt"))
    #expect(other.code == 66 && other.errors.contains("\(folder.path("polka.txt")): no such score; "))
  }

  /// The folder of the state is private to the service.
  @Test func checkOfAStoredScoreByAUserWithoutRightsNamesItsFile() throws {
    try write("a.yaml", "score: waltz\n")
    let result = try Program.shell(
      """
      mkdir -p "$1/state/scores"
      echo '8 144' >"$1/state/scores/waltz.txt"
      STATE_DIRECTORY=$1/state "$0" config --check "$1/a.yaml"; echo $?
      "$0" config --check "$1/a.yaml" --state "$1/state"; echo $?
      echo 'score: missing' >"$1/b.yaml"
      "$0" config --check "$1/b.yaml" --score waltz --state "$1/state"; echo $?
      \(Program.setUnprivileged)
      chmod 000 "$1/state"
      STATE_DIRECTORY=$1/state $unprivileged "$0" config --check "$1/a.yaml"; echo $?
      chmod 755 "$1/state"
      """, folder.url.path)
    let (a, b) = (folder.path("a.yaml"), folder.path("b.yaml"))
    #expect(result.output == "\(a): valid\n0\n\(a): valid\n0\n\(b): valid\n0\n66\n")
    let file = folder.path("state/scores/waltz.txt")
    let problem = "cannot read the file: Permission denied; check its path and permissions"
    #expect(result.errors == "metronome: \(file): \(problem)\n")
  }
}
