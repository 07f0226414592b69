import BoardCheck
import HardwareAbstraction
import MetronomeCore
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite struct SoundTests {
  private static let file = "/etc/metronome/metronome.yaml"

  private func box(
    _ device: AudioRequest.Device, _ cards: [SoundFacts.Card], _ outcome: SoundFacts.Outcome
  ) -> BoardFacts {
    Box.facts.with {
      $0.configuration.outcome = .good(.standard, AudioRequest(device: device))
      $0.sound = SoundFacts(cards: cards, outcome: outcome)
    }
  }

  private static let headphones = SoundFacts.Card(id: "Headphones")
  private static let screen = SoundFacts.Card(id: "vc4hdmi0", isScreen: true)

  @Test func noCard() {
    #expect(
      box(.auto, [], .refused(HardwareError(.openAudio, errno: ENODEV))).complaints == [
        "doubtful sound card: there is no sound card that plays: no clicks → plug one in, or set audio.device: none in"
          + " \(SoundTests.file) if none is wanted"
      ])
  }

  @Test func onlyScreens() {
    #expect(
      box(.auto, [SoundTests.screen], .refused(HardwareError(.openAudio, errno: ENODEV))).complaints == [
        "doubtful sound card: no card but those of screens (vc4hdmi0), which are not used unasked → plug in a USB card, or set"
          + " dtparam=audio=on in /boot/firmware/config.txt (not on a Pi 5); or, for the screen: audio.device: vc4hdmi0 in"
          + " \(SoundTests.file)"
      ])
  }

  @Test func aNamedCardThatIsNotThere() {
    #expect(
      box(.named("Device"), [SoundTests.headphones], .refused(HardwareError(.openAudio, errno: ENOENT))).complaints == [
        "wrong sound card: there is no sound card \"Device\"; there are Headphones → plug it in, or set audio.device in"
          + " \(SoundTests.file) to one of Headphones, to auto, or to none for no sound"
      ])
    #expect(
      box(.named("Device"), [], .refused(HardwareError(.openAudio, errno: ENODEV))).complaints == [
        "wrong sound card: there is no sound card \"Device\"; there is none at all → plug it in, or set audio.device in"
          + " \(SoundTests.file) to auto, or to none for no sound"
      ])
  }

  @Test func aCardThatMayNotBeOpened() {
    let facts = box(.auto, [], .refused(HardwareError(.openAudio, errno: ENODEV))).with {
      $0.devices.sound[0].isUsable = false
    }
    #expect(
      facts.with { $0.service = nil }.complaints == [
        "wrong rights audio: pi may not use /dev/snd/controlC0 (group audio) → sudo usermod -aG audio pi, and log in again",
        "wrong sound card: /dev/snd/controlC0 may not be opened → do what \"audio\" says above, under rights",
      ])
    #expect(
      facts.said(.sound, "card") == ["absent: not looked at: /dev/snd/controlC0 may not be opened, but by the service"])
    #expect(facts.findings.exitCode == 1)
  }

  @Test func aCardThatAnotherProgramHas() {
    let facts = box(.named("Headphones"), [SoundTests.headphones], .refused(HardwareError(.openAudio, errno: EBUSY)))
    let known = facts.with {
      $0.processes.players = ["Headphones": [ProcessFacts.Process(number: 812, name: "mpd")]]
    }
    let other = ", or set audio.device in \(SoundTests.file) to another card"
    #expect(
      known.complaints == [
        "wrong sound card: Headphones is in use by mpd (process 812) → end it (kill 812)" + other
      ])
    #expect(
      facts.complaints == [
        "wrong sound card: Headphones is in use by another program → sudo fuser -v /dev/snd/* shows which; end it"
          + other
      ])
  }

  @Test func aCardOfTheRunningMetronomeIsRight() {
    let facts = box(
      .auto, [SoundTests.screen, SoundTests.headphones], .refused(HardwareError(.openAudio, errno: EBUSY)))
    let running = ProcessFacts.Process(number: 400, name: "metronome")
    let seen = facts.with { $0.processes = ProcessFacts(running: [running], players: ["Headphones": [running]]) }
    let right = ["right: Headphones, in use by the running metronome; not measured"]
    #expect(seen.said(.sound, "card") == right)
    #expect(facts.with { $0.processes.running = [running] }.said(.sound, "card") == right)
  }

  @Test func aCardThatHangs() {
    #expect(
      box(.auto, [SoundTests.headphones], .hangs).complaints == [
        "wrong sound card: the sound card does not answer → plug it out and in again, or restart the machine; dmesg tells what"
          + " the kernel thinks of it"
      ])
  }

  private func card(_ change: (inout SoundFacts.Opened) -> Void) -> BoardFacts {
    var opened = Box.card
    change(&opened)
    return box(.auto, [SoundTests.headphones], .opened(opened))
  }

  @Test func aMixer() {
    #expect(
      card {
        $0.name = "default"
        $0.notices = ["default is shared through a mixer, which adds delay and hides an unplugged card: better …"]
      }.complaints == [
        "doubtful sound mixer: default is shared through a mixer, which adds delay and hides an unplugged card → set"
          + " audio.device in \(SoundTests.file) to a card's id (Headphones)"
      ])
  }

  @Test func aCardThatStandsStill() {
    let still =
      "wrong sound clock: hw:CARD=Headphones takes sound, but its position stands still → plug it out and in again, or"
      + " restart the machine; if it stays so, take another card"
    let one = SoundFacts.Reading(instant: .zero, frame: 48)
    #expect(card { $0.readings = [] }.complaints == [still])
    #expect(card { $0.readings = [one] }.complaints == [still])
    #expect(
      card { $0.readings = (0..<100).map { SoundFacts.Reading(instant: .zero + .milliseconds($0), frame: 9) } }
        .complaints
        == [still])
  }

  @Test func aCardThatFails() {
    #expect(
      card { $0.errno = ENODEV }.complaints == [
        "wrong sound clock: hw:CARD=Headphones failed while it played silence (No such device) → plug it out and in again; if"
          + " it does so again, take another card"
      ])
  }

  @Test func aClockThatIsTooFarOff() {
    #expect(
      card { $0.readings = Box.readings(ppm: -3_000, step: 1) }.complaints == [
        "wrong sound clock: -3000 ppm against the system's clock over 4.5 s, its position as fine as it was read: too far off"
          + " to be followed → set audio.rate in \(SoundTests.file) to another rate (44100), or take another card"
      ])
  }

  @Test func aPositionInCoarseSteps() {
    #expect(
      card { $0.readings = Box.readings(ppm: 0, step: 960) }.complaints == [
        "doubtful sound clock: -3.6 ppm against the system's clock over 4.5 s, its position in steps of 20 ms: too coarse for"
          + " clicks that meet the light → set audio.device in \(SoundTests.file) to a card's id, audio.period to 256; or take"
          + " another card"
      ])
  }

  /// By how many thousandths of a ppm what is found of a card's clock is off.
  private func error(_ ppm: Double, step: Int64) -> Int {
    let readings = Box.readings(ppm: ppm, step: step)
    let clock = card { $0.readings = readings }.findings.first { $0.area == .sound && $0.subject == "clock" }
    let drift = clock?.figures.first { $0.name == "drift_ppm" }?.thousandths ?? .max
    return abs(drift - Int(ppm * 1_000))
  }

  @Test(arguments: [-150.0, -12.5, 0, 33.3, 480]) func theDriftIsMeasuredToATenth(ppm: Double) {
    #expect(error(ppm, step: 1) < 100)
  }

  @Test(arguments: [-150.0, -12.5, 0, 33.3, 480]) func alsoOfACardThatGoesByMilliseconds(ppm: Double) {
    #expect(error(ppm, step: 48) < 1_500)
  }

  @Test func whatTheCardGrantsInsteadIsTold() {
    let facts = card {
      $0.format = AudioFormat(rate: 44_100, channels: 1, sampleFormat: .s32, periodFrames: 441, bufferFrames: 1_764)
    }
    #expect(
      facts.said(.sound, "card") == [
        "right: hw:CARD=Headphones: 44100 Hz, s32, 1 channel, periods of 441 frames, a buffer of 1764 (40 ms); 48000 Hz were"
          + " asked for; a period of 256 frames was asked for"
      ])
  }
}
