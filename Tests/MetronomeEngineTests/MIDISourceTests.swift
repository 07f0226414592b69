import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// A metronome that follows the transport of a MIDI source, as sources behave in the public record: lights and clicks, in
/// milliseconds, with bar and place.
@Suite struct MIDISourceTests {
  private func played(
    _ script: String, for seconds: Int64, sound: Bool = false, ports: Int = 0
  ) throws -> (lights: String, clicks: String) {
    var board = SimulatedBoard.Options()
    if !sound { board.audio = nil }
    board.midi = (0..<ports).map { MIDIOutputRequest(.named("\($0)")) }
    var options = EngineOptions()
    options.midi = board.midi
    options.source = SourceOptions(hasTransport: true)
    let trace = RecordedTrace()
    let simulation = try Simulation(options, board: board, sinks: [trace])
    simulation.board.inputs?.schedule(try Script(text: Array(script.utf8), file: "test").inputs(from: .zero))
    simulation.run(until: .zero + .seconds(seconds) - .milliseconds(2))
    simulation.finish()
    var (lights, clicks): ([String], [String]) = ([], [])
    for event in trace.events {
      let time = (event.time.count + 500_000) / 1_000_000
      switch event.what {
      case .beat(let beat): lights.append("\(time):\(beat.bar).\(beat.position)")
      case .click: clicks.append("\(time)")
      case .missed(let number): clicks.append("\(number) missed")
      default: break
      }
    }
    return (lights.joined(separator: " "), clicks.joined(separator: " "))
  }

  /// `count` clocks `pause` apart, as a program sends them that has stood still.
  private func burst(_ count: Int, at time: Double, pause: Double) -> String {
    (0..<count).map { "\(Int64((time + Double($0) * pause) * 1_000))us midi clock 120 for 1us\n" }.joined()
  }

  // MARK: The first beat

  /// The card's queue is 24 ms long, so that a click begins at most so long after the message that made its instant known.
  @Test func aFirstBeatWithoutClocksBeforeItIsShownAtOnce() throws {
    let script = "700ms midi start\n1s midi clock 75 for 3s"
    let silent = try played(script, for: 4)
    #expect(silent.lights == "1001:0.0 1800:0.1 2600:0.2 3400:0.3")
    let loud = try played(script, for: 4, sound: true)
    #expect(loud.lights == silent.lights)
    #expect(loud.clicks == "1019 1800 2600 3400")
    // A MIDI start goes ahead of the first clock.
    #expect(try played(script, for: 2, ports: 1).lights == "1002:0.0 1800:0.1")
  }

  /// 60 BPM: a clock is 41.67 ms. The last one before the start is at 2,000 ms.
  @Test func aFirstBeatOfAnEvenClockFallsOnIt() throws {
    let script = "500ms midi clock 60 for 5s\n2010ms midi start"
    #expect(try played(script, for: 5).lights == "2042:0.0 3042:0.1 4042:0.2")
    let loud = try played(script, for: 5, sound: true)
    #expect(loud.lights == "2042:0.0 3042:0.1 4042:0.2")
    #expect(loud.clicks == "2042 3042 4042")
  }

  @Test func theLastTempoHoldsUntilTheSecondClock() throws {
    let script = "0s midi start\n0s midi clock 100 for 2s\n2s midi stop\n4s midi start\n5s midi clock 100 for 1us"
    #expect(try played(script, for: 7).lights == "1:0.0 600:0.1 1200:0.2 1800:0.3 5001:0.0 5600:0.1 6200:0.2 6800:0.3")
  }

  /// A source that begins its clock anew is announced only once.
  @Test func aClockThatBeginsAnewIsThePosition() throws {
    let script = """
      500ms midi clock 120 for 2s
      2485ms midi start
      2486ms midi clock 120 for 1s
      3490ms midi start
      3502ms midi clock 120 for 1s
      """
    #expect(try played(script, for: 4).lights == "2487:0.0 2986:0.1 3486:0.2 3503:0.0")
    #expect(try played(script, for: 4, sound: true).clicks == "2501 2986 3486 3520")
  }

  @Test func anAnnouncedStartWithoutAClockIsWithdrawn() throws {
    let script = "500ms midi clock 120 for 2s\n2490ms midi start\n3s midi clock 120 for 1s"
    #expect(try played(script, for: 4).lights == "2500:0.0 3001:0.0 3500:0.1")
  }

  // MARK: Tempo

