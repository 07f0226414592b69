import HardwareAbstraction
import MetronomeCore
import MetronomeTerminal
import Testing

@Suite struct PictureTests {
  private static let widths = [20, 40, 60, 80, 200]

  /// The metronome has played for 0.63 s at 120 BPM: in the second beat, after its flash.
  private func picture(
    isPlaying: Bool = true, isSilent: Bool = false, signature: Signature = .initial, countIn: Int = 0
  ) -> Picture {
    let state = MetronomeState(isPlaying: isPlaying, Music(tempo: .initial, signature: signature), isSilent: isSilent)
    var picture = Picture(state: state, audio: "silent: this system has no sound card")
    if isPlaying {
      picture.timeline = Timeline(session: 1, firstBeat: .zero, tempo: .initial, signature: signature, countIn: countIn)
    }
    picture.now = .zero + .milliseconds(630)
    picture.countIn = countIn
    return picture
  }

  private func text(_ picture: Picture, rows: Int = 40, columns: Int = 80, style: Style = .plain) -> String {
    picture.lines(rows: rows, columns: columns, style: style).map(shown).joined(separator: "\n")
  }

  private func shown(_ line: String) -> String { line.replacing(/\u{1B}\[[0-9;]*m/, with: "") }

  @Test func addedButtonsHaveFunctionKeysInTheHelp() {
    var picture = picture()
    #expect(!picture.helpLines(width: 200).contains { $0.hasPrefix("F5") })
    picture.names = BoxNames(buttons: Button.standardNames + ["boost", "mute"])
    #expect(picture.helpLines(width: 200).contains("F5–F6   boost, mute"))
  }

  @Test func addedOutputsHaveALampWithTheirName() {
    var picture = picture()
    let lamp = OutputLine(Output(index: 3))
    picture.outputs.insert(lamp)
    picture.names = BoxNames(outputs: ["light", "pendulum", "buzzer", "lamp"])
    picture.levels = [lamp]
    #expect(text(picture).contains("○ light   ○ pendulum   ○ buzzer   ● lamp\n"))
  }

  @Test(arguments: widths) func noLineIsWiderThanTheTerminal(columns: Int) throws {
    for numerator in [1, 4, 7, 32] {
      var picture = picture(signature: try #require(Signature(numerator, over: 4, limit: .none)))
      picture.levels = [.light, .pendulum, .buzzer, .green, .blue]
      picture.outputs = picture.levels
      picture.preset = RecalledPreset(place: 128, count: 128, name: try #require(PresetName("Blue in Green, 緑の中の青")))
      picture.audio =
        "silent: hw:CARD=Headphones is in use by another program (`fuser -v /dev/snd/*` names it): end that program"
      picture.figures = "31,536,000 beats, p99 999.9 ms late, 1,000,000 skipped"
      picture.heldButton = .presetPrevious
      var help = picture
      _ = help.console.act(on: .help, isHolding: false, at: .zero)
      for style in [Style.plain, .colors] {
        for line
          in (picture.lines(rows: 60, columns: columns, style: style)
          + help.lines(rows: 60, columns: columns, style: style))
        {
          #expect(shown(line).count <= columns - 2, "\(line)")
        }
      }
    }
  }

  @Test(arguments: [40, 60, 80, 200]) func pictureFitsIn24Lines(columns: Int) {
    let lines = picture().lines(rows: 24, columns: columns, style: .colors)
    #expect(lines.count <= 24)
    let text = lines.joined(separator: " ").replacing(/\u{1B}\[[0-9;]*m/, with: "").replacing(/\x20+/, with: " ")
    for word in [
      "? help", "q quit", "space play/stop", "120 BPM", "4/4", "playing", "bar 1, beat 2", "○ light", "sound card",
    ] {
      #expect(text.contains(word), "\(word)")
    }
    #expect(text.contains("┬") && text.contains("•"))
  }

  @Test(arguments: 1...30) func fewLinesShowTheBeatAndTheTempoFirst(rows: Int) {
    let lines = picture().lines(rows: rows, columns: 80, style: .plain)
    #expect(lines.count <= rows)
    #expect(lines.contains { $0.contains("▒") })
    if rows >= 4 { #expect(lines.contains { $0.contains("120 BPM") }) }
  }

  @Test(arguments: [40, 80, 200]) func eachBeatHasABlockOfThreeLines(columns: Int) throws {
    for numerator in [1, 3, 4, 7, 12, 32] {
      let lines = picture(signature: try #require(Signature(numerator, over: 4, limit: .none)))
        .lines(rows: 24, columns: columns, style: .plain)
      let blocks = lines.filter { $0.contains("░") || $0.contains("▒") }
      #expect(blocks.count == 3 && Set(blocks).count == 1)
      if numerator * 2 <= columns - 4 { #expect(blocks[0].split(separator: " ").count == numerator) }
    }
  }

  @Test func firstBeatOfABarFlashesDifferently() {
    var picture = picture()
    func blocks(at milliseconds: Int64, _ style: Style) -> [String] {
      picture.now = .zero + .milliseconds(milliseconds)
      let line = picture.lines(rows: 24, columns: 80, style: style).first { shown($0).contains("░") }
      return (line ?? "").split(separator: " ").map(String.init)
    }
    let (first, later) = (blocks(at: 1, .plain), blocks(at: 130, .plain))
    #expect(shown(first[0]).allSatisfy { $0 == "█" } && shown(later[0]).allSatisfy { $0 == "▒" })
    let second = blocks(at: 501, .plain)
    #expect(shown(second[0]).allSatisfy { $0 == "░" } && shown(second[1]).allSatisfy { $0 == "▓" })
    #expect(blocks(at: 1, .colors)[0].contains("[1;33m█"))
    #expect(blocks(at: 501, .colors)[1].contains("[1;36m█"))
  }

  @Test func pendulumReachesASideWithEachBeat() {
    var picture = picture()
    func place(at milliseconds: Int64) -> Int {
      picture.now = .zero + .milliseconds(milliseconds)
      let rod = picture.lines(rows: 24, columns: 80, style: .plain).map(shown).firstIndex { $0.contains("┬") } ?? 0
      let line = shown(picture.lines(rows: 24, columns: 80, style: .plain)[rod + 4])
      return line.count { $0 == " " }
    }
    let (left, middle, right) = (place(at: 0), place(at: 250), place(at: 500))
    #expect(left < middle && middle < right && middle - left == right - middle)
    #expect(place(at: 1_000) == left && place(at: 750) == middle)
    picture.timeline = .stopped
    #expect(place(at: 500) == middle)
  }

  @Test(arguments: [false, true]) func plainStyleUsesOnlyBold(showsHelp: Bool) {
    var picture = picture()
    picture.levels = [.light, .pendulum, .buzzer, .green, .blue]
    if showsHelp { _ = picture.console.act(on: .help, isHolding: false, at: .zero) }
    let plain = picture.lines(rows: 40, columns: 80, style: .plain).joined()
    #expect(Set(plain.matches(of: /\u{1B}\[([0-9;]*)m/).map { String($0.output.1) }) == ["0", "1"])
    #expect(Style(environment: ["NO_COLOR": "1", "LANG": "C.UTF-8"]) == .plain)
    #expect(Style(environment: ["NO_COLOR": "", "LC_ALL": "de_DE.utf8"]) == .colors)
    #expect(Style(environment: [:]).hasColors)
  }

  @Test func helpListsEveryKey() {
    let words = Set(picture().helpLines(width: 80).joined(separator: " ").split { " ,;".contains($0) }.map(String.init))
    for key in [
      "space", "-", "+", "n", "d", "t", "f", "g", "j", "k", "F1", "F4", "[", "]", "<", ">", "/", "*", "h", "c", "r",
      "s", "q",
    ] {
      #expect(words.contains(key), "\(key)")
    }
  }

  @Test func pictureShowsThePlayingState() {
    #expect(text(picture(isSilent: true)).contains("playing, silent   bar 1, beat 2"))
    #expect(text(picture()).contains("120 BPM   4/4   playing   bar 1, beat 2"))
    #expect(text(picture(isPlaying: false)).contains("120 BPM   4/4   stopped\n"))
  }

  @Test func pictureShowsTheCountIn() {
    var picture = picture(countIn: 2)
    #expect(text(picture).contains("playing   count-in, bar 1 of 2, beat 2"))
    picture.now = .zero + .milliseconds(2_600)
    #expect(text(picture).contains("playing   count-in, bar 2 of 2, beat 2"))
    picture.now = .zero + .milliseconds(4_600)
    #expect(text(picture).contains("playing   bar 1, beat 2"))
  }

  @Test func pictureShowsTheRecalledPreset() throws {
    let name = try #require(PresetName("Blue in Green"))
    var picture = picture()
    #expect(!text(picture).contains("preset 3 of"))
    picture.preset = RecalledPreset(place: 3, count: 12, name: name)
    #expect(text(picture).contains("  preset 3 of 12: Blue in Green"))
    var memory = SavedState()
    try memory.presets.save(Preset(name, Music(tempo: .initial, signature: .initial)))
    #expect(RecalledPreset(memory) == nil)
    memory.recalled = 1
    #expect(RecalledPreset(memory) == RecalledPreset(place: 1, count: 1, name: name))
  }

  @Test func pictureShowsAnUnfinishedInput() {
    var picture = picture()
    _ = picture.console.act(on: .digit("9"), isHolding: false, at: .zero)
    #expect(text(picture).contains("tempo 9_   (Enter or Escape)"))
    _ = picture.console.act(on: .hold, isHolding: false, at: .zero)
    #expect(text(picture).contains("the next key is held"))
    picture.heldButton = .faster
    #expect(text(picture).contains("holding faster:   any key releases"))
    picture.heldButton = nil
    picture.console = Console()
    picture.console.say("no preset 3", at: .zero)
    #expect(text(picture).contains("  no preset 3\n"))
  }

  /// A terminal is less exact than a box, so the main picture does not show the lateness.
  @Test func helpShowsTheLatenessOfTheBeats() {
    var picture = picture()
    picture.figures = "6 beats, p99 966 µs late, none skipped"
    #expect(!text(picture).contains("p99"))
    let said = "In this terminal: 6 beats, p99 966 µs late, none skipped. A real box is more exact."
    _ = picture.console.act(on: .help, isHolding: false, at: .zero)
    #expect(text(picture, columns: 200).contains(said))
  }

  @Test(arguments: [40, 80, 200]) func helpFitsIn24Lines(columns: Int) {
    var picture = picture()
    picture.figures = "31,536,000 beats, p99 999.9 ms late, 1,000,000 skipped"
    _ = picture.console.act(on: .help, isHolding: false, at: .zero)
    let words = text(picture, rows: 24, columns: columns).split { " \n".contains($0) }.joined(separator: " ")
    #expect(words.hasPrefix("Any key closes this help."))
    #expect(words.hasSuffix("1,000,000 skipped. A real box is more exact."))
    #expect(words.contains("q quit"))
  }

  @Test func narrowTerminalShowsTheWholeReasonForSilence() {
    var picture = picture()
    picture.audio =
      "silent: none of the sound cards (vc4hdmi0, vc4hdmi1) supports playback; "
      + "a screen's sound card is used only if named"
    let words = text(picture, columns: 40).split { " \n".contains($0) }.joined(separator: " ")
    #expect(words.contains(picture.audio))
  }

  @Test func terminalWithoutACursorShowsLinesOfText() {
    var display = TextDisplay()
    var picture = picture(isPlaying: false)
    #expect(
      display.text(for: picture, columns: 80) == "silent: this system has no sound card\n120 BPM   4/4   stopped\n")
    picture.state.isPlaying = true
    picture.timeline = Timeline(session: 1, firstBeat: .zero, tempo: .initial, signature: .initial)
    var written = ""
    for beat in 0..<6 {
      picture.now = .zero + .milliseconds(Int64(beat) * 500)
      written += display.text(for: picture, columns: 80)
      #expect(display.text(for: picture, columns: 80) == "")
    }
    #expect(written == "120 BPM   4/4   playing\n1 2 3 4 \n1 2 ")
    picture.console.say("no preset 3", at: .zero)
    #expect(display.text(for: picture, columns: 80) == "\nno preset 3\n")
    #expect(display.text(for: picture, columns: 80) == "")
    picture.console.say("no preset 3", at: .zero)
    #expect(display.text(for: picture, columns: 80) == "no preset 3\n")
  }

  @Test func terminalWithoutACursorShowsTheHelpOnce() {
    var display = TextDisplay()
    var picture = picture(isPlaying: false)
    picture.figures = "4 beats, p99 2.1 ms late, none more than 5 ms late"
    _ = display.text(for: picture, columns: 60)
    _ = picture.console.act(on: .help, isHolding: false, at: .zero)
    #expect(display.text(for: picture, columns: 60) == picture.helpLines(width: 59).map { $0 + "\n" }.joined())
    picture.console.closeHelp()
    picture.figures = "5 beats, p99 2.2 ms late, none more than 5 ms late"
    #expect(display.text(for: picture, columns: 60) == "")
    #expect(picture.console.act(on: .press(.play), isHolding: false, at: .zero) == [.press(.play, isHeld: false)])
  }

  @Test(arguments: [(40, 12), (39, 10), (60, 12), (80, 10)])
  func smallTerminalShowsThreeRowsOfBlocksAndTheMostImportantKeys(columns: Int, rows: Int) {
    var picture = picture()
    picture.audio =
      "silent: none of the sound cards (vc4hdmi0, vc4hdmi1) supports playback; a screen's card must be named"
    let lines = picture.lines(rows: rows, columns: columns, style: .plain)
    #expect(lines.count <= rows)
    #expect(lines.filter { $0.contains("░") }.count == 3)
    #expect(lines.contains { $0.contains("? help") && $0.contains("q quit") })
  }

  @Test(arguments: [(40, 12), (60, 8), (80, 24), (30, 5)]) func helpPagesShowEveryLine(columns: Int, rows: Int) {
    var picture = picture()
    _ = picture.console.act(on: .help, isHolding: false, at: .zero)
    let count = picture.helpPageCount(rows: rows, columns: columns)
    picture.console.helpPages = count
    var lines: [String] = []
    for page in 0..<count {
      let shown = picture.lines(rows: rows, columns: columns, style: .plain)
      #expect(shown.count <= rows)
      #expect(shown[0].contains(page + 1 < count ? "next page" : "closes this help"))
      lines += shown.dropFirst(2).map { String($0.dropFirst(2)) }
      #expect(picture.console.act(on: .press(.play), isHolding: false, at: .zero) == [])
    }
    #expect(lines == picture.helpLines(width: columns - 4))
    #expect(picture.console.helpPage == nil)
  }

  @Test func longPressIsShown() {
    var picture = picture(isPlaying: false)
    picture.longPressedButton = .play
    #expect(text(picture).contains("holding play"))
  }

  @Test func pictureIsDrawnAtEachBeatAndAtMost30TimesPerSecond() {
    var frames = FrameClock()
    let timeline = Timeline(session: 1, firstBeat: .zero, tempo: .initial, signature: .initial)
    #expect(frames.due(timeline) == nil)
    var (now, count) = (Instant.zero, 0)
    var drawn: Set<Instant> = []
    while now <= .zero + .seconds(10) {
      frames.drew(at: now)
      drawn.insert(now)
      count += 1
      now = frames.due(timeline) ?? now
    }
    #expect(count <= 301)
    for beat in 0...20 { #expect(drawn.contains(.zero + .milliseconds(Int64(beat) * 500))) }
  }
}
