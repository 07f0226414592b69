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

@Suite struct LineTests {
  private static let file = "/etc/metronome/metronome.yaml"

  private func chip(_ failure: GPIOFacts.Failure, _ chips: [GPIOFacts.Chip], chip: ChipID = .auto) -> [String] {
    Box.facts.with {
      $0.gpio = GPIOFacts(version: "2.2.1", chips: chips, failure: failure)
      $0.configuration.outcome = .good(Wiring(chip: chip, outputs: [:], buttons: [:]), AudioRequest())
    }.complaints
  }

  private static let other = GPIOFacts.Chip(path: "/dev/gpiochip1", name: "gpiochip1", label: "other", lineCount: 8)

  @Test func missingChipIsWrong() {
    #expect(
      chip(.missing, []) == [
        "wrong lines chip: this system has no GPIO chip (no /dev/gpiochip*) → run this on the computer"
          + " that the parts are wired to; on a Raspberry Pi: sudo apt full-upgrade, and reboot"
      ])
  }

  @Test func missingLabelIsWrong() {
    #expect(
      chip(.missing, [LineTests.other]) == [
        "wrong lines chip: no chip has a label pinctrl-*, as the chip of a Raspberry Pi's header has; the chips are"
          + " gpiochip1 [other] → set chip: in \(LineTests.file) to the label of the chip that the parts are wired to"
      ])
    #expect(
      chip(.missing, [LineTests.other], chip: .named("pinctrl-rp1")) == [
        "wrong lines chip: no chip is named or labelled pinctrl-rp1; the chips are gpiochip1 [other] → set chip: in"
          + " \(LineTests.file) to the label of the chip that the parts are wired to"
      ])
  }

  private func screen(_ change: (inout BoardFacts) -> Void = { _ in }) -> BoardFacts {
    Box.facts.with {
      var wiring = Wiring.standard
      wiring.display.bus = "/dev/i2c-1"
      $0.configuration.outcome = .good(wiring, AudioRequest())
      $0.service?.groups.insert("i2c")
      $0.devices.i2c = [DeviceFacts.File(path: "/dev/i2c-1", group: "i2c", isUsable: true)]
      change(&$0)
    }
  }

  @Test func theBusOfAScreenIsRight() { #expect(screen().complaints == []) }

  @Test func aMissingBusIsWrong() {
    #expect(
      screen { $0.devices.i2c = [] }.complaints == [
        "wrong lines display.i2c: /dev/i2c-1 does not exist → sudo raspi-config nonint do_i2c 0; or set display.i2c in"
          + " \(LineTests.file) to a bus that ls /dev/i2c-* shows"
      ])
  }

  @Test func aBusThatTheServiceMayNotUseIsWrong() {
    #expect(
      screen { $0.service?.groups.remove("i2c") }.complaints == [
        "wrong lines display.i2c: metronome, the user of the service, may not use /dev/i2c-1 → sudo usermod -aG i2c"
          + " metronome; then sudo systemctl restart metronome"
      ])
  }

  @Test func aLineOfADisplayInUseIsWrong() {
    let facts = Box.facts.with {
      $0.gpio?.lines.append(
        LineFacts(
          role: "display.clock", isButton: false, id: .name("GPIO13"), active: .low, offset: 13, name: "GPIO13",
          holder: "lamp"))
    }
    #expect(
      facts.complaints == [
        "wrong lines display.clock: GPIO13 (offset 13 of gpiochip0) is in use by \"lamp\" → end the program that uses it,"
          + " or, if a kernel driver uses it, remove the driver's dtoverlay= or dtparam= entry from"
          + " /boot/firmware/config.txt; or wire the part to another GPIO line and set display.clock in \(LineTests.file)"
      ])
  }

  @Test func ambiguousChipsAreWrong() {
    #expect(
      chip(.ambiguous, [Box.chip, LineTests.other]) == [
        "wrong lines chip: several chips match: gpiochip0 [pinctrl-bcm2711], gpiochip1 [other] → set chip: in"
          + " \(LineTests.file) to the name of the chip that the parts are wired to"
      ])
  }

  @Test func deniedChipIsWrong() {
    let refused = Box.bare.with {
      $0.gpio = GPIOFacts(
        version: "2.2.1", refusals: ["/dev/gpiochip0"],
        failure: .refused(HardwareError(.openChip, .denied, errno: EACCES)))
    }
    let what = "wrong lines chip: /dev/gpiochip0 cannot be opened (Permission denied) → "
    // The fix is in the same table.
    #expect(
      refused.with { $0.devices.gpio[0].isUsable = false }.complaints == [
        "wrong rights gpio: pi may not use /dev/gpiochip0 (group gpio) → sudo usermod -aG gpio pi, and log in again",
        what + "apply the fix for \"gpio\" under rights above",
      ])
    #expect(refused.complaints == [what + "sudo metronome check"])
    #expect(
      refused.with { $0.caller.isRoot = true }.complaints == [
        what + "restart the machine; dmesg shows the kernel's messages"
      ])
  }

  @Test func chipOnlyForTheServiceIsNotAFault() {
    let facts = Box.facts.with {
      $0.gpio = GPIOFacts(
        version: "2.2.1", refusals: ["/dev/gpiochip0"],
        failure: .refused(HardwareError(.openChip, .denied, errno: EACCES)))
      $0.devices.gpio[0].isUsable = false
    }
    #expect(
      facts.complaints == [
        "doubtful rights gpio: the service may use the GPIO chips, but pi may not, so they are not checked →"
          + " sudo metronome check"
      ])
    #expect(
      facts.text(.lines, "chip") == [
        "absent: not checked: /dev/gpiochip0 cannot be opened (Permission denied); the service has permission"
      ])
    #expect(facts.with { $0.service!.groups = ["audio"] }.findings.exitCode == 2)
  }

  /// A box with a change to the light's line.
  private func light(_ change: (inout LineFacts) -> Void) -> BoardFacts {
    Box.facts.with { change(&$0.gpio!.lines[0]) }
  }

  private func play(_ change: (inout LineFacts) -> Void) -> BoardFacts {
    Box.facts.with { change(&$0.gpio!.lines[3]) }
  }

  @Test func missingLineIsWrong() {
    let facts = light {
      $0 = LineFacts(role: "light", isButton: false, id: .name("GPIO99"), active: .high)
    }
    #expect(
      facts.complaints == [
        "wrong lines light: gpiochip0 [pinctrl-bcm2711] has no GPIO99 → set outputs.light.line in \(LineTests.file) to a name"
          + " that gpioinfo shows, or to an offset of 0 to 57"
      ])
  }

  @Test func busyLineIsWrong() {
    let remedy =
      " → end the program that uses it, or, if a kernel driver uses it, remove the driver's dtoverlay= or dtparam="
      + " entry from /boot/firmware/config.txt; or wire the part to another GPIO line and set outputs.light.line in"
      + " \(LineTests.file)"
    #expect(
      light { $0.holder = "led0" }.complaints == [
        "wrong lines light: GPIO17 (offset 17 of gpiochip0) is in use by \"led0\"" + remedy
      ])
    #expect(
      light { $0.holder = "" }.complaints == [
        "wrong lines light: GPIO17 (offset 17 of gpiochip0) is in use by the kernel" + remedy
      ])
  }

  @Test func lineOfTheRunningMetronomeIsRight() {
    let facts = light {
      $0.holder = "metronome"
      $0.direction = .output
    }
    #expect(facts.complaints.isEmpty)
    #expect(
      facts.text(.lines, "light") == [
        "right: GPIO17 (offset 17 of gpiochip0), in use by the running metronome, output"
      ])
  }

  @Test func lineWiredTwiceIsWrong() {
    let complaints = light { $0.offset = 27 }.complaints
    #expect(
      complaints == [
        "wrong lines light: GPIO17 (offset 27 of gpiochip0) is also the line of pendulum → set outputs.light.line in"
          + " \(LineTests.file) to another line",
        "wrong lines pendulum: GPIO27 (offset 27 of gpiochip0) is also the line of light → set outputs.pendulum.line"
          + " in \(LineTests.file) to another line",
      ])
  }

  @Test func pressedButtonIsDoubtful() {
    #expect(
      play { $0.contact = .pressed }.complaints == [
        "doubtful lines play: GPIO5 (offset 5 of gpiochip0) reads pressed now (low) → release it; if it is not"
          + " pressed, look for a short circuit between its wire and ground; for a normally closed switch set"
          + " buttons.play.active in \(LineTests.file) to high"
      ])
  }

  @Test func refusedButtonLineIsWrong() {
    #expect(
      play { $0.contact = .unknown(errno: EINVAL) }.complaints == [
        "wrong lines play: GPIO5 (offset 5 of gpiochip0) cannot be requested as an input (Invalid argument) → wire"
          + " it to another line and set buttons.play.line in \(LineTests.file)"
      ])
  }

  @Test func onlyPresentAndFreeLinesAreTried() {
    let facts = Box.facts.with {
      $0.gpio!.lines[0].holder = "led0"
      $0.gpio!.lines[1].offset = nil
      $0.gpio!.lines[3].offset = $0.gpio!.lines[4].offset
      $0.gpio!.lines[5].holder = "metronome"
    }
    let wiring = facts.wiringToTry(.standard)
    #expect(Set(wiring.outputs.keys) == [.buzzer])
    #expect(Set(wiring.buttons.keys) == [.numerator, .denominator, .tap])
    #expect(
      facts.untried("faster").verdict.remedy
        == "sudo systemctl stop metronome, or end the other metronome; then repeat the check")
    #expect(facts.untried("light").verdict.remedy == "fix that problem first")
    #expect(facts.untriedChip == nil)
  }

  /// There are no lines of outputs and buttons above that a finding could refer to, only the chip.
  @Test func withoutAChipOneFindingReplacesTheTrials() throws {
    let facts = Box.facts.with { $0.gpio = GPIOFacts(version: "2.2.1", failure: .missing) }
    let finding = try #require(facts.untriedChip)
    #expect(finding.area == .trial && finding.subject == "chip")
    #expect(finding.verdict.text.contains("see \"chip\" under \"lines\" above"))
    #expect(facts.findings.map(\.subject).contains("chip") && !facts.findings.map(\.subject).contains("light"))
    #expect((facts.findings + [finding]).exitCode == facts.findings.exitCode)
  }
}