  @Test(arguments: [false, true]) func aJumpOfTheTempoIsFollowedAtOnce(sound: Bool) throws {
    let up = "0s midi start\n0s midi clock 75 for 3200ms\n3200ms midi clock 200 for 1200ms"
    let lights = try played(up, for: 4, sound: sound).lights
    #expect(lights == "1:0.0 800:0.1 1600:0.2 2400:0.3 3200:1.0 3500:1.1 3800:1.2")
    let down = "0s midi start\n0s midi clock 180 for 2s\n2s midi clock 60 for 3s\n5s midi clock 180 for 1s"
    let slow = try played(down, for: 6, sound: sound)
    #expect(
      slow.lights
        == "1:0.0 333:0.1 667:0.2 1000:0.3 1333:1.0 1667:1.1 2000:1.2 3000:1.3 4000:2.0 5000:2.1 5333:2.2 5667:2.3")
  }

  /// 2 s at 120 BPM, 2 s from there to 240 BPM: beat k of the ramp is at √(4 + 2k) - 2 s. The box is at most a millisecond late.
  @Test func aRampIsFollowedBeatByBeat() throws {
    let script = "0s midi start\n0s midi clock 120 for 2s\n2s midi clock 120-240 for 2s\n4s midi clock 240 for 1s"
    let lights = try played(script, for: 5).lights.split(separator: " ")
    let times = lights.compactMap { Int64($0.prefix { $0 != ":" }) }
    #expect(lights.map { String($0.drop { $0 != ":" }) } == (0..<14).map { ":\($0 / 4).\($0 % 4)" })
    for beat in 4..<11 {
      let due = Int64((Double(2 * (beat - 4) + 4).squareRoot() * 1_000).rounded())
      #expect((due...due + 1).contains(times[beat]), "beat \(beat) at \(times[beat]) ms")
    }
  }

  // MARK: Stalls

  /// 120 BPM: the clocks from 2,500 ms on are held back and come 0.4 ms apart, or never.
  @Test(arguments: [1, 7, 20, 40]) func aStallDoesNotMoveTheBeats(clocks: Int) throws {
    let resumes = 2_500 + Double(clocks) * 125 / 6
    let begin = "0s midi start\n0s midi clock 120 for 2490ms\n"
    let end = "\(Int64(resumes * 1_000))us midi clock 120 for 2s"
    let wanted = (0..<8).map { "\($0 == 0 ? 1 : $0 * 500):\($0 / 4).\($0 % 4)" }.joined(separator: " ")
    let held = burst(clocks, at: resumes - 125 / 6 + 1, pause: 0.4)
    for script in [begin + held + end, begin + end] {
      #expect(try played(script, for: 4).lights == wanted)
      #expect(try played(script, for: 4, sound: true).lights == wanted)
    }
  }

  // MARK: Transport

  /// Four quarters at 120 BPM, over and over: stop, position and continue come 5 ms before the first clock.
  @Test func aLoopHasOneLightAndOneClickAtItsTarget() throws {
    var script = "0s midi start\n0s midi clock 120 for 20s\n"
    for time in stride(from: 1_995, to: 8_000, by: 2_000) {
      script += "\(time)ms midi stop\n\(time + 1)ms midi position 0\n\(time + 2)ms midi continue\n"
    }
    let wanted = (0..<16).map { "\($0 == 0 ? 1 : $0 * 500):0.\($0 % 4)" }.joined(separator: " ")
    #expect(try played(script, for: 8).lights == wanted)
    let loud = try played(script, for: 8, sound: true)
    #expect(loud.lights == wanted)
    // There is no card at the start.
    #expect(loud.clicks == (1..<16).map { "\($0 * 500)" }.joined(separator: " "))
  }

  @Test func aContinueAfterAStartChangesNothing() throws {
    let script = """
      0s midi start
      0s midi clock 120 for 620ms
      700ms midi stop
      2s midi start
      2003ms midi continue
      2008ms midi clock 120 for 2s
      2400ms midi continue
      """
    #expect(try played(script, for: 4).lights == "1:0.0 500:0.1 2009:0.0 2508:0.1 3008:0.2 3508:0.3")
  }

  /// It stops two clocks after the second beat.
  @Test func aContinueWithinABeatPlaysNoBeatAgain() throws {
    let script =
      "0s midi start\n0s midi clock 120 for 542ms\n550ms midi stop\n2s midi continue\n2001ms midi clock 120 for 2s"
    #expect(try played(script, for: 4).lights == "1:0.0 500:0.1 2438:0.2 2938:0.3 3438:1.0 3938:1.1")
  }

  @Test func aStartWhilePlayingStartsAgain() throws {
    let script = "0s midi start\n0s midi clock 120 for 4s\n1240ms midi start"
    #expect(try played(script, for: 3).lights == "1:0.0 500:0.1 1000:0.2 1250:0.0 1750:0.1 2250:0.2 2750:0.3")
  }
}
