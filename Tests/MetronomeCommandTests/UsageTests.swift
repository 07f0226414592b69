import Testing

@Suite struct UsageTests {
  @Test(arguments: [
    [], ["run"], ["off"], ["simulate"], ["calibrate"], ["render"], ["config"], ["presets"], ["wiring"], ["check"],
    ["bench"], ["score"], ["score", "check"], ["score", "list"], ["score", "show"], ["score", "add"],
    ["score", "remove"],
  ])
  func everyCommandHasHelp(
    command: [String]
  )
    throws
  {
    let result = try Program.run(command + ["--help"])
    #expect(result.code == 0)
    #expect(result.output.contains("USAGE: metronome"))
    #expect(result.output.contains("OVERVIEW: "))
  }

  @Test func versionIsPrinted() throws {
    let result = try Program.run("--version")
    #expect(result.code == 0)
    #expect(result.output.hasPrefix("metronome ") && result.output.contains("."))
  }

  @Test(arguments: [
    (["play"], "Unexpected argument 'play'"),
    (["simulate"], "Without a terminal --for is required"),
    (["simulate", "--virtual"], "--virtual needs --for"),
    (["simulate", "--virtul"], "Unknown option '--virtul'"),
    (["simulate", "--virtual", "--fro", "1s"], "Unknown option '--fro'"),
    (["render", "a.wav", "--bar", "1"], "Unknown option '--bar'"),
    (["calibrate", "--sound", "--simulatd"], "Unknown option '--simulatd'"),
    (["simulate", "--virtual", "--for", "soon"], "\"soon\" is not a duration; write a number of seconds"),
    (["simulate", "--virtual", "--for", "0"], "\"0\" is not a duration"),
    (["simulate", "--virtual", "--for", "-1s"], "--for"),
    (["simulate", "--virtual", "--for", "1e400"], "is not a duration"),
    (["simulate", "--virtual", "--for", "1s", "--trace", "beats.txt"], "beats.txt has no supported trace format"),
    (["simulate", "--virtual", "--for", "1s", "--seed", "x"], "--seed"),
    (["simulate", "--virtual", "--for", "1s", "--sound"], "--sound plays in real time"),
    (["simulate", "--for", "1s", "--score", "a.txt", "--tempo", "60"], "A score cannot be combined with --tempo"),
    (["simulate", "--for", "1s", "--sound"], "--sound needs a terminal, and there is none"),
    (["simulate", "--for", "1s", "--audio", "a.wav"], "--audio needs --virtual"),
    (["simulate", "--virtual", "--for", "100h", "--audio", "/dev/null"], "a WAV file holds at most 44739 s"),
    (["calibrate", "--sound"], "--sound needs --simulated"),
    (["render"], "Missing expected argument '<file.wav>'"),
    (["render", "a.wav"], "The length is missing: add --bars or --for"),
    (["render", "a.wav", "--bars", "1", "--for", "1s"], "both set the length"),
    (["render", "-", "--bars", "1"], "Standard output (-) is not supported"),
    (
      ["render", "a.mp3", "--bars", "1"], "a.mp3: only WAV files can be written; the name must end in .wav"
    ),
    (["render", "x", "--bars", "1"], "x: only WAV files can be written; the name must end in .wav"),
    (["simulate", "--virtual", "--for", "1s", "--audio", "a.mp3"], "a.mp3: only WAV files can be written"),
    (["simulate", "--virtual", "--for", "1s", "--audio", "x"], "x: only WAV files can be written"),
    (
      ["simulate", "--virtual", "--for", "1s", "--script", "-", "--config", "-"],
      "Only one of --script and --config can be -."
    ),
    (["simulate", "--virtual", "--for", "1s", "--script", ""], "--script needs a file name"),
    (["simulate", "--virtual", "--for", "1s", "--config", ""], "--config needs a file name"),
    (["config", "--check", ""], "FILE is empty; name a configuration file"),
    (["run", "--config", "-"], "--config - cannot be reloaded"),
    (["config", "--score", "a"], "--score and --state need --check"),
    (["config", "--state", "a"], "--score and --state need --check"),
    (["config", "--check", "--score", ""], "--score needs a file or a name"),
    (["config", "--check", "--state", ""], "--state needs a folder name"),
    (["config", "a.yaml", "--config", "b.yaml"], "FILE and --config cannot be combined"),
    (["check", "--for", "soon"], "\"soon\" is not a duration; write a number of seconds"),
    (["check", "--for", "999ms"], "--for must be from 1s to 10m"),
    (["check", "--for", "11m"], "--for must be from 1s to 10m"),
    (["render", "a.wav", "--for", "1us"], "shorter than one frame"),
    (["render", "a.wav", "--bars", "0"], "--bars must be from 1 to 1000000"),
    (["render", "a.wav", "--for", "1s", "--tempo", "1000"], "\"1000\" is not a tempo"),
    (["render", "a.wav", "--for", "1s", "--signature", "33/4"], "\"33/4\" is not a time signature; write 1 to 32"),
    (["render", "a.wav", "--for", "1s", "--signature", "4/3"], "\"4/3\" is not a time signature"),
    (["render", "a.wav", "--for", "1s", "--rate", "22050"], "--rate"),
    (["render", "a.wav", "--voice-only", "--tempo", "90"], "--voice-only cannot be combined"),
    (["render", "a.wav", "--for", "20h"], "a WAV file holds at most 44739 s"),
    (["bench", "--for", "soon"], "\"soon\" is not a duration; write a number of seconds"),
    (["bench", "--for", "5s"], "--for must be from 18s to 24h for 8 blocks; fewer --blocks need less time"),
    (["bench", "--for", "17999ms"], "--for must be from 18s to 24h for 8 blocks; fewer --blocks need less time"),
    (["bench", "--for", "25h"], "--for must be from 18s to 24h for 8 blocks; fewer --blocks need less time"),
    (["bench", "--for", "1s", "--blocks", "1"], "--for must be from 2250ms to 24h for 1 block"),
    (["bench", "--blocks", "0"], "--blocks must be from 1 to 1000"),
    (["bench", "--blocks", "1001"], "--blocks must be from 1 to 1000"),
    (["bench", "--picture", "late.gif"], "\"late.gif\" has no supported picture format; name it FILE.svg or FILE.png"),
    (["config", "--loud"], "Unknown option '--loud'"),
    (["render", "a.wav", "--bars", "1", "--rhythm", "X", "--rhythm=x"], "Error: --rhythm is given more than once.\n"),
    (["render", "a.wav", "--bars", "1", "--bars", "1"], "Error: --bars is given more than once.\n"),
    (["simulate", "--virtual", "--for", "1s", "--virtual"], "Error: --virtual is given more than once.\n"),
    (["run", "--config", "a.yaml", "--config", "a.yaml"], "Error: --config is given more than once.\n"),
    (["presets", "list", "--state", "/tmp", "--state", "/tmp"], "See 'metronome presets list --help'"),
    (["bench", "--blocks", "1", "--for=3s", "--blocks", "1"], "Error: --blocks is given more than once.\n"),
  ])
  func wrongUsageEndsWithCode64(arguments: [String], message: String) throws {
    let result = try Program.run(arguments)
    #expect(result.code == 64 && result.exited)
    #expect(result.output == "")
    #expect(result.errors.contains(message), "\(result.errors)")
  }

