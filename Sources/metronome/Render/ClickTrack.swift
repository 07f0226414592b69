import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// Clicks in a file: the metronome on a simulated board that has nothing but a sound card, whose clock is perfect.
struct ClickTrack {
  /// From the start of the simulation to the first beat, with which the file begins: more than any buffer plays, and whole
  /// frames at every rate.
  private static let leadIn = Nanoseconds.seconds(1)

  let sounds: ClickSounds
  let tempo: Tempo
  let signature: Signature
  /// Of the file.
  let length: Nanoseconds
  /// Frames a second.
  let rate: Int

  /// What the file holds: of a fraction of a frame at its end the nearest.
  var frames: Int64 {
    let (seconds, rest) = length.count.quotientAndRemainder(dividingBy: 1_000_000_000)
    return seconds * Int64(rate) + (rest * Int64(rate) + 500_000_000) / 1_000_000_000
  }

  /// A track of so many bars.
  init(bars: Int64, of signature: Signature, at tempo: Tempo, sounds: ClickSounds, rate: Int) {
    let timeline = Timeline(session: 1, firstBeat: .zero, tempo: tempo, signature: signature)
    let end = timeline.knownBeat(bars * Int64(signature.numerator)).instant
    self.init(length: end - .zero, of: signature, at: tempo, sounds: sounds, rate: rate)
  }

  init(length: Nanoseconds, of signature: Signature, at tempo: Tempo, sounds: ClickSounds, rate: Int) {
    self.length = length
    self.signature = signature
    self.tempo = tempo
    self.sounds = sounds
    self.rate = rate
  }

  /// Each of the two sounds by itself, in two parts of equal length: first the first beat's, then the others'. A part lasts a
  /// second, or as many as the longer sound.
  static func voices(_ sounds: ClickSounds, rate: Int) -> ClickTrack {
    let longest = Level.configured.flatMap { sounds.samples(of: $0, rate: rate) }.map(\.count).max() ?? 0
    // Divisors of a minute: a beat is then a whole number of seconds.
    let part = [1, 2, 3, 4, 5, 6, 10].first { longest <= $0 * rate } ?? 10
    guard let tempo = Tempo(bpm: 60 / part), let signature = Signature(2, over: 4, limit: .denominator) else {
      preconditionFailure("a bar of two beats of \(part) s is one that the metronome can play")
    }
    return ClickTrack(bars: 1, of: signature, at: tempo, sounds: sounds, rate: rate)
  }

  /// Renders it.
  func write(to recording: WAVRecording) {
    var board = SimulatedBoard.Options()
    board.outputs = []
    board.buttons = []
    board.audio = AudioFormat(
      rate: rate, channels: 1, sampleFormat: .s16, periodFrames: 256, bufferFrames: 1_024)
    board.recording = Cut(recording, skipping: Int64(rate))
    let options = EngineOptions(
      settings: Settings(tempo: tempo, signature: signature, limit: .none), sounds: sounds)
    do throws(HardwareError) {
      let simulation = try Simulation(options, board: board, sinks: [])
      simulation.engine.lead.hold(Lead(duration: ClickTrack.leadIn))
      simulation.perform(.start)
      simulation.run(until: .zero + ClickTrack.leadIn + length)
      simulation.finish()
    } catch {
      preconditionFailure("a simulated board without faults can always be had: \(error)")
    }
  }

  /// Leaves out what comes before the first beat.
  private final class Cut: SoundRecording {
    private let recording: SoundRecording
    private var left: Int64

    init(_ recording: SoundRecording, skipping frames: Int64) {
      self.recording = recording
      left = frames
    }

    func append(_ frames: UnsafeRawBufferPointer, format: AudioFormat) {
      let count = min(left, Int64(frames.count / format.bytesPerFrame))
      left -= count
      recording.append(
        UnsafeRawBufferPointer(rebasing: frames[(Int(count) * format.bytesPerFrame)...]), format: format)
    }

    func appendSilence(frames: Int64) {
      let count = min(left, frames)
      left -= count
      recording.appendSilence(frames: frames - count)
    }
  }
}
