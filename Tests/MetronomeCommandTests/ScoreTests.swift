import Foundation
import Testing

/// `metronome score`, as a user types it.
@Suite struct ScoreTests {
  private let folder: Folder
  private let state: [String]

  init() throws {
    folder = try Folder()
    state = ["--state", folder.url.path]
  }

  static let song = """
    song "Erotomania" count=1 scale=50%
    intro:  8 120                    # as in klick
    {2
    verse:  2 2+2+3/8 140 X.x.x.. mute=1/1bar
    }
    pause 2.5s
    4 120>140 drop=20%:8bar vol=0.5
    pause wait
    vamp: * 60+5/4bar..120!again
    """

  private func file(_ text: String, _ name: String = "song.txt") throws -> String {
    try folder.file(name, Array(text.utf8)).path
  }

  @discardableResult
  private func score(_ arguments: String...) throws -> Program.Result { try Program.run(["score"] + arguments + state) }

  @Test(arguments: [
    ("8 120\n", "1 song, 1 section, 0:16"),
    ("song \"a\"\n8 120\nsong \"b\"\n4 120\n4 60\n", "2 songs, 3 sections, 0:40"),
    ("* 120\n", "1 song, 1 section, no fixed length"), ("8 120\npause wait\n", "1 song, 1 section, at least 0:16"),
    ("{\n8 120\n}\n1 60", "1 song, 2 sections, at least 0:04"),
    ("{1000000000\n1 60\n}", "1 song, 1 section, 1111111:06:40"),
    ("1 999 # less than half a second\n", "1 song, 1 section, 0:00"), ("\u{FEFF}8 120\r\n", "1 song, 1 section, 0:16"),
  ])
  func rightScoreIsSummarized(text: String, summary: String) throws {
    let path = try file(text)
    let result = try Program.run("score", "check", path)
    #expect(result.output == "\(path): \(summary)\n" && result.errors == "" && result.code == 0)
  }

  @Test func standardInputIsChecked() throws {
    let result = try Program.run("score", "check", "-", input: Array("8 120\n".utf8))
    #expect(result.output == "standard input: 1 song, 1 section, 0:16\n" && result.code == 0)
  }

  /// Each error has its place, and the other files are checked all the same.
  @Test func errorsHaveTheirPlaces() throws {
    let (right, wrong) = (try file("8 120"), try file("8 120\n\n 4 3/4 1200", "wrong.txt"))
    let result = try Program.run("score", "check", wrong, right)
    #expect(result.code == 65)
    let place = "\(wrong):3:8: invalid tempo \"1200\"; write 1 to 999 BPM with at most six decimals\n"
    #expect(result.errors == place)
    #expect(result.output == "\(right): 1 song, 1 section, 0:16\n")
  }

