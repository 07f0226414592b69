import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import MetronomeService
import Testing

@Suite struct ServiceStatusTests {
  private static let lock = AudioState.Lock(name: "hw:CARD=Headphones", ratePPB: 12_300)

  private func state(_ tempo: Int, isPlaying: Bool, isSilent: Bool = false) -> MetronomeState {
    MetronomeState(
      isPlaying: isPlaying, Music(tempo: Tempo(milliBPM: tempo)!, signature: Settings().signature), isSilent: isSilent)
  }

  @Test func statusListsWorkingOutputs() {
    let status = ServiceStatus(
      state: state(120_000, isPlaying: true), outputs: [.buzzer, .light], audio: .locked(ServiceStatusTests.lock))
    #expect(status.text == "120 BPM 4/4 playing · light, buzzer, audio locked +12.3 ppm")
    #expect(status.isReady)
  }

  @Test func statusListsMissingHardware() {
    let absence = AudioAbsence(HardwareError(.openAudio, .gone, errno: 19))
    let status = ServiceStatus(
      state: state(92_500, isPlaying: false, isSilent: true), outputs: [], missingLines: "no chip",
      audio: .waiting(for: "Headphones", absence))
    #expect(
      status.text == "92.5 BPM 4/4 stopped, silent · waiting for the GPIO lines (no chip), Headphones (missing)")
    #expect(!status.isReady)
  }

  @Test func statusShowsALoweredVolume() {
    var state = state(120_000, isPlaying: true)
    state.volume = Volume.full.softer
    #expect(ServiceStatus(state: state, outputs: [.light]).text == "120 BPM 4/4 volume -1.5 dB, playing · light")
  }

  @Test func addedOutputsHaveTheirNames() {
    let names = BoxNames(outputs: ["light", "pendulum", "buzzer", "lamp"])
    let status = ServiceStatus(
      state: state(120_000, isPlaying: true), outputs: [.light, OutputLine(Output(index: 3)), .green], names: names)
    #expect(status.text == "120 BPM 4/4 playing · light, lamp, green")
  }

  @Test func soundAloneMakesTheBoxReady() {
    let lock = AudioState.Lock(name: "hw:CARD=Headphones", ratePPB: -40)
    let state = state(120_000, isPlaying: false)
    let locked = ServiceStatus(state: state, outputs: [], missingLines: "in use", audio: .locked(lock))
    #expect(locked.text == "120 BPM 4/4 stopped · audio locked +0.0 ppm · waiting for the GPIO lines (in use)")
    let locking = ServiceStatus(state: state, outputs: [], audio: .locking(lock))
    #expect(locking.text == "120 BPM 4/4 stopped · audio locking")
    #expect(locking.isReady)
  }

  @Test func readyIsReportedOnceWithTheFirstOutput() {
    var report = ServiceReport()
    var status = ServiceStatus(state: state(120_000, isPlaying: false), outputs: [], missingLines: "no chip")
    #expect(
      report.step(status, at: .zero).news == ["STATUS=120 BPM 4/4 stopped · waiting for the GPIO lines (no chip)"])
    #expect(report.step(status, at: .zero + .seconds(9)).news == [])
    status.missingLines = nil
    status.outputs = [.light]
    #expect(report.step(status, at: .zero + .seconds(10)).news == ["READY=1", "STATUS=120 BPM 4/4 stopped · light"])
    status.outputs = []
    status.missingLines = "no chip"
    #expect(report.step(status, at: .zero + .seconds(11)).news.count == 1)
    status.outputs = [.light]
    #expect(report.step(status, at: .zero + .seconds(12)).news.allSatisfy { $0.hasPrefix("STATUS=") })
  }

  @Test func figuresAreReportedOnceASecondAndOtherChangesAtOnce() {
    var report = ServiceReport()
    var status = ServiceStatus(
      state: state(120_000, isPlaying: false), outputs: [], audio: .locked(ServiceStatusTests.lock))
    func step(_ milliseconds: Int64) -> [String] { report.step(status, at: .zero + .milliseconds(milliseconds)).news }
    #expect(step(0) == ["READY=1", "STATUS=120 BPM 4/4 stopped · audio locked +12.3 ppm"])
    status.audio = .locked(AudioState.Lock(name: "hw:CARD=Headphones", ratePPB: 12_500))
    #expect(step(999) == [])
    #expect(step(1_000) == ["STATUS=120 BPM 4/4 stopped · audio locked +12.5 ppm"])
    status.state = state(120_000, isPlaying: true)
    #expect(step(1_001) == ["STATUS=120 BPM 4/4 playing · audio locked +12.5 ppm"])
    #expect(report.step(status, at: .zero + .seconds(2)).next == .zero + .seconds(3))
  }

  @Test func bothCardsAreNamed() {
    var report = ServiceReport()
    var status = ServiceStatus(
      state: state(120_000, isPlaying: false), outputs: [], audio: .locked(ServiceStatusTests.lock),
      secondAudio: .locked(AudioState.Lock(name: "hw:CARD=Device", ratePPB: -200_000)))
    #expect(status.text == "120 BPM 4/4 stopped · audio locked +12.3 ppm, second audio locked -200.0 ppm")
    #expect(report.step(status, at: .zero).news.count == 2)
    status.secondAudio = .locked(AudioState.Lock(name: "hw:CARD=Device", ratePPB: -199_000))
    #expect(report.step(status, at: .zero + .milliseconds(500)).news == [])
    status.secondAudio = .waiting(for: "hw:CARD=Device", AudioAbsence(HardwareError(.openAudio, .gone)))
    #expect(
      report.step(status, at: .zero + .milliseconds(600)).news == [
        "STATUS=120 BPM 4/4 stopped · audio locked +12.3 ppm · waiting for hw:CARD=Device (missing)"
      ])
  }

  /// While a card's clock is being measured its figure changes, but is not shown.
  @Test func hiddenFiguresAreNotReported() {
    var report = ServiceReport()
    for rate in 0..<5 {
      let lock = AudioState.Lock(name: "hw:CARD=Headphones", ratePPB: Int64(rate) * 1_000)
      let status = ServiceStatus(state: state(120_000, isPlaying: false), outputs: [], audio: .locking(lock))
      #expect(report.step(status, at: .zero + .seconds(Int64(rate))).news.count == (rate == 0 ? 2 : 0))
    }
  }

  @Test func loopFiguresAreReportedEveryTenSecondsAtMost() {
    var report = ServiceReport()
    var status = ServiceStatus(state: state(120_000, isPlaying: true), outputs: [.light])
    var beats: Int64 = 0
    var asked = 0
    func step(_ seconds: Int64) -> [String] {
      beats = 2 * seconds
      func figures() -> String? {
        asked += 1
        return beats == 0 ? nil : "\(beats) beats"
      }
      return report.step(status, figures: figures(), at: .zero + .seconds(seconds)).news
    }
    #expect(step(0) == ["READY=1", "STATUS=120 BPM 4/4 playing · light"])
    for second in 1...9 { #expect(step(Int64(second)) == []) }
    #expect(step(10) == ["STATUS=120 BPM 4/4 playing · light · 20 beats"])
    #expect(asked == 2)
    // Other changes are reported at once, with the last figures.
    status.state = state(121_000, isPlaying: true)
    #expect(step(12) == ["STATUS=121 BPM 4/4 playing · light · 20 beats"])
    #expect(step(19) == [])
    #expect(step(20) == ["STATUS=121 BPM 4/4 playing · light · 40 beats"])
    #expect(asked == 3)
    // New figures alone schedule no call.
    #expect(report.step(status, figures: "41 beats", at: .zero + .seconds(21)).next == nil)
  }

  @Test func reloadingIsStampedInMicroseconds() {
    var report = ServiceReport()
    _ = report.step(ServiceStatus(state: state(120_000, isPlaying: false), outputs: [.light]), at: .zero)
    #expect(report.reloading(at: Instant(nanoseconds: 1_234_567_890)) == ["RELOADING=1", "MONOTONIC_USEC=1234567"])
    #expect(report.reloaded() == ["READY=1"])
  }

  /// The end of a reload and the first readiness both send `READY=1`.
  @Test func reloadDoesNotReportReadiness() {
    var report = ServiceReport()
    var status = ServiceStatus(state: state(120_000, isPlaying: false), outputs: [], missingLines: "no chip")
    _ = report.step(status, at: .zero)
    #expect(report.reloading(at: .zero) == [])
    #expect(report.reloaded() == [])
    status.outputs = [.light]
    #expect(report.step(status, at: .zero + .seconds(1)).news.first == "READY=1")
  }
}
