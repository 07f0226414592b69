import Foundation
import Testing

/// The simulated board in a pseudo-terminal: the tests type keys and read the screen.
@Suite struct TerminalTests {
  private static let sizes = [40, 60, 80, 200].flatMap { columns in [false, true].map { (columns, $0) } }
  /// An ALSA configuration without a card and a PCM.
  private static let silence = ["ALSA_CONFIG_PATH": "/dev/null"]

  @Test(arguments: sizes) func terminalShowsAndPlaysTheMetronome(columns: Int, hasColors: Bool) async throws {
    let terminal = try PseudoTerminal(
      ["simulate", "--no-sound"], columns: columns, environment: hasColors ? [:] : ["NO_COLOR": "1"])
    #expect(await terminal.wait(for: "120 BPM   4/4   stopped"))
    for words in ["q quit", "? help", "- + tempo", "silent: --no-sound", "light"] {
      #expect(terminal.screen.text.contains(words), "\(words)")
    }
    terminal.type(" ")
    #expect(await terminal.wait { $0.text.contains("playing") && $0.text.contains(/bar \d+, beat 3/) })
    terminal.type("97,5\r")
    #expect(await terminal.wait(for: "97.5 BPM"))
    terminal.type("j")
    #expect(await terminal.wait(for: "no preset 3"))
    terminal.type("hj")
    #expect(await terminal.wait(for: "preset 3 of 3: 3"))
    terminal.type("?")
    #expect(await terminal.wait(for: "Any key closes this help."))
    #expect(!terminal.screen.isOverrun)
    terminal.type("x")
    #expect(await terminal.wait(for: "q quit"))
    terminal.type("q")
    let end = try await terminal.end()
    #expect(end.code == 0 && end.errors == "")
    #expect(!terminal.screen.isOverrun)
    let colors = terminal.screen.styles.filter { $0.contains("3") }
    #expect(colors.isEmpty != hasColors)
    #expect(String(decoding: terminal.bytes, as: UTF8.self).hasSuffix("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"))
  }

  /// A held + once continued for ever, whatever key was pressed.
  @Test(arguments: ["x", "h", "\u{1B}", "\u{1A}", "\u{1B}[15~"]) func anyKeyReleasesAHeldKey(key: String) async throws {
    let terminal = try PseudoTerminal(["simulate", "--no-sound"], columns: 80)
    #expect(await terminal.wait(for: "q quit"))
    terminal.type(" h")
    #expect(await terminal.wait(for: "the next key is held"))
    terminal.type("+")
    #expect(await terminal.wait(for: "holding faster:   any key releases"))
    #expect(await terminal.wait { screen in !["120 BPM", "121 BPM"].contains(where: screen.text.contains) })
    terminal.type(key)
    #expect(await terminal.wait { !$0.text.contains("holding") })
    terminal.type("240\r")
    #expect(await terminal.wait(for: "240 BPM"))
    @Sendable func bar(_ screen: Screen) -> Int? {
      screen.text.firstMatch(of: /bar ([0-9]+)/).flatMap { Int($0.output.1) }
    }
    let later = try #require(bar(terminal.screen)) + 2
    #expect(await terminal.wait { screen in bar(screen).map { $0 >= later } ?? false })
    #expect(terminal.screen.text.contains("240 BPM"))
  }

  /// Keys typed before the terminal was set up were lost, for seconds with a slow sound server.
  @Test func keysTypedDuringTheStartCount() async throws {
    let terminal = try PseudoTerminal(["simulate", "--no-sound"], columns: 80)
    terminal.type("137\r ")
    #expect(await terminal.wait { $0.text.contains("137 BPM") && $0.text.contains("playing") })
  }

