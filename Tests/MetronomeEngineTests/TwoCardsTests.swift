import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import SignalSupport
import TestSupport
import Testing

/// Two sound cards with clocks of their own: they stay together, and no fault of one touches the other.
@Suite struct TwoCardsTests {
  private static let format = AudioFormat(
    rate: 48_000, channels: 2, sampleFormat: .s16, periodFrames: 256, bufferFrames: 1_024)

  /// A metronome with two cards, of which the second one may be missing.
  private struct Box {
    let simulation: Simulation
    let trace = RecordedTrace()
    let tape = Tape()
    let secondTape = Tape()

    init(
      _ options: EngineOptions = EngineOptions(), second: AudioFormat? = format, faults: FaultPlan = FaultPlan(),
      secondFaults: FaultPlan = FaultPlan(), isRecorded: Bool = true
    ) throws {
      var board = SimulatedBoard.Options()
      (board.audio, board.secondAudio) = (format, second)
      (board.faults, board.secondFaults) = (faults, secondFaults)
      if isRecorded { (board.recording, board.secondRecording) = (tape, secondTape) }
      var options = options
      options.outputs = OutputSet.standard.union([.audio, .secondAudio])
      simulation = try Simulation(options, board: board, sinks: [trace])
    }

    func ended(after time: Nanoseconds) -> Box {
      simulation.run(until: .zero + time)
      simulation.finish()
      return self
    }

    func clicks(on card: Output) -> [(time: Nanoseconds, position: FramePosition)] {
      trace.events.compactMap { event in
        if case .click(let position, _, _) = event.what, event.card == card { (event.time, position) } else { nil }
      }
    }

    func states(of card: Output) -> [String] {
      trace.events.compactMap { event in
        guard case .audio(let state) = event.what, event.card == card else { return nil }
        let second = event.time.count / 1_000_000_000
        return switch state {
        case .off: "\(second) off"
        case .waiting(_, let absence): "\(second) \(absence.cause)"
        case .locking: "\(second) locking"
        case .locked: "\(second) locked"
        }
      }
    }
  }

  private func drift(_ ppb: Int64) -> FaultPlan {
    var plan = FaultPlan()
    plan.drift(ppb, from: .zero)
    return plan
  }

  /// When a frame leaves a card that has played since 0, in nanoseconds.
  private func instant(_ position: FramePosition, rate: Int, ppb: Int64) -> Double {
    (Double(position.whole) + position.fraction) / (Double(rate) * (1 + Double(ppb) * 1e-9)) * 1e9
  }

  /// The 99th percentile of the distances between clicks, in nanoseconds.
  private func quantile99(_ distances: [Double]) -> Double {
    let sorted = distances.map(\.magnitude).sorted()
    return sorted[sorted.count * 99 / 100]
  }

  /// Ten minutes with random tempi, and loops that wake up late.
  @Test(arguments: Seeds.few(6, of: 60)) func clicksOfBothCardsStayTogether(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let ppb: Int64 = seed == 0 ? 200_000 : .random(in: -200_000...200_000, using: &random)
    let other: Int64 = seed == 0 ? -200_000 : .random(in: -200_000...200_000, using: &random)
    let rate = seed % 2 == 0 ? 48_000 : 44_100
    let second = AudioFormat(rate: rate, channels: 1, sampleFormat: .float, periodFrames: 441, bufferFrames: 1_323)
    let box = try Box(second: second, faults: drift(ppb), secondFaults: drift(other), isRecorded: false)
    var late = SeededRandom(seed: ~seed)
    box.simulation.lateness = { _, _ in .microseconds(.random(in: 0...2_000, using: &late)) }
    box.simulation.perform(.start)
    for change in 1..<20 as Range<Int64> {
      let tempo = Tempo(milliBPM: .random(in: 30_000...300_000, using: &random))!
      box.simulation.schedule(at: .zero + .seconds(change * 30)) { box.simulation.perform(.setTempo(tempo)) }
    }
    _ = box.ended(after: .seconds(600))
    let (clicks, others) = (box.clicks(on: .audio), box.clicks(on: .secondAudio))
    #expect(abs(clicks.count - others.count) <= 1 && clicks.count > 300)
    let distances = zip(clicks, others).map {
      instant($0.position, rate: 48_000, ppb: ppb) - instant($1.position, rate: rate, ppb: other)
    }
    #expect(quantile99(distances) <= 300_000, "seed \(seed): \(quantile99(distances)) ns")
    // Cards that are not followed would be up to 240 ms apart after ten minutes.
    #expect(distances.map(\.magnitude).max()! < 1_000_000)
    let beats = box.trace.events.compactMap { if case .beat(let beat) = $0.what { beat.instant } else { nil } }
    #expect(zip(beats, clicks).allSatisfy { abs(($0 - .zero - $1.time).count) < 1_000_000 })
  }

