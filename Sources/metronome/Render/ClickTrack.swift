import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// Renders clicks to a file: runs the metronome on a simulated board that has only a sound card, with a perfect clock. Or plays
/// each sound once.
struct ClickTrack {
  /// The sounds in the file that has each of them once.
  private static let voices = Voice.Sound.allCases.flatMap { sound in
    Level.allCases.filter { $0 != .rest }.map { (level: $0, sound: sound) }
  }

  /// The time from the start of the simulation to the first beat, where the file begins: longer than any buffer, and a whole
  /// number of frames at every rate.
  private static let leadIn = Nanoseconds.seconds(1)

  let length: Nanoseconds
  /// What is played; nil: each sound once.
  let music: EngineOptions?
  let sounds: ClickSounds
  let rate: Int

  /// The frames of the file, rounded to the nearest.
  var frames: Int64 {
    let (seconds, rest) = length.count.quotientAndRemainder(dividingBy: 1_000_000_000)
    return seconds * Int64(rate) + (rest * Int64(rate) + 500_000_000) / 1_000_000_000
  }

  /// Each sound once, in parts of equal length: whole seconds, enough for the longest sound.
  static func voices(_ sounds: ClickSounds, rate: Int) -> ClickTrack {
    let counts = voices.flatMap { sounds.source(of: $0.level, in: $0.sound).sound.channels(rate: rate) }.map(\.count)
    let part = ((counts.max() ?? 0) + rate - 1) / rate
    return ClickTrack(length: .seconds(Int64(part * voices.count)), music: nil, sounds: sounds, rate: rate)
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
    if let music { write(music, to: recording) } else { writeVoices(to: recording) }
  }

  private func writeVoices(to recording: WAVRecording) {
    let format = AudioFormat(
      rate: rate, channels: 1, sampleFormat: .s16, periodFrames: rate, bufferFrames: 2 * rate)
    let mixer = ClickMixer(format: format, sounds: sounds.routed(.standard))
    let seconds = Int(frames) / rate / ClickTrack.voices.count
    for voice in ClickTrack.voices {
      mixer.start(voice.level, of: voice.sound, atFrame: 0, fraction: 0)
      for _ in 0..<seconds { recording.append(mixer.nextPeriod(), format: format) }
    }
  }

  private func write(_ options: EngineOptions, to recording: WAVRecording) {
    // A file has one channel, with everything.
    var options = options
    options.sounds.routes = .standard
    var board = SimulatedBoard.Options()
    board.outputs = []
    board.buttons = []
    board.audio = AudioFormat(rate: rate, channels: 1, sampleFormat: .s16, periodFrames: 256, bufferFrames: 1_024)
    board.recording = Cut(recording, skipping: Int64(rate))
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
