import HardwareAbstraction
import Testing

@testable import BoardCheck

/// Privileges of the caller and of the service.
@Suite struct RightsTests {
  @Test func missingRealTimePriorityIsDoubtful() {
    let facts = Box.bare.with { $0.caller.priorityLimit = 0 }
    #expect(
      facts.complaints == [
        "doubtful rights real-time: pi may not use real-time priority 80: beats may be late when the machine is busy"
          + " → run as root, or: echo 'pi - rtprio 80' | sudo tee -a /etc/security/limits.d/metronome.conf; then log"
          + " in again"
      ])
    #expect(facts.findings.exitCode == 1)
    #expect(Box.facts.with { $0.caller.priorityLimit = 0 }.complaints.isEmpty)
  }

  @Test func lowMemoryLockLimitIsDoubtful() {
    let facts = Box.bare.with { $0.caller.lockLimit = 8 << 20 }
    #expect(
      facts.complaints == [
        "doubtful rights memlock: pi may lock only 8192 KiB of memory: beats may be late when memory is low → run as"
          + " root, or: echo 'pi - memlock unlimited' | sudo tee -a /etc/security/limits.d/metronome.conf; then log"
          + " in again"
      ])
    #expect(Box.facts.with { $0.caller.lockLimit = 8 << 20 }.complaints.isEmpty)
  }

  @Test func serviceLimitsAreCheckedSeparately() {
    let facts = Box.facts.with {
      $0.service?.priorityLimit = 0
      $0.service?.lockLimit = 8 << 20
    }
    let after = "; then sudo systemctl restart metronome"
    #expect(
      facts.complaints == [
        "doubtful rights real-time of the service: the unit allows only priority 0 → sudo systemctl edit metronome:"
          + " add LimitRTPRIO=80 below [Service]" + after,
        "doubtful rights memlock of the service: the unit allows only 8192 KiB of locked memory → sudo systemctl"
          + " edit metronome: add LimitMEMLOCK=infinity below [Service]" + after,
      ])
  }

  @Test func remedyForAMissingGroupIsToJoinIt() {
    let facts = Box.bare.with { $0.devices.gpio[0].isUsable = false }
    #expect(
      facts.complaints == [
        "wrong rights gpio: pi may not use /dev/gpiochip0 (group gpio) → sudo usermod -aG gpio pi, and log in again"
      ])
    #expect(facts.findings.exitCode == 2)
    let other = Box.bare.with { $0.devices.audio[0].isUsable = false }
    #expect(
      other.complaints == [
        "wrong rights audio: pi may not use /dev/snd/controlC0 (group audio) → sudo usermod -aG audio pi, and log in again"
      ])
  }

  @Test func filesOnlyForRootNeedAUdevRule() {
    let facts = Box.bare.with {
      $0.devices.gpio[0] = DeviceFacts.File(path: "/dev/gpiochip0", group: "root", mode: 0o600, isUsable: false)
    }
    #expect(
      facts.complaints == [
        "wrong rights gpio: pi may not use /dev/gpiochip0 (group root) → echo 'SUBSYSTEM==\"gpio\", GROUP=\"gpio\","
          + " MODE=\"0660\"' | sudo tee /etc/udev/rules.d/60-metronome-gpio.rules; then sudo udevadm trigger;"
          + " then sudo usermod -aG gpio pi, and log in again"
      ])
  }

  @Test func deniedCallerIsOnlyDoubtfulIfTheServiceHasAccess() {
    let facts = Box.facts.with { $0.devices.gpio[0].isUsable = false }
    #expect(
      facts.complaints == [
        "doubtful rights gpio: the service may use the GPIO chips, but pi may not, so they are not checked →"
          + " sudo metronome check"
      ])
  }

  @Test func serviceUserNeedsTheGroups() {
    let facts = Box.facts.with { $0.service?.groups = ["metronome", "gpio", "input"] }
    #expect(
      facts.complaints == [
        "wrong rights audio: metronome, the user of the service, may not use /dev/snd/controlC0 → sudo usermod -aG"
          + " audio metronome; then sudo systemctl restart metronome"
      ])
    let root = facts.with { $0.service?.user = "root" }
    #expect(root.complaints.isEmpty)
  }

  @Test func inputGroupIsNeededOnlyWithInputs() {
    let refused = Box.bare.with { $0.devices.input[0].isUsable = false }
    #expect(refused.complaints.isEmpty)
    #expect(
      refused.text(.rights, "input") == ["absent: not needed: the configuration does not use pedals and encoders"])
    let facts = refused.with { $0.inputs = [InputFacts(name: "Pedal", path: "/dev/input/event0", isReadable: false)] }
    #expect(
      facts.complaints == [
        "wrong rights input: pi may not use /dev/input/event0 (group input) → sudo usermod -aG input pi, and log in again",
        "wrong inputs Pedal: pi has no permission to read /dev/input/event0 → apply the fix for \"input\" under"
          + " rights above",
      ])
    let service = facts.with { $0.service = Box.facts.service }
    #expect(
      service.text(.inputs, "Pedal") == [
        "absent: not checked: pi has no permission to read /dev/input/event0; the service has permission"
      ])
    #expect(service.findings.exitCode == 1)
  }

  @Test func audioGroupIsNotNeededWithoutSound() {
    let facts = Box.bare.with {
      $0.configuration.outcome = .good(.standard, AudioRequest(device: .none))
      $0.audio = AudioFacts(outcome: .notWanted)
      $0.devices.audio[0].isUsable = false
    }
    #expect(facts.complaints.isEmpty)
    #expect(facts.text(.rights, "audio") == ["absent: not needed: the configuration does not use the sound cards"])
  }

  @Test func deniedLatencyRequestSuggestsAUdevRule() {
    let what =
      "doubtful rights wake-up: pi may not use /dev/cpu_dma_latency: beats may be late by the processor's wake-up"
      + " time"
    let facts = Box.bare.with { $0.devices.latency?.isUsable = false }
    #expect(facts.complaints == [what + " → sudo usermod -aG gpio pi, and log in again; or run as root"])
    let ofRoot = facts.with {
      $0.devices.latency = DeviceFacts.File(path: "/dev/cpu_dma_latency", group: "root", mode: 0o600, isUsable: false)
    }
    #expect(
      ofRoot.complaints == [
        what + " → echo 'KERNEL==\"cpu_dma_latency\", GROUP=\"audio\", MODE=\"0660\"' | sudo tee"
          + " /etc/udev/rules.d/60-metronome-latency.rules; then sudo usermod -aG audio pi; then restart the machine;"
          + " or run as root"
      ])
    let service = Box.facts.with { $0.service?.groups = ["gpio"] }
    #expect(service.text(.rights, "wake-up") == ["right: metronome may keep the processor out of deep idle states"])
    #expect(Box.bare.with { $0.devices.latency = nil }.complaints.isEmpty)
  }
}
