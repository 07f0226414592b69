import Foundation
import Testing

/// Configurations that are put in place while it plays, and such as are only looked at.
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

  /// The file lies beside the script.
  @Test func aScriptPutsAnotherConfigurationInPlace() throws {
    try write("b.yaml", "autoplay: true\ntempo: 60\nsignature: 3/4\naudio: {volume: 0.1}\n")
    let result = try simulate("1.274s reload b.yaml\n1.5s reload b.yaml\n")
    #expect(result.code == 0)
    #expect(
      result.errors == """
        metronome: configuration read again: tempo, signature, audio.volume
        metronome: configuration read again: nothing changed

        """)
    // Beats at 24, 524 and 1,024 ms; 226 of 500 ms are left of one when the change takes effect, a lead after it.
    #expect(
      beats(result).dropFirst(3).first
        == #"{"t":1750000000,"event":"beat","index":3,"bar":1,"position":0,"kind":"first","parity":"odd"}"#)
  }

  /// After one that is no good the next is compared with what is in force.
  @Test func whatIsWrongLeavesTheOldOneInForce() throws {
    try write("b.yaml", "autoplay: true\ntempo: fast\n")
    try write("c.yaml", "autoplay: true\naudio: {sounds: {first: none.wav}}\n")
    try write("d.yaml", "autoplay: last\nauto_stop: 1h\nbuttons: {play: {long: none}}\nchords: {}\n")
    let plain = try simulate("")
    #expect(plain.code == 65)
    let untouched = try simulate("9s press play\n")
    let result = try simulate("1s reload b.yaml\n2s reload c.yaml\n2.5s reload nowhere.yaml\n3s reload d.yaml\n")
    #expect(result.code == 0)
    #expect(result.output == untouched.output)
    let lines = result.errors.split(separator: "\n")
    try #require(lines.count == 4)
    #expect(lines[0].hasPrefix("metronome: the old configuration stays in force: \(folder.path("b.yaml")):2:8: tempo "))
    #expect(lines[1].contains("none.wav: audio.sounds.first cannot be this file: there is no such file"))
    #expect(lines[2].contains("\(folder.path("nowhere.yaml")): there is no such file"))
    #expect(
      lines[3] == "metronome: configuration read again: autoplay (from the next start on), auto_stop, buttons.play")
  }

  @Test func manyChangesAreCounted() throws {
    try write(
      "b.yaml", "tempo: 1\nsignature: 1/4\ncount_in: 1\nauto_stop: 1h\ndebounce_ms: 9\ntap: {round: false}\nchip: x\n")
    let result = try simulate("1s reload b.yaml\n")
    #expect(
      result.errors == """
        metronome: configuration read again: tempo, signature, autoplay (from the next start on), count_in, auto_stop, \
        debounce_ms and 2 more

        """)
  }

  /// Buttons and devices that only a later configuration has can be used by a script, and are heard from then on.
  @Test func buttonsComeAndGo() throws {
    try write("a.yaml", "buttons: {play: {line: none}}\n")
    try write("b.yaml", "inputs:\n  - {device: pedal, keys: {KEY_PAGEDOWN: play}}\n")
    let result = try simulate("0.5s press play\n1s reload b.yaml\n1.5s press play\n2s press play@1\n")
    let states = result.output.split(separator: "\n").filter { $0.contains(#""event":"state""#) }
    let times = states.compactMap { $0.split(separator: ",").first }
    #expect(times == [#"{"t":0"#, #"{"t":1500000000"#, #"{"t":2000000000"#])
  }

  @Test func aFileThatIsReadIsNotWrittenOver() throws {
    try write("b.jsonl", "tempo: 90\n")
    try write("script", "1s reload b.jsonl\n")
    let result = try Program.run(
      "simulate", "--virtual", "--for", "2", "--script", folder.path("script"), "--trace", folder.path("b.jsonl"))
    #expect(result.code == 64 && result.errors.contains("are the same file"))
  }

  @Test func aConfigurationCanBeCheckedOnly() throws {
    let path = folder.path("a.yaml")
    let good = try Program.run("config", "--check", "--config", path)
    #expect(good.code == 0 && good.output == "\(path): in order\n" && good.errors == "")
    try write("a.yaml", "tempo: 0\n")
    let bad = try Program.run("config", "--check", "--config", path)
    #expect(bad.code == 78 && bad.output == "")
    #expect(bad.errors.hasPrefix("metronome: \(path):1:8: tempo cannot be "))
    try write("a.yaml", "audio: {sounds: {first: click.wav}}\n")
    let deaf = try Program.run("config", "--check", "--config", path)
    #expect(deaf.code == 78 && deaf.errors.contains("click.wav: audio.sounds.first cannot be this file"))
  }
}
