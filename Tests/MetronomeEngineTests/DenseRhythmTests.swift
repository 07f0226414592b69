import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// Lines at 320 slots a second: eight in each thirty-second note at 300 BPM.
@Suite struct DenseRhythmTests {
  private static let length = Nanoseconds.milliseconds(1_100)
  private static let rhythms = ["sub=8", "XoxoYoxo|xoYo.oxo|xooooooo|.oxoYo.Y", "sub=8 & 64:8 & 3:1 & Y.x. @4/16"]

  /// The edges of the lines, and the beats that are not rests, of a simulation.
  private struct Played {
    var rises: [OutputLine: [Nanoseconds]] = [:]
    var falls: [OutputLine: [Nanoseconds]] = [:]
    var beats: [(beat: Beat, time: Nanoseconds)] = []
  }

  private func play(_ rhythm: String, _ pulses: PerLevel<Pulse>?, _ levels: PerLevel<Bool>?) throws -> Played {
    let signature = try #require(Signature(text: "4/32"))
    var board = SimulatedBoard.Options()
    board.audio = nil
    var options = EngineOptions(
      settings: Settings(
        Music(
          tempo: try #require(Tempo(bpm: 300)), signature: signature,
          rhythm: try Rhythm(text: rhythm, for: Metre(signature)))))
    if let pulses { options.pattern = OutputPattern([.light: pulses, .buzzer: pulses]) }
    if let levels { (options.hits.light.levels, options.hits.buzzer.levels) = (levels, levels) }
    let trace = RecordedTrace()
    let simulation = try Simulation(options, board: board, sinks: [trace])
    simulation.perform(.start)
    simulation.run(until: .zero + DenseRhythmTests.length)
    simulation.finish()
    var played = Played()
    // The simulation ends by switching the lines off.
    for event in trace.events where event.time < DenseRhythmTests.length {
      switch event.what {
      case .line(let output, true): played.rises[output, default: []].append(event.time)
      case .line(let output, false): played.falls[output, default: []].append(event.time)
      case .beat(let beat): played.beats.append((beat, event.time))
      default: break
      }
    }
    return played
  }

  /// Whatever levels are shown, and however long their pulses are, each pulse ends by the middle of the time to the next one of
  /// its output, and each beat begins a pulse.
  @Test(arguments: DenseRhythmTests.rhythms, 0..<32)
  func pulsesEndByHalfTheGapAndBeatsAreVisible(rhythm: String, shown: Int) throws {
    let levels = PerLevel<Bool> { (level: Level) -> Bool in shown >> level.loudness & 1 == 1 }
    let short = PerLevel<Pulse> { (level: Level) -> Pulse in
      .atMost(.microseconds(Int64(400 * (1 + level.loudness))))
    }
    let equal = PerLevel<Pulse>(repeating: .atMost(.milliseconds(1)))
    let allPulses: [PerLevel<Pulse>?] = [nil, equal, short]
    for pulses in allPulses {
      let played = try play(rhythm, pulses, levels)
      for output in LineSet(of: .standard) {
        let (rises, falls) = (played.rises[output] ?? [], played.falls[output] ?? [])
        #expect(rises.count > 20)
        for (number, fall) in falls.enumerated() where number + 1 < rises.count {
          let length = fall - rises[number]
          #expect(length > .zero && length + length <= rises[number + 1] - rises[number], "\(output), pulse \(number)")
        }
      }
      let light = Set<Nanoseconds>(played.rises[.light] ?? [])
      let buzzer = Set<Nanoseconds>(played.rises[.buzzer] ?? [])
      for (beat, time) in played.beats where beat.level != .rest {
        #expect(light.contains(time) && buzzer.contains(time), "beat \(beat.index)")
      }
      let swings = (played.rises[.pendulum] ?? []) + (played.falls[.pendulum] ?? [])
      #expect(swings.sorted() == Array(played.beats.map(\.time).dropFirst()))
    }
  }

  @Test func allSlotsAreShownIfTheirPulsesAreShort() throws {
    let played = try play("sub=8", PerLevel(repeating: .atMost(.milliseconds(1))), PerLevel(repeating: true))
    let (rises, falls) = (played.rises[.light] ?? [], played.falls[.light] ?? [])
    let first = try #require(rises.first)
    #expect(rises.filter { $0 < first + .seconds(1) } == (0..<320).map { first + .microseconds(3_125 * $0) })
    #expect(falls.filter { $0 < first + .seconds(1) }.count == 320)
  }

  /// A beat that the loop skips because it is late shows none of its hits, and causes no steps.
  @Test func skippedBeatShowsNoHits() throws {
    let signature = Signature.initial
    let metre = Metre(signature)
    let publication = TimelinePublication()
    let lines = RecordingLines()
    let loop = BeatLoop(lines: lines, publication: publication, observer: RecordingObserver())
    publication.publish(
      Timeline(
        session: 1, firstBeat: .zero, tempo: .initial,
        bar: Bar(metre, try Rhythm(text: "X...Y...|X...Y...|X...Y...|X...Y...", for: metre))))
    #expect(loop.step(at: .zero + .milliseconds(1)) != nil)
    #expect(loop.step(at: .zero + .milliseconds(930)) == .zero + .milliseconds(1_000))
    #expect(lines.calls.last == [])
  }
}
