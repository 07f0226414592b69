import Testing

/// `metronome wiring`: the table of one's own pins, and what clashes.
@Suite struct WiringTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func wiring(_ yaml: String, _ more: String...) throws -> Program.Result {
    let file = try folder.file("m.yaml", Array(yaml.utf8))
    return try Program.run(["wiring", "--config", file.path] + more)
  }

  @Test func theStandardWiringClashesWithNothing() throws {
    let result = try wiring("# as built in")
    #expect(result.code == 0 && result.errors == "")
    #expect(
      result.output == """
                     line    BCM  pin  ground  active  bias     what hangs on it
        light        GPIO17   17   11       9  high             LED with 470 Ω, to ground
        pendulum     GPIO27   27   13      14  high             LED with 470 Ω, to ground
        buzzer       GPIO22   22   15      14  high             active buzzer, behind an NPN transistor
        play         GPIO5     5   29      30  low     pull-up  button to ground
        slower       GPIO6     6   31      30  low     pull-up  button to ground
        faster       GPIO16   16   36      34  low     pull-up  button to ground
        numerator    GPIO26   26   37      39  low     pull-up  button to ground
        denominator  GPIO25   25   22      20  low     pull-up  button to ground
        tap          GPIO24   24   18      20  low     pull-up  button to ground

        ground: pins 6, 9, 14, 20, 25, 30, 34, 39; 3.3 V: 1, 17; 5 V, never to a GPIO: 2, 4

        """)
  }

  @Test func clashesAreWarnedOf() throws {
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
                     line     BCM  pin  ground  active  bias       what hangs on it
        light        line 4     4    7       9  high               LED with 470 Ω, to ground
        pendulum     GPIO18    18   12      14  low                LED with 470 Ω, to 3.3 V
        buzzer       GPIO12    12   32      30  low                buzzer module that sounds at a low level, on 3.3 V
        play         ID_SDA     0   27      25  low     pull-up    button to ground
        slower       GPIO2      2    3       6  low     disabled   button to ground, 10 kΩ to 3.3 V
        faster       line 10   10   19      20  high    pull-down  button to 3.3 V
        numerator    GPIO14    14    8       6  high    pull-up    switch to ground that opens when pressed
        denominator  GPIO21    21   40      39  low     pull-down  switch to 3.3 V that opens when pressed
        tap          foot       ?    ?       ?  high    disabled   button to 3.3 V, 10 kΩ to ground
        preset_1     line 40    ?    ?       ?  low     pull-up    button to ground
        preset_2     GPIO05     ?    ?       ?  low     pull-up    button to ground

        ground: pins 6, 9, 14, 20, 25, 30, 34, 39; 3.3 V: 1, 17; 5 V, never to a GPIO: 2, 4

        warning: chip gpiochip0: the pins are right if this is the chip of a Raspberry Pi's header
        warning: light on GPIO4 (pin 7): pulled up until the program takes it, so it may be on while the box starts
        warning: pendulum on GPIO18 (pin 12): I²S; free only without a sound card on the header, and unless an overlay \
        takes it for PWM
        warning: pendulum on GPIO18 (pin 12): pulled down until the program takes it, so it may be on while the box \
        starts, unless 3.3 kΩ to 3.3 V hold it
        warning: buzzer on GPIO12 (pin 32): PWM; free unless an overlay takes it, such as pwm, or audremap for the sound \
        of the audio jack
        warning: buzzer on GPIO12 (pin 32): pulled down until the program takes it, so it may be on while the box \
        starts, unless 3.3 kΩ to 3.3 V hold it
        warning: play on GPIO0 (pin 27): a HAT's memory is read through it; leave it free
        warning: slower on GPIO2 (pin 3): I²C, with 1.8 kΩ to 3.3 V on the board; free only while I²C is off, and \
        without a sound card that is set by it
        warning: faster on GPIO10 (pin 19): SPI; free only while SPI is off
        warning: numerator on GPIO14 (pin 8): the serial port; free only while that and its console are off
        warning: denominator on GPIO21 (pin 40): I²S; free only without a sound card on the header
        warning: tap on foot: no GPIO by its name, so look up where it is
        warning: preset_1 on line 40: the header has no such GPIO
        warning: preset_2 on GPIO05: no GPIO by its name, so look up where it is

        """)
  }

  @Test func programsHaveItAsJSON() throws {
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
        {"lines":[{"role":"light","kind":"output","line":3,"bcm":3,"pin":5,"ground":6,"active":"high","bias":null,\#
        "part":"LED with 470 Ω, to ground"},\#
        {"role":"play","kind":"button","line":"a \"b\" \\","bcm":null,"pin":null,"ground":null,"active":"low",\#
        "bias":"pull-up","part":"button to ground"}],"warnings":[\#
        "light on GPIO3 (pin 5): I²C, with 1.8 kΩ to 3.3 V on the board; free only while I²C is off, and without a sound \#
        card that is set by it",\#
        "light on GPIO3 (pin 5): pulled up until the program takes it, so it may be on while the box starts",\#
        "play on a \"b\" \\: no GPIO by its name, so look up where it is"]}

        """#)
  }

  /// On the two pins of I²C the board has resistors of its own.
  @Test(arguments: [
    ("active: high, bias: pull-down", 1), ("active: high, bias: disabled", 1), ("active: high", 0), ("active: low", 0),
  ])
  func aButtonThatNothingCanPullDown(wired: String, count: Int) throws {
    let result = try wiring("buttons: {tap: {line: GPIO2, \(wired)}}")
    let told = result.output.split(separator: "\n").filter { $0.contains("reads pressed for") }
    #expect(told.count == count, "\(result.output)")
  }

  @Test func oneLineForTwoIsRefused() throws {
    let result = try wiring("buttons: {play: {line: ID_SDA}, tap: {line: 0}}")
    #expect(result.code == 78 && result.output == "")
    #expect(result.errors.contains("already belongs to buttons.play"), "\(result.errors)")
  }
}
