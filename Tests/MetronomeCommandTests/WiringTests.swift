import Testing

/// `metronome wiring`: the table of the configured pins, and the warnings about conflicts.
@Suite struct WiringTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func wiring(_ yaml: String, _ more: String...) throws -> Program.Result {
    let file = try folder.file("m.yaml", Array(yaml.utf8))
    return try Program.run(["wiring", "--config", file.path] + more)
  }

  @Test func standardWiringHasNoConflicts() throws {
    let result = try wiring("# as built in")
    #expect(result.code == 0 && result.errors == "")
    #expect(
      result.output == """
                     line    BCM  pin  ground  active  bias     part
        light        GPIO17   17   11       9  high             LED with 470 Ω, to ground
        pendulum     GPIO27   27   13      14  high             LED with 470 Ω, to ground
        buzzer       GPIO22   22   15      14  high             active buzzer, driven by an NPN transistor
        play         GPIO5     5   29      30  low     pull-up  button to ground
        slower       GPIO6     6   31      30  low     pull-up  button to ground
        faster       GPIO16   16   36      34  low     pull-up  button to ground
        numerator    GPIO26   26   37      39  low     pull-up  button to ground
        denominator  GPIO25   25   22      20  low     pull-up  button to ground
        tap          GPIO24   24   18      20  low     pull-up  button to ground

        ground: pins 6, 9, 14, 20, 25, 30, 34, 39; 3.3 V: 1, 17; 5 V (never connect to a GPIO): 2, 4

        """)
  }

  @Test func conflictsGiveWarnings() throws {
    let result = try wiring(
      """
      chip: gpiochip0
      outputs: {light: {line: 4}, pendulum: {line: GPIO18, active: low}, buzzer: {line: GPIO12, active: low}}
      buttons:
        play: {line: ID_SDA}
        slower: {line: GPIO2, bias: disabled}
        faster: {line: 10, active: high, bias: pull-down}
        numerator: {line: GPIO14, active: high}
        denominator: {line: GPIO21, active: low, bias: pull-down}
        tap: {line: foot, active: high, bias: disabled}
        preset_1: {line: 40}
        preset_2: {line: GPIO05}
      """)
    #expect(result.code == 0 && result.errors == "")
    #expect(
      result.output == """
                     line     BCM  pin  ground  active  bias       part
        light        line 4     4    7       9  high               LED with 470 Ω, to ground
        pendulum     GPIO18    18   12      14  low                LED with 470 Ω, to 3.3 V
        buzzer       GPIO12    12   32      30  low                active-low buzzer module, on 3.3 V
        play         ID_SDA     0   27      25  low     pull-up    button to ground
        slower       GPIO2      2    3       6  low     disabled   button to ground, 10 kΩ to 3.3 V
        faster       line 10   10   19      20  high    pull-down  button to 3.3 V
        numerator    GPIO14    14    8       6  high    pull-up    normally closed switch to ground
        denominator  GPIO21    21   40      39  low     pull-down  normally closed switch to 3.3 V
        tap          foot       ?    ?       ?  high    disabled   button to 3.3 V, 10 kΩ to ground
        preset_1     line 40    ?    ?       ?  low     pull-up    button to ground
        preset_2     GPIO05     ?    ?       ?  low     pull-up    button to ground

        ground: pins 6, 9, 14, 20, 25, 30, 34, 39; 3.3 V: 1, 17; 5 V (never connect to a GPIO): 2, 4

        warning: chip gpiochip0: the pins are correct only if this is the chip of a Raspberry Pi's header
        warning: light on GPIO4 (pin 7): the line is pulled up until requested, so the output may be on during boot
        warning: pendulum on GPIO18 (pin 12): I²S; free only if no sound card is on the header and no overlay uses it \
        for PWM
        warning: pendulum on GPIO18 (pin 12): the line is pulled down until requested, so the output may be on during \
        boot, unless a 3.3 kΩ resistor to 3.3 V keeps it off
        warning: buzzer on GPIO12 (pin 32): PWM; free unless an overlay uses it, such as pwm, or audremap for the \
        audio jack
        warning: buzzer on GPIO12 (pin 32): the line is pulled down until requested, so the output may be on during \
        boot, unless a 3.3 kΩ resistor to 3.3 V keeps it off
        warning: play on GPIO0 (pin 27): used to read the memory of a HAT; leave it free
        warning: slower on GPIO2 (pin 3): I²C, with 1.8 kΩ to 3.3 V on the board; free only if I²C is off and no \
        sound card is controlled by it
        warning: faster on GPIO10 (pin 19): SPI; free only if SPI is off
        warning: numerator on GPIO14 (pin 8): serial port; free only if the port and its console are off
        warning: denominator on GPIO21 (pin 40): I²S; free only if no sound card is on the header
        warning: tap on foot: its name contains no GPIO number; look up its pin
        warning: preset_1 on line 40: the header has no such GPIO
        warning: preset_2 on GPIO05: its name contains no GPIO number; look up its pin

        """)
  }

  @Test func wiringIsPrintedAsJSON() throws {
    let result = try wiring(
      """
      chip: pinctrl-rp1
      outputs: {light: {line: 3}, pendulum: {line: none}, buzzer: {line: none}}
      buttons:
        play: {line: "a \\"b\\" \\\\"}
        slower: {line: none}
        faster: {line: none}
        numerator: {line: none}
        denominator: {line: none}
        tap: {line: none}
      """, "--json")
    #expect(result.code == 0 && result.errors == "")
    #expect(
      result.output == #"""
        {"devices":[],"lines":[{"active":"high","bcm":3,"bias":null,"ground":6,"kind":"output","line":3,\#
        "part":"LED with 470 Ω, to ground","pin":5,"role":"light"},\#
        {"active":"low","bcm":null,"bias":"pull-up","ground":null,"kind":"button","line":"a \"b\" \\",\#
        "part":"button to ground","pin":null,"role":"play"}],"warnings":[\#
        "light on GPIO3 (pin 5): I²C, with 1.8 kΩ to 3.3 V on the board; free only if I²C is off and no sound card is \#
        controlled by it",\#
        "light on GPIO3 (pin 5): the line is pulled up until requested, so the output may be on during boot",\#
        "play on a \"b\" \\: its name contains no GPIO number; look up its pin"]}

        """#)
  }

  @Test func pedalsAndPortsAreListed() throws {
    let result = try wiring(
      """
      outputs: {light: {line: GPIO14}, pendulum: {line: none}, buzzer: {line: none}}
      buttons:
        play: {line: none}
        slower: {line: none}
        faster: {line: none}
        numerator: {line: none}
        denominator: {line: none}
        tap: {line: none}
      midi: {out: [{device: /dev/ttyAMA0}, {device: Looper}], in: FCB1010}
      inputs:
        - {midi: FCB1010, cc: {65: tap, 64: play}, note: {60: numerator}, relative: {16: tempo}, program: recall}
        - {device: PageFlip, keys: {KEY_PAGEDOWN: play}}
        - {midi: /dev/ttyAMA0, cc: {1: play}}
      """)
    #expect(result.code == 0 && result.errors == "")
    #expect(
      result.output == """
                  line    BCM  pin  ground  active  bias  part
        light     GPIO14   14    8       6  high          LED with 470 Ω, to ground
        midi out  GPIO14   14    8       6                MIDI OUT: PNP transistor, 33 Ω and 10 Ω, jack
        midi in   GPIO15   15   10       9                MIDI IN: jack, optocoupler

        ground: pins 6, 9, 14, 20, 25, 30, 34, 39; 3.3 V: 1, 17; 5 V (never connect to a GPIO): 2, 4

        other devices:
        /dev/ttyAMA0: clock out
        Looper: clock out
        FCB1010: clock in
        FCB1010: note 60: numerator, controller 64: play, controller 65: tap, controller 16: tempo, program changes: \
        presets
        PageFlip: KEY_PAGEDOWN: play
        /dev/ttyAMA0: controller 1: play

        warning: light on GPIO14 (pin 8): used by midi out; connect the output elsewhere

        """)
  }

  /// The board has pull-up resistors on the two pins of I²C.
  @Test(arguments: [
    ("active: high, bias: pull-down", 1), ("active: high, bias: disabled", 1), ("active: high", 0), ("active: low", 0),
  ])
  func buttonThatNothingPullsDownGivesAWarning(wired: String, count: Int) throws {
    let result = try wiring("buttons: {tap: {line: GPIO2, \(wired)}}")
    let warnings = result.output.split(separator: "\n").filter { $0.contains("always reads pressed") }
    #expect(warnings.count == count, "\(result.output)")
  }

  @Test func lineUsedTwiceIsRefused() throws {
    let result = try wiring("buttons: {play: {line: ID_SDA}, tap: {line: 0}}")
    #expect(result.code == 78 && result.output == "")
    #expect(result.errors.contains("is already used by buttons.play"), "\(result.errors)")
  }
}
