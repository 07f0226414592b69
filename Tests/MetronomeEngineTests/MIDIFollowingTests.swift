import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import TestSupport
import Testing

/// A metronome that follows a MIDI clock.
@Suite struct MIDIFollowingTests {
  private struct Rig {
    let simulation: Simulation
    let trace = RecordedTrace()

    init(_ script: String, transport: Bool = true, ports: Int = 0) throws {
      var board = SimulatedBoard.Options()
      board.audio = nil
      board.midi = (0..<ports).map { MIDIOutputRequest(.named("\($0)")) }
      var options = EngineOptions()
      options.midi = board.midi
      options.source = SourceOptions(hasTransport: transport)
      simulation = try Simulation(options, board: board, sinks: [trace])
      let script = try Script(text: Array(script.utf8), file: "test")
      simulation.board.inputs?.schedule(script.inputs(from: .zero))
      simulation.board.buttons.schedule(script.edges(from: .zero))
    }

    func ended(after seconds: Int64) -> Rig {
      simulation.run(until: .zero + .seconds(seconds))
      simulation.finish()
      return self
    }

    var beats: [(time: Int64, beat: Beat)] {
      trace.events.compactMap { event in
        if case .beat(let beat) = event.what { (event.time.count, beat) } else { nil }
      }
    }

    var states: [String] {
      trace.events.compactMap { event in
        guard case .state(let state) = event.what else { return nil }
        return "\(event.time.count / 1_000_000) \(state.mode)"
      }
    }

    /// Beats are in order, none is missing, and no two are nearer than 0.6 of the shorter of their neighbors.
    var disorder: [String] {
      let beats = beats
      var found: [String] = []
      for index in beats.indices.dropFirst() where beats[index].beat.index != beats[index - 1].beat.index + 1 {
        if beats[index].beat.index != 0 {
          found.append("beat \(beats[index].beat.index) after \(beats[index - 1].beat.index)")
        }
      }
      let gaps = zip(beats.dropFirst(), beats).map { $0.time - $1.time }
      for index in gaps.indices.dropFirst() where gaps[index] * 10 < min(gaps[index - 1], 500_000_000) * 6 {
        found.append("gap of \(gaps[index]) after \(gaps[index - 1])")
      }
      return found
    }

    /// How far beats after a time are from a grid, in microseconds: the worst.
    func worst(from: Int64, to: Int64 = .max, origin: Int64, period: Double) -> Int64 {
      beats.filter { $0.time >= from && $0.time < to }.map { beat in
        let position = (Double(beat.time - origin) / period).rounded()
        return abs(beat.time - origin - Int64((position * period).rounded())) / 1_000
      }.max() ?? .max
    }
  }

  @Test func startBeginsWithTheNextClock() throws {
    let rig = try Rig("0s midi clock 133 for 60s\n4990ms midi start\n50s midi stop").ended(after: 60)
    let period = 60_000_000_000.0 / 133
    // The first clock after the start is the 267th.
    let clock = (4_990.0 * 1e6 / (period / 24)).rounded(.up)
    let first = Int64((clock * period / 24).rounded())
    #expect(rig.disorder == [])
    #expect(rig.beats[0].beat.bar == 0 && rig.beats[0].beat.position == 0)
    #expect(rig.beats.count == 100)
    #expect(rig.worst(from: 5_300_000_000, origin: first, period: period) <= 1)
    #expect(rig.beats.dropFirst().allSatisfy { $0.beat.position == Int($0.beat.index % 4) })
    #expect(rig.states.contains { $0.hasSuffix("locked to the MIDI clock at 133 BPM") })
  }

  @Test func coldStartIsFollowed() throws {
    let rig = try Rig("1s midi start\n1001ms midi clock 120 for 20s\n21s midi stop").ended(after: 22)
    #expect(rig.disorder == [])
    #expect(rig.worst(from: 2_100_000_000, origin: 1_001_000_000, period: 500_000_000) <= 20)
    #expect(rig.beats.last?.beat.index == 39)
  }

  @Test(arguments: [Int64](0..<4))
  func evenJitterIsFiltered(seed: Int64) throws {
    let rig = try Rig("\(seed + 1)ms midi clock 97.3 for 2m jitter 1ms\n2s midi start").ended(after: 120)
    let period = 60_000_000_000.0 / 97.3
    #expect(rig.disorder == [])
    // The mean delay of half a millisecond stays.
    let origin = Int64(seed + 1) * 1_000_000 + 500_000
    let clock = period / 24
    let start = (Double(2_000_000_000 - origin) / clock).rounded(.up) * clock
    let worst = rig.worst(from: 10_000_000_000, origin: origin + Int64(start), period: period)
    let other = rig.worst(from: 10_000_000_000, origin: origin + Int64(start - clock), period: period)
    #expect(min(worst, other) <= 250)
  }

  @Test func aRampIsFollowed() throws {
    let rig = try Rig(
      "0s midi start\n0s midi clock 80 for 12s\n12s midi clock 80-160 for 2m\n132s midi clock 160 for 20s"
    )
    .ended(after: 152)
    #expect(rig.disorder == [])
    // Beat k of the ramp, whose phase is 4/3 t + t² / 180 beats after t seconds.
    let errors = rig.beats.filter { $0.time > 12_500_000_000 && $0.time < 131_500_000_000 }.map { beat in
      let time = Double(beat.time - 12_000_000_000) / 1e9
      let phase = 4 * time / 3 + time * time / 180
      return abs(phase - phase.rounded()) / (4.0 / 3 + time / 90) * 1e6
    }
    #expect(errors.count > 230)
    #expect(errors.max() ?? .infinity < 1_000)
    #expect(rig.worst(from: 142_000_000_000, origin: 132_000_000_000, period: 375_000_000) < 50)
  }