  /// The same from the samples that the cards play.
  @Test func theSamplesOfBothCardsStayTogether() throws {
    var options = EngineOptions()
    options.settings = Settings(Music(tempo: Tempo(milliBPM: 133_700)!))
    let box = try Box(options, faults: drift(200_000), secondFaults: drift(-200_000))
    box.simulation.perform(.start)
    _ = box.ended(after: .seconds(30))
    func onsets(_ tape: Tape, _ card: Output, ppb: Int64) -> [Double] {
      let recording = tape.samples.map { Float($0) }
      return box.clicks(on: card).dropFirst().dropLast().compactMap { click in
        let beat = click.position.whole
        let level: Level = box.clicks(on: card).firstIndex { $0.position.whole == beat }! % 4 == 0 ? .strong : .weak
        return ClickFinder(audio: ClickVoice(level, rate: 48_000).samples).onset(in: recording, near: Double(beat))
          .map { $0 / (48_000 * (1 + Double(ppb) * 1e-9)) * 1e9 }
      }
    }
    let (first, second) = (
      onsets(box.tape, .audio, ppb: 200_000), onsets(box.secondTape, .secondAudio, ppb: -200_000)
    )
    #expect(first.count == second.count && first.count > 60)
    #expect(quantile99(zip(first, second).map(-)) <= 300_000)
  }

