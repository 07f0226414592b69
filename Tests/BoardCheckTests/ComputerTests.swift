import Testing

@testable import BoardCheck

@Suite struct ComputerTests {
  @Test(arguments: ["ondemand", "powersave", "conservative"]) func slowGovernorIsDoubtful(name: String) {
    let facts = Box.facts.with { $0.computer.governors = [ComputerFacts.Governor(name: name, count: 4)] }
    #expect(
      facts.complaints == [
        "doubtful computer governor: \(name) (4 processors): the processor wakes up slowly, so beats may be about"
          + " ten microseconds late → echo performance | sudo tee"
          + " /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor; permanently: add"
          + " cpufreq.default_governor=performance to /boot/firmware/cmdline.txt"
      ])
    #expect(facts.findings.exitCode == 1)
  }

  @Test func cleanComputerNeedsNoFix() {
    let facts = Box.facts.with {
      $0.computer = ComputerFacts(kernel: "6.1.0", isRealTimeKernel: true)
      $0.clock = ClockFacts(isSynchronised: false)
    }
    #expect(facts.complaints.isEmpty)
    #expect(facts.text(.computer, "model") == ["absent: not a Raspberry Pi (no device tree)"])
    #expect(facts.text(.computer, "kernel") == ["right: 6.1.0, a real-time kernel"])
    #expect(facts.text(.computer, "governor") == ["absent: this kernel has no CPU frequency governor"])
  }

  @Test func lowVoltageIsReported() {
    let remedy =
      " → use the power supply made for this model (5.1 V) and a short, thick cable; use a separate supply for"
      + " lamps, buzzer and amplifier"
    let now = "wrong computer voltage: the supply voltage is too low now" + remedy
    let before = "doubtful computer voltage: the supply voltage was too low at some time since boot" + remedy
    #expect(Box.facts.with { $0.computer.hasLowVoltage = true }.complaints == [now])
    #expect(Box.facts.with { $0.computer.throttled = 0x10001 }.complaints == [now])
    #expect(Box.facts.with { $0.computer.throttled = 0x10000 }.complaints == [before])
  }

  @Test func throttlingIsReported() {
    let remedy = " → improve the cooling, or use a stronger supply; vcgencmd measure_temp shows the temperature"
    #expect(
      Box.facts.with { $0.computer.throttled = 0x80008 }.complaints == [
        "doubtful computer throttling: the processor is throttled because of heat or low voltage (0x80008)" + remedy
      ])
    #expect(
      Box.facts.with { $0.computer.throttled = 0x40000 }.complaints == [
        "doubtful computer throttling: the processor was throttled at some time since boot (0x40000)" + remedy
      ])
  }

  @Test func unsynchronisedClockIsDoubtfulOnlyWithATimeService() {
    let facts = Box.facts.with { $0.clock.isSynchronised = false }
    #expect(
      facts.complaints == [
        "doubtful computer clock: not yet synchronised by systemd-timesyncd → connect the network, run sudo"
          + " systemctl restart systemd-timesyncd, and check with timedatectl"
      ])
    #expect(facts.with { $0.clock.services = [] }.complaints.isEmpty)
    #expect(facts.with { $0.clock.isSynchronised = nil }.complaints.isEmpty)
  }

  @Test func invalidConfigurationIsReportedAndTheRestIsStillChecked() {
    let facts = Box.bare.with {
      $0.configuration.outcome = .bad(problem: "/etc/metronome/metronome.yaml:3:1: unknown key", remedy: "write tempo")
      ($0.gpio, $0.audio) = (nil, nil)
    }
    #expect(
      facts.complaints == ["wrong configuration file: /etc/metronome/metronome.yaml:3:1: unknown key → write tempo"])
    #expect(facts.text(.lines, "chip") == ["absent: not checked: the configuration has an error"])
    #expect(facts.text(.computer, "governor") == ["right: performance (4 processors)"])
  }
}
