import CLibrary
import HardwareAbstraction
import MetronomeCore
import Testing

@testable import MetronomeConfiguration

@Suite struct LearnedControlsTests {
  private static let pedal = InputRequest.Device.named("PageFlip \"Firefly\"")
  private static let port = InputRequest.Device.midi(.named("FCB1010"))

  private func key(_ code: KeyCode, on device: InputRequest.Device = port, channel: Int? = 1, latching: Bool = false)
    -> InputControl
  {
    InputControl(device, channel: channel, .key(code, isLatching: latching))
  }

  /// As it is after the file was written and read.
  private func reread(_ controls: LearnedControls) throws -> LearnedControls {
    try LearnedControls(yaml: Array(controls.yaml.utf8))
  }

  @Test func whatIsLearnedIsKept() throws {
    var controls = LearnedControls()
    try controls.add(key(KeyCode(number: 109), on: Self.pedal, channel: nil), for: .command(.nextSong))
    try controls.add(key(.controller(64)), for: .command(.togglePlaying))
    try controls.add(key(.controller(65), latching: true), for: .command(.tap))
    try controls.add(key(.note(60), channel: 2), for: .command(.recallPreset(3)))
    try controls.add(
      InputControl(Self.port, channel: 1, .axis(.controller(16), .offset64)), for: .dial(.tempo))
    let read = try reread(controls)
    #expect(read == controls, "\(controls.yaml)")
    let items = read.items.map { "\($0.device), \($0.control): \($0.use)" }
    #expect(items.count == 5)
    #expect(items.contains("PageFlip \"Firefly\", KEY_PAGEDOWN: command(MetronomeCore.Command.nextSong)"))
    #expect(items.contains("FCB1010, controller 16: dial(MetronomeCore.Dial.tempo)"))
    #expect(items.contains("FCB1010, note 60: command(MetronomeCore.Command.recallPreset(3))"))
  }

  @Test func theLastFunctionOfAControlCounts() throws {
    var controls = LearnedControls()
    try controls.add(key(.controller(64)), for: .command(.togglePlaying))
    try controls.add(key(.controller(64), latching: true), for: .command(.tap))
    #expect(controls.items.map(\.use) == [.command(.tap)])
    // The same number on another channel is another control.
    try controls.add(key(.controller(64), channel: 2), for: .command(.stop))
    #expect(Set(controls.items.map(\.use)) == [.command(.tap), .command(.stop)])
    controls.removeItem(at: try #require(controls.items.firstIndex { $0.use == .command(.tap) }))
    #expect(controls.items.map(\.use) == [.command(.stop)])
    controls.removeItem(at: 0)
    #expect(controls.items.isEmpty)
    #expect(try reread(controls).items.isEmpty)
  }

  @Test func aConfigurationGetsThem() throws {
    var configuration = try Configuration(
      yaml: Array(
        """
        buttons: {tap: {line: GPIO24, short: next_preset}}
        inputs:
          - {device: 'PageFlip "Firefly"', keys: {KEY_PAGEDOWN: play, KEY_PAGEUP: faster}, grab: true}
          - {midi: FCB1010, channel: 1, cc: {64: play}, program: recall}
        """.utf8), file: "test.yaml")
    let original = configuration
    var controls = LearnedControls()
    try controls.add(key(KeyCode(number: 109), on: Self.pedal, channel: nil), for: .command(.tap))
    try controls.add(key(.controller(64)), for: .command(.nextSong))
    try controls.add(key(.controller(66), latching: true), for: .command(.togglePlaying))
    #expect(controls.add(to: &configuration).isEmpty)
    let names = configuration.wiring.names
    func function(_ device: InputRequest.Device, _ code: KeyCode) -> [Command?] {
      configuration.wiring.inputs.filter { $0.device == device }.compactMap { $0.keys[code] }
        .map { configuration.gestures[$0].short }
    }
    #expect(function(Self.pedal, KeyCode(number: 109)) == [.tap])
    #expect(function(Self.pedal, KeyCode(number: 104)).count == 1)
    #expect(function(Self.port, .controller(64)) == [.nextSong])
    #expect(function(Self.port, .controller(66)) == [.togglePlaying])
    // The button tap has another function here, so a new one taps.
    #expect(names.buttonNames.suffix(2) == ["learned_1", "learned_2"])
    #expect(configuration.wiring.inputs.first { $0.device == Self.pedal }?.isGrabbed == true)
    #expect(configuration.wiring.inputs.contains { $0.recallsPrograms })
    #expect(configuration.wiring.inputs.filter { $0.device == Self.port }.map(\.isLatching).contains(true))
    // What is not learned stays.
    #expect(configuration.wiring.buttons == original.wiring.buttons)
    #expect(configuration.gestures[.play] == original.gestures[.play])
  }

  @Test func thereIsRoomForFourOtherFunctions() throws {
    var controls = LearnedControls()
    let commands: [Command] = [.nextSong, .previousSong, .nextSection, .previousSection]
    for (number, command) in commands.enumerated() { try controls.add(key(.note(number)), for: .command(command)) }
    #expect(throws: ControlsAreFull.self) { try controls.add(key(.note(9)), for: .command(.volumeUp)) }
    #expect(controls.items.count == 4)
    try controls.add(key(.note(9)), for: .command(.nextSong))
    // A configuration that has buttons of its own has less room.
    var full = try Configuration(
      yaml: Array("buttons: {a: {line: none, short: volume_up}, b: {line: none, short: drop}}".utf8), file: "test.yaml")
    #expect(controls.add(to: &full).map(\.control) == ["note 2", "note 3"])
    // What is forgotten leaves room.
    controls.removeItem(at: try #require(controls.items.firstIndex { $0.use == .command(.previousSong) }))
    #expect(throws: Never.self) { try controls.add(key(.note(20)), for: .command(.volumeUp)) }
    #expect(try reread(controls) == controls)
    for number in 0..<32 { try? controls.add(key(.controller(number)), for: .command(.tap)) }
    #expect(controls.items.count == LearnedControls.most)
  }

  /// The obvious line of a person who wants a pedal for the next song.
  @Test(arguments: ["{device: X, keys: {KEY_A: next_song}}", "{midi: X, cc: {64: next_song}}"])
  func aCommandInPlaceOfAButtonIsExplained(_ input: String) {
    let text = complaint("inputs: [\(input)]")
    #expect(text?.contains("buttons: {skip: {line: none, short: next_song}}") == true, "\(text ?? "accepted")")
  }

  @Test func aDamagedFileStopsNothing() throws {
    var template = Array("/tmp/metronome-learned-XXXXXX".utf8CString)
    let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
    defer {
      unlink("\(folder)/learned.yaml")
      rmdir(folder)
    }
    var configuration = Configuration.standard
    #expect(LearnedControls.add(fromFolder: folder, to: &configuration).isEmpty)
    let file = try #require(fopen("\(folder)/learned.yaml", "w"))
    fputs("inputs: [{midi: X, cc: {200: play}}]", file)
    fclose(file)
    let lines = LearnedControls.add(fromFolder: folder, to: &configuration)
    #expect(lines.count == 1 && lines[0].contains("learned.yaml:1"), "\(lines)")
    #expect(configuration == .standard)
  }
}
