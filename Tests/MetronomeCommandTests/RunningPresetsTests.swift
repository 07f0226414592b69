#if os(Linux)
  import Testing

  /// `metronome presets` while a metronome runs, which changes its presets itself.
  @Suite struct RunningPresetsTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    @discardableResult
    private func presets(_ arguments: String...) throws -> Program.Result {
      try Program.run(["presets"] + arguments + ["--state", folder.url.path])
    }

    @Test func runningMetronomeChangesItsPresetsItself() throws {
      try presets("save", "a", "--tempo", "200")
      let result = try Program.shell(
        """
        "$0" simulate --for 1h --state "$1" > "$1/trace" & metronome=$!
        \(Program.waitForMetronome)
        "$0" presets save b --tempo 90 --signature 7/8 --state "$1"
        "$0" presets recall b --state "$1"
        "$0" simulate --virtual --for 1s --state "$1" > "$1/second"
        "$0" presets recall x --state "$1"; echo $?
        kill $metronome; wait $metronome
        cat "$1/trace"; "$0" presets list --state "$1"; ls "$1"
        """, folder.url.path)
      let inUse = "is in use by another metronome; this one does not save its state"
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

    @Test func aRampRefusesARecall() throws {
      let result = try Program.shell(
        """
        "$0" simulate --for 1h --state "$1" > /dev/null & metronome=$!
        \(Program.waitForMetronome)
        "$0" presets save a --state "$1"
        "$0" send ramp 80+5/4bar..120 --socket "$1"
        "$0" presets recall a --state "$1"; echo $?
        kill $metronome; wait $metronome
        """, folder.url.path)
      #expect(result.output == "73\n")
      #expect(
        result.errors
          == "metronome: in a ramp no preset can be recalled, or saved without a tempo; metronome send ramp none ends it\n"
      )
    }

    /// A request that was reported as not done must not be executed later.
    @Test func stoppedMetronomeDoesNotExecuteARequestLater() throws {
      let result = try Program.shell(
        """
        "$0" simulate --for 1h --state "$1" > /dev/null & metronome=$!
        \(Program.waitForMetronome)
        "$0" presets save a --state "$1"
        kill -STOP $metronome
        # On a busy machine the threads stop some time after the signal.
        while sed 's/.*) //' /proc/$metronome/task/*/stat | grep -qv '^T'; do :; done
        "$0" presets save b --state "$1"; echo $?
        kill -CONT $metronome
        "$0" presets save c --state "$1"; echo $?
        kill $metronome; wait $metronome
        "$0" presets list --state "$1"
        """, folder.url.path)
      #expect(result.output == "69\n0\n  1      120 BPM  4/4    a\n  2      120 BPM  4/4    c\n", "\(result.errors)")
      #expect(result.errors.hasSuffix("does not answer; nothing was changed\n"))
    }

    @Test func runningMetronomeReportsAFailedSave() throws {
      // No file may grow: to the program, this looks like a full disk.
      let result = try Program.shell(
        """
        (ulimit -f 0; exec "$0" simulate --for 1h --state "$1" > /dev/null 2>&1) & metronome=$!
        \(Program.waitForMetronome)
        "$0" presets save b --state "$1"; echo $?
        "$0" presets list --state "$1"
        kill $metronome; wait $metronome
        """, folder.url.path)
      #expect(result.output == "0\n  1      120 BPM  4/4    b\n")
      #expect(
        result.errors == "metronome: the change is not saved yet (File too large); "
          + "it is lost if the metronome is switched off before it is saved\n")
    }
  }
#endif
