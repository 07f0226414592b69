import Testing

@Suite struct UsageTests {
  @Test(arguments: [
    [], ["run"], ["off"], ["simulate"], ["calibrate"], ["render"], ["config"], ["presets"], ["wiring"], ["check"],
    ["bench"],
  ])
  func everyLevelHasHelp(
    command: [String]
  )
    throws
  {
    let result = try Program.run(command + ["--help"])
    #expect(result.code == 0)
    #expect(result.output.contains("USAGE: metronome"))
    #expect(result.output.contains("OVERVIEW: "))
  }

  @Test func theVersionIsTold() throws {
    let result = try Program.run("--version")
    #expect(result.code == 0)
    #expect(result.output.hasPrefix("metronome ") && result.output.contains("."))
  }

  @Test(arguments: [
    (["play"], "Unexpected argument 'play'"),
    (["simulate"], "There is no terminal to play in: say how long with --for"),
    (["simulate", "--virtual"], "--virtual needs --for"),
    (["simulate", "--virtual", "--for", "soon"], "\"soon\" is not a duration; write a number with h, m, s"),
    (["simulate", "--virtual", "--for", "0"], "\"0\" is not a duration"),
    (["simulate", "--virtual", "--for", "-1s"], "--for"),
    (["simulate", "--virtual", "--for", "1e400"], "is not a duration"),
    (["simulate", "--virtual", "--for", "1s", "--trace", "beats.txt"], "beats.txt is no trace this program writes"),
    (["simulate", "--virtual", "--for", "1s", "--seed", "x"], "--seed"),
    (["simulate", "--virtual", "--for", "1s", "--sound"], "--sound plays in real time"),
    (["simulate", "--for", "1s", "--sound"], "--sound plays beside a terminal, and there is none"),
    (["simulate", "--for", "1s", "--audio", "a.wav"], "--audio needs --virtual"),
    (["simulate", "--virtual", "--for", "100h", "--audio", "/dev/null"], "a WAV file holds at most 44739 s"),
    (["calibrate", "--sound"], "--sound needs --simulated"),
    (["render"], "Missing expected argument '<file.wav>'"),
    (["render", "a.wav"], "Say how long: --bars 16, or --for 2m"),
    (["render", "a.wav", "--bars", "1", "--for", "1s"], "both say how long"),
    (["render", "-", "--bars", "1"], "- is no file"),
    (["render", "a.wav", "--for", "1us"], "less than a frame lasts"),
    (["render", "a.wav", "--bars", "0"], "--bars is from 1 to 1000000"),
    (["render", "a.wav", "--for", "1s", "--tempo", "1000"], "\"1000\" is no tempo"),
    (["render", "a.wav", "--for", "1s", "--signature", "33/4"], "\"33/4\" is no signature; write 1 to 32 beats"),
    (["render", "a.wav", "--for", "1s", "--signature", "4/3"], "\"4/3\" is no signature"),
    (["render", "a.wav", "--for", "1s", "--rate", "22050"], "--rate"),
    (["render", "a.wav", "--voice-only", "--tempo", "90"], "--voice-only has no beats"),
    (["render", "a.wav", "--for", "20h"], "a WAV file holds at most 44739 s"),
    (["bench", "--for", "soon"], "\"soon\" is not a duration; write a number with h, m, s"),
    (["bench", "--for", "17999ms"], "--for is from 18s to 24h, for 8 blocks; with fewer --blocks it may be less"),
    (["bench", "--for", "25h"], "--for is from 18s to 24h, for 8 blocks; with fewer --blocks it may be less"),
    (["bench", "--for", "1s", "--blocks", "1"], "--for is from 2250ms to 24h, for 1 blocks"),
    (["bench", "--blocks", "0"], "--blocks is from 1 to 1000"),
    (["bench", "--blocks", "1001"], "--blocks is from 1 to 1000"),
    (["bench", "--picture", "late.gif"], "\"late.gif\" is no picture this program writes; name an .svg or a .png"),
    (["config", "--loud"], "Unknown option '--loud'"),
  ])
  func wrongUsageIsSaidWithCode64(arguments: [String], message: String) throws {
    let result = try Program.run(arguments)
    #expect(result.code == 64 && result.exited)
    #expect(result.output == "")
    #expect(result.errors.contains(message), "\(result.errors)")
  }

  @Test(arguments: ["a.vcd", "a.jsonl"]) func whatCannotBeWrittenIsSaid(name: String) throws {
    let result = try Program.run("simulate", "--virtual", "--for", "1s", "--trace", "/nowhere/" + name)
    #expect(result.code == 73)
    #expect(result.errors == "metronome: /nowhere/\(name) cannot be written: No such file or directory\n")
  }
}
