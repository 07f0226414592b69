import HardwareAbstraction
import Testing

@testable import BoardCheck

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Boxes without light, without sound, or with a short sound buffer.
@Suite struct MuteBoxTests {
  private static let file = "/etc/metronome/metronome.yaml"
  private static let dark = Wiring(chip: .auto, outputs: [:], buttons: Wiring.standard.buttons)
  private static let light = "; or set outputs.light.line in \(file) to the line of a light"
  private static let neither = "; no output has a line either: the box can be neither seen nor heard"

  private func box(_ wiring: Wiring, _ request: AudioRequest = AudioRequest(), volume: Double = 0.8) -> BoardFacts {
    Box.facts.with {
      $0.configuration.outcome = .good(wiring, request, volume: volume)
      if request.device == .none { $0.audio = AudioFacts(outcome: .notWanted) }
    }
  }

  @Test func boxWithoutOutputsAndSoundIsWrong() {
    let none = AudioRequest(device: .none)
    #expect(
      box(MuteBoxTests.dark, none).complaints == [
        "wrong configuration outputs: no output has a line, and audio.device is none: the box can be neither seen nor heard →"
          + " in \(MuteBoxTests.file) set outputs.light.line to the line of a light, or audio.device to auto"
      ])
    #expect(box(MuteBoxTests.dark).complaints.isEmpty)
    #expect(box(.standard, none).complaints.isEmpty)
    #expect(box(.standard, none, volume: 0).complaints.isEmpty)
  }

  @Test func zeroVolumeIsReported() {
    let what = "sound volume: audio.volume is 0: no click is heard"
    let remedy = " → set audio.volume in \(MuteBoxTests.file) to 0.8"
    #expect(
      box(.standard, volume: 0).complaints == [
        "doubtful " + what + remedy + ", or audio.device to none if no clicks are wanted"
      ])
    #expect(
      box(MuteBoxTests.dark, volume: 0).complaints == [
        "wrong " + what + MuteBoxTests.neither + remedy + MuteBoxTests.light
      ])
    #expect(box(.standard, volume: 0.001).complaints.isEmpty)
  }

  @Test func missingCardIsWrongWithoutOutputs() {
    let facts = box(MuteBoxTests.dark).with {
      $0.audio = AudioFacts(outcome: .refused(HardwareError(.openAudio, .gone, errno: ENODEV)))
    }
    #expect(
      facts.complaints == [
        "wrong sound card: no sound card supports playback: no clicks" + MuteBoxTests.neither
          + " → plug in a sound card" + MuteBoxTests.light
      ])
  }

  private func buffer(_ request: AudioRequest, _ outcome: AudioFacts.Outcome) -> [String] {
    box(.standard, request).with {
      $0.audio!.outcome = outcome
      $0.processes.running = [ProcessFacts.Process(number: 400, name: "metronome")]
    }.complaints
  }

  /// The findings for a card that grants the request.
  private func granted(rate: Int = 48_000, _ period: Int, _ periods: Int) -> [String] {
    var card = Box.card
    card.format = AudioFormat(
      rate: rate, channels: 2, sampleFormat: .s16, periodFrames: period, bufferFrames: period * periods)
    // The card's clock does not matter here.
    card.readings = Box.readings(ppm: 0, step: 1).map {
      AudioFacts.FrameTime(instant: $0.instant, frame: $0.frame * Int64(rate) / 48_000)
    }
    return buffer(AudioRequest(rate: rate, period: period, periods: periods), .opened(card))
  }

  private func complaint(_ milliseconds: String, _ change: String) -> [String] {
    [
      "doubtful sound buffer: a buffer of \(milliseconds) ms: below 10 ms a card underruns when the machine is busy,"
        + " and clicks are lost → \(change)"
    ]
  }

  private func set(_ change: String) -> String { "set \(change) in \(MuteBoxTests.file)" }

  @Test func shortBufferIsDoubtful() {
    #expect(granted(16, 2) == complaint("0.666", set("audio.period to 256 and audio.periods to 4")))
    #expect(granted(256, 4).isEmpty)
    #expect(granted(240, 2).isEmpty)
    #expect(granted(239, 2) == complaint("9.958", set("audio.period to 256 and audio.periods to 4")))
    #expect(granted(rate: 192_000, 256, 4) == complaint("5.333", set("audio.periods to 15")))
  }

  @Test func cardWithOnlyShortBuffersIsDoubtful() {
    var card = Box.card
    card.format = AudioFormat(rate: 48_000, channels: 2, sampleFormat: .s16, periodFrames: 64, bufferFrames: 256)
    #expect(
      buffer(AudioRequest(), .opened(card))
        == complaint(
          "5.333", "use another card: this card does not grant the longer buffer that the configuration requests"))
  }

  @Test func requestedBufferIsCheckedIfTheCardIsBusy() {
    let request = AudioRequest(period: 32, periods: 4)
    #expect(
      buffer(request, .refused(HardwareError(.openAudio, .busy, errno: EBUSY)))
        == complaint("2.666", set("audio.period to 256")))
    #expect(buffer(AudioRequest(), .refused(HardwareError(.openAudio, .busy, errno: EBUSY))).isEmpty)
  }
}
