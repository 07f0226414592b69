import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import SignalSupport
import Testing

@Suite struct AudioLoopTests {
  /// A hundredth of full scale: above the pre-ringing of an interpolated click.
  private static let audible: UInt32 = 1 << 25

  /// The frames at which sound becomes audible after 10 ms of silence.
  private func onsets(_ samples: [Int32], rate: Int = 48_000) -> [Int] {
    var onsets: [Int] = []
    var silence = rate / 100
    for (frame, sample) in samples.enumerated() {
      let isAudible = sample.magnitude >= AudioLoopTests.audible
      if isAudible, silence >= rate / 100 { onsets.append(frame) }
      silence = isAudible ? 0 : silence + 1
    }
    return onsets
  }

  /// The number of frames before a click becomes audible. A click starts softly.
  private func silentFrames(_ accent: Level, rate: Int = 48_000, _ sampleFormat: SampleFormat = .s16) -> Int {
    let format = AudioFormat(
      rate: rate, channels: 1, sampleFormat: sampleFormat, periodFrames: 1_000, bufferFrames: 2_000)
    let mixer = ClickMixer(format: format, sounds: ClickSounds())
    mixer.start(accent, atFrame: 0, fraction: 0)
    let tape = Tape()
    tape.append(mixer.nextPeriod(), format: format)
    return tape.samples.firstIndex { $0.magnitude >= AudioLoopTests.audible }!
  }

  private func script(_ presses: (Button, Int64)...) -> Script {
    var script = Script()
    for (button, millisecond) in presses { script.press(button, at: .milliseconds(millisecond)) }
    return script
  }

  private func clickPositions(_ bench: Bench) -> [Double] {
    bench.trace.events.compactMap { event in
      if case .click(let position, _, _) = event.what { Double(position.whole) + position.fraction } else { nil }
    }
  }

  /// The positions of clicks that start on a whole frame, to a thousandth.
  private func clickFrames(_ bench: Bench) -> [Int] {
    clickPositions(bench).map {
      #expect(abs($0 - $0.rounded()) < 0.001)
      return Int($0.rounded())
    }
  }

  @Test(arguments: [8_000, 48_000, 192_000], SampleFormat.allCases)
  func clickStartsAtItsFrameInEveryFormat(rate: Int, sampleFormat: SampleFormat) {
    let tape = Tape()
    let format = AudioFormat(
      rate: rate, channels: 3, sampleFormat: sampleFormat, periodFrames: rate / 200, bufferFrames: rate / 50)
    let bench = Bench(audio: true, script: script((.play, 4)), format: format, recording: tape)
      .ended(after: .seconds(4))
    let frames = clickFrames(bench)
    #expect(frames == bench.beats.map { Int($0.time.count * Int64(rate) / 1_000_000_000) })
    let accents = bench.beats.map(\.beat.level)
    let expected = zip(frames, accents).map { $0 + silentFrames($1, rate: rate, sampleFormat) }
    #expect(frames.count == 8 && onsets(tape.samples, rate: rate) == expected)
  }

  @Test(arguments: [8_000, 44_100, 48_000, 96_000, 192_000])
  func clickMayBeginBetweenFrames(rate: Int) {
    let format = AudioFormat(
      rate: rate, channels: 2, sampleFormat: .s16, periodFrames: rate / 200, bufferFrames: rate / 50)
    let settings = Settings(Music(tempo: Tempo(milliBPM: 133_700)!))
    let bench = Bench(settings, audio: true, script: script((.play, 4)), format: format)
      .ended(after: .seconds(4))
    let positions = clickPositions(bench)
    let exact = bench.beats.map { Double($0.time.count) * Double(rate) / 1e9 }
    // Status and beat are each accurate to a nanosecond.
    #expect(positions.count == 9 && zip(positions, exact).allSatisfy { abs($0 - $1) < 2e-9 * Double(rate) })
    #expect(positions.contains { abs($0 - $0.rounded()) > 0.1 })
  }

  /// A click between frames is interpolated. The samples are compared from before the onset, for every position in a period.
  @Test func clickIsInterpolatedBetweenFrames() {
    let tape = Tape()
    let format = AudioFormat(rate: 48_000, channels: 1, sampleFormat: .s32, periodFrames: 64, bufferFrames: 512)
    let settings = Settings(Music(tempo: Tempo(milliBPM: 251_900)!))
    let bench = Bench(settings, audio: true, script: script((.play, 4)), format: format, recording: tape)
      .ended(after: .seconds(30))
    let long = AudioFormat(rate: 48_000, channels: 1, sampleFormat: .s32, periodFrames: 2_000, bufferFrames: 4_000)
    var offsets = Set<Int64>()
    for event in bench.trace.events {
      guard case .click(let position, let accent, _) = event.what, event.time < .milliseconds(29_900) else { continue }
      let mixer = ClickMixer(format: long, sounds: ClickSounds())
      mixer.start(accent, atFrame: 50, fraction: position.fraction)
      let expected = Tape()
      expected.append(mixer.nextPeriod(), format: long)
      let start = Int(position.whole) - 50
      #expect(Array(tape.samples[start..<start + 2_000]) == expected.samples)
      offsets.insert(position.whole % 64)
    }
    // Includes the last frames of a period, where the lead-in begins in the period before.
    #expect(offsets.count > 40 && offsets.contains { $0 > 40 })
  }

