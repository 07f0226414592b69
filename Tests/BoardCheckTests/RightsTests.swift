import BoardCheck
import HardwareAbstraction
import Testing

/// What whoever asks, and the service, may do.
@Suite struct RightsTests {
  @Test func withoutARealTimeLimitBeatsMayBeLate() {
    let facts = Box.bare.with { $0.caller.priorityLimit = 0 }
    #expect(
      facts.complaints == [
        "doubtful rights real-time: pi may have no real-time priority of 80: beats may be late when the machine is busy"
          + " → run as root, or: echo 'pi - rtprio 80' | sudo tee -a /etc/security/limits.d/metronome.conf, and log in again"
      ])
    #expect(facts.findings.exitCode == 1)
    #expect(Box.facts.with { $0.caller.priorityLimit = 0 }.complaints.isEmpty)
  }

  @Test func withLittleLockedMemoryBeatsMayBeLate() {
    let facts = Box.bare.with { $0.caller.lockLimit = 8 << 20 }
    #expect(
      facts.complaints == [
        "doubtful rights memlock: pi may lock only 8192 KiB of memory: beats may be late when memory is short"
          + " → run as root, or: echo 'pi - memlock unlimited' | sudo tee -a /etc/security/limits.d/metronome.conf, and log in"
          + " again"
      ])
    #expect(Box.facts.with { $0.caller.lockLimit = 8 << 20 }.complaints.isEmpty)
  }

  @Test func theServicesLimitsAreItsOwn() {
    let facts = Box.facts.with {
      $0.service?.priorityLimit = 0
      $0.service?.lockLimit = 8 << 20
    }
    let after = "; then sudo systemctl restart metronome"
    #expect(
      facts.complaints == [
        "doubtful rights real-time of the service: the unit allows only the priority 0"
          + " → sudo systemctl edit metronome: below [Service] the line LimitRTPRIO=80" + after,
        "doubtful rights memlock of the service: the unit allows only 8192 KiB"
          + " → sudo systemctl edit metronome: below [Service] the line LimitMEMLOCK=infinity" + after,
      ])
  }

  @Test func whoIsNotInAGroupJoinsIt() {
    let facts = Box.bare.with { $0.devices.gpio[0].isUsable = false }
    #expect(
      facts.complaints == [
        "wrong rights gpio: pi may not use /dev/gpiochip0 (group gpio) → sudo usermod -aG gpio pi, and log in again"
      ])
    #expect(facts.findings.exitCode == 2)
    let other = Box.bare.with { $0.devices.sound[0].isUsable = false }
    #expect(
      other.complaints == [
        "wrong rights audio: pi may not use /dev/snd/controlC0 (group audio) → sudo usermod -aG audio pi, and log in again"
      ])
  }

  @Test func whatIsRootsAloneNeedsARule() {
    let facts = Box.bare.with {
      $0.devices.gpio[0] = DeviceFacts.File(path: "/dev/gpiochip0", group: "root", mode: 0o600, isUsable: false)
    }
    #expect(
      facts.complaints == [
        "wrong rights gpio: pi may not use /dev/gpiochip0 (group root) → echo 'SUBSYSTEM==\"gpio\", GROUP=\"gpio\","
          + " MODE=\"0660\"' | sudo tee /etc/udev/rules.d/60-metronome-gpio.rules, sudo udevadm trigger,"
          + " sudo usermod -aG gpio pi, and log in again"
      ])
  }

  @Test func whereTheServiceMayACallerWhoMayNotIsOnlyDoubtful() {
    let facts = Box.facts.with { $0.devices.gpio[0].isUsable = false }
    #expect(
      facts.complaints == [
        "doubtful rights gpio: the service may use the GPIO chips; pi may not, and cannot look at them → sudo metronome check"
      ])
  }

  @Test func theServicesUserNeedsTheGroups() {
    let facts = Box.facts.with { $0.service?.groups = ["metronome", "gpio", "input"] }
    #expect(
      facts.complaints == [
        "wrong rights audio: metronome, as which the service runs, may not use /dev/snd/controlC0"
          + " → sudo usermod -aG audio metronome; then sudo systemctl restart metronome"
      ])
    let root = facts.with { $0.service?.user = "root" }
    #expect(root.complaints.isEmpty)
  }

  @Test func inputGroupsMatterToThoseWhoHaveInputs() {
    let refused = Box.bare.with { $0.devices.input[0].isUsable = false }
    #expect(refused.complaints.isEmpty)
    #expect(
      refused.said(.rights, "input") == ["absent: not needed: the configuration has no use for pedals and encoders"])
    let facts = refused.with { $0.inputs = [InputFacts(name: "Pedal", path: "/dev/input/event0", isReadable: false)] }
    #expect(
      facts.complaints == [
        "wrong rights input: pi may not use /dev/input/event0 (group input) → sudo usermod -aG input pi, and log in again",
        "wrong inputs Pedal: /dev/input/event0 may not be read by pi → do what \"input\" says above, under rights",
      ])
    let service = facts.with { $0.service = Box.facts.service }
    #expect(
      service.said(.inputs, "Pedal") == [
        "absent: not looked at: /dev/input/event0 may not be read by pi, but by the service"
      ])
    #expect(service.findings.exitCode == 1)
  }

  @Test func withoutSoundNobodyNeedsTheAudioGroup() {
    let facts = Box.bare.with {
      $0.configuration.outcome = .good(.standard, AudioRequest(device: .none))
      $0.sound = SoundFacts(outcome: .notWanted)
      $0.devices.sound[0].isUsable = false
    }
    #expect(facts.complaints.isEmpty)
    #expect(facts.said(.rights, "audio") == ["absent: not needed: the configuration has no use for the sound cards"])
  }

  @Test func theProcessorsSleepIsWorthARule() {
    let what =
      "doubtful rights wake-up: pi may not use /dev/cpu_dma_latency: beats may be late by what waking up takes"
    let facts = Box.bare.with { $0.devices.latency?.isUsable = false }
    #expect(facts.complaints == [what + " → sudo usermod -aG gpio pi, and log in again; or run as root"])
    let ofRoot = facts.with {
      $0.devices.latency = DeviceFacts.File(path: "/dev/cpu_dma_latency", group: "root", mode: 0o600, isUsable: false)
    }
    #expect(
      ofRoot.complaints == [
        what + " → echo 'KERNEL==\"cpu_dma_latency\", GROUP=\"audio\", MODE=\"0660\"' | sudo tee"
          + " /etc/udev/rules.d/60-metronome-latency.rules, sudo usermod -aG audio pi, and restart the machine; or run as root"
      ])
    let service = Box.facts.with { $0.service?.groups = ["gpio"] }
    #expect(service.said(.rights, "wake-up") == ["right: metronome may keep the processor from sleeping deeply"])
    #expect(Box.bare.with { $0.devices.latency = nil }.complaints.isEmpty)
  }
}
