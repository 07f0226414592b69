import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import TestSupport
import Testing

/// What lines and sound show of a rhythm.
@Suite struct RhythmOutputTests {
  private func settings(_ rhythm: String, bpm: String, _ signature: String = "4/4") throws -> Settings {
    let signature = try #require(Signature(text: signature))
    return Settings(
      Music(
        tempo: try #require(Tempo(decimal: bpm)), signature: signature,
        rhythm: try Rhythm(text: rhythm, for: Metre(signature))))
  }

  /// The events of a simulation that plays from its first instant on.
  private func trace(
    _ settings: Settings, levels: PerLevel<Bool>? = nil, voices: VoiceSet = .all, pulses: PerLevel<Pulse>? = nil,
    audio: Bool = false, for time: Nanoseconds
  ) throws -> [TraceEvent] {
    var board = SimulatedBoard.Options()
    if !audio { board.audio = nil }
    var options = EngineOptions(settings: settings)
    if let levels { options.hits.light.levels = levels }
    options.hits.light.voices = voices
    if let pulses { options.pattern.light = pulses }
    let trace = RecordedTrace()
    let simulation = try Simulation(options, board: board, sinks: [trace])
    simulation.perform(.start)
    simulation.run(until: .zero + time)
    simulation.finish()
    return trace.events
  }

  /// Rising and falling edges of the light, in milliseconds since the first.
  private func edges(_ events: [TraceEvent]) -> [String] {
    let edges = events.compactMap { event in
      if case .line(.light, let isActive) = event.what { (event.time, isActive) } else { nil }
    }
    return edges.map { "\(($0.0 - edges[0].0).count / 1_000_000) \($0.1 ? "on" : "off")" }
  }