  @Test func firstAndRegularClicksDiffer() {
    let tape = Tape()
    let bench = Bench(audio: true, script: script((.play, 0)), recording: tape).ended(after: .seconds(3))
    let clicks = clickFrames(bench).map { Array(tape.samples[$0..<$0 + 1_440]) }
    #expect(clicks[1] == clicks[2] && clicks[2] == clicks[3] && clicks[0] == clicks[4])
    #expect(clicks[0] != clicks[1])
  }

  /// No click is lost in a long period. A period of a sixth of a second holds more than twenty of the fastest clicks.
  @Test(arguments: [512, 2_048, 8_192]) func noClickIsLostInALongPeriod(period: Int) {
    let tape = Tape()
    let format = AudioFormat(
      rate: 48_000, channels: 1, sampleFormat: .s16, periodFrames: period, bufferFrames: 3 * period)
    let settings = Settings(Music(tempo: Tempo(bpm: 999)!, signature: Signature(1, over: 32, limit: .denominator)!))
    let bench = Bench(settings, audio: true, script: script((.play, 0)), format: format, recording: tape)
      .ended(after: .seconds(4))
    let peaks = bench.trace.events.compactMap { event -> Int32? in
      guard case .click(let position, _, _) = event.what, Int(position.whole) + 50 < tape.samples.count else {
        return nil
      }
      return tape.samples[Int(position.whole)..<Int(position.whole) + 50].max()
    }
    #expect(peaks.count > 400 && peaks.allSatisfy { $0 > 1 << 28 })
  }

  @Test func fastestClicksDoNotClip() {
    let tape = Tape()
    let settings = Settings(Music(tempo: Tempo(bpm: 999)!, signature: Signature(1, over: 32, limit: .denominator)!))
    Bench(settings, audio: true, script: script((.play, 0)), recording: tape).ended(after: .seconds(2))
    #expect(tape.samples.map(\.magnitude).max()! < UInt32(1 << 31) - (1 << 16))
    #expect(tape.samples.map(\.magnitude).max()! > UInt32(1 << 29))
  }

  @Test func soundFadesOutAfterAStop() {
    let tape = Tape()
    let bench = Bench(audio: true, script: script((.play, 0), (.play, 530)), recording: tape)
      .ended(after: .seconds(2))
    #expect(clickFrames(bench).count == 2)
    let last = tape.samples.lastIndex { $0 != 0 }!
    // Stopped at 530 ms: at most 1,024 queued frames and one more period play on, then 96 frames of fade-out.
    #expect(last > 25_152 && last < 25_440 + 1_024 + 96 + 256)
  }

  @Test func failingCardDoesNotMoveAnEdge() {
    let presses = script((.play, 100), (.faster, 1_300), (.numerator, 2_700))
    func edges(_ faults: FaultPlan) -> [String] {
      let bench = Bench(audio: true, script: presses, faults: faults).ended(after: .seconds(6))
      return bench.lines(per: Nanoseconds(1), [.beat, .line, .state])
    }
    let clean = edges(FaultPlan())
    for operation in [HardwareError.Operation.readAudioPosition, .writeAudio] {
      for call in [1, 7, 400] {
        var faults = FaultPlan()
        faults.fail(operation, .gone, errno: 19, on: .call(call))
        #expect(edges(faults) == clean)
      }
    }
  }

  @Test func underrunLosesClicksAndKeepsTheBeat() {
    let bench = Bench(audio: true, script: script((.play, 0)))
    bench.simulation.lateness = { loop, deadline in
      loop == .audio && deadline > .zero + .milliseconds(900) && deadline < .zero + .milliseconds(1_000)
        ? .milliseconds(700) : .zero
    }
    bench.ended(after: .seconds(4))
    let incidents = bench.lines(per: .seconds(1), [.incident])
    #expect(incidents.contains { $0.contains("underrun") })
    #expect(incidents.contains("1 missed 2"))
    #expect(bench.rises(of: .light).count == 8)
    // Every audible click is on a beat.
    #expect(bench.clicks.count == 6)
    #expect(bench.clicksBesideBeats == [])
  }

