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
  let settings: Settings
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
    let settings = Settings(tempo: tempo, signature: signature)
    return ClickTrack(length: .seconds(2 * Int64(part)), settings: settings, sounds: sounds, rate: rate)
  }

  /// The length of a number of bars, or of the first bars that exceed `limit`.
  static func length(bars: Int64, _ settings: Settings, limit: Nanoseconds) -> Nanoseconds {
    let timeline = Timeline(session: 1, firstBeat: .zero, tempo: settings.tempo, bar: settings.bar)
    func length(_ bars: Int64) -> Nanoseconds {
      timeline.knownBeat(bars * Int64(settings.bar.metre.beatsInBar)).instant - .zero
    }
    let longest = limit.count / max(1, length(1).count) + 2
    return length(min(bars, longest))
  }

  func write(to recording: WAVRecording) {
    var board = SimulatedBoard.Options()
    board.outputs = []
    board.buttons = []
    board.audio = AudioFormat(rate: rate, channels: 1, sampleFormat: .s16, periodFrames: 256, bufferFrames: 1_024)
    board.recording = Cut(recording, skipping: Int64(rate))
    let options = EngineOptions(settings: settings, sounds: sounds)
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
