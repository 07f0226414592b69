import MetronomeCore
import Testing

/// The player's volume: its steps, its commands and its place in the state file.
@Suite struct VolumeTests {
  @Test func volumeHas25ExactSteps() throws {
    #expect(Volume.all.count == 25)
    #expect(Volume.all.prefix(5).map(\.description) == ["0 dB", "-1.5 dB", "-3 dB", "-4.5 dB", "-6 dB"])
    #expect(Volume.all.suffix(2).map(\.number) == ["-34.5", "-36"])
    #expect(Volume.full.gain == 1)
    for (volume, softer) in zip(Volume.all, Volume.all.dropFirst()) {
      #expect(volume.softer == softer && softer.louder == volume)
      #expect(Volume(number: softer.number) == softer)
      // The ratio of 1.5 dB, to the last bits of a Float.
      #expect((softer.gain / volume.gain - 0.841_395_1).magnitude < 0x1p-22)
    }
    let softest = try #require(Volume.all.last)
    #expect(Volume.full.louder == .full && softest.softer == softest)
  }

  @Test(arguments: ["", "-", "-0", "+0", "1.5", "-1", "-1.50", "-37.5", " -6", "-6 dB"])
  func otherNumbersAreRefused(text: String) { #expect(Volume(number: text) == nil) }

  @Test func volumeChangesNeitherBeatsNorTaps() {
    func tapped(_ command: Command?) -> Box {
      var box = Box()
      box.press(.start, at: 0)
      for time in [1_000, 1_600, 2_200] as [Int64] {
        box.press(.tap, at: time, button: .tap)
        if let command { box.press(command, at: time + 100, button: .faster) }
      }
      return box
    }
    let without = tapped(nil).metronome
    for command in [Command.volumeUp, .volumeDown] {
      let metronome = tapped(command).metronome
      #expect(metronome.timeline == without.timeline)
      #expect(metronome.settings.tempo == Tempo(bpm: 100))
    }
    #expect(tapped(.volumeDown).metronome.state.volume.number == "-4.5")
    #expect(tapped(.volumeUp).metronome.state.volume == .full)
  }

  @Test func undonePressRestoresTheVolume() {
    var box = Box()
    box.press(.start, at: 0)
    box.press(.volumeDown, at: 1_000, button: .slower)
    box.press(.volumeDown, at: 1_100, button: .faster)
    let timeline = box.metronome.timeline
    box.undo(1_100, .faster, for: .resetTempo, at: 1_150)
    #expect(box.metronome.state.volume.number == "-1.5")
    #expect(box.metronome.timeline == timeline)
    // The volume is no part of another press that is undone.
    box.press(.stop, at: 2_000)
    box.press(.volumeDown, at: 2_100, button: .slower)
    box.undo(2_000, for: .toggleSilence, at: 2_500)
    #expect(box.state == "playing 120 BPM 4/4" && box.metronome.state.volume.number == "-3")
  }

  @Test func silentModeKeepsTheVolume() {
    var box = Box()
    box.press(.volumeDown, at: 0)
    box.press(.toggleSilence, at: 1_000)
    #expect(box.metronome.state.mode == "volume -1.5 dB, stopped, silent")
    box.press(.volumeUp, at: 2_000)
    #expect(box.metronome.state.mode == "stopped, silent")
  }

  @Test func dialMakesOneStepPerDetent() {
    var machine = DialMachine()
    var commands: [Command] = []
    for (milliseconds, detents) in [(0, 1), (10, 2), (20, -1)] as [(Int64, Int)] {
      let instant = Instant.zero + .milliseconds(milliseconds)
      machine.process(DialTurn(.volume, by: detents, at: instant, from: .box)) {
        #expect($0.steps == 1)
        commands.append($0.command)
      }
    }
    #expect(commands == [.volumeUp, .volumeUp, .volumeUp, .volumeDown])
  }

  // MARK: - State file

  private func text(_ state: SavedState) -> String { String(decoding: StateFile(state, save: 1).bytes, as: UTF8.self) }

  @Test func stateFileHasVersion2OnlyWithAVolume() throws {
    #expect(text(SavedState()).hasPrefix("metronome state 1\n") && !text(SavedState()).contains("volume"))
    for volume in Volume.all.dropFirst() {
      var state = SavedState(volume: volume)
      let text = text(state)
      #expect(
        text.hasPrefix("metronome state 2\n") && text.contains("recalled none\nvolume \(volume.number)\nchecksum"))
      try state.presets.save(Preset(try #require(PresetName("volume -3")), Music(tempo: .initial, signature: .initial)))
      let read = try StateFile(StateFile(state, save: 1).bytes)
      #expect(read.savedState == state)
    }
  }

  /// The checksum is correct in each of these files.
  @Test(arguments: [
    ("metronome state 2", "metronome state 1"), ("volume -6\n", ""), ("volume -6", "volume 0"),
    ("volume -6", "volume -7"), ("volume -6", "volume -6.0"), ("volume -6", "loudness -6"),
    ("volume -6\n", "volume -6\nvolume -6\n"), ("volume -6\n", "volume -6\nswing 60\n"),
    ("recalled none\nvolume -6\n", "volume -6\nrecalled none\n"),
  ])
  func otherTextOfVersion2IsDamaged(original: String, replacement: String) throws {
    let volume = try #require(Volume(number: "-6"))
    let body = String(text(SavedState(volume: volume)).dropLast(18))
    #expect(body.contains(original))
    let changed = StateFileTests.signed(body.replacing(original, with: replacement))
    let result = Result { () throws(StateFileError) in try StateFile(changed) }
    #expect(result == .failure(.damaged))
  }
}