  @Test func unpluggedCardComesBackAndTheOtherIsUndisturbed() throws {
    var unplugged = drift(-200_000)
    unplugged.unplugCard(during: .zero + .milliseconds(20_300)..<(.zero + .milliseconds(25_700)))
    for isSecond in [true, false] {
      let box =
        try isSecond
        ? Box(faults: drift(200_000), secondFaults: unplugged) : Box(faults: unplugged, secondFaults: drift(200_000))
      let whole =
        try isSecond ? Box(second: nil, faults: drift(200_000)) : Box(secondFaults: drift(200_000))
      for box in [box, whole] {
        box.simulation.perform(.start)
        for milliseconds in [20_300, 25_700] as [Int64] {
          box.simulation.schedule(at: .zero + .milliseconds(milliseconds)) { box.simulation.cardsChanged() }
        }
        _ = box.ended(after: .seconds(60))
      }
      let (gone, stays): (Output, Output) = isSecond ? (.secondAudio, .audio) : (.audio, .secondAudio)
      #expect(isSecond ? box.tape.samples == whole.tape.samples : box.secondTape.samples == whole.secondTape.samples)
      #expect(box.states(of: stays) == whole.states(of: stays) && box.states(of: stays).count == 2)
      #expect(
        box.states(of: gone).map { $0.split(separator: " ")[1] } == ["locking", "locked", "gone", "locking", "locked"])
      let clicks = box.clicks(on: gone).map(\.time)
      #expect(!clicks.contains { $0 > .milliseconds(20_300) && $0 < .milliseconds(25_700) })
      let back = clicks.filter { $0 > .seconds(26) }
      let others = box.clicks(on: stays).map(\.time).filter { $0 > .seconds(26) }
      #expect(back.count > 60 && abs(back.count - others.count) <= 1)
      #expect(quantile99(zip(back, others).map { Double(($0 - $1).count) }) <= 300_000)
    }
  }

  /// No sequence of faults of one card changes a sample of the other one.
  @Test(arguments: Seeds.few(20, of: 400)) func faultsOfTheSecondCardDoNotTouchTheFirst(seed: UInt64) throws {
    let faults = FaultSequence(seed: seed)
    func tape(_ second: AudioFormat?) throws -> [Int32] {
      let box = try Box(second: second, faults: drift(faults.driftPPB), secondFaults: faults.plan)
      box.simulation.engine.lead.hold(Lead(FaultSequence.formats[0]))
      box.simulation.perform(.start)
      return box.ended(after: FaultSequence.length).tape.samples
    }
    let alone = try tape(nil)
    #expect(try alone == tape(FaultSequence.formats[0]), "seed \(seed)")
    #expect(alone.contains { $0 != 0 })
  }

  @Test func eachCardHasItsRoutesGainAndLatency() throws {
    var options = EngineOptions()
    options.sounds.routes = ClickRoutes([ClickRoutes.Route(2)])
    options.secondCard = CardSounds(gainDB: -6, routes: ClickRoutes([ClickRoutes.Route(1)]))
    options.latencies.secondAudio = .milliseconds(80)
    let box = try Box(options)
    // The longest counts: four periods of 256 frames, the lead-in, the latency and 2 ms.
    #expect(box.simulation.engine.lead.current.duration == .milliseconds(104))
    box.simulation.perform(.start)
    _ = box.ended(after: .seconds(5))
    #expect(box.tape.samples.allSatisfy { $0 == 0 })
    let most = box.secondTape.samples.map { $0.magnitude }.max() ?? 0
    let plain = try Box()
    plain.simulation.perform(.start)
    let loudest = plain.ended(after: .seconds(5)).secondTape.samples.map { $0.magnitude }.max() ?? 0
    // -6 dB, rounded to 16 bits.
    #expect((Double(most) / Double(loudest) - 0.501187).magnitude < 1e-4)
    let early = zip(box.clicks(on: .audio), box.clicks(on: .secondAudio)).map { $0.time - $1.time }
    #expect(early.count > 8 && early.allSatisfy { abs(($0 - .milliseconds(80)).count) < 1_000 })
  }

  @Test func silenceAndVolumeHoldForBothCards() throws {
    let box = try Box()
    box.simulation.perform(.start)
    box.simulation.perform(.setVolume(Volume.all[8]))
    box.simulation.schedule(at: .zero + .seconds(3)) { box.simulation.perform(.toggleSilence) }
    _ = box.ended(after: .seconds(6))
    #expect(box.tape.samples == box.secondTape.samples && box.tape.samples.contains { $0 != 0 })
    #expect(box.tape.samples.suffix(2 * 48_000).allSatisfy { $0 == 0 })
  }

  @Test func aDisplayShowsTheCardThatIsMissing() {
    let gone = AudioState.waiting(for: "B", AudioAbsence(HardwareError(.openAudio, .gone)))
    let busy = AudioState.waiting(for: "A", AudioAbsence(HardwareError(.openAudio, .busy)))
    let plays = AudioState.locking(AudioState.Lock(name: "A", ratePPB: 0))
    #expect(AudioState.shown(plays, gone) == gone && AudioState.shown(gone, plays) == gone)
    #expect(AudioState.shown(busy, gone) == busy && AudioState.shown(plays, nil) == plays)
    #expect(AudioState.shown(nil, nil) == nil && AudioState.shown(plays, .off) == plays)
  }

  @Test func secondCardIsAddedAndRemovedWhileTheFirstPlays() throws {
    let (box, plain) = (try Box(second: nil), try Box(second: nil))
    var wires = SimulatedBoard.Options()
    wires.audio = TwoCardsTests.format
    var (options, with) = (box.simulation.options, wires)
    options.secondCard.gainDB = -3
    with.secondAudio = TwoCardsTests.format
    box.simulation.schedule(at: .zero + .milliseconds(2_100)) {
      box.simulation.reconfigure(options, board: with, changes: BoardChanges(secondAudio: true))
    }
    box.simulation.schedule(at: .zero + .milliseconds(5_300)) {
      box.simulation.reconfigure(options, board: wires, changes: BoardChanges(secondAudio: true))
    }
    for box in [box, plain] {
      box.simulation.perform(.start)
      _ = box.ended(after: .seconds(8))
    }
    #expect(box.tape.samples == plain.tape.samples)
    #expect(box.states(of: .secondAudio) == ["2 locking", "5 locked", "5 off"])
    let clicks = box.clicks(on: .secondAudio).map(\.time)
    #expect(clicks.count == 6 && clicks.allSatisfy { $0 > .milliseconds(2_100) && $0 < .milliseconds(5_300) })
    #expect(box.simulation.engine.lead.current == Lead(TwoCardsTests.format))
  }
}
