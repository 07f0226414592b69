import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// An RGB light shows levels as colors. Its lines switch together, with the pulses of the light.
@Suite struct RGBLightTests {
  private static let colors: PerLevel<LightColor> = {
    var colors = PerLevel(repeating: LightColor.red)
    (colors.medium, colors.weak, colors.ghost) = (.yellow, .green, .blue)
    return colors
  }()

  /// The color of the light at each instant at which it switches, in milliseconds from the first one: `0 red`, `100 -`.
  private func play(
    _ rhythm: String, signature: String = "4/4", tempo: Int = 120, for length: Nanoseconds = .seconds(3),
    colors: PerLevel<LightColor> = RGBLightTests.colors, _ change: (inout EngineOptions) -> Void = { _ in }
  ) throws -> [String] {
    let signature = try #require(Signature(text: signature))
    var board = SimulatedBoard.Options()
    board.audio = nil
    var options = EngineOptions(
      settings: Settings(
        Music(
          tempo: try #require(Tempo(bpm: tempo)), signature: signature,
          rhythm: try Rhythm(text: rhythm, for: Metre(signature)))))
    options.outputs = .standard
    (options.colored, options.colors) = ([.light], colors)
    change(&options)
    let trace = RecordedTrace()
    let simulation = try Simulation(options, board: board, sinks: [trace])
    simulation.perform(.start)
    simulation.run(until: .zero + length)
    return RGBLightTests.colors(in: trace)
  }

  private static func colors(in trace: RecordedTrace) -> [String] {
    let lines = LightColor.white.parts.lines(of: .light)
    var shown: [String] = []
    var levels = LineSet.inactive
    var first: Nanoseconds?
    for (index, event) in trace.events.enumerated() {
      guard case .line(let output, let isActive) = event.what, lines.contains(output) else { continue }
      if isActive { levels.insert(output) } else { levels.remove(output) }
      // Lines that switch together are separate events of the same instant.
      let next = trace.events.dropFirst(index + 1).first {
        if case .line(let output, _) = $0.what { lines.contains(output) } else { false }
      }
      if next?.time == event.time { continue }
      let start = first ?? event.time
      first = start
      let color = LightColor.allCases.first { $0.parts.lines(of: .light) == levels }
      shown.append("\((event.time - start).count / 1_000_000) \(color?.rawValue ?? "-")")
    }
    return shown
  }

  @Test func eachLevelHasItsColor() throws {
    #expect(
      try play("XoxY", for: .milliseconds(1_900)) == [
        "0 red", "100 -", "500 blue", "520 -", "1000 green", "1050 -", "1500 yellow", "1570 -",
      ])
  }

  @Test func hitsWithinBeatsHaveTheirColors() throws {
    #expect(
      try play("XY|xY|XY|xY", tempo: 60, for: .milliseconds(1_900)) == [
        "0 red", "100 -", "500 yellow", "570 -", "1000 green", "1050 -", "1500 yellow", "1570 -",
      ])
  }

  /// Whether a hit is shown, and for how long, is decided once for all lines: no line shows a part of a color.
  @Test(arguments: ["sub=8", "XY|xY|oY|xY", "Y.|Y.|Y.|Y. & 3:4 & 5:7 sound=click", "Xo|xo|Yo|xo"], [60, 143, 300])
  func linesSwitchTogether(rhythm: String, tempo: Int) throws {
    let colored = try play(rhythm, tempo: tempo, for: .seconds(6))
    let plain = try play(rhythm, tempo: tempo, for: .seconds(6), colors: PerLevel(repeating: .white))
    #expect(colored.count > 8)
    #expect(colored.map { $0.split(separator: " ")[0] } == plain.map { $0.split(separator: " ")[0] })
    let combinations = Set(colored.map { $0.split(separator: " ")[1] })
    #expect(combinations.isSubset(of: ["red", "yellow", "green", "blue", "-"]))
  }

  @Test func theLatencyOfTheLightAppliesToEveryColor() throws {
    let plain = try play("XoxY", for: .milliseconds(2_100))
    let early = try play("XoxY", for: .milliseconds(2_100)) { $0.latencies.light = .milliseconds(40) }
    #expect(early == plain)
  }

  /// Another output is an RGB light beside the light, whose one line shows every level.
  @Test func anyOutputCanBeAnRGBLight() throws {
    var board = SimulatedBoard.Options()
    board.audio = nil
    var options = EngineOptions(settings: Settings(Music(rhythm: try Rhythm(text: "XoxY", for: Metre(.initial)))))
    let lamp = Output(index: 3)
    options.outputs = [.light, lamp]
    (options.colored, options.colors) = ([lamp], RGBLightTests.colors)
    let trace = RecordedTrace()
    let simulation = try Simulation(options, board: board, sinks: [trace])
    simulation.perform(.start)
    simulation.run(until: .zero + .milliseconds(1_990))
    let lines: [String] = trace.events.compactMap { event in
      guard case .line(let line, true) = event.what, [.light, lamp].contains(line.output) else { return nil }
      return "\(event.time.count / 1_000_000) \(line.output == lamp ? "lamp" : "light") \(line.part)"
    }
    #expect(
      lines == [
        "1 light main", "1 lamp main", "501 light main", "501 lamp blue", "1001 light main", "1001 lamp green",
        "1501 light main", "1501 lamp main", "1501 lamp green",
      ])
  }

  @Test func anErrorIsShownInRed() throws {
    var board = SimulatedBoard.Options()
    board.audio = nil
    var options = EngineOptions()
    options.outputs = .standard
    (options.colored, options.colors) = ([.light], RGBLightTests.colors)
    let trace = RecordedTrace()
    let simulation = try Simulation(options, board: board, sinks: [trace])
    simulation.perform(.tellTempo)
    simulation.run(until: .zero + .seconds(3))
    let shown = Set(RGBLightTests.colors(in: trace).map { $0.split(separator: " ")[1] })
    #expect(shown == ["red", "-"])
  }
}