  @Test func unreadableFilesAreReported() throws {
    let missing = try Program.run("score", "check", "/nowhere")
    #expect(missing.code == 66 && missing.errors == "/nowhere cannot be read (No such file or directory)\n")
    let directory = try Program.run("score", "check", folder.url.path)
    #expect(
      directory.code == 66 && directory.errors.hasSuffix("is a directory; name a file, or - for standard input\n"))
    let bytes = try folder.file("latin.txt", [0x38, 0x20, 0xFC]).path
    let latin = try Program.run("score", "check", bytes)
    #expect(latin.code == 65)
    #expect(latin.errors == "\(bytes):1:3: invalid UTF-8 byte 0xFC; save the file as UTF-8\n")
    let large = try folder.file("large.txt", [UInt8](repeating: 0x0A, count: 16 << 20 | 1)).path
    let tooLarge = try Program.run("score", "check", large)
    #expect(tooLarge.code == 65)
    #expect(tooLarge.errors == "\(large): the file is larger than 16 MiB; split the score\n")
  }

  @Test func mapHasBarsTimesAndTempiAsPlayed() throws {
    let result = try Program.run("score", "show", try file(ScoreTests.song))
    #expect(
      result.output == """
        song "Erotomania", 1 bar counted in, at 50% of the written tempi, at least 1:01
        bar       time    bars  metre    tempo
          1   0:00.000       8  4/4      60        intro
          9   0:32.000       2                     { 2 times, 0:06.000 each
          9   0:32.000       2  2+2+3/8  70          verse: X.x.x.., 1 bar on, 1 bar off
                                                   }
         13   0:44.000                             pause of 2.5 s
         13   0:46.500       4  4/4      60 to 70  evenly in time, 20% of the beats silent, growing for 8 bars, volume 0.5
         17   1:01.269                             pause until you go on
         17  1:01.269+  no end  4/4      30 to 60  vamp: 2.5 faster every 4 bars, then from the beginning, until you go on
        + and what passes before it until you go on or leave

        """, "\(result.errors)")
  }

  /// A block is shown once, whatever its number of repetitions; what follows is where it is played.
  @Test func blocksWithinBlocksAreShownOnce() throws {
    let result = try Program.run(
      "score", "show",
      try file("{1000000000\na: 1 3/4 60\n{3\nb: 2 60\n}\n}\nc: 1 60,70,80,90\n{\n1 60~90\n}\n2 140-80"))
    #expect(
      result.output == """
        song, at least 7500000:00:08
                bar                time  bars  metre  tempo
                  1            0:00.000     7                    { 1000000000 times, 0:27.000 each
                  1            0:00.000     1  3/4    60           a
                  2            0:03.000     2                      { 3 times, 0:08.000 each
                  2            0:03.000     2  4/4    60             b
                                                                   }
                                                                 }
         7000000001   7500000:00:00.000     1  4/4    60 to 90   c: a tempo for each beat
         7000000002   7500000:00:03.274     1                    { again and again until you leave, 0:03.333 each
         7000000002   7500000:00:03.274     1  4/4    60 to 90     length of the beats evenly
                                                                 }
        7000000002+  7500000:00:03.274+     2  4/4    140 to 80  evenly from beat to beat
        + and what passes before it until you go on or leave

        """)
  }

  @Test func scoresAreAddedListedShownAndRemoved() throws {
    let empty = try score("list")
    #expect(empty.output == "" && empty.code == 0)
    for (text, name) in [
      ("8 120\npause wait", "Blue in Green.txt"), ("song \"a\"\n8 120\nsong \"b\"\n1 60", "a.klick"),
    ] {
      let added = try score("add", try file(text, name))
      #expect(added.code == 0 && added.output == "" && added.errors == "")
    }
    let named = try Program.run(["score", "add", "-", "--name", "z_1"] + state, input: Array("1 60\n".utf8))
    #expect(named.code == 0)
    let listed = try score("list")
    #expect(
      listed.output == """
        Blue in Green  1 song, at least 0:16
        a              2 songs, 0:20
        z_1            1 song, 0:04

        """)
    let shown = try score("show", "z_1")
    #expect(shown.output.hasPrefix("song, 0:04\n"))
    let played = try Program.run(["simulate", "--virtual", "--for", "1s", "--score", "z_1"] + state)
    #expect(played.code == 0 && played.output.contains("60 BPM"), "\(played.errors)")
    let rendered = try Program.shell(
      "STATE_DIRECTORY=\"$1\" \"$0\" render z_1 \"$2\"", state[1], folder.path("z.wav"))
    #expect(rendered.code == 0, "\(rendered.errors)")
    let own = try Program.run(["render", "z_1", folder.path("state.wav")] + state)
    #expect(own.code == 0 && own.errors == "")
    let unused = try Program.run(["render", folder.path("state.wav"), "--bars", "1"] + state)
    #expect(unused.code == 64 && unused.errors.contains("--state needs the name of a stored score."))
    let unknown = try Program.run(["simulate", "--virtual", "--for", "1s", "--score", "z_2"] + state)
    #expect(unknown.code == 66)
    #expect(
      unknown.errors
        == "metronome: z_2: no such score; write the path of a file, such as \"music/My song.txt\", or a name that "
        + "\"metronome score list\" shows\n")
    let removed = try score("remove", "a")
    #expect(removed.code == 0 && removed.output == "" && removed.errors == "")
    let again = try score("remove", "a")
    #expect(again.code == 66)
    #expect(again.errors == "metronome: no score \"a\"; the scores are \"Blue in Green\", \"z_1\"\n")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path("scores")).sorted() == [
        "Blue in Green.txt", "lock", "z_1.txt",
      ])
  }

  @Test func wrongFileStoresNothingAndKeepsTheScoreBefore() throws {
    try score("add", try file("8 120", "tune.txt"))
    let wrong = try file("8 120\n8 3/4\n", "tune.txt")
    let result = try score("add", wrong)
    #expect(result.code == 65)
    #expect(result.errors == "metronome: \(wrong):2:1: a tempo follows the number of bars, such as 8 120\n")
    #expect(FileManager.default.contents(atPath: folder.path("scores/tune.txt")) == Data("8 120".utf8))
    // A file with an error that something else has put there is listed with its error.
    try Data("8 3/4".utf8).write(to: folder.url.appendingPathComponent("scores/bad.txt"))
    let listed = try score("list")
    #expect(listed.code == 0)
    #expect(
      listed.output == """
        bad   error:1:1: a tempo follows the number of bars, such as 8 120
        tune  1 song, 0:16

        """)
    let shown = try score("show", "bad")
    #expect(shown.code == 65 && shown.errors.hasPrefix("metronome: bad:1:1: "))
  }

  /// A stored score comes before a file of the same name, unless a dot or a slash says that a file is meant.
  @Test func nameOrFileIsDecidedByItsForm() throws {
    try score("add", try file("1 60", "tune.txt"))
    _ = try file("2 60", "tune")
    _ = try file("3 60", "other")
    let arguments = ["tune", "./tune", "other", "tune.txt", "none"]
    let outputs = try arguments.map { name in
      try Program.shell(#"cd "$1" && "$0" score show "$2" --state "$1" 2>&1 | head -n 1"#, folder.url.path, name).output
    }
    #expect(
      outputs == [
        "song, 0:04\n", "song, 0:08\n", "song, 0:12\n", "song, 0:04\n",
        "metronome: no score \"none\"; the scores are \"tune\"\n",
      ])
    let elsewhere = try Program.shell(#"cd "$1" && "$0" score show other --state /nowhere"#, folder.url.path)
    #expect(elsewhere.output.hasPrefix("song, 0:12\n"))
    let nowhere = try Program.run("score", "show", "none", "--state", "/nowhere")
    #expect(nowhere.code == 66 && nowhere.errors.hasPrefix("metronome: /nowhere cannot be opened"))
  }

  @Test(arguments: [
    ["add", "x.txt", "--name", "a/b"], ["add", "x.txt", "--name", ""], ["add", "Für.txt"], ["add", ".txt"],
    ["add", "-"],
    ["add"], ["remove", "a.txt"], ["remove"], ["show"], ["check"], ["play", "x"], ["list", "--state", ""],
  ])
  func wrongUsageEndsWithCode64(arguments: [String]) throws {
    let result = try Program.run(["score"] + arguments)
    #expect(result.code == 64 && result.exited, "\(result.errors)")
  }

  @Test func stateFolderIsNamedByTheService() throws {
    let result = try Program.shell(
      """
      printf '8 120\\n' | STATE_DIRECTORY="$1:/nowhere" "$0" score add - --name a && "$0" score --state "$1" list
      """, folder.url.path)
    #expect(result.output == "a  1 song, 0:16\n", "\(result.errors)")
    let missing = try Program.run("score", "list", "--state", "/nowhere")
    #expect(missing.code == 66 && missing.errors.contains("--state selects the state folder of the metronome"))
  }

  @Test func concurrentCommandsLoseNothing() throws {
    let result = try Program.shell(
      """
      printf '8 120\\n' > "$1/tune.txt"
      seq 12 | xargs -P 12 -I NAME "$0" score add "$1/tune.txt" --name NAME --state "$1"
      "$0" score list --state "$1" | wc -l; ls "$1/scores" | wc -l
      """, folder.url.path)
    // The other file is the lock.
    #expect(result.output == "12\n13\n" && result.errors == "")
  }

  /// The folder and its files belong to the owner of the state folder, and are readable, whatever the umask.
  @Test func folderBelongsToTheOwnerOfTheState() throws {
    let result = try Program.shell(
      """
      chown 1234:2345 "$1" 2> /dev/null; chmod 750 "$1"; umask 077
      printf '8 120\\n' | "$0" score add - --name a --state "$1"
      for each in "$1/scores" "$1/scores/a.txt"; do
        [ "$(stat -c %u:%g "$1")" = "$(stat -c %u:%g "$each")" ] && stat -c %a "$each"
      done
      """, folder.url.path)
    #expect(result.output == "750\n644\n", "\(result.errors)")
  }
}
