#if os(Linux)
  import Testing

  /// `metronome send` and `metronome watch`, with a simulated metronome that runs.
  @Suite struct ControlTests {
    private let folder: Folder
    private let socket: [String]

    init() throws {
      folder = try Folder()
      socket = ["--state", folder.url.path]
    }

    @Test func commandsAreCarriedOutAndWatched() throws {
      let seen = try Program.shell(
        """
        "$0" simulate --for 1h --state "$1" > "$1/trace" & metronome=$!
        send() { "$0" send "$@" --state "$folder" || echo "exit $?"; }
        folder=$1
        \(Program.waitForMetronome)
        send tempo 133.7
        send signature 2+2+3/8
        send rhythm 'sub=2 swing=60%'
        send volume -6
        send set wood
        send start
        "$0" watch --state "$1" | head -n 1
        "$0" watch --json --socket "$1" | head -n 2 | grep -o '"message":"[a-z]*"'
        send recall 9
        send stop
        kill $metronome
        wait $metronome
        """, folder.url.path)
      #expect(
        seen.output == """
          133.7 BPM, 2+2+3/8 sub=2 swing=60%, playing, volume -6 dB, wood
          "message":"state"
          "message":"timeline"
          exit 75

          """)
      #expect(seen.errors == "metronome: there are no presets yet; store 1 makes one\n")
    }

    @Test(arguments: [
      (["send"], "Missing expected argument"), (["send", "tempo", "fast"], "\"tempo fast\" is no command"),
      (["send", "rhythm", "sub=3", "swing=60%"], "nothing swings here: sub=3 has no pairs of notes"),
      (["send", "none"], "none is only written in a configuration"),
      (["send", "start", "--state", ""], "--state needs a folder name"),
    ])
    func wrongUsageEndsWithCode64(arguments: [String], text: String) throws {
      let result = try Program.run(arguments)
      #expect(result.code == 64)
      #expect(result.errors.contains(text), "\(result.errors)")
    }

    @Test(arguments: [["send", "start"], ["watch"]]) func missingMetronomeIsReported(arguments: [String]) throws {
      let result = try Program.run(arguments + socket)
      #expect(result.code == 69)
      let expected =
        "metronome: no metronome listens at \(folder.url.path)/control; start one, or select its folder with --state\n"
      #expect(result.errors == expected)
    }
  }
#endif
