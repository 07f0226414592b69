import MetronomeCore
import Testing

@Suite struct PresetCommandTests {
  private static let three = PresetList(
    ("slow", 60, Signature(3, 4)), ("odd", 140, Signature(7, 8)), ("march", 112, Signature(2, 4)))

  private func name(_ text: String) -> PresetName { PresetName(text)! }

  // MARK: - Stepping and recalling

  private static let steps: [(Int?, Command, Int?)] = [
    (nil, .nextPreset, 1), (1, .nextPreset, 2), (2, .nextPreset, 3), (3, .nextPreset, 1),
    (nil, .previousPreset, 3), (3, .previousPreset, 2), (2, .previousPreset, 1), (1, .previousPreset, 3),
    (2, .recallPreset(1), 1), (nil, .recallPreset(3), 3),
  ]

  @Test(arguments: steps) func presetCommandsStepThroughTheList(from: Int?, command: Command, to: Int?) {
    var box = Box(presets: PresetCommandTests.three, recalled: from)
    #expect(box.press(command, at: 0) == nil)
    #expect(box.metronome.recalled == to)
    let preset = PresetCommandTests.three.presets[to! - 1]
    #expect(box.state == "stopped \(preset.tempo) \(preset.signature)")
    #expect(!box.metronome.timeline.isPlaying)
  }

  @Test(arguments: [4, 0, -1, 128, .max, .min]) func missingPresetIsRefused(place: Int) {
    var box = Box(presets: PresetCommandTests.three, recalled: 2)
    #expect(box.press(.recallPreset(place), at: 0) == .refused(.noPreset(place, count: 3)))
    #expect(box.state == "stopped 120 BPM 4/4")
    #expect(box.metronome.recalled == 2)
  }

  @Test(arguments: [Command.nextPreset, .previousPreset, .recallPreset(1)])
  func emptyListRefusesRecalls(command: Command) {
    var box = Box()
    #expect(box.press(command, at: 0) == .refused(.noPresets))
    #expect(box.metronome.recalled == nil)
  }

  @Test func recalledSignatureIsLimited() {
    let presets = PresetList(
      ("a", 60, Signature(5, 4)), ("b", 60, Signature(3, 2)), ("c", 60, Signature(9, 1)), ("d", 60, Signature(12, 8)),
      ("e", 60, Signature(7, 8)))
    var box = Box(limit: .denominator, presets: presets)
    let signatures = (1...5).map { place in
      box.press(.recallPreset(place), at: Int64(place))
      return box.metronome.settings.signature.description
    }
    #expect(signatures == ["4/4", "3/4", "4/4", "8/8", "7/8"])
  }

  @Test func recallKeepsSilentMode() {
    var box = Box(presets: PresetCommandTests.three)
    box.press(.toggleSilence, at: 0)
    box.press(.nextPreset, at: 1)
    #expect(box.state == "stopped 60 BPM 3/4 silent")
  }

  // MARK: - Storing

  @Test func storingKeepsTheName() {
    var box = Box(200, Signature(5, 4), presets: PresetCommandTests.three)
    #expect(box.press(.storePreset(2), at: 0) == .stored)
    #expect(box.metronome.presets.lines == ["slow 60 3/4", "odd 200 5/4", "march 112 2/4"])
    #expect(box.metronome.recalled == 2)
  }

  @Test func storingBeyondTheEndFillsTheList() {
    var box = Box(
      200, Signature(5, 4), presets: PresetList(("4", 60, .initial), ("5", 61, .initial), ("5 (2)", 62, .initial)))
    #expect(box.press(.storePreset(6), at: 0) == .stored)
    #expect(
      box.metronome.presets.lines
        == ["4 60 4/4", "5 61 4/4", "5 (2) 62 4/4", "4 (2) 200 5/4", "5 (3) 200 5/4", "6 200 5/4"])
    #expect(box.metronome.recalled == 6)
  }

  @Test func storingIsRefusedBeyondTheCapacityOfTheList() {
    var box = Box(presets: PresetCommandTests.three, recalled: 1)
    for place in [129, 0, -1, .max, .min] {
      #expect(box.press(.storePreset(place), at: 0) == .refused(.listIsFull))
      #expect(box.metronome.presets == PresetCommandTests.three)
      #expect(box.metronome.recalled == 1)
    }
    #expect(box.press(.storePreset(128), at: 1) == .stored)
    #expect(box.metronome.presets.count == 128)
    #expect(box.press(.storePreset(129), at: 2) == .refused(.listIsFull))
    #expect(box.press(.storePreset(128), at: 3) == .stored)
    #expect(box.press(.nextPreset, at: 4) == nil)
    #expect(box.metronome.recalled == 1)
  }

  // MARK: - Requests

  @Test func requestsChangeTheListAndRecallsReturnACommand() throws {
    var metronome = Metronome(presets: PresetCommandTests.three, recalled: 2)
    let moving = try metronome.carryOut(.move(name("odd"), place: 3))
    #expect(moving == nil)
    #expect(metronome.recalled == 3)
    let command = try metronome.carryOut(.recall(name("march")))
    #expect(command == .recallPreset(2))
    #expect(metronome.recalled == 3)
    #expect(throws: PresetError.noSuchPreset(name("no"))) { try metronome.carryOut(.recall(name("no"))) }
  }
}
