import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// Renders clicks to a file: runs the metronome on a simulated board that has only a sound card, with a perfect clock.
struct ClickTrack {
  /// The time from the start of the simulation to the first beat, where the file begins: longer than any buffer, and a whole
  /// number of frames at every rate.
  private static let leadIn = Nanoseconds.seconds(1)

  let length: Nanoseconds
  let signature: Signature
  let tempo: Tempo
  let sounds: ClickSounds
  let rate: Int

  /// The frames of the file, rounded to the nearest.
  var frames: Int64 {
    let (seconds, rest) = length.count.quotientAndRemainder(dividingBy: 1_000_000_000)
    return seconds * Int64(rate) + (rest * Int64(rate) + 500_000_000) / 1_000_000_000
  }

  /// The sounds of the first beat and of the others, in two parts of equal length: whole seconds, enough for the longer sound.
  static func voices(_ sounds: ClickSounds, rate: Int) -> ClickTrack {
    let longest = Level.configured.flatMap { sounds.samples(of: $0, rate: rate) }.map(\.count).max() ?? 0
    // Divisors of 60, so that the tempo is a whole number of BPM.
    let part = [1, 2, 3, 4, 5, 6, 10].first { longest <= $0 * rate } ?? 10
    guard let tempo = Tempo(bpm: 60 / part), let signature = Signature(2, over: 4, limit: .denominator) else {
      preconditionFailure("a bar of two beats of \(part) s is one that the metronome can play")
    }
    let length = length(bars: 1, signature: signature, tempo: tempo)
    return ClickTrack(length: length, signature: signature, tempo: tempo, sounds: sounds, rate: rate)
  }

  static func length(bars: Int64, signature: Signature, tempo: Tempo) -> Nanoseconds {
    let timeline = Timeline(session: 1, firstBeat: .zero, tempo: tempo, signature: signature)
    return timeline.knownBeat(bars * Int64(signature.numerator)).instant - .zero
  }

  func write(to recording: WAVRecording) {
    var board = SimulatedBoard.Options()
    board.outputs = []
    board.buttons = []
    board.audio = AudioFormat(rate: rate, channels: 1, sampleFormat: .s16, periodFrames: 256, bufferFrames: 1_024)
    board.recording = Cut(recording, skipping: Int64(rate))
    let options = EngineOptions(settings: Settings(tempo: tempo, signature: signature, limit: .none), sounds: sounds)
    do throws(HardwareError) {
      let simulation = try Simulation(options, board: board, sinks: [])
      simulation.engine.lead.hold(Lead(duration: ClickTrack.leadIn))
      simulation.perform(.start)
      simulation.run(until: .zero + ClickTrack.leadIn + length)
      simulation.finish()
    } catch {
      preconditionFailure("a simulated board without faults can always be opened: \(error)")
    }
  }

  /// Drops the frames before the first beat.
  private final class Cut: AudioRecording {
    private let recording: AudioRecording
    private var left: Int64

    init(_ recording: AudioRecording, skipping frames: Int64) {
      self.recording = recording
      left = frames
    }

    func append(_ frames: UnsafeRawBufferPointer, format: AudioFormat) {
      let count = min(left, Int64(frames.count / format.bytesPerFrame))
      left -= count
      recording.append(UnsafeRawBufferPointer(rebasing: frames[(Int(count) * format.bytesPerFrame)...]), format: format)
    }

    func appendSilence(frames: Int64) {
      let count = min(left, frames)
      left -= count
      recording.appendSilence(frames: frames - count)
    }
  }
}
