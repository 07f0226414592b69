import Foundation
import Testing

/// `metronome presets`, on a metronome that rests and on one that plays.
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

  @Test func aSetListIsMadeAndChanged() throws {
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
        {"presets":[{"place":1,"name":"Slow waltz","tempo":92.5,"signature":"3/4"},\
        {"place":2,"name":"Fast","tempo":200,"signature":"4/4"},\
        {"place":3,"name":"again","tempo":92.5,"signature":"3/4"}],"recalled":1}

        """)
  }

  @Test func whatIsRecalledIsWhatTheNextRunBeginsWith() throws {
    try presets("save", "a", "--tempo", "77")
    try presets("recall", "a")
    let run = try Program.run(["simulate", "--virtual", "--for", "1ms"] + state)
    #expect(run.output.contains("\"tempo\":\"77 BPM\""), "\(run.output)")
  }

  @Test func whatIsNotThereIsSaidWithWhatThereIs() throws {
    let none = try presets("recall", "x")
    #expect(none.code == 66 && none.errors == "metronome: there is no preset \"x\"; there are none yet\n")
    try presets("save", "a")
    try presets("save", "b")
    let missing = try presets("delete", "x")
    #expect(missing.code == 66 && missing.errors == "metronome: there is no preset \"x\"; there are \"a\", \"b\"\n")
    let taken = try presets("rename", "a", "b")
    #expect(taken.code == 73 && taken.errors == "metronome: there is a preset \"b\" already\n")
  }

  @Test(arguments: [
    ["save", ""], ["save", " a"], ["save", "a\nb"], ["move", "a", "0"], ["move", "a", "1000000000"],
    ["move", "a", "x"], ["save", "\u{301}a"],
    ["save", "a", "--tempo", "0"], ["save", "a", "--signature", "4"], ["recall"], ["dance"], ["list", "--state", ""],
  ])
  func wrongUsageIsSaidWithCode64(arguments: [String]) throws {
    let result = try Program.run(["presets"] + arguments)
    #expect(result.code == 64 && result.exited, "\(result.errors)")
  }

  @Test func aFolderThatIsNotThereIsSaid() throws {
    let result = try Program.run("presets", "list", "--state", "/nowhere")
    #expect(result.code == 66)
    #expect(
      result.errors == "metronome: /nowhere cannot be opened (No such file or directory); "
        + "--state says in which folder the metronome remembers\n")
  }

  /// The service's umask is not the one of who saves, and what root makes in its folder is the service's.
  @Test func aSavedFileIsTheFoldersOwners() throws {
    let result = try Program.shell(
      """
      chown 1234:2345 "$1" 2> /dev/null; umask 077; "$0" presets save a --state "$1"
      [ "$(stat -c %u:%g "$1")" = "$(stat -c %u:%g "$1/state")" ] && stat -c %a "$1/state"
      """, folder.url.path)
    #expect(result.output == "644\n", "\(result.errors)")
  }

  @Test func theFirstFolderOfTheServiceIsTheOne() throws {
    let result = try Program.shell(
      """
      STATE_DIRECTORY="$1:/nowhere" "$0" presets save a && "$0" presets list --state "$1"
      """, folder.url.path)
    #expect(result.output == "  1      120 BPM  4/4    a\n", "\(result.errors)")
  }

  @Test func manyAtOnceLoseNothing() throws {
    let result = try Program.shell(
      """
      seq 12 | xargs -P 12 -I NAME "$0" presets save NAME --state "$1"
      "$0" presets list --state "$1" | wc -l
      """, folder.url.path)
    #expect(result.output == "12\n" && result.errors == "")
  }

  @Test func aDamagedStateIsSaidOnceAndSetAside() throws {
    try presets("save", "a")
    _ = try folder.file("state", Array("nonsense".utf8))
    let result = try presets("save", "b")
    #expect(result.code == 0 && result.errors.contains("state is no state of a metronome, and is set aside"))
    let again = try presets("list")
    #expect(again.errors == "" && again.output.hasSuffix("  b\n"))
    #expect(FileManager.default.contents(atPath: folder.path("state.damaged")) == Data("nonsense".utf8))
  }

  #if os(Linux)
    @Test func oneThatRunsChangesItsPresetsItself() throws {
      try presets("save", "a", "--tempo", "200")
      // It begins its trace once it listens.
      let result = try Program.shell(
        """
        "$0" simulate --for 60s --state "$1" > "$1/trace" & metronome=$!
        while ! [ -e "$1/control" ]; do :; done
        "$0" presets save b --tempo 90 --signature 7/8 --state "$1"
        "$0" presets recall b --state "$1"
        "$0" simulate --virtual --for 1s --state "$1" > "$1/second"
        "$0" presets recall x --state "$1"; echo $?
        kill $metronome; wait $metronome
        cat "$1/trace"; "$0" presets list --state "$1"; ls "$1"
        """, folder.url.path)
      let inUse = "is in use by another metronome: this one remembers nothing"
      #expect(result.errors.contains(inUse), "\(result.errors)")
      #expect(result.output.hasPrefix("66\n") && result.output.contains("\"tempo\":\"90 BPM\",\"signature\":\"7/8\""))
      let rest = """
          1      200 BPM  4/4    a
          2*      90 BPM  7/8    b
        lock
        second
        state
        state.previous
        trace

        """
      #expect(result.output.hasSuffix(rest), "\(result.output)")
    }

    @Test func aSimulationThatCannotSaveSaysSoAtItsEnd() throws {
      let told = try Program.shell(
        """
        (ulimit -f 0; "$0" simulate --virtual --for 5s --state "$1" 2>&1 > /dev/null) | cat
        """, folder.url.path)
      #expect(told.output == "metronome: the state could not be saved (File too large)\n")
    }

    @Test func oneThatCannotSaveSaysSo() throws {
      // No file may grow, which to the program is a disk that is full.
      let result = try Program.shell(
        """
        (ulimit -f 0; exec "$0" simulate --for 60s --state "$1" > /dev/null 2>&1) & metronome=$!
        while ! [ -e "$1/control" ]; do :; done
        "$0" presets save b --state "$1"; echo $?
        "$0" presets list --state "$1"
        kill $metronome; wait $metronome
        """, folder.url.path)
      #expect(result.output == "0\n  1      120 BPM  4/4    b\n")
      #expect(
        result.errors == "metronome: done, but not saved yet (File too large): "
          + "it is lost if the metronome is switched off before it can be\n")
    }
  #endif

  @Test func whatIsPressedIsRemembered() throws {
    let script = try folder.file("hand.txt", Array("1s press faster\n1.5s press numerator\n".utf8))
    let arguments = ["simulate", "--virtual", "--script", script.path, "--for", "5s"] + state
    let first = try Program.run(arguments)
    let second = try Program.run(arguments)
    #expect(first.output.contains("\"tempo\":\"121 BPM\"") && !first.output.contains("122 BPM"))
    #expect(second.output.contains("\"tempo\":\"122 BPM\""))
  }
}
