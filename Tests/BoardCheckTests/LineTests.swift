import BoardCheck
import HardwareAbstraction
import Testing

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

  @Test func noChip() {
    #expect(
      chip(.missing, []) == [
        "wrong lines chip: this system has no GPIO chip (no /dev/gpiochip*) → run this on the computer that is wired; on a"
          + " Raspberry Pi: sudo apt full-upgrade, and restart"
      ])
  }

  @Test func noChipOfTheLabel() {
    #expect(
      chip(.missing, [LineTests.other]) == [
        "wrong lines chip: none is labelled pinctrl-*, as that of a Raspberry Pi is; there are gpiochip1 [other] → set chip:"
          + " in \(LineTests.file) to the label of the one that is wired"
      ])
    #expect(
      chip(.missing, [LineTests.other], chip: .named("pinctrl-rp1")) == [
        "wrong lines chip: there is no pinctrl-rp1; there are gpiochip1 [other] → set chip: in \(LineTests.file) to the label"
          + " of the one that is wired"
      ])
  }

  @Test func severalChipsThatWouldDo() {
    #expect(
      chip(.ambiguous, [Box.chip, LineTests.other]) == [
        "wrong lines chip: several chips would do: gpiochip0 [pinctrl-bcm2711], gpiochip1 [other] → set chip: in"
          + " \(LineTests.file) to the name of the one that is wired"
      ])
  }

  @Test func aChipThatMayNotBeOpened() {
    let refused = Box.bare.with {
      $0.gpio = GPIOFacts(
        version: "2.2.1", refusals: [GPIOFacts.Refusal(path: "/dev/gpiochip0", errno: EACCES)],
        failure: .refused(HardwareError(.openChip, errno: EACCES)))
    }
    let what = "wrong lines chip: /dev/gpiochip0 cannot be opened (Permission denied) → "
    // What mends it stands in the same table.
    #expect(
      refused.with { $0.devices.gpio[0].isUsable = false }.complaints == [
        "wrong rights gpio: pi may not use /dev/gpiochip0 (group gpio) → sudo usermod -aG gpio pi, and log in again",
        what + "do what \"gpio\" says above, under rights",
      ])
    #expect(refused.complaints == [what + "sudo metronome check"])
    #expect(
      refused.with { $0.caller.isRoot = true }.complaints == [
        what + "restart the machine; dmesg tells what the kernel thinks of it"
      ])
  }

  @Test func aChipThatOnlyTheServiceMayOpenIsNoFault() {
    let facts = Box.facts.with {
      $0.gpio = GPIOFacts(
        version: "2.2.1", refusals: [GPIOFacts.Refusal(path: "/dev/gpiochip0", errno: EACCES)],
        failure: .refused(HardwareError(.openChip, errno: EACCES)))
      $0.devices.gpio[0].isUsable = false
    }
    #expect(
      facts.complaints == [
        "doubtful rights gpio: the service may use the GPIO chips; pi may not, and cannot look at them → sudo metronome check"
      ])
    #expect(
      facts.said(.lines, "chip") == [
        "absent: not looked at: /dev/gpiochip0 cannot be opened (Permission denied), but the service may"
      ])
    #expect(facts.with { $0.service!.groups = ["audio"] }.findings.exitCode == 2)
  }

  /// The light's line, changed.
  private func light(_ change: (inout LineFacts) -> Void) -> BoardFacts {
    Box.facts.with { change(&$0.gpio!.lines[0]) }
  }

  private func play(_ change: (inout LineFacts) -> Void) -> BoardFacts {
    Box.facts.with { change(&$0.gpio!.lines[3]) }
  }

  @Test func aLineThatTheChipHasNot() {
    let facts = light {
      $0 = LineFacts(role: "light", isButton: false, id: .name("GPIO99"), active: .high)
    }
    #expect(
      facts.complaints == [
        "wrong lines light: gpiochip0 [pinctrl-bcm2711] has no GPIO99 → set outputs.light.line in \(LineTests.file) to a name"
          + " that gpioinfo shows, or to an offset of 0 to 57"
      ])
  }

  @Test func aLineThatAnotherHolds() {
    let remedy =
      " → end what holds it (a program, or a dtoverlay= or dtparam= line in /boot/firmware/config.txt), or wire it to another"
      + " line and say so: outputs.light.line in \(LineTests.file)"
    #expect(
      light { $0.holder = "led0" }.complaints == [
        "wrong lines light: GPIO17 (offset 17 of gpiochip0) is in use by \"led0\"" + remedy
      ])
    #expect(
      light { $0.holder = "" }.complaints == [
        "wrong lines light: GPIO17 (offset 17 of gpiochip0) is in use by the kernel" + remedy
      ])
  }

  @Test func aLineOfTheRunningMetronomeIsRight() {
    let facts = light {
      $0.holder = "metronome"
      $0.direction = .output
    }
    #expect(facts.complaints.isEmpty)
    #expect(
      facts.said(.lines, "light") == [
        "right: GPIO17 (offset 17 of gpiochip0), in use by the running metronome, output"
      ])
  }

  @Test func oneLineForTwo() {
    let complaints = light { $0.offset = 27 }.complaints
    #expect(
      complaints == [
        "wrong lines light: GPIO17 (offset 27 of gpiochip0) is the pendulum's line, too → give each a line of its own:"
          + " outputs.light.line in \(LineTests.file)",
        "wrong lines pendulum: GPIO27 (offset 27 of gpiochip0) is the light's line, too → give each a line of its own:"
          + " outputs.pendulum.line in \(LineTests.file)",
      ])
  }

  @Test func aButtonThatReadsPressed() {
    #expect(
      play { $0.contact = .pressed }.complaints == [
        "doubtful lines play: GPIO5 (offset 5 of gpiochip0) reads pressed now (low) → let go of it; if nobody holds it, look"
          + " for a short between its wire and ground, or a switch that rests closed: for that buttons.play.active: high in"
          + " \(LineTests.file)"
      ])
  }

  @Test func aButtonThatIsNotHandedOut() {
    #expect(
      play { $0.contact = .unknown(errno: EINVAL) }.complaints == [
        "wrong lines play: GPIO5 (offset 5 of gpiochip0) is not handed out as an input (Invalid argument) → wire it to another"
          + " line and say so: buttons.play.line in \(LineTests.file)"
      ])
  }

  @Test func onlyWhatIsThereAndFreeIsTried() {
    let facts = Box.facts.with {
      $0.gpio!.lines[0].holder = "led0"
      $0.gpio!.lines[1].offset = nil
      $0.gpio!.lines[3].offset = $0.gpio!.lines[4].offset
      $0.gpio!.lines[5].holder = "metronome"
    }
    let wiring = facts.wiringToTry(.standard)
    #expect(Set(wiring.outputs.keys) == [.buzzer])
    #expect(Set(wiring.buttons.keys) == [.numerator, .denominator, .tap])
    #expect(facts.untried("faster").remedy == "sudo systemctl stop metronome, or end the other metronome; then again")
    #expect(facts.untried("light").remedy == "mend its line first")
  }
}
