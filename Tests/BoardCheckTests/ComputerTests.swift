import BoardCheck
import Testing

@Suite struct ComputerTests {
  @Test(arguments: ["ondemand", "powersave", "conservative"]) func aSlowGovernorIsDoubtful(name: String) {
    let facts = Box.facts.with { $0.computer.governors = [ComputerFacts.Governor(name: name, count: 4)] }
    #expect(
      facts.complaints == [
        "doubtful computer governor: \(name) (4 processors): wakes up slowly, so that beats may be late by some ten"
          + " microseconds → echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor; for good:"
          + " cpufreq.default_governor=performance in /boot/firmware/cmdline.txt"
      ])
    #expect(facts.findings.exitCode == 1)
  }

  @Test func whatACleanComputerIsNeedsNoMending() {
    let facts = Box.facts.with {
      $0.computer = ComputerFacts(kernel: "6.1.0", isRealTimeKernel: true)
      $0.clock = ClockFacts(isSynchronised: false)
    }
    #expect(facts.complaints.isEmpty)
    #expect(facts.said(.computer, "model") == ["absent: not a Raspberry Pi (no device tree)"])
    #expect(facts.said(.computer, "kernel") == ["right: 6.1.0, a real-time kernel"])
    #expect(facts.said(.computer, "governor") == ["absent: the processors' clock is not governed here"])
  }

  @Test func voltage() {
    let remedy =
      " → use the power supply made for this model (5.1 V) and a short, thick cable; feed lamps, buzzer and amplifier"
      + " from a supply of their own"
    let now = "wrong computer voltage: the supply's voltage is too low at this moment" + remedy
    let before = "doubtful computer voltage: the supply's voltage has been too low since the start" + remedy
    #expect(Box.facts.with { $0.computer.hasLowVoltage = true }.complaints == [now])
    #expect(Box.facts.with { $0.computer.throttled = 0x10001 }.complaints == [now])
    #expect(Box.facts.with { $0.computer.throttled = 0x10000 }.complaints == [before])
  }

  @Test func throttling() {
    let remedy = " → give the box air or a heat sink, or a stronger supply; vcgencmd measure_temp shows the heat"
    #expect(
      Box.facts.with { $0.computer.throttled = 0x80008 }.complaints == [
        "doubtful computer throttling: the processor is being slowed down for heat or voltage (0x80008)" + remedy
      ])
    #expect(
      Box.facts.with { $0.computer.throttled = 0x40000 }.complaints == [
        "doubtful computer throttling: the processor has been slowed down since the start (0x40000)" + remedy
      ])
  }

  @Test func theClockIsDoubtfulOnlyWhereSomethingIsToKeepIt() {
    let facts = Box.facts.with { $0.clock.isSynchronised = false }
    #expect(
      facts.complaints == [
        "doubtful computer clock: not synchronised, though systemd-timesyncd is to do that → connect the network; then"
          + " sudo systemctl restart systemd-timesyncd and timedatectl show how it goes"
      ])
    #expect(facts.with { $0.clock.services = [] }.complaints.isEmpty)
    #expect(facts.with { $0.clock.isSynchronised = nil }.complaints.isEmpty)
  }

  @Test func aBadConfigurationIsToldWithItsPlaceAndTheRestIsStillLookedAt() {
    let facts = Box.bare.with {
      $0.configuration.outcome = .bad(problem: "/etc/metronome/metronome.yaml:3:1: unknown key", remedy: "write tempo")
      ($0.gpio, $0.sound) = (nil, nil)
    }
    #expect(
      facts.complaints == ["wrong configuration file: /etc/metronome/metronome.yaml:3:1: unknown key → write tempo"])
    #expect(facts.said(.lines, "chip") == ["absent: not looked at: the configuration does not say which lines"])
    #expect(facts.said(.computer, "governor") == ["right: performance (4 processors)"])
  }
}