  @Test func lightShowsBeatsAndMediumHits() throws {
    let events = try trace(settings("X|xY|xxoo|.", bpm: "60"), for: .milliseconds(4_900))
    #expect(
      edges(events) == [
        "0 on", "100 off", "1000 on", "1050 off", "1500 on", "1570 off", "2000 on", "2050 off", "4000 on", "4100 off",
      ])
  }

  @Test func lightShowsTheLevelsThatAreChosen() throws {
    var levels = PerLevel(repeating: false)
    levels.weak = true
    let events = try trace(settings("X|xY|x.x.", bpm: "60", "3/4"), levels: levels, for: .milliseconds(2_900))
    #expect(
      edges(events) == [
        "0 on", "100 off", "1000 on", "1050 off", "2000 on", "2050 off", "2500 on", "2550 off",
      ])
  }

  @Test func hitsThatAreTooCloseToTellApartAreLeftOut() throws {
    let events = try trace(
      settings("sub=8", bpm: "300"), levels: PerLevel(repeating: true), for: .milliseconds(790))
    #expect(edges(events) == ["0 on", "100 off", "200 on", "250 off", "400 on", "450 off", "600 on", "650 off"])
  }

  /// The weak hits at 960 and 2,080 ms keep their whole pulses: the ghosts at 1,000 and 2,000 ms, after and before, are left out.
  @Test func ghostTooCloseToALouderHitIsLeftOut() throws {
    func rests(_ count: Int) -> String { String(repeating: ".", count: count) }
    let voice = rests(12) + "x" + rests(13) + "x" + rests(23) + "|"
    let events = try trace(
      settings("X sub=4 & " + voice, bpm: "15", "1/4"), levels: PerLevel(repeating: true), for: .milliseconds(3_990))
    #expect(
      edges(events) == [
        "0 on", "100 off", "960 on", "1010 off", "2080 on", "2130 off", "3000 on", "3020 off",
      ])
  }

  /// The strong hits at 250 and 1,500 ms have no pulse: the beats before them keep half the time to the next beat, and the weak
  /// hit at 250 ms is shown.
  @Test func hitWithoutAPulseEndsNoOther() throws {
    var pulses = PerLevel(repeating: Pulse.atMost(.milliseconds(600)))
    (pulses.strong, pulses.medium) = (.atMost(.zero), .atMost(.milliseconds(100)))
    let events = try trace(
      settings("x|xX|x|x & .Y..|.|.|. & .X..|.|.|.", bpm: "60"), levels: PerLevel(repeating: true), pulses: pulses,
      for: .milliseconds(2_900))
    #expect(
      edges(events) == [
        "0 on", "125 off", "250 on", "350 off", "1000 on", "1500 off", "2000 on", "2500 off",
      ])
  }

  @Test func louderOfTwoHitsAtTheSameInstantIsShown() throws {
    let events = try trace(
      settings("X. sub=2 & .Y|..", bpm: "60", "2/4"), levels: PerLevel(repeating: true), for: .milliseconds(900))
    #expect(edges(events) == ["0 on", "100 off", "500 on", "570 off"])
  }

  /// The third beat is weak, although the other voice is strong there.
  @Test func beatIsShownAtItsOwnLevel() throws {
    let events = try trace(
      settings("Xx.x & ..XX", bpm: "60"), levels: PerLevel(repeating: true), for: .milliseconds(3_900))
    #expect(
      edges(events) == [
        "0 on", "100 off", "1000 on", "1050 off", "2000 on", "2100 off", "3000 on", "3050 off",
      ])
  }

  @Test func lightShowsTheVoicesThatAreChosen() throws {
    let rhythm = "X. & .Y|.. & ..|.Y"
    func shown(_ voices: VoiceSet) throws -> [String] {
      edges(try trace(settings(rhythm, bpm: "60", "2/4"), voices: voices, for: .milliseconds(1_900)))
    }
    #expect(try shown(.all) == ["0 on", "100 off", "500 on", "570 off", "1500 on", "1570 off"])
    #expect(try shown(VoiceSet(2)) == ["0 on", "100 off", "1500 on", "1570 off"])
    #expect(try shown([]) == ["0 on", "100 off"])
  }

  @Test func otherVoiceIsShownOnARestOfTheMainVoice() throws {
    let events = try trace(settings("X. & 1:1", bpm: "60", "2/4"), for: .milliseconds(1_900))
    #expect(edges(events) == ["0 on", "100 off", "1000 on", "1100 off"])
  }

  /// A ghost may be as near as 100 ms to a beat, a medium hit only as near as 200 ms. At 125 ms both are at one instant: the medium
  /// one is left out, and no ghost is shown in its place. At 250 ms the medium one is shown.
  @Test func noGhostIsShownInPlaceOfALouderHit() throws {
    func shown(_ voice: String) throws -> [String] {
      try edges(
        trace(
          settings("X sub=4 & " + voice, bpm: "120", "1/4"), levels: PerLevel(repeating: true), for: .milliseconds(490))
      )
    }
    #expect(try shown("....|") == ["0 on", "62 off", "125 on", "145 off", "250 on", "270 off", "375 on", "395 off"])
    #expect(try shown(".Y..|") == ["0 on", "100 off", "250 on", "270 off", "375 on", "395 off"])
    #expect(try shown("..Y.|") == ["0 on", "62 off", "125 on", "145 off", "250 on", "312 off", "375 on", "395 off"])
    #expect(try shown("...Y|") == ["0 on", "62 off", "125 on", "145 off", "250 on", "270 off"])
  }

  @Test func loudestOfTheHitsAtOneInstantIsShown() throws {
    let events = try trace(
      settings("X|xo|xY|x & X|.Y|.o|.", bpm: "60"), levels: PerLevel(repeating: true), for: .milliseconds(2_900))
    #expect(
      edges(events) == [
        "0 on", "100 off", "1000 on", "1050 off", "1500 on", "1570 off", "2000 on", "2050 off", "2500 on", "2570 off",
      ])
  }

  /// Every beat that is not a rest is visible, and no pulse is longer than half the time to the next.
  @Test(arguments: Seeds.few(10, of: 100)) func pulsesObeyTheRuleOfHalfTheGap(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    func pattern() -> String {
      (0..<4).map { _ in
        String((0..<Int.random(in: 1...8, using: &random)).map { _ in "XYxo.".randomElement(using: &random) ?? "X" })
      }.joined(separator: "|")
    }
    let text = pattern() + " & \(Int.random(in: 1...7, using: &random)):\(Int.random(in: 1...7, using: &random))"
    let bpm = "\(Int.random(in: 30...300, using: &random))"
    let events = try trace(settings(text, bpm: bpm), levels: PerLevel(repeating: true), for: .seconds(10))
    var rises: [Nanoseconds] = []
    var falls: [Nanoseconds] = []
    var beats: [Nanoseconds] = []
    for event in events {
      switch event.what {
      case .line(.light, true): rises.append(event.time)
      case .line(.light, false): falls.append(event.time)
      case .beat(let beat): if beat.level != .rest { beats.append(event.time) }
      default: break
      }
    }
    for (number, fall) in falls.enumerated() where number + 1 < rises.count {
      let limit = rises[number] + Nanoseconds((rises[number + 1] - rises[number]).count / 2)
      #expect(fall <= limit, "\(text) at \(bpm) BPM, pulse \(number)")
    }
    #expect(Set(beats).isSubset(of: Set(rises)), "\(text) at \(bpm) BPM")
  }

  @Test(arguments: ["", "sub=3", "Xx.o|Y|2:..x", "X.x. sub=2 swing=62% & 3:4 & 5:3 sound=click", "& clave=son32"])
  func everyHitClicksOnceAtItsLevel(rhythm: String) throws {
    let events = try trace(settings(rhythm, bpm: "133.7"), audio: true, for: .seconds(20))
    var hits: [String] = []
    var clicks: [String] = []
    for event in events {
      switch event.what {
      case .hit(let hit): hits.append("\(event.time.count / 1_000) \(hit.level)")
      case .click(_, let level, _): clicks.append("\(event.time.count / 1_000) \(level)")
      default: break
      }
    }
    #expect(hits.count > 40)
    #expect(clicks == hits)
  }
}