  @Test func suspendedProgramRestoresTheTerminalAndContinues() async throws {
    let terminal = try PseudoTerminal(["simulate", "--no-sound"], columns: 80)
    #expect(await terminal.wait(for: "q quit"))
    terminal.type("\u{1A}")
    let (enter, leave) = ("\u{1B}[?1049h", "\u{1B}[?1049l")
    #expect(await terminal.wait { _ in String(decoding: terminal.bytes, as: UTF8.self).hasSuffix(leave) })
    // The signal is repeated, because the first may arrive before the program has stopped. A later one may draw once more.
    #expect(
      await terminal.wait { _ in
        terminal.send(SIGCONT)
        return String(decoding: terminal.bytes, as: UTF8.self).split(separator: enter).count >= 3
      })
    terminal.type("133\r")
    #expect(await terminal.wait(for: "133 BPM"))
    terminal.type("q")
    #expect(try await terminal.end().code == 0)
  }

  @Test func pauseConfirmsATypedTempo() async throws {
    let terminal = try PseudoTerminal(["simulate", "--no-sound"], columns: 80)
    #expect(await terminal.wait(for: "120 BPM"))
    terminal.type("84")
    #expect(await terminal.wait(for: "84 BPM"))
    #expect(!terminal.screen.text.contains("tempo 84_"))
  }

  @Test func dumbTerminalShowsLinesOfText() async throws {
    let terminal = try PseudoTerminal(["simulate", "--no-sound"], columns: 80, environment: ["TERM": "dumb"])
    #expect(await terminal.wait(for: "120 BPM   4/4   stopped"))
    terminal.type("240\r")
    #expect(await terminal.wait(for: "240 BPM   4/4   stopped"))
    terminal.type(" ")
    #expect(await terminal.wait(for: "1 2 3 4\n1"))
    terminal.type("?")
    #expect(await terminal.wait(for: "start, stop"))
    terminal.type("q")
    #expect(try await terminal.end().code == 0)
    #expect(!terminal.bytes.contains(0x1B))
  }

  @Test func keysMoveThroughAScore() async throws {
    let folder = try Folder()
    let text = "song \"Blue\" count=4\none: * 2/4 240\npause wait\ntwo: * 3/4 300\nsong \"Jig\" scale=85%\n* 6/8 200"
    let file = try folder.file("songs.txt", Array(text.utf8)).path
    let terminal = try PseudoTerminal(["simulate", "--no-sound", "--score", file], columns: 80)
    #expect(await terminal.wait(for: "240 BPM   2/4   stopped"))
    #expect(terminal.screen.text.contains("\"Blue\", song 1 of 2, one, bar 1"))
    terminal.type("90\r")
    #expect(await terminal.wait(for: "the score has its own tempo; - and + change its speed"))
    terminal.type(" ")
    #expect(await terminal.wait { $0.text.contains(/count-in, [1-4] bars? left, beat/) })
    #expect(await terminal.wait { $0.text.contains(/one, bar ([2-9]|\d\d)/) })
    terminal.type("-")
    #expect(await terminal.wait { $0.text.contains("237.6 BPM") && $0.text.contains("99 %") })
    terminal.type("n")
    #expect(await terminal.wait(for: "space goes on"))
    terminal.type(" ")
    #expect(await terminal.wait(for: "297 BPM   3/4   playing   beat 3"))
    terminal.type("c")
    #expect(await terminal.wait(for: "300 BPM"))
    terminal.type("a")
    #expect(
      await terminal.wait { $0.text.contains(/"Jig", song 2 of 2, bar \d+, 85 %/) && $0.text.contains("170 BPM") })
    terminal.type(" ")
    #expect(await terminal.wait(for: "stopped at 170 BPM; a start plays this section again"))
    terminal.type("q")
    #expect(try await terminal.end().code == 0)
  }

  @Test func aStopInARampSaysWhatWasReached() async throws {
    let folder = try Folder()
    let text = "trainer: {ramp: 240+60/1bar..480}\nbuttons:\n  ramp: {line: none, short: ramp}\n"
    let file = try folder.file("ramp.yaml", Array(text.utf8)).path
    let terminal = try PseudoTerminal(["simulate", "--no-sound", "--config", file], columns: 80)
    #expect(await terminal.wait(for: "q quit"))
    // F5 is the button that the file adds.
    terminal.type("\u{1B}[15~ ")
    #expect(await terminal.wait(for: "480 BPM   4/4   playing"))
    terminal.type(" ")
    #expect(await terminal.wait(for: "stopped at 480 BPM; a start plays this ramp again"))
    terminal.type(" ")
    #expect(await terminal.wait(for: "240 BPM   4/4   playing"))
  }

  @Test(arguments: [40, 80, 200]) func reasonForSilenceIsShownInFullAndAgainAtTheEnd(columns: Int) async throws {
    let terminal = try PseudoTerminal(["simulate"], columns: columns, environment: TerminalTests.silence)
    #expect(await terminal.wait(for: "q quit"))
    let words = terminal.screen.words
    terminal.type(" ")
    #expect(await terminal.wait { $0.text.contains(/bar \d+, beat 2/) })
    terminal.type("q")
    let end = try await terminal.end()
    #expect(end.code == 0)
    let reason = try #require(end.errors.wholeMatch(of: /metronome: (silent: .+)\n/)?.output.1)
    #expect(words.contains(reason))
  }

  @Test func unavailableRequiredSoundIsAnError() async throws {
    let terminal = try PseudoTerminal(["simulate", "--sound"], columns: 80, environment: TerminalTests.silence)
    let end = try await terminal.end()
    #expect(end.code == 69)
    #expect(end.errors.wholeMatch(of: /metronome: .+\n/) != nil && !terminal.bytes.contains(0x1B))
  }

  @Test func missingSoundCardIsReportedOnce() async throws {
    let folder = try Folder()
    let file = try folder.file("box.yaml", Array("audio: {device: \"hw:CARD=Nowhere\"}".utf8)).path
    let terminal = try PseudoTerminal(["simulate", "--sound", "--config", file], columns: 80)
    let end = try await terminal.end()
    #expect(end.code == 69)
    // A machine with sound cards lists them. If the user may use no card, the program prints only this message.
    #expect(end.errors.matches(of: /no (sound card|ALSA PCM)/).count <= 1, "\(end.errors)")
  }

  @Test func configurationCanTurnTheSoundOff() async throws {
    let folder = try Folder()
    let file = try folder.file("quiet.yaml", Array("audio: {device: none}".utf8)).path
    let terminal = try PseudoTerminal(["simulate", "--config", file], columns: 80)
    #expect(await terminal.wait(for: "silent: audio.device is none in the configuration"))
  }
}
