import Foundation
import Testing

/// `metronome presets` without a running metronome.
@Suite struct PresetsTests {
  private let folder: Folder
  private let state: [String]

  init() throws {
    folder = try Folder()
    state = ["--state", folder.url.path]
  }

  @discardableResult
  private func presets(_ arguments: String...) throws -> Program.Result {
    try Program.run(["presets"] + arguments + state)
  }

  private func list() throws -> String { try presets("list").output }

  @Test func presetsAreSavedMovedRenamedAndDeleted() throws {
    let steps = [
      ["save", "Slow waltz", "--tempo", "92.5", "--signature", "3/4"], ["save", "b", "--tempo", "200"], ["save", "c"],
      ["move", "Slow waltz", "129"], ["move", "Slow waltz", "1"],
      ["move", "c", "1"], ["rename", "b", "Fast"], ["recall", "Slow waltz"], ["save", "again"], ["delete", "c"],
    ]
    for step in steps {
      let result = try Program.run(["presets"] + step + state)
      #expect(result.code == 0 && result.output == "" && result.errors == "", "\(step): \(result.errors)")
    }
    let listed = try list()
    #expect(
      listed == """
          1*    92.5 BPM  3/4    Slow waltz
          2      200 BPM  4/4    Fast
          3     92.5 BPM  3/4    again

        """)
    let json = try presets("list", "--json").output
    #expect(
      json == """
        {"presets":[{"name":"Slow waltz","place":1,"signature":"3/4","tempo":92.5},\
        {"name":"Fast","place":2,"signature":"4/4","tempo":200},\
        {"name":"again","place":3,"signature":"3/4","tempo":92.5}],"recalled":1}

        """)
  }

  @Test func presetNamesThePlaceInAScore() throws {
    let score = try folder.file("gig.txt", Array("song \"A\"\n8 60\nsong \"B\" scale=85%\n2 60\nsolo: 8 60\n".utf8))
    // Numerator and tap together are next_song, numerator alone is next_section.
    let keys = "1s down numerator\n1.1s down tap\n1.2s up tap\n1.2s up numerator\n2s press numerator\n"
    let script = try folder.file("hand.txt", Array(keys.utf8))
    let run = ["simulate", "--virtual", "--script", script.path, "--for", "5s"] + state
    _ = try Program.run(run + ["--score", score.path])
    for step in [["save", "Solo"], ["save", "plain", "--tempo", "90"], ["recall", "Solo"]] {
      let result = try Program.run(["presets"] + step + state)
      #expect(result.code == 0 && result.errors == "", "\(step): \(result.errors)")
    }
    let listed = try list()
    #expect(
      listed == """
          1*                     Solo  (gig, song 2, bar 3, 85 %)
          2       90 BPM  4/4    plain

        """)
    let json = try presets("list", "--json").output
    #expect(
      json == """
        {"presets":[{"name":"Solo","place":1,"score":{"bar":3,"name":"gig","song":2,"speed":85},\
        "signature":"4/4","tempo":120},{"name":"plain","place":2,"signature":"4/4","tempo":90}],"recalled":1}

        """)
    // Without the score the preset has no place to go to.
    _ = try Program.run(run)
    let refused = try presets("recall", "Solo")
    #expect(refused.code == 73)
    #expect(
      refused.errors
        == "metronome: preset \"Solo\" names song 2 of the score gig, which is not loaded or has no such song\n")
  }

  @Test func deletingTheRecalledPresetRemovesTheStar() throws {
    for name in ["a", "b", "c"] { try presets("save", name) }
    try presets("recall", "b")
    try presets("delete", "b")
    let listed = try list()
    #expect(listed == "  1      120 BPM  4/4    a\n  2      120 BPM  4/4    c\n")
  }

  @Test func nextRunBeginsWithTheRecalledPreset() throws {
    try presets("save", "a", "--tempo", "77")
    try presets("recall", "a")
    let run = try Program.run(["simulate", "--virtual", "--for", "1ms"] + state)
    #expect(run.output.contains("\"tempo\":\"77 BPM\""), "\(run.output)")
  }

  @Test func missingPresetIsReportedWithTheExistingPresets() throws {
    let none = try presets("recall", "x")
    #expect(none.code == 66 && none.errors == "metronome: no preset \"x\"; there are no presets yet\n")
    try presets("save", "a")
    try presets("save", "b")
    let missing = try presets("delete", "x")
    #expect(missing.code == 66 && missing.errors == "metronome: no preset \"x\"; the presets are \"a\", \"b\"\n")
    let taken = try presets("rename", "a", "b")
    #expect(taken.code == 73 && taken.errors == "metronome: a preset \"b\" already exists\n")
  }

  @Test(arguments: [
    ["save", ""], ["save", " a"], ["save", "a\nb"], ["move", "a", "0"], ["move", "a", "1000000000"],
    ["move", "a", "x"], ["save", "\u{301}a"],
    ["save", "\u{A0}"], ["save", "\u{3000}"], ["save", "\u{2800}"], ["save", "\u{3164}"],
    ["save", "x\u{A0}"], ["rename", "a", "\u{3000}x"],
    ["save", "a", "--tempo", "0"], ["save", "a", "--signature", "4"], ["recall"], ["dance"], ["list", "--state", ""],
  ])
  func wrongUsageEndsWithCode64(arguments: [String]) throws {
    let result = try Program.run(["presets"] + arguments)
    #expect(result.code == 64 && result.exited, "\(result.errors)")
  }

  @Test func nameThatIsNotUTF8IsRefused() throws {
    let result = try Program.shell(
      #""$0" presets save "$(printf '\303x')" --state "$1"; echo $?; ls "$1""#, folder.url.path)
    #expect(result.output == "64\n", "\(result.errors)")
  }

  @Test func missingFolderIsReported() throws {
    let result = try Program.run("presets", "list", "--state", "/nowhere")
    #expect(result.code == 66)
    #expect(
      result.errors == "metronome: /nowhere cannot be opened (No such file or directory); "
        + "--state selects the state folder of the metronome\n")
  }

  /// A file that another user saves in the service's folder has the folder's owner and is readable, whatever the umask.
  @Test func savedFileBelongsToTheOwnerOfTheFolder() throws {
    let result = try Program.shell(
      """
      chown 1234:2345 "$1" 2> /dev/null; umask 077; "$0" presets save a --state "$1"
      [ "$(stat -c %u:%g "$1")" = "$(stat -c %u:%g "$1/state")" ] && stat -c %a "$1/state"
      """, folder.url.path)
    #expect(result.output == "644\n", "\(result.errors)")
  }

  @Test func firstStateDirectoryOfTheServiceIsUsed() throws {
    let result = try Program.shell(
      """
      STATE_DIRECTORY="$1:/nowhere" "$0" presets save a && "$0" presets list --state "$1"
      """, folder.url.path)
    #expect(result.output == "  1      120 BPM  4/4    a\n", "\(result.errors)")
  }

  @Test func concurrentSavesLoseNothing() throws {
    let result = try Program.shell(
      """
      seq 12 | xargs -P 12 -I NAME "$0" presets save NAME --state "$1"
      "$0" presets list --state "$1" | wc -l
      """, folder.url.path)
    #expect(result.output == "12\n" && result.errors == "")
  }

  @Test func damagedStateIsReportedOnceAndRenamed() throws {
    try presets("save", "a")
    _ = try folder.file("state", Array("nonsense".utf8))
    let result = try presets("save", "b")
    #expect(result.code == 0 && result.errors.contains("state is not a metronome state file, renamed to state.damaged"))
    let again = try presets("list")
    #expect(again.errors == "" && again.output.hasSuffix("  b\n"))
    #expect(FileManager.default.contents(atPath: folder.path("state.damaged")) == Data("nonsense".utf8))
  }

  @Test func unreadableStateIsAFailureWithItsPath() throws {
    try presets("save", "a")
    let before = FileManager.default.contents(atPath: folder.path("state"))
    let result = try Program.shell(
      """
      \(Program.setUnprivileged)
      chmod 000 "$1/state"
      $unprivileged "$0" presets list --state "$1"; echo $?
      $unprivileged "$0" presets save b --state "$1"; echo $?
      chmod 644 "$1/state"
      """, folder.url.path)
    let reason = "metronome: \(folder.url.path)/state cannot be read (Permission denied)"
    let remedy = "run this command as a user who may read it, such as root"
    #expect(result.output == "66\n73\n", "\(result.errors)")
    #expect(result.errors == "\(reason); \(remedy)\n\(reason), so nothing was changed; \(remedy)\n")
    #expect(FileManager.default.contents(atPath: folder.path("state")) == before)
  }

  /// Without the lock nothing is changed, and no other lock is used.
  @Test func aLockThatCannotBeOpenedIsAFailure() throws {
    try presets("save", "a")
    try FileManager.default.removeItem(atPath: folder.path("lock"))
    try FileManager.default.createSymbolicLink(atPath: folder.path("lock"), withDestinationPath: "elsewhere")
    let result = try presets("save", "b")
    let why = "Too many levels of symbolic links"
    #expect(result.code == 73)
    #expect(
      result.errors
        == "metronome: \(folder.url.path): the file lock cannot be opened (\(why)), so nothing was changed\n")
    let run = try Program.run(["simulate", "--virtual", "--for", "1s"] + state)
    #expect(
      run.errors == "metronome: the state is not saved: \(folder.url.path) cannot be used (\(why))\n", "\(run.errors)")
    try FileManager.default.removeItem(atPath: folder.path("lock"))
    let listed = try list()
    #expect(listed == "  1      120 BPM  4/4    a\n")
  }

  @Test func folderInPlaceOfTheStateIsAFailureOfTheList() throws {
    try FileManager.default.createDirectory(atPath: folder.path("state"), withIntermediateDirectories: false)
    let result = try presets("list")
    #expect(result.code == 66 && result.output == "")
    #expect(
      result.errors == "metronome: \(folder.url.path)/state cannot be read (Is a directory); check the file\n")
  }

  #if os(Linux)
    /// The reason is printed once.
    @Test func damagedStateOnAFullDiskIsReportedInOneLine() throws {
      _ = try folder.file("state", Array("nonsense".utf8))
      let result = try Program.shell(
        "(ulimit -f 0; \"$0\" presets save b --state \"$1\" 2>&1; echo $?) | cat", folder.url.path)
      let lines = result.output.split(separator: "\n")
      #expect(lines.count == 3 && lines.last == "73", "\(result.output)")
      #expect(lines.first?.hasPrefix("metronome: \(folder.url.path): state is not a metronome state file, ") == true)
      #expect(lines.dropFirst().first == "metronome: \(folder.url.path) cannot be written: File too large")
    }

    @Test func simulationReportsAFailedSaveAtItsEnd() throws {
      let simulated = try Program.shell(
        """
        (ulimit -f 0; "$0" simulate --virtual --for 5s --state "$1" 2>&1 > /dev/null) | cat
        """, folder.url.path)
      #expect(simulated.output == "metronome: the state could not be saved (File too large)\n")
    }
  #endif

  @Test func settingsAreKeptBetweenRuns() throws {
    let script = try folder.file("hand.txt", Array("1s press faster\n1.5s press numerator\n".utf8))
    let arguments = ["simulate", "--virtual", "--script", script.path, "--for", "5s"] + state
    let first = try Program.run(arguments)
    let second = try Program.run(arguments)
    #expect(first.output.contains("\"tempo\":\"121 BPM\"") && !first.output.contains("122 BPM"))
    #expect(second.output.contains("\"tempo\":\"122 BPM\""))
  }
}