  @Test func discardedClicksCountAsMissed() {
    // The second change discards the beats before the first change, which the audio loop has not seen.
    let bench = Bench(audio: true, script: script((.play, 0), (.faster, 1_200), (.faster, 2_400)))
    bench.simulation.lateness = { loop, deadline in
      loop == .audio && deadline > .zero + .milliseconds(900) && deadline < .zero + .milliseconds(1_000)
        ? .milliseconds(2_000) : .zero
    }
    bench.ended(after: .seconds(5))
    var missed = 0
    for event in bench.trace.events { if case .missed(let clicks) = event.what { missed += Int(clicks) } }
    #expect(missed == 4)
    #expect(bench.beats.count == bench.clicks.count + missed)
  }

  @Test func nothingIsReplayedAfterAnUnderrun() {
    let tape = Tape()
    // 18 ms before a beat, with its click rendered in part, the audio thread stalls for 0.3 s.
    let bench = Bench(
      Settings(Music(tempo: Tempo(bpm: 60)!)), audio: true, script: script((.play, 0)), recording: tape)
    bench.simulation.lateness = { loop, deadline in
      let late = Instant.zero + .milliseconds(1_006)
      return loop == .audio && deadline > late && deadline < late + .milliseconds(6) ? .milliseconds(300) : .zero
    }
    bench.ended(after: .seconds(4))
    #expect(bench.lines(per: .seconds(1), [.incident]).contains { $0.contains("underrun") })
    let beats = bench.beats.map { Int($0.time.count * 48 / 1_000_000) + silentFrames($0.beat.level) }
    let onsets = onsets(tape.samples)
    #expect(onsets.allSatisfy(beats.contains), "\(onsets) against \(beats)")
  }

  @Test(arguments: [-200_000, -50_000, 60_000, 200_000] as [Int64])
  func clicksOfADriftingCardStayOnTheBeat(driftPPB: Int64) throws {
    let trace = RecordedTrace()
    var board = SimulatedBoard.Options()
    board.faults.drift(driftPPB, from: .zero)
    let simulation = try Simulation(board: board, sinks: [trace])
    simulation.board.buttons.schedule(script((.play, 0)).edges(from: .zero))
    simulation.run(until: .zero + .seconds(120))
    let beats = trace.events.compactMap { event in
      if case .beat = event.what { event.time } else { nil }
    }
    let clicks = trace.events.compactMap { event in
      if case .click = event.what { event.time } else { nil }
    }
    #expect(beats.count == 240 && clicks.count >= 239)
    // While the rate is being measured, 200 ppm cause errors of up to 73 µs, through the loop's lag and the 22 ms from writing
    // to playing; afterwards only the nanosecond resolution of the status remains.
    let distances = zip(beats, clicks).map { abs(($0 - $1).count) }
    #expect(distances.max()! < 75_000)
    #expect(distances.dropFirst(20).max()! < 1_000)
    #expect(distances.dropFirst(120).max()! <= 10)
  }

  /// A port whose card accepts only part of each write.
  private final class PartialWritePort: AudioPort {
    final class Card: AudioOutput {
      let format = AudioFormat(rate: 48_000, channels: 1, sampleFormat: .s16, periodFrames: 100, bufferFrames: 400)
      let clock = VirtualClock()
      var accepted: [Int16] = []

      func status() throws(HardwareError) -> AudioStatus {
        AudioStatus(instant: clock.now, frame: Int64(accepted.count), delay: 0, available: 400)
      }

      func write(_ frames: UnsafeRawBufferPointer) throws(HardwareError) -> Int {
        let count = min(37, frames.count / 2)
        accepted += (0..<count).map { frames.loadUnaligned(fromByteOffset: 2 * $0, as: Int16.self) }
        return count
      }
    }

    let name = "partial"
    let card = Card()

    func open() throws(HardwareError) -> Card { card }

    func resume(_ output: Card) throws(HardwareError) {}

    func close(_ output: Card) {}
  }

  @Test func framesThatTheCardDidNotAcceptAreWrittenNextTime() {
    let port = PartialWritePort()
    let card = port.card
    let publication = TimelinePublication()
    let audio = Audio(
      port: port, clock: card.clock, sounds: ClickSounds(volume: 1), publication: publication, plan: OutputPlan(),
      lead: SharedLead(), observer: SilentObserver(), wake: Waker { _ in })
    publication.publish(Timeline(session: 1, firstBeat: .zero, tempo: .initial, signature: .initial))
    _ = audio.cards.step(at: .zero)
    for _ in 0..<60 {
      _ = audio.loop.step(at: card.clock.now)
      card.clock.advance(to: Instant(nanoseconds: Int64(card.accepted.count) * 1_000_000_000 / 48_000))
    }
    let voice = ClickVoice(.strong, rate: 48_000).samples.map { Int16(($0 * ClickMixer.headroom * 32_768).rounded()) }
    #expect(Array(card.accepted.prefix(voice.count)) == voice)
  }
}
