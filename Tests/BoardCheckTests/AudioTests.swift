import HardwareAbstraction
import MetronomeCore
import Testing

@testable import BoardCheck

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite struct AudioTests {
  private static let file = "/etc/metronome/metronome.yaml"

  private func box(
    _ device: AudioRequest.Device, _ cards: [AudioFacts.Card], _ outcome: AudioFacts.Outcome
  ) -> BoardFacts {
    Box.facts.with {
      $0.configuration.outcome = .good(.standard, AudioRequest(device: device))
      $0.audio = AudioFacts(cards: cards, outcome: outcome)
    }
  }

  private static let headphones = AudioFacts.Card(id: "Headphones")
  private static let screen = AudioFacts.Card(id: "vc4hdmi0", isScreen: true)

  @Test func missingCardIsDoubtful() {
    #expect(
      box(.auto, [], .refused(HardwareError(.openAudio, .gone, errno: ENODEV))).complaints == [
        "doubtful sound card: no sound card supports playback: no clicks → plug in a sound card, or set audio.device in"
          + " \(AudioTests.file) to none if no clicks are wanted"
      ])
  }

  @Test func screensAreNotUsedByDefault() {
    #expect(
      box(.auto, [AudioTests.screen], .refused(HardwareError(.openAudio, .gone, errno: ENODEV))).complaints == [
        "doubtful sound card: the only sound cards are those of screens (vc4hdmi0), which audio.device: auto does"
          + " not use → plug in a USB sound card, or set dtparam=audio=on in /boot/firmware/config.txt (not on a Pi"
          + " 5); for sound from the screen set audio.device in \(AudioTests.file) to vc4hdmi0"
      ])
  }

  @Test func missingNamedCardIsWrong() {
    #expect(
      box(.named("Device"), [AudioTests.headphones], .refused(HardwareError(.openAudio, .gone, errno: ENOENT)))
        .complaints == [
          "wrong sound card: no sound card is named \"Device\"; the cards are Headphones → plug it in, or set"
            + " audio.device in \(AudioTests.file) to one of Headphones, auto or none (no sound)"
        ])
    #expect(
      box(.named("Device"), [], .refused(HardwareError(.openAudio, .gone, errno: ENODEV))).complaints == [
        "wrong sound card: no sound card is named \"Device\"; this system has no sound card → plug it in, or set"
          + " audio.device in \(AudioTests.file) to auto or none (no sound)"
      ])
  }

  @Test func deniedCardIsWrong() {
    let facts = box(.auto, [], .refused(HardwareError(.openAudio, .gone, errno: ENODEV))).with {
      $0.devices.audio[0].isUsable = false
    }
    #expect(
      facts.with { $0.service = nil }.complaints == [
        "wrong rights audio: pi may not use /dev/snd/controlC0 (group audio) → sudo usermod -aG audio pi, and log in again",
        "wrong sound card: pi has no permission to open /dev/snd/controlC0 → apply the fix for \"audio\""
          + " under rights above",
      ])
    #expect(
      facts.text(.sound, "card") == [
        "absent: not checked: pi has no permission to open /dev/snd/controlC0; the service has permission"
      ])
    #expect(facts.findings.exitCode == 1)
  }

  @Test func cardOfAnotherProgramIsWrong() {
    let facts = box(
      .named("Headphones"), [AudioTests.headphones], .refused(HardwareError(.openAudio, .busy, errno: EBUSY)))
    let known = facts.with {
      $0.processes.players = ["Headphones": [ProcessFacts.Process(number: 812, name: "mpd")]]
    }
    let other = ", or set audio.device in \(AudioTests.file) to another card"
    #expect(
      known.complaints == [
        "wrong sound card: Headphones is in use by mpd (process 812) → end the program (kill 812)" + other
      ])
    #expect(
      facts.complaints == [
        "wrong sound card: Headphones is in use by another program → find the program with sudo fuser -v"
          + " /dev/snd/* and end it" + other
      ])
  }

  @Test func cardOfTheRunningMetronomeIsRight() {
    let facts = box(
      .auto, [AudioTests.screen, AudioTests.headphones], .refused(HardwareError(.openAudio, .busy, errno: EBUSY)))
    let running = ProcessFacts.Process(number: 400, name: "metronome")
    let seen = facts.with { $0.processes = ProcessFacts(running: [running], players: ["Headphones": [running]]) }
    let right = ["right: Headphones, in use by the running metronome; not measured"]
    #expect(seen.text(.sound, "card") == right)
    #expect(facts.with { $0.processes.running = [running] }.text(.sound, "card") == right)
  }

  @Test func secondCardIsJudgedLikeTheFirst() {
    let second = AudioRequest(device: .named("Jack"), period: 64, periods: 2)
    let facts = box(
      .named("Headphones"), [AudioTests.headphones],
      .opened(AudioFacts.Opened(name: "hw:CARD=Headphones", format: Box.format)))
    let missing = facts.with {
      $0.secondCard = SecondCardFacts(
        second, AudioFacts(cards: [AudioTests.headphones], outcome: .refused(HardwareError(.openAudio, .gone))))
    }
    #expect(
      missing.complaints.filter { !facts.complaints.contains($0) } == [
        "wrong sound second card: no sound card is named \"Jack\"; the cards are Headphones → plug it in, or set"
          + " audio.second.device in \(AudioTests.file) to one of Headphones, or none (no sound)"
      ])
    let short = facts.with {
      let format = AudioFormat(rate: 48_000, channels: 2, sampleFormat: .s16, periodFrames: 64, bufferFrames: 128)
      $0.secondCard = SecondCardFacts(
        second, AudioFacts(outcome: .opened(AudioFacts.Opened(name: "hw:CARD=Jack", format: format))))
    }
    #expect(short.text(.sound, "second card")[0].hasPrefix("right: hw:CARD=Jack: 48000 Hz"))
    #expect(short.complaints.contains { $0.contains("second buffer") && $0.contains("set audio.second.period to 256") })
    #expect(facts.text(.sound, "second card") == [])
  }

  @Test func hangingCardIsWrong() {
    #expect(
      box(.auto, [AudioTests.headphones], .hangs).complaints == [
        "wrong sound card: the sound card does not answer → unplug it and plug it in again, or restart the machine;"
          + " dmesg shows the kernel's messages"
      ])
  }

  private func card(_ change: (inout AudioFacts.Opened) -> Void) -> BoardFacts {
    var opened = Box.card
    change(&opened)
    return box(.auto, [AudioTests.headphones], .opened(opened))
  }

  @Test func sharedMixerIsDoubtful() {
    #expect(
      card {
        $0.name = "default"
        $0.notices = ["default is shared through a mixer, which adds latency and hides the removal of the card: …"]
      }.complaints == [
        "doubtful sound mixer: default is shared through a mixer, which adds latency and hides the removal of the"
          + " card → set audio.device in \(AudioTests.file) to a card's id (Headphones)"
      ])
  }

  @Test func stalledPositionIsWrong() {
    let still =
      "wrong sound clock: hw:CARD=Headphones accepts sound, but its playback position does not advance → unplug it and"
      + " plug it in again, or restart the machine; if that does not help, use another card"
    let one = AudioFacts.FrameTime(instant: .zero, frame: 48)
    #expect(card { $0.readings = [] }.complaints == [still])
    #expect(card { $0.readings = [one] }.complaints == [still])
    #expect(
      card { $0.readings = (0..<100).map { AudioFacts.FrameTime(instant: .zero + .milliseconds($0), frame: 9) } }
        .complaints
        == [still])
  }

  @Test(arguments: [Int64.max, 1 << 60]) func positionThatJumpsAnywhereIsWrong(frame: Int64) {
    let readings = (0..<100).map {
      AudioFacts.FrameTime(instant: .zero + .milliseconds($0), frame: $0 < 50 ? -frame : frame)
    }
    let complaints = card { $0.readings = readings }.complaints
    #expect(complaints.count == 1 && complaints[0].contains("cannot compensate for a drift this large"))
  }

  @Test func failingCardIsWrong() {
    #expect(
      card { $0.errno = ENODEV }.complaints == [
        "wrong sound clock: hw:CARD=Headphones failed while it played silence (No such device) → unplug it and plug"
          + " it in again; if it fails again, use another card"
      ])
  }

  @Test func excessiveDriftIsWrong() {
    #expect(
      card { $0.readings = Box.readings(ppm: -3_000, step: 1) }.complaints == [
        "wrong sound clock: -3000 ppm relative to the system clock over 4.5 s, smooth playback position: the"
          + " metronome cannot compensate for a drift this large → set audio.rate in \(AudioTests.file) to another"
          + " rate (44100), or use another card"
      ])
  }

  @Test func coarsePositionStepsAreDoubtful() {
    #expect(
      card { $0.readings = Box.readings(ppm: 0, step: 960) }.complaints == [
        "doubtful sound clock: -3.6 ppm relative to the system clock over 4.5 s, playback position in steps of 20 ms:"
          + " the steps are too coarse to align clicks with the light → set audio.device in \(AudioTests.file) to a"
          + " card's id and audio.period to 256, or use another card"
      ])
  }

  /// The error of the measured drift, in thousandths of a ppm.
  private func error(_ ppm: Double, step: Int64) -> Int {
    let readings = Box.readings(ppm: ppm, step: step)
    let clock = card { $0.readings = readings }.findings.first { $0.area == .sound && $0.subject == "clock" }
    guard let drift = clock?.verdict.figures["drift_ppm"] else { return .max }
    return abs(Int((drift * 1_000).rounded()) - Int(ppm * 1_000))
  }

  @Test(arguments: [-150.0, -12.5, 0, 33.3, 480]) func driftIsMeasuredToATenthOfAPPM(ppm: Double) {
    #expect(error(ppm, step: 1) < 100)
  }

  @Test(arguments: [-150.0, -12.5, 0, 33.3, 480]) func driftIsMeasuredFromMillisecondSteps(ppm: Double) {
    #expect(error(ppm, step: 48) < 1_500)
  }

  @Test func differentFormatIsReported() {
    let facts = card {
      $0.format = AudioFormat(rate: 44_100, channels: 1, sampleFormat: .s32, periodFrames: 441, bufferFrames: 1_764)
    }
    #expect(
      facts.text(.sound, "card") == [
        "right: hw:CARD=Headphones: 44100 Hz, s32, 1 channel, periods of 441 frames, a buffer of 1764 (40 ms); 48000"
          + " Hz were requested; a period of 256 frames was requested"
      ])
  }
}