  @Test func aStepOfTheTempoIsFollowedWithinTwoSeconds() throws {
    let rig = try Rig("0s midi start\n0s midi clock 120 for 30s\n30s midi clock 126 for 30s").ended(after: 60)
    #expect(rig.disorder == [])
    #expect(rig.worst(from: 32_000_000_000, origin: 30_000_000_000, period: 60_000_000_000.0 / 126) <= 2_000)
    #expect(rig.worst(from: 45_000_000_000, origin: 30_000_000_000, period: 60_000_000_000.0 / 126) <= 50)
  }

  @Test func aLostSourceIsHeldAndFollowedAgain() throws {
    let rig = try Rig("0s midi clock 133 for 90s\n1s midi start\n20s midi unplug\n50s midi plug").ended(after: 90)
    let period = 60_000_000_000.0 / 133
    #expect(rig.disorder == [])
    #expect(rig.states.contains { $0.hasPrefix("20") && $0.hasSuffix("MIDI clock lost, holding its tempo") })
    #expect(rig.states.last { $0.contains("MIDI") }?.contains("locked") == true)
    let first = (1e9 / (period / 24)).rounded(.up) * period / 24
    #expect(rig.worst(from: 2_000_000_000, to: 50_000_000_000, origin: Int64(first), period: period) <= 500)
    #expect(rig.worst(from: 55_000_000_000, origin: Int64(first), period: period) <= 50)
    #expect(rig.beats.last.map { $0.beat.index } ?? 0 >= 195)
  }

  @Test func tempoKeysAreRefusedButTheSetTempoStays() throws {
    let rig = try Rig(
      "0s midi clock 133 for 30s\n2s press play\n5s press faster\n6s press numerator\n25s press play", transport: false
    ).ended(after: 30)
    #expect(rig.disorder == [])
    let state = rig.simulation.engine.control.state
    #expect(state.tempo == Tempo(bpm: 120))
    #expect(state.signature == Signature(text: "1/4") || state.signature == Signature(text: "5/4"))
    let period = 60_000_000_000.0 / 133
    #expect(rig.worst(from: 2_000_000_000, origin: rig.beats[0].time, period: period) <= 100)
    #expect(rig.beats.count == 51)
  }

  /// A box that follows one machine and leads another: its own clocks stay evenly spaced, 24 to a beat.
  @Test func clocksOutAreEvenWhileFollowing() throws {
    let script = "0s midi start\n0s midi clock 80-160 for 60s jitter 1ms\n20s midi unplug\n23s midi plug"
    let rig = try Rig(script, ports: 1).ended(after: 60)
    #expect(rig.disorder == [])
    let clocks = rig.trace.events.compactMap { event in
      if case .midi(.clock, _) = event.what { event.time.count } else { nil }
    }
    let beats = rig.beats.map(\.time)
    #expect(beats.count > 110)
    for (beat, next) in zip(beats, beats.dropFirst()) {
      let inside = clocks.filter { $0 >= beat && $0 < next }
      #expect(inside.count == 24, "at \(beat)")
      let gaps = zip(inside.dropFirst(), inside).map { $0 - $1 }
      #expect(gaps.min() ?? 0 > (next - beat) / 24 / 2, "at \(beat)")
    }
  }

  @Test func aPositionWhilePlayingIsReachedAtTheBarLine() throws {
    let rig = try Rig("0s midi start\n0s midi clock 120 for 30s\n4100ms midi position 20").ended(after: 10)
    #expect(rig.disorder == [])
    // 20 sixteenths are five quarters: the second beat of the second bar, instead of the first of the fourth.
    let places = rig.beats.dropFirst(10).prefix(5).map { "\($0.beat.bar).\($0.beat.position)" }
    #expect(places == ["2.2", "2.3", "1.1", "1.2", "1.3"])
    #expect(rig.worst(from: 2_000_000_000, origin: rig.beats[4].time, period: 500_000_000) <= 20)
    #expect(rig.simulation.figures.resyncs == 1)
  }

  @Test func figuresCountTheReceivedClocks() throws {
    let rig = try Rig("0s midi clock 120 for 10s jitter 1ms").ended(after: 12)
    // The first clock has no tempo yet.
    #expect(rig.simulation.figures.receivedClocks == 10 * 48 - 1)
    #expect((.microseconds(100)..<(.milliseconds(1))).contains(rig.simulation.figures.clockDeviation))
    #expect(rig.simulation.figures.resyncs == 0)
  }

  @Test func continueGoesOnAtTheSongPosition() throws {
    let rig = try Rig("0s midi clock 120 for 30s\n1s midi position 20\n2s midi continue").ended(after: 10)
    #expect(rig.disorder == [])
    // 20 sixteenths are five quarters: the second beat of the second bar.
    #expect(rig.beats.first.map { $0.beat.bar } == 1)
    #expect(rig.beats.first.map { $0.beat.position } == 1)
  }
}