  /// Every usage error is followed by the usage of the command.
  @Test(arguments: [["simulate", "--virtual"], ["simulate", "--virtul"]]) func usageErrorShowsTheUsage(
    arguments: [String]
  )
    throws
  {
    let errors = try Program.run(arguments).errors
    #expect(errors.hasPrefix("Error: ") && errors.contains("\nUsage: metronome simulate "), "\(errors)")
    #expect(errors.hasSuffix("\n  See 'metronome simulate --help' for more information.\n"), "\(errors)")
  }

  @Test func namesAfterTheLastOptionMayLookLikeOptions() throws {
    let folder = try Folder()
    let result = try Program.run("presets", "save", "--tempo", "90", "--state", folder.path(""), "--", "--tempo")
    #expect(result.code == 0, "\(result.errors)")
    #expect(try Program.run("presets", "list", "--state", folder.path("")).output.contains("--tempo"))
  }

  @Test(arguments: ["a.vcd", "a.jsonl"]) func unwritableTraceIsReported(name: String) throws {
    let result = try Program.run("simulate", "--virtual", "--for", "1s", "--trace", "/nowhere/" + name)
    #expect(result.code == 73)
    #expect(result.errors == "metronome: /nowhere/\(name) cannot be written: No such file or directory\n")
  }
}
