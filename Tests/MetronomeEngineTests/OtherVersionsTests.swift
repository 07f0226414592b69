import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// State files of other versions of the program: an older file is read without loss and converted when something new is saved;
/// a newer one is refused and kept.
@Suite struct OtherVersionsTests {
  private let disk = SimulatedDisk()

  /// Written by the last program with version 1: three presets by its command, the rest by presses.
  private static let first = """
    metronome state 1
    save 8
    tempo 93.5
    signature 3/4
    playing yes
    silent yes
    recalled 1
    preset 92.5 3/4 Slow waltz
    preset 999 7/8 Été "2"
    preset 1 32/32 preset+ 1
    checksum 46b6ad31

    """
  /// As a program of the future could write it. The checksum is correct.
  private static let fourth = """
    metronome state 5
    save 9
    tempo 90
    instrument "marimba"
    checksum f45acf0c

    """

  private static func contents() throws -> SavedState {
    var presets = PresetList()
    let lines = [("Slow waltz", 92_500, 3, 4), ("Été \"2\"", 999_000, 7, 8), ("preset+ 1", 1_000, 32, 32)]
    for (text, thousandths, numerator, denominator) in lines {
      let (name, tempo) = (try #require(PresetName(text)), try #require(Tempo(milliBPM: thousandths)))
      let signature = try #require(Signature(numerator, over: denominator, limit: .none))
      try presets.save(Preset(name, Music(tempo: tempo, signature: signature)))
    }
    let (tempo, three) = (try #require(Tempo(milliBPM: 93_500)), try #require(Signature(text: "3/4")))
    return SavedState(
      Music(tempo: tempo, signature: three), isPlaying: true, isSilent: true, presets: presets, recalled: 1)
  }

  private func write(_ name: String, _ text: String) throws { try disk.write(name, Array(text.utf8)) }

  private func text(_ name: String) throws -> String? {
    try disk.read(name).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Starts a box with two of its buttons for the volume.
  private func start() throws -> Simulation {
    var board = SimulatedBoard.Options()
    board.stateFolder = disk
    var options = EngineOptions()
    options.gestures.bind(.short(.preset3), to: .volumeDown)
    options.gestures.bind(.short(.preset4), to: .volumeUp)
    return try Simulation(options, board: board, sinks: [])
  }

  private func press(_ buttons: [Button], at milliseconds: Int64, in simulation: Simulation) {
    var script = Script()
    for (place, button) in buttons.enumerated() {
      script.press(button, at: .milliseconds(milliseconds + 20 * Int64(place)), for: .milliseconds(50))
    }
    simulation.board.buttons.schedule(script.edges(from: .zero))
  }

  @Test func fileOfVersion1IsReadWithoutLoss() throws {
    try write("state", OtherVersionsTests.first)
    let findings = StateArchive(disk).load()
    let contents = try OtherVersionsTests.contents()
    #expect(findings.savedState == contents && findings.isWhole && findings.unusable == [])
    // Without anything new it is written as before.
    let file = try StateFile(Array(OtherVersionsTests.first.utf8))
    #expect(file.bytes == Array(OtherVersionsTests.first.utf8))
  }

  /// A subdivision and a volume make it a file of version 2, which keeps everything else. Without
  /// them it is a file of version 1 again.
  @Test func somethingNewConvertsTheFile() throws {
    try write("state", OtherVersionsTests.first)
    let simulation = try start()
    #expect(try text("state") == OtherVersionsTests.first)
    press([.numerator, .denominator], at: 1_000, in: simulation)
    press([.preset3], at: 2_000, in: simulation)
    simulation.run(until: .zero + .milliseconds(4_900))
    var expected = try OtherVersionsTests.contents()
    expected.isPlaying = false
    expected.rhythm.subdivision = 2
    expected.volume = Volume.full.softer
    #expect(try text("state")?.hasPrefix("metronome state 2\n") == true)
    #expect(StateArchive(disk).load().savedState == expected)
    press([.denominator, .tap], at: 5_000, in: simulation)
    press([.preset4], at: 6_000, in: simulation)
    simulation.run(until: .zero + .seconds(9))
    (expected.volume, expected.rhythm) = (.full, Rhythm())
    #expect(try text("state")?.hasPrefix("metronome state 1\n") == true)
    #expect(StateArchive(disk).load().savedState == expected)
  }

  /// The state is not lost: the newer program finds its file, with another name.
  @Test func newerFileIsRefusedAndKept() throws {
    try write("state", OtherVersionsTests.fourth)
    try write("state.previous", OtherVersionsTests.first)
    let simulation = try start()
    let notice = simulation.engine.findings.notice { "error \($0)" }
    #expect(
      notice
        == "state was written by a newer version of this program (format 5), renamed to state.damaged; "
        + "the previous state is restored")
    var expected = try OtherVersionsTests.contents()
    expected.isPlaying = false
    #expect(simulation.engine.control.savedState == expected)
    press([.numerator, .denominator], at: 1_000, in: simulation)
    simulation.run(until: .zero + .seconds(5))
    #expect(try text("state.damaged") == OtherVersionsTests.fourth)
    #expect(try text("state")?.hasPrefix("metronome state 2\n") == true)
  }
}
