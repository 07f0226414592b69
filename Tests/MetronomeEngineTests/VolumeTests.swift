import BoardSimulation
import Foundation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import SignalSupport
import Testing

/// The volume on its way from a dial to the frames of the sound card, and to the saved state.
@Suite struct VolumeTests {
  /// The frequency of the sustained tone, as a fraction of the rate.
  private static let tone = 1.0 / 48

  private func format(period: Int = 256) -> AudioFormat {
    AudioFormat(
      rate: 48_000, channels: 1, sampleFormat: .float, periodFrames: period, bufferFrames: 4 * period)
  }

  private func next(_ mixer: ClickMixer, _ format: AudioFormat) -> [Float] {
    Tape.channel(0, of: mixer.nextPeriod(), format: format).map { Float($0) }
  }

  @Test func everyStepIsOneAndAHalfDecibels() throws {
    let format = format()
    for sounds in [ClickSounds(), ClickSounds(volume: 1, gainDB: 20)] {
      let peaks = Volume.all.map { volume in
        let mixer = ClickMixer(format: format, sounds: sounds)
        mixer.change(gain: volume.gain)
        mixer.start(.strong, atFrame: 0, fraction: 0.3)
        let samples = (0..<8).flatMap { _ in next(mixer, format) }
        return 20 * log10(Double(samples.map(\.magnitude).max()!))
      }
      for (louder, softer) in zip(peaks, peaks.dropFirst()) { #expect((louder - softer - 1.5).magnitude < 0.1) }
    }
  }

  @Test func fullVolumeLeavesEveryBitAsItIs() {
    let format = format()
    let (changed, other) = (
      ClickMixer(format: format, sounds: ClickSounds()), ClickMixer(format: format, sounds: ClickSounds())
    )
    for mixer in [changed, other] { mixer.start(.weak, atFrame: 7, fraction: 0.3) }
    changed.change(gain: 0.5)
    _ = (next(changed, format), next(other, format))
    changed.change(gain: 1)
    _ = (next(changed, format), next(other, format))
    for _ in 0..<6 { #expect(next(changed, format) == next(other, format)) }
  }

  /// A tone, with changes of volume at the given periods of 64 frames, in a Hann window around them.
  private func windowedTone(_ changes: [Int: Volume]) throws -> [Float] {
    let format = format(period: 64)
    let turn = 2 * Double.pi * VolumeTests.tone
    let wave = (0..<9_600).map { frame in Float(0.5 * sin(turn * Double(frame))) }
    let sound = try WAVSound(WAVFile.bytes(channels: [wave], rate: 48_000))
    let mixer = ClickMixer(format: format, sounds: ClickSounds(PerLevel(repeating: sound), volume: 1))
    mixer.start(.strong, atFrame: 0, fraction: 0)
    let samples = (0..<128).flatMap { period in
      if let volume = changes[period] { mixer.change(gain: volume.gain) }
      return next(mixer, format)
    }
    let step = 2 * Double.pi / Double(samples.count)
    return samples.enumerated().map { index, sample in
      let weight = 0.5 - 0.5 * cos(step * (Double(index) + 0.5))
      return sample * Float(weight)
    }
  }

  /// A change of volume is not heard as a click: above 4.8 kHz a tone of 1 kHz stays 80 dB below its peak. Without the ramp, a
  /// change by one step is 14 dB above this bound, and the others more.
  @Test(arguments: changes)
  func changeMakesNoSoundOutsideTheTone(changes: [Int: Volume]) throws {
    #expect(Levels(try windowedTone(changes), above: 0.1).above < -80)
  }

  /// The periods and their new volumes: one change of all steps, of one step, an interrupted one, and one step per period.
  private static let changes: [[Int: Volume]] = {
    let (softer, softest) = (Volume.all[1], Volume.all[24])
    var all: [Int: Volume] = [:]
    for (step, volume) in Volume.all.enumerated() { all[50 + step] = volume }
    return [[64: softest], [64: softer], [62: softest, 64: .full], all]
  }()

  // MARK: - The whole engine

  private func bench(_ text: String, recording: (any AudioRecording)? = nil, _ settings: Settings = Settings()) throws
    -> Bench
  {
    let dial = InputRequest(.named("dial"), relative: [AxisCode(number: 0): .volume])
    let script = try Script(text: Array(text.utf8), file: "hands")
    return Bench(settings, audio: true, script: script, recording: recording, inputs: [dial])
  }

  private func states(_ bench: Bench) -> [String] {
    bench.trace.events.compactMap { event in
      guard case .state(let state) = event.what else { return nil }
      return "\(event.time.count / 1_000_000) \(state.mode)"
    }
  }

  @Test func dialChangesTheVolumeOnly() throws {
    let turned = try bench("1s press play\n2.1s turn volume@1 -4\n3.1s turn volume@1 99").ended(after: .seconds(4))
    expect(
      states(turned),
      """
      0 stopped
      1000 playing
      2100 volume -1.5 dB, playing
      2100 volume -3 dB, playing
      2100 volume -4.5 dB, playing
      2100 volume -6 dB, playing
      3100 volume -4.5 dB, playing
      3100 volume -3 dB, playing
      3100 volume -1.5 dB, playing
      3100 playing
      """)
    let plain = try bench("1s press play").ended(after: .seconds(4))
    #expect(
      turned.lines(per: Nanoseconds(1), [.beat, .line, .click])
        == plain.lines(per: Nanoseconds(1), [.beat, .line, .click]))
  }

  @Test func cardPlaysAtTheVolume() throws {
    let volume = try #require(Volume(number: "-6"))
    let (loud, soft) = (Tape(), Tape())
    _ = try bench("1s press play", recording: loud).ended(after: .seconds(2))
    _ = try bench("1s press play", recording: soft, Settings(volume: volume)).ended(after: .seconds(2))
    let peaks = [loud, soft].map { tape in 20 * log10(tape.samples.map { Double($0.magnitude) }.max()!) }
    #expect((peaks[0] - peaks[1] - 6).magnitude < 0.1)
  }

  /// The sets of the clicks that a card plays: of each click the one whose voice is most like it.
  private func sets(of tape: Tape, _ bench: Bench) -> [Voice.Sound] {
    let samples = tape.samples.map { Float($0) }
    return bench.trace.events.compactMap { event in
      guard case .click(let position, let level, _) = event.what else { return nil }
      func likeness(_ set: Voice.Sound) -> Float {
        let voice = ClickVoice(level, of: set, rate: 48_000).samples
        let (product, energy) = zip(voice, samples[Int(position.whole)...]).reduce((0, 0)) { sums, pair in
          (sums.0 + pair.0 * pair.1, sums.1 + pair.0 * pair.0)
        }
        return product / energy.squareRoot()
      }
      return Voice.Sound.sets.max { likeness($0) < likeness($1) }
    }
  }

  @Test func cardPlaysTheChosenSetFromTheNextBeatOn() throws {
    let tape = Tape()
    let bench = try bench("1s press play", recording: tape)
    bench.simulation.run(until: .zero + .milliseconds(2_200))
    bench.simulation.perform(.setClickSet(.beep))
    bench.ended(after: .milliseconds(3_700))
    #expect(sets(of: tape, bench) == [.click, .click, .click, .beep, .beep, .beep])
  }

  @Test func sectionOfAScoreHasItsSet() throws {
    let (tape, script) = (Tape(), try Script(text: Array("1s press play".utf8), file: "hands"))
    var settings = Settings()
    settings.set = .wood
    let score = SetList(try Score(text: "1 2/4 120 set=rim\n1 2/4 120 sub=2\n1 2/4 120 set=soft sub=2"))
    let bench = Bench(settings, audio: true, script: script, recording: tape, score: score)
      .ended(after: .milliseconds(5_000))
    #expect(sets(of: tape, bench) == [.rim, .rim, .wood, .wood, .wood, .wood, .soft, .soft, .soft, .soft])
  }

  @Test func reloadKeepsThePlayersVolume() throws {
    let bench = try bench("1s turn volume@1 -2")
    bench.reload(at: .seconds(2)) { options in
      options.latencies.light = .milliseconds(3)
      options.sounds.volume = 0.5
    }
    bench.ended(after: .seconds(3))
    #expect(bench.simulation.engine.control.state.volume == Volume.all[2])
    #expect(bench.simulation.engine.plan.newest.audio.gain == Volume.all[2].gain)
    #expect(bench.simulation.engine.plan.newest.latencies.light == .milliseconds(3))
  }

  @Test func volumeIsRestoredOnlyIfStatesAre() throws {
    let disk = SimulatedDisk()
    try StateArchive(disk).save(SavedState(volume: Volume.all[4]))
    for restores in [true, false] {
      var board = SimulatedBoard.Options()
      board.stateFolder = disk
      let simulation = try Simulation(EngineOptions(restores: restores), board: board, sinks: [])
      let volume = restores ? Volume.all[4] : .full
      #expect(simulation.engine.control.state.volume == volume)
      #expect(simulation.engine.plan.newest.audio.gain == volume.gain)
    }
  }

  // MARK: - Ramp

  /// The gain of each frame while a ramp, begun at frame 0, is followed by another one after `frames`.
  private func gains(_ first: Float, then second: Float, after frames: Int, period: Int) -> [Float] {
    var ramp = GainRamp(rate: 48_000)
    var gains: [Float] = []
    for gain in [first, second] {
      ramp.change(to: gain)
      for _ in 0..<(frames / period) {
        var samples = [Float](repeating: 1, count: period)
        samples.withUnsafeMutableBufferPointer { ramp.apply(to: $0.baseAddress!, count: period) }
        ramp.advance(by: period)
        gains += samples
      }
    }
    return gains
  }

  @Test(arguments: [1, 16, 48, 480]) func interruptedRampContinuesFromItsGain(period: Int) {
    let length = GainRamp(rate: 48_000).length
    #expect(length == 240)
    // Powers of two, so that the sums are exact. The second ramp begins at the gain of the first after 480 frames or in its
    // middle.
    let whole = gains(0.25, then: 1, after: 480, period: period)
    #expect(whole[239] == 0.25 && whole[479] == 0.25 && whole[719] == 1 && whole[959] == 1)
    guard period <= 48 else { return }
    let half = gains(0.5, then: 1, after: 144, period: period)
    #expect(half[143] > 0.5 && half[143] < half[142])
    let steps = zip(half.dropFirst(), half).map { $0 - $1 }
    #expect(steps.allSatisfy { $0.magnitude <= 0.5 / 240 + 0x1p-20 })
    #expect(steps[143] > 0)
  }
}
